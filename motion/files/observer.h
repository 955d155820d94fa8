/* SPDX-License-Identifier: MIT
 *
 * Sees the bytes that are read or written, for digests, and how much memory they take.
 */
#ifndef POSEMILL_MOTION_OBSERVER_H
#define POSEMILL_MOTION_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct motion_observer {
    void (*see)(void *user, const void *data, size_t size);
    void *user;
    /* Called before a reader unpacks what a container states to be so many bytes; it may wait until
     * there is memory for them. NULL: not called. */
    void (*expect)(void *user, uint64_t bytes);
} motion_observer;

/* NULL expects nothing. */
static inline void motion_expect(const motion_observer *observer, uint64_t bytes) {
    if (observer && observer->expect)
        observer->expect(observer->user, bytes);
}

/* NULL sees nothing. */
static inline void motion_observe(const motion_observer *observer, const void *data, size_t size) {
    if (observer)
        observer->see(observer->user, data, size);
}

#endif
