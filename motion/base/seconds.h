/* SPDX-License-Identifier: MIT
 *
 * The time that work takes. Who includes it asks for POSIX 2008.
 */
#ifndef POSEMILL_MOTION_SECONDS_H
#define POSEMILL_MOTION_SECONDS_H

#include <time.h>

/* Seconds of a monotonic clock. */
static inline double seconds_now(void) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
