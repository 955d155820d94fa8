/* SPDX-License-Identifier: MIT
 *
 * A monotonic clock, for measurements while the library runs. Files that include this header
 * define _POSIX_C_SOURCE first.
 */
#ifndef PM_HOST_CLOCK_H
#define PM_HOST_CLOCK_H

#include <time.h>

/* Seconds since a fixed, unspecified point in time. */
static inline double pm_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
