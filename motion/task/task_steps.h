/* SPDX-License-Identifier: MIT
 *
 * The steps that a motion goes through between reading and writing: each makes a motion of the one before.
 */
#ifndef POSEMILL_MOTION_TASK_STEPS_H
#define POSEMILL_MOTION_TASK_STEPS_H

#include "motion/task/task.h"

typedef struct task_step {
    const char *name;
    const char *verb;    /* whose options they are */
    const char *options; /* rows of the table of options that it takes, with blanks between */
    bool is_reported;    /* what is reported of the source is the motion before it */
    /* Whether a task that lists no steps has it. */
    bool (*is_asked)(const pm_motion_batch_task *task);
    /* Makes a motion of w->motion, and reports what it did. */
    pm_status (*make)(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                      pm_error *error);
} task_step;

/* The steps, in the order in which a task has those that it asks for. */
extern const task_step task_steps[];
extern const size_t task_step_count;

/* That of a name; NULL: none has it. */
const task_step *task_find_step(const char *name);

/* Whether a step takes an option. */
bool task_step_takes(const task_step *step, const char *option);

/* Whether a task has a step of this name. */
bool task_has_step(const pm_motion_batch_task *task, const char *name);

/* The steps of a task, the ones it lists or those that it asks for: step `index` of them and its options, or
 * NULL after the last. */
const task_step *task_step_of(const pm_motion_batch_task *task, size_t index,
                              const pm_motion_batch_task **options);

/* The rotations of a clip that are resampled: steps are not. */
size_t task_count_rotations(const pm_motion_clip *clip);

/* What the resampling of w->motion is asked for, once its rate, its clips and its curve are known. */
pm_motion_resample_options task_resampling(const task_work *w, const pm_motion_batch_task *task);

/* Finds them. */
pm_status task_prepare_resampling(task_work *w, const pm_motion_batch_task *task, pm_error *error);

/* Finds w->engine, and reports its device. */
pm_status task_choose_engine(task_work *w, const pm_motion_batch_task *task, pm_error *error);

/* Reports what a resampling did, of the motion that it was made of. */
void task_report_resampling(task_work *w, const pm_motion_batch_task *task,
                            const pm_motion_resample_report *done);

#endif
