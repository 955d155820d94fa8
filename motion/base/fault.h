/* SPDX-License-Identifier: MIT
 *
 * How the motion library refuses a file and warns about one. Messages name the place in the file and
 * what was expected; whoever opened the file adds its name. Text that comes from a file is printed
 * through motion_printable.
 */
#ifndef POSEMILL_MOTION_FAULT_H
#define POSEMILL_MOTION_FAULT_H

#include <posemill/posemill.h>

/* Fills the error, which may be NULL, and returns PM_ERROR_FILE. */
pm_status motion_refuse(pm_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with another status. */
pm_status motion_fail(pm_error *error, pm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns PM_ERROR_MEMORY. */
pm_status motion_refuse_memory(pm_error *error);

/* Receives warnings; log NULL: none. */
typedef struct motion_warnings {
    pm_log_function log;
    void *user;
    const char *name; /* of the file */
} motion_warnings;

void motion_warn(const motion_warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Copies `size` bytes of untrusted text into `out`, with each byte of a control character and each
 * byte that is not UTF-8 as \x1b, cut to fit, and a NUL. Returns `out`. */
enum { MOTION_PRINTABLE = 128 };
const char *motion_printable(char out[MOTION_PRINTABLE], const char *text, size_t size);

#endif
