/* SPDX-License-Identifier: MIT
 *
 * How the library's own functions report failure.
 */
#ifndef PM_HOST_STATUS_H
#define PM_HOST_STATUS_H

#include <posemill/posemill.h>

/* Fills the error, when there is one, and returns the status. */
pm_status pm_fail(pm_error *error, pm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Likewise, about a track and a key; either may be PM_NOWHERE. The message is followed
 * by " (track T, key K)". */
pm_status pm_fail_at(pm_error *error, pm_status status, size_t track, size_t key,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

pm_status pm_fail_cl(pm_error *error, pm_status status, int cl_status, const char *what);

pm_status pm_fail_memory(pm_error *error);

/* Sets PM_OK. */
void pm_error_clear(pm_error *error);

/* *product = a * b; false when it does not fit. */
bool pm_multiply(size_t a, size_t b, size_t *product);

#endif
