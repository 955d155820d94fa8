/* SPDX-License-Identifier: MIT
 *
 * Sees the bytes that are read or written, for digests.
 */
#ifndef POSEMILL_MOTION_OBSERVER_H
#define POSEMILL_MOTION_OBSERVER_H

#include <stddef.h>

typedef struct motion_observer {
    void (*see)(void *user, const void *data, size_t size);
    void *user;
} motion_observer;

/* NULL sees nothing. */
static inline void motion_observe(const motion_observer *observer, const void *data, size_t size) {
    if (observer)
        observer->see(observer->user, data, size);
}

#endif
