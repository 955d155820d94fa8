/* SPDX-License-Identifier: MIT
 *
 * The monotonic clock.
 */
#define _POSIX_C_SOURCE 200809L

#include "clock.h"

#include <time.h>

double pm_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
