/* SPDX-License-Identifier: MIT
 *
 * The step that scales and turns a motion in memory. Files have conventions, and motions have none: what is met
 * where the file is written begins with what this step leaves.
 */
#include <float.h>

#include "motion/convert/adjust.h"
#include "motion/model/compose.h"
#include "motion/model/made.h"
#include "motion/steps/steps.h"

static pm_status check(const pm_motion_batch_task *o, pm_error *error) {
    const bool turns = o->to_up != PM_MOTION_UP_FOUND;
    const char *kept = o->to_unit_mm == PM_MOTION_UNIT_KEEP ? "to-unit"
                       : o->to_up == PM_MOTION_UP_KEEP      ? "to-up"
                                                            : NULL;
    if (kept)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, kept,
                                  "keep has no effect in a step: it is about what is written");
    if (o->scale == 0 && o->to_unit_mm == 0 && !turns)
        return motion_fail_option(
            error, PM_ERROR_ARGUMENT, "scale",
            "is missing, and so are a unit and an axis: nothing would change");
    return PM_OK;
}

static pm_status find(const pm_motion *motion, const pm_motion_batch_task *o, motion_adjustment *by,
                      pm_error *error) {
    static const motion_format none = {.document = ""};
    const pm_motion_convert_options options = {.scale = o->scale,
                                               .up = o->up,
                                               .to_up = o->to_up,
                                               .unit_mm = o->unit_mm,
                                               .to_unit_mm = o->to_unit_mm};
    MOTION_TRY(check(o, error));
    MOTION_TRY(motion_check_keys(motion, error));
    return motion_find_adjustment(&options, motion, NULL, &none, by, error);
}

static void set_meaning(pm_motion_content *content, const pm_motion_batch_task *o,
                        motion_adjustment by) {
    content->unit_mm = by.result_unit_mm;
    content->up = by.result_up;
    content->unit_from = o->unit_mm > 0 ? PM_MOTION_GIVEN : content->unit_from;
    content->up_from = o->up != PM_MOTION_UP_FOUND ? PM_MOTION_GIVEN : content->up_from;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    motion_adjustment by;
    char text[MOTION_ADJUSTMENT_TEXT];
    MOTION_TRY(find(w->motion, task, &by, error));
    SCOPED(pm_motion_destroy) pm_motion *to = motion_adjusted(w->motion, by);
    MOTION_TRY_MEMORY(to, error);
    motion_adjustment_text(&w->motion->content, by, task->unit_mm > 0,
                           task->up != PM_MOTION_UP_FOUND, text);
    set_meaning(&to->content, task, by);
    MOTION_TRY(motion_check_numbers(&to->content, DBL_MAX, error));
    if (text[0] != '\0')
        task_say_converted(w, text);
    if (motion_is_adjusted(by))
        task_warn_of_still_arrays(w);
    return made_end(&to, made, error);
}

const task_step step_transform = {"transform",      "convert", "scale to-unit to-up unit up",
                                  STEP_KEEPS_TIMES, NULL,      make_step};
