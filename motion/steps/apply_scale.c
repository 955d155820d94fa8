/* SPDX-License-Identifier: MIT
 *
 * The step that puts uniform scales into lengths.
 */
#include "motion/model/names.h"
#include "motion/steps/steps.h"

static bool is_asked(const pm_motion_batch_task *task) {
    return task->apply_scale;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    pm_motion_scale_report done;
    char shown[MOTION_PRINTABLE];
    (void)task;
    MOTION_TRY(pm_motion_apply_scale(w->motion, made, &done, error));
    task_say(w, "%sapplied %zu scale%s", w->report->edited[0] != '\0' ? "; " : "", done.applied,
             done.applied == 1 ? "" : "s");
    if (done.kept > 0)
        task_say(w, "; kept %zu, which change%s or belong%s to a mesh without a skin: %s",
                 done.kept, done.kept == 1 ? "s" : "", done.kept == 1 ? "s" : "",
                 motion_joint_name(shown, (*made)->content.nodes[done.first_kept].name,
                                   done.first_kept));
    return PM_OK;
}

const task_step step_apply_scale = {"apply-scale",    "convert", "apply-scale",
                                    STEP_KEEPS_TIMES, is_asked,  make_step};
