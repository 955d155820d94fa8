/* SPDX-License-Identifier: MIT
 *
 * The table of steps.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/steps/steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TASK_ROW_OF_STEP(step, name) &step_##step,
static const task_step *const steps[] = {TASK_STEPS(TASK_ROW_OF_STEP)};
enum { STEP_COUNT = sizeof steps / sizeof *steps };

const task_step *task_find_step(const char *name) {
    for (size_t i = 0; i < STEP_COUNT; i++)
        if (strcmp(steps[i]->name, name) == 0)
            return steps[i];
    return NULL;
}

bool task_step_takes(const task_step *step, const char *option) {
    const size_t size = strlen(option);
    for (const char *at = step->options; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, option, size) == 0)
            return true;
        at += length;
    }
    return false;
}

bool task_has_step(const pm_motion_batch_task *task, const task_step *step) {
    const pm_motion_batch_task *options;
    const task_step *has = NULL;
    for (size_t i = 0; (has = task_step_of(task, i, &options)) != NULL && has != step; i++)
        ;
    return has != NULL;
}

bool task_computes(const pm_motion_batch_task *task) {
    const pm_motion_batch_task *options;
    const task_step *has = NULL;
    for (size_t i = 0; (has = task_step_of(task, i, &options)) && !(has->does & STEP_COMPUTES); i++)
        ;
    return has != NULL;
}

const task_step *task_step_of(const pm_motion_batch_task *task, size_t index,
                              const pm_motion_batch_task **options) {
    *options = task;
    if (task->step_count > 0) {
        if (index >= task->step_count)
            return NULL;
        *options = task->steps[index].options;
        return task_find_step(task->steps[index].name);
    }
    for (size_t i = 0; i < STEP_COUNT; i++)
        if (steps[i]->is_asked && steps[i]->is_asked(task) && index-- == 0)
            return steps[i];
    return NULL;
}

size_t task_first_clip(const task_work *w) {
    return w->clip_count > 0 ? w->clips[0] : motion_first_clip(&w->motion->content);
}

void task_say(task_work *w, const char *format, ...) {
    char *text = w->report->edited;
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text + used, TASK_EDITED - used, format, arguments);
    va_end(arguments);
    if (size >= 0 && (size_t)size >= TASK_EDITED - used)
        memcpy(text + TASK_EDITED - 4, "...", 4);
}
