/* SPDX-License-Identifier: MIT
 *
 * Where a resampling is computed if the device is not named: in plain C, unless a device can repay the
 * time in which it is opened.
 */
#pragma once

#include "motion/model/model.h"

typedef enum resample_device {
    RESAMPLE_IN_C = 0,         /* few samples, or options that are refused */
    RESAMPLE_IN_C_BUT_FOR_GPU, /* many samples; there is no GPU */
    RESAMPLE_ON_DEVICE
} resample_device;

/* The choice; *numbers: how many are computed. Lists devices where there are many. Thread-safe. */
resample_device resample_choose_device(const pm_motion *motion,
                                       const pm_motion_resample_options *options,
                                       uint64_t *numbers);
