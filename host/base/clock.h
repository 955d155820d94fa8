/* SPDX-License-Identifier: MIT
 *
 * Seconds that pass, for what is measured while the library works. Who includes it asks for
 * POSIX first.
 */
#ifndef PM_HOST_CLOCK_H
#define PM_HOST_CLOCK_H

#include <time.h>

/* Since some moment that is always the same. */
static inline double pm_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
