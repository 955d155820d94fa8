/* SPDX-License-Identifier: MIT
 *
 * One file as a batch works on it: open, write, close.
 */
#pragma once

#include "motion/steps/steps.h"

typedef struct task_input {
    const char *path; /* "-" is standard input; of a member of an archive its name */
    const char *data; /* of such a member, else NULL; must outlive the work */
    size_t size;
    pm_rational source_rate;            /* instead of that of the task, unless 0/0 */
    const char *layout;                 /* likewise, unless NULL */
    const pm_motion_observer *observer; /* may be NULL */
    /* Called once the file is open, before memory is taken for the output, whose frames are `ratio`
     * times those of the file. NULL: not called */
    void (*opened)(void *user, double ratio);
    void *opened_user;
} task_input;

typedef struct task_output {
    const char *path; /* "-" is standard output */
    bool must_be_new; /* a file that exists is refused */
    const pm_motion_observer *observer;
} task_output;

/* Opens a file. What is pointed to must outlive the work. Messages of this room name the file. Close the
 * work also on failure. */
pm_status task_open(task_work *w, const task_how *how, const task_input *in, const task_output *out,
                    task_report *report, pm_error *error);

/* Without a file: the caller gives w->motion, which belongs to the work. in->path is its name for messages. */
void task_begin(task_work *w, const task_how *how, const task_input *in, const task_output *out,
                task_report *report);

/* Takes it through the steps, and writes it; on failure no output is left behind. */
pm_status task_write(task_work *w, pm_error *error);

/* Takes it through the steps, in memory: w->motion is the result. No format limits them. */
pm_status task_make(task_work *w, pm_error *error);

/* Completes the report, whose `jumps` the caller frees. */
void task_close(task_work *w);
