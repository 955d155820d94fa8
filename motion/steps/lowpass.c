/* SPDX-License-Identifier: MIT
 *
 * The step that removes high frequencies: a resampling with a low-pass at the rate that a motion has.
 */
#include "motion/steps/steps.h"

static pm_status check_rates(const task_work *w, pm_error *error) {
    const pm_motion_content *content = &w->motion->content;
    const pm_rational rate = content->clips[task_first_clip(w)].rate;
    for (size_t i = 0; w->clip_count == 0 && i < content->clip_count; i++)
        if (content->clips[i].channel_count > 0 &&
            (content->clips[i].rate.num != rate.num || content->clips[i].rate.den != rate.den))
            return motion_refuse(error, "has clips of several rates; resample it, or pick clips");
    return PM_OK;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    const pm_motion_batch_task same = {.rate = "x1", .lowpass = task->lowpass};
    MOTION_TRY(motion_check_clip(&w->motion->content, task_first_clip(w), error));
    if (task->lowpass == 0)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "lowpass", "is missing");
    MOTION_TRY(check_rates(w, error));
    return step_resample.make(w, &same, made, error);
}

const task_step step_lowpass = {"lowpass", "resample",
                                "lowpass", STEP_KEEPS_NODES | STEP_KEEPS_TIMES | STEP_COMPUTES,
                                NULL,      make_step};
