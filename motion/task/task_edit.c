/* SPDX-License-Identifier: MIT
 *
 * Edits a motion, step by step, and describes it.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/task/task_edit.h"
#include "motion/model/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool task_edits(const pm_motion_batch_task *task) {
    return task->fill || task->edit || task->mirror;
}

/* Appends to a description, which ends in "..." where there is no more room. */
static void say(char text[TASK_EDITED], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(char text[TASK_EDITED], const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text + used, TASK_EDITED - used, format, arguments);
    va_end(arguments);
    if (size >= 0 && (size_t)size >= TASK_EDITED - used)
        memcpy(text + TASK_EDITED - 4, "...", 4);
}

static void say_name(char text[TASK_EDITED], const char *before, const pm_motion_content *content,
                     size_t node) {
    char shown[MOTION_PRINTABLE];
    say(text, "%s%s", before, motion_joint_name(shown, content->nodes[node].name, (int64_t)node));
}

/* "2 pairs: LeftArm = RightArm, L_Leg = R_Leg; 5 in the middle; no partner: LeftToe" */
static void say_pairs(char text[TASK_EDITED], const pm_motion_content *content,
                      const pm_motion_mirror_report *report) {
    const char *before = ": ";
    say(text, "%zu pair%s", report->pair_count, report->pair_count == 1 ? "" : "s");
    for (size_t n = 0; n < report->node_count; n++)
        if (report->partners[n] > n) {
            say_name(text, before, content, n);
            say_name(text, " = ", content, report->partners[n]);
            before = ", ";
        }
    say(text, "; %zu in the middle",
        report->node_count - 2 * report->pair_count - report->alone_count);
    before = "; no partner: ";
    for (size_t i = 0; i < report->alone_count; i++, before = ", ")
        say_name(text, before, content, report->alone[i]);
}

/* "filled: 2 gaps of 7 keys that were not finite, 1 gap of 30 frozen keys, at most 0.25 s" */
static void say_gaps(char text[TASK_EDITED], const pm_motion_fill_report *r, bool frozen) {
    say(text, "filled: %zu gap%s of %zu keys that were not finite", r->nan_gaps,
        r->nan_gaps == 1 ? "" : "s", r->nan_keys);
    if (frozen)
        say(text, ", %zu gap%s of %zu frozen keys", r->frozen_gaps, r->frozen_gaps == 1 ? "" : "s",
            r->frozen_keys);
    if (r->longest > 0)
        say(text, ", at most %.6g s", r->longest);
}

/* Takes the place of the motion before, unless that is the caller's. */
static void replace(pm_motion **last, pm_motion *made) {
    pm_motion_destroy(last);
    *last = made;
}

pm_status task_edit(const pm_motion_batch_task *task, const pm_motion *motion, pm_motion **edited,
                    char text[TASK_EDITED], pm_error *error) {
    pm_motion *last = NULL, *made = NULL;
    pm_motion_mirror_report mirrored;
    pm_motion_fill_report filled;
    pm_status status = PM_OK;
    text[0] = '\0';
    if (task->fill)
        status = pm_motion_fill(motion, task->fill, &last, &filled, error);
    if (status == PM_OK && task->fill)
        say_gaps(text, &filled, task->fill->frozen > 0);
    if (status == PM_OK && task->edit) {
        status = pm_motion_edit(last ? last : motion, task->edit, &made, error);
        replace(&last, made);
    }
    if (status == PM_OK && task->mirror) {
        made = NULL;
        status = pm_motion_mirror(last ? last : motion, task->mirror, &made, &mirrored, error);
        if (status == PM_OK)
            say_pairs(text, &made->content, &mirrored);
        replace(&last, made);
    }
    if (status == PM_OK)
        *edited = last;
    else
        pm_motion_destroy(&last);
    return status;
}

void task_list_differences(const pm_motion *a, const pm_motion *b, char text[TASK_LEFT_OUT]) {
    text[0] = '\0';
    if (a->document && b->document && a->format == b->format && a->format->list_differences)
        a->format->list_differences(a, b, text, TASK_LEFT_OUT);
}

static void note_left_out(void *user, const char *what) {
    char *text = user;
    const size_t used = strlen(text);
    snprintf(text + used, TASK_LEFT_OUT - used, "%s%s", used > 0 ? ", " : "", what);
}

pm_status task_write_joined(const pm_motion_batch_task *task, const pm_motion *joined,
                            const char *out, char left_out[TASK_LEFT_OUT], pm_error *error) {
    const pm_motion_format named = pm_motion_find_format(out);
    const pm_motion_convert_options options = {.format = named != PM_MOTION_ANY ? named
                                                         : task->format != PM_MOTION_ANY
                                                             ? task->format
                                                             : joined->content.format,
                                               .euler_given = task->euler_given,
                                               .euler = task->euler,
                                               .scale = task->scale,
                                               .up = task->up,
                                               .to_up = task->to_up,
                                               .unit_mm = task->unit_mm,
                                               .to_unit_mm = task->to_unit_mm,
                                               .strict = task->read.strict,
                                               .decimals = task->decimals,
                                               .left_out = note_left_out,
                                               .left_out_user = left_out};
    pm_motion *moved = NULL;
    pm_status status = PM_OK;
    left_out[0] = '\0';
    if (task->extracts_root)
        status = pm_motion_extract_root(joined, &task->root, &moved, NULL, error);
    if (status == PM_OK)
        status = pm_motion_convert(moved ? moved : joined, &options, out, error);
    pm_motion_destroy(&moved);
    return status;
}
