/* SPDX-License-Identifier: MIT
 *
 * How the motion library refuses a file and warns about one. Messages name the place in the file and
 * what was expected; whoever opened the file adds its name. Text that comes from a file is printed
 * through motion_printable.
 */
#ifndef POSEMILL_MOTION_FAULT_H
#define POSEMILL_MOTION_FAULT_H

#include <posemill/posemill.h>

#include "motion/base/arena.h"

/* Fills the error, which may be NULL. */
void motion_report(pm_error *error, pm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The status itself; a result that may be ignored. */
static inline pm_status motion_status(pm_status status) {
    return status;
}

/* Report a failure, and are its status. Macros, so that analysers see that the result is not PM_OK. */
#define motion_fail(error, status, ...)                                                            \
    (motion_report(error, status, __VA_ARGS__), motion_status(status))
#define motion_refuse(error, ...) motion_fail(error, PM_ERROR_FILE, __VA_ARGS__)
#define motion_refuse_memory(error)                                                                \
    motion_fail(error, PM_ERROR_MEMORY, "%s", "too large for this machine's memory")

/* Hint for what does not fit in host memory. */
#define MOTION_MEMORY_HINT "free some memory, or split the input"

/* Puts the name of a file or of a thing before the message of a failure, cut where there is no room for both.
 * Returns the status. */
pm_status motion_name_failure(pm_status status, const char *name, pm_error *error);

/* Fills the error with "<name>: <message>" and a hint, which may be NULL. Returns the status. */
pm_status motion_fail_at(pm_error *error, pm_status status, const char *name, const char *hint,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Puts the words of users in place of names of fields of descriptions, and the name of the status where
 * there is no message. Only for a message of the library of curves, before a name of the user's is put
 * into it. */
void motion_use_words(pm_error *error);

/* The same of a status of that library; returns it. */
static inline pm_status motion_take_failure(pm_status status, pm_error *error) {
    if (status != PM_OK && error)
        motion_use_words(error);
    return status;
}

/* Hint for values that are not finite. */
#define MOTION_FILL_HINT "resample with --fill to replace values that are not finite"

/* Says how to cure a failure. */
static inline void motion_hint(pm_error *error, const char *hint) {
    if (error)
        error->hint = hint;
}

/* PM_ERROR_ARGUMENT unless the reserved fields of options of the named type are 0. */
pm_status motion_check_zero(const char *type, const uint64_t *reserved, size_t count,
                            pm_error *error);
#define MOTION_CHECK_RESERVED(type, of, error)                                                     \
    motion_check_zero(#type, (of)->reserved, sizeof(of)->reserved / sizeof *(of)->reserved, (error))

/* PM_ERROR_ARGUMENT for an array of texts that is NULL though its count is not 0, or has a NULL entry. */
pm_status motion_check_texts(const char *name, const char *const *texts, size_t count,
                             pm_error *error);

/* Remarks about a motion, in the order in which they are made. */
typedef struct motion_notes {
    motion_arena *arena;
    const char **texts;
    size_t count, capacity;
    bool lost; /* memory was exhausted */
} motion_notes;

/* Receives warnings. */
typedef struct motion_warnings {
    pm_log_function log; /* NULL: none */
    void *user;
    const char *name;    /* of the file */
    motion_notes *notes; /* also keeps them here. NULL: nowhere */
} motion_warnings;

/* Keeps a remark that is no warning. */
void motion_note(motion_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void motion_warn(const motion_warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A warning about a thing. */
#define motion_warn_at(to, user_of_to, thing, ...)                                                 \
    motion_warn(&(motion_warnings){.log = (to), .user = (user_of_to), .name = (thing)}, __VA_ARGS__)

/* Copies `size` bytes of untrusted text into `out`, with each byte of a control character and each
 * byte that is not UTF-8 as \x1b, cut to fit, and a NUL. Returns `out`. */
enum { MOTION_PRINTABLE = 128 };
const char *motion_printable(char out[MOTION_PRINTABLE], const char *text, size_t size);

#endif
