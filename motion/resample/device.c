/* SPDX-License-Identifier: MIT
 *
 * Chooses between plain C and a device for a resampling. Both give the same bits where the device passes
 * pm_engine_self_check.
 */
#include "motion/resample/device.h"

#include <stdlib.h>

#include "motion/resample/resample_check.h"
#include "motion/resample/sampler.h"

/* Plain C computes at least 10^8 numbers a second and core, mostly ten times as many, and results of a
 * device come back no sooner than a few 10^9. Opening a GPU takes some tenths of a second. CPU devices
 * take no part: plain C uses the same processors, and starts at once. */
static const uint64_t many_numbers = (uint64_t)1 << 26;

/* Samples that lie on keys are copied. */
static uint64_t count_clip(const pm_motion *motion, size_t clip,
                           const pm_motion_resample_options *options) {
    pm_motion_resample_report ignored = {.samples = 0};
    pm_error unread;
    uint64_t numbers = 0;
    sampler s;
    if (sampler_open(&s, motion, clip, NULL, options, &ignored, &unread) == PM_OK &&
        !sampler_keeps_all(&s))
        numbers =
            s.numbers == 0 || s.count <= UINT64_MAX / s.numbers ? s.count * s.numbers : UINT64_MAX;
    sampler_release(&s);
    return numbers;
}

static uint64_t count_numbers(const pm_motion *motion, const pm_motion_resample_options *options) {
    const size_t listed = options->clips ? options->clip_count : motion->content.clip_count;
    uint64_t numbers = 0;
    for (size_t i = 0; i < listed; i++) {
        const size_t clip = options->clips ? options->clips[i] : i;
        const uint64_t more =
            motion->content.clips[clip].channel_count > 0 ? count_clip(motion, clip, options) : 0;
        numbers = more < UINT64_MAX - numbers ? numbers + more : UINT64_MAX;
    }
    return numbers;
}

/* Where devices cannot be listed, as in a process that was forked after OpenCL was used, there is none. */
static bool has_gpu(void) {
    size_t count = 0;
    pm_error unread;
    bool found = false;
    if (pm_list_devices(NULL, 0, &count, &unread) != PM_OK || count == 0)
        return false;
    FREED pm_device_info *infos = calloc(count, sizeof *infos);
    const size_t capacity = infos ? count : 0;
    if (infos && pm_list_devices(infos, capacity, &count, &unread) == PM_OK)
        for (size_t i = 0; i < capacity && i < count; i++)
            found |= infos[i].type == PM_DEVICE_GPU || infos[i].type == PM_DEVICE_DISCRETE_GPU;
    return found;
}

resample_device resample_choose_device(const pm_motion *motion,
                                       const pm_motion_resample_options *options,
                                       uint64_t *numbers) {
    pm_error unread;
    *numbers = 0;
    if (resample_check_options(motion, options, &unread) != PM_OK)
        return RESAMPLE_IN_C;
    *numbers = count_numbers(motion, options);
    if (options->check) /* the user compares a device with plain C */
        return RESAMPLE_ON_DEVICE;
    if (*numbers < many_numbers)
        return RESAMPLE_IN_C;
    return has_gpu() ? RESAMPLE_ON_DEVICE : RESAMPLE_IN_C_BUT_FOR_GPU;
}

bool pm_motion_repays_device(const pm_motion *motion, const pm_motion_resample_options *options) {
    uint64_t numbers;
    return motion && options &&
           resample_choose_device(motion, options, &numbers) == RESAMPLE_ON_DEVICE;
}
