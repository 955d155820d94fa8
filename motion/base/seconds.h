/* SPDX-License-Identifier: MIT
 *
 * The time that work takes. Who includes it asks for POSIX 2008.
 */
#pragma once

#include <time.h>

/* Seconds of a monotonic clock. */
static inline double seconds_now(void) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
