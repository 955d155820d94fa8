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

/* Of names and parents of nodes, by FNV-1a. */
static uint64_t hash_joints(const pm_motion_content *content) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t n = 0; n < content->node_count; n++) {
        const pm_motion_node *node = &content->nodes[n];
        for (size_t i = 0; i < node->name.size; i++)
            hash = (hash ^ (unsigned char)node->name.text[i]) * UINT64_C(1099511628211);
        hash = (hash ^ (uint32_t)node->parent) * UINT64_C(1099511628211);
    }
    return hash;
}

void task_say_converted(task_work *w, const char *what) {
    char *text = w->report->converted;
    const size_t used = strlen(text), room = sizeof w->report->converted - used;
    w->report->skeleton = hash_joints(&w->motion->content);
    snprintf(text + used, room, "%s%.*s", used > 0 ? ", " : "", (int)room, what);
}

void task_list_other_arrays(const pm_motion_content *content, char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < content->other_array_count && used < size; i++) {
        const pm_motion_other_array *other = &content->other_arrays[i];
        const int length =
            snprintf(text + used, size - used, "%s%.*s%s", used > 0 ? ", " : "",
                     (int)(other->name.size < 128 ? other->name.size : 128), other->name.text,
                     other->nearest ? " (nearest earlier frame)" : "");
        used += length > 0 ? (size_t)length : 0;
    }
}

void task_warn_of_still_arrays(const task_work *w) {
    char text[sizeof w->report->other_arrays] = "";
    const pm_motion *form = motion_form_of(w->motion);
    if (!form || w->motion->content.node_count > 0 ||
        (w->format != PM_MOTION_ANY && w->format != form->content.format))
        return;
    task_list_other_arrays(&form->content, text, sizeof text);
    if (text[0] != '\0')
        motion_warn_at(w->how->log, w->how->log_user, w->path,
                       "not scaled or turned, because no layout names them: %s", text);
}
