/* SPDX-License-Identifier: MIT
 *
 * Calls of a pm_motion_observer, which may be NULL.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include "motion/base/fault.h"

static inline void motion_expect(const pm_motion_observer *observer, uint64_t bytes) {
    if (observer && observer->expect)
        observer->expect(observer->user, bytes);
}

static inline void motion_observe(const pm_motion_observer *observer, const void *data,
                                  size_t size) {
    if (observer && observer->see)
        observer->see(observer->user, data, size);
}

/* PM_ERROR_ARGUMENT unless `next` of an observer, which may be NULL itself, is NULL. */
static inline pm_status motion_check_observer(const pm_motion_observer *observer, pm_error *error) {
    return observer ? MOTION_CHECK_NEXT(pm_motion_observer, observer, error) : PM_OK;
}
