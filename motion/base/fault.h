/* SPDX-License-Identifier: MIT
 *
 * How the motion library refuses a file and warns about one. Messages name the place in the file and
 * what was expected; whoever opened the file adds its name. Text that comes from a file is printed
 * through motion_printable.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include <stdlib.h>
#include <string.h>

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

/* Of what a batch writes: such failures end it as those of outputs do. */
#define motion_refuse_output_memory(error)                                                         \
    (motion_report(error, PM_ERROR_OUTPUT, "out of memory"),                                       \
     motion_hint(error, MOTION_MEMORY_HINT), motion_status(PM_ERROR_OUTPUT))

/* Calls, and on failure returns its status: for functions that have nothing to release at that place. */
#define MOTION_TRY(call)                                                                           \
    do {                                                                                           \
        const pm_status motion_tried = (call);                                                     \
        if (motion_tried != PM_OK)                                                                 \
            return motion_tried;                                                                   \
    } while (0)

/* Likewise, unless what was allocated, or needed memory, is there. */
#define MOTION_TRY_MEMORY(is_there, error)                                                         \
    MOTION_TRY((is_there) ? PM_OK : motion_refuse_memory(error))

/* Returns PM_ERROR_ARGUMENT, with its name, for the first of these pointers that is NULL. */
#define MOTION_REQUIRE(error, ...)                                                                 \
    MOTION_TRY(motion_require(#__VA_ARGS__, (const void *const[]){__VA_ARGS__}, error))
pm_status motion_require(const char *names, const void *const *pointers, pm_error *error);

/* Releases what a variable holds where its scope ends, the last variable first:
 *
 *     FREED char *text = compose_format("%s/pages", folder);
 *     SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
 */
#define SCOPED(release) __attribute__((unused, cleanup(release)))
#define FREED SCOPED(motion_free_at)
static inline void motion_free_at(void *variable) {
    void *memory;
    memcpy(&memory, variable, sizeof memory);
    free(memory);
}

/* Frees each of these pointers, which may be NULL. */
#define MOTION_FREE(...)                                                                           \
    motion_free_all((void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}))
static inline void motion_free_all(void *const *all, size_t size) {
    for (size_t i = 0; i < size / sizeof *all; i++)
        free(all[i]);
}

/* Hint for what does not fit in host memory. */
#define MOTION_MEMORY_HINT "free some memory, or split the input"

/* Puts the name of a file or of a thing before the message of a failure, cut where there is no room for both.
 * Returns the status. */
pm_status motion_name_failure(pm_status status, const char *name, pm_error *error);

/* Fills the error with "<name>: <message>" and a hint, which may be NULL. Returns the status. */
pm_status motion_fail_at(pm_error *error, pm_status status, const char *name, const char *hint,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

/* motion_fail about an option or a field, which the message continues: "is -1, expected above 0". */
#define motion_fail_option(error, status, name, ...)                                               \
    (motion_report(error, status, __VA_ARGS__), motion_name_option((error), (name)),               \
     motion_status(status))
static inline void motion_name_option(pm_error *error, const char *name) {
    if (error)
        error->option = name;
}

/* Says how to cure a failure. */
static inline void motion_hint(pm_error *error, const char *hint) {
    if (error)
        error->hint = hint;
}

/* Says which option cures a failure; the hint continues it: "nan", "hold", "uses the value of the row
 * before". The value may be NULL. */
static inline void motion_cure(pm_error *error, const char *option, const char *value,
                               const char *hint) {
    if (!error)
        return;
    error->cure = option;
    error->cure_value = value;
    error->hint = hint;
}

/* The cure of values that are not finite. */
static inline void motion_cure_gaps(pm_error *error) {
    motion_cure(error, "fill", NULL, "replaces values that are not finite");
}

/* The cure of files without joints. */
static inline void motion_cure_joints(pm_error *error) {
    motion_cure(error, "skeleton", NULL,
                "gives the joints: smpl, smplh, smplx, or a file with joints");
}

/* PM_ERROR_ARGUMENT unless `next` of options of the named type is NULL. */
#define MOTION_CHECK_NEXT(type, of, error)                                                         \
    (pm_status)((of)->next                                                                         \
                    ? motion_fail(error, PM_ERROR_ARGUMENT, "%s", #type ".next is not NULL")       \
                    : PM_OK)

/* PM_ERROR_ARGUMENT for an array of texts that is NULL though its count is not 0, or has a NULL entry. */
pm_status motion_check_texts(const char *name, const char *const *texts, size_t count,
                             pm_error *error);

/* The identities of a remark, as in pm_error; but for the value all in static storage. */
typedef struct motion_about {
    const char *option, *cure, *cure_value, *hint;
} motion_about;

/* Remarks about a motion, in the order in which they are made. */
typedef struct motion_notes {
    motion_arena *arena;
    const pm_error **all;
    const char **texts; /* their messages */
    size_t count, capacity;
    bool lost; /* memory was exhausted */
} motion_notes;

/* Receives warnings. */
typedef struct motion_warnings {
    pm_motion_log_function log; /* NULL: none */
    void *user;
    const char *name;    /* of the file, which messages begin with. NULL: none */
    motion_notes *notes; /* also keeps them here, without the name. NULL: nowhere */
} motion_warnings;

/* Keep a remark that is no warning. NULL notes: nowhere. */
void motion_note_about(motion_notes *notes, motion_about about, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define motion_note(notes, ...)                                                                    \
    motion_note_about((notes), (motion_about){.hint = NULL}, __VA_ARGS__)
void motion_keep_note(motion_notes *notes, const pm_error *note);

void motion_warn_about(const motion_warnings *to, motion_about about, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define motion_warn(to, ...) motion_warn_about((to), (motion_about){.hint = NULL}, __VA_ARGS__)

/* A warning about a thing. */
#define motion_warn_at(to, user_of_to, thing, ...)                                                 \
    motion_warn_about(&(motion_warnings){.log = (to), .user = (user_of_to), .name = (thing)},      \
                      (motion_about){.hint = NULL}, __VA_ARGS__)

/* A remark that is made already. */
void motion_tell(const motion_warnings *to, pm_log_level level, const pm_error *remark);
void motion_describe(pm_error *remark, motion_about about, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An error as text, without its hint. */
void motion_write_line(const pm_error *error, pm_spelling spelling, char text[PM_ERROR_TEXT_SIZE]);

/* Copies `size` bytes of untrusted text into `out`, with each byte of a control character and each
 * byte that is not UTF-8 as \x1b, cut to fit, and a NUL. Returns `out`. */
enum { MOTION_PRINTABLE = 128 };
const char *motion_printable(char out[MOTION_PRINTABLE], const char *text, size_t size);

/* The same in memory that lasts as long as the block, for the arguments of a message. */
#define MOTION_SHOWN(text, size) motion_printable((char[MOTION_PRINTABLE]){""}, (text), (size))
