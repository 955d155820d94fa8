/* SPDX-License-Identifier: MIT
 *
 * One file as a batch works on it: open, write, close.
 */
#ifndef POSEMILL_MOTION_TASK_H
#define POSEMILL_MOTION_TASK_H

#include "motion/model/model.h"
#include "motion/task/task_clips.h"
#include "motion/task/task_curve.h"
#include "motion/task/task_edit.h"
#include "motion/task/task_engines.h"
#include "motion/task/task_reduce.h"

/* What is the same for many files. */
typedef struct task_how {
    const pm_motion_batch_task *task;
    task_curve *curve;     /* of this thread */
    task_engines *engines; /* shared by threads */
    bool is_batch;         /* creates folders; options may be for other files of the batch */
    bool finds_aliasing;   /* for the report */
    pm_motion_log_function log;
    void *log_user;
    void (*progress)(void *user, uint64_t done, uint64_t total); /* NULL: not called */
    void *progress_user;
} task_how;

typedef struct task_report {
    pm_rational source_rate, rate;
    bool rate_is_snapped;
    char frame_time[40]; /* as written in the source: BVH's frame time, else a rate */
    bool is_frame_time;
    size_t joint_count, track_count, node_count, clip_count;
    uint64_t source_frames, frames;
    uint64_t kept_frames;        /* source frames written unchanged */
    const char *format, *method; /* of the input; as in reports */
    pm_device_info device;       /* that computed; without a rate, no name */
    char left_out[256];          /* what the format of the output cannot hold */
    char converted[160];         /* units and axes: "unit cm (estimated) to m"; else "" */
    char other_arrays[256];      /* resampled though no layout names them */
    uint64_t bytes_read, bytes_written;
    double seconds;
    double end_cut;          /* seconds that are left out at the end, unasked */
    bool checked, identical; /* of a check: whether all bits match */
    double max_error;        /* of a check: radians between device and reference */
    double cutoff;           /* Hz, of a low-pass; 0: none */
    double aliasing; /* where it is looked for, at a lower rate without a low-pass: degrees rms
                                of its worst joint, which is named */
    char aliasing_joint[MOTION_PRINTABLE];
    task_reduced reduced;
    char edited[TASK_EDITED];          /* what became of the joints; "" if nothing can be said */
    pm_motion_root_report root;        /* where the task extracts one */
    char root_joint[MOTION_PRINTABLE]; /* the name of its joint */
} task_report;

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

typedef struct task_work {
    const task_how *how;
    const task_input *in;
    const task_output *out;
    const char *path;             /* input name for messages */
    pm_motion *motion;            /* what the steps so far have made */
    pm_motion_format format;      /* of the output */
    pm_engine *engine;            /* of the resampling, as the following */
    size_t clips[TASK_CLIPS_MAX]; /* that are resampled; all, if clip_count is 0 */
    size_t clip_count;
    pm_motion_reduction *reduction; /* of the last step that reduced; NULL: none has */
    bool is_authored;
    pm_rational rate;
    pm_clip_desc curve;
    task_report *report;
    double begun;
} task_work;

/* Opens a file. What is pointed to must outlive the work. Messages of this room name the file. Close the
 * work also on failure. */
pm_status task_open(task_work *w, const task_how *how, const task_input *in, const task_output *out,
                    task_report *report, pm_error *error);

/* Without a file: the caller gives w->motion, which belongs to the work. in->path is its name for messages. */
void task_begin(task_work *w, const task_how *how, const task_input *in, const task_output *out,
                task_report *report);

/* Takes it through the steps, and writes it; on failure no output is left behind. */
pm_status task_write(task_work *w, pm_error *error);

/* The first clip that is resampled. */
size_t task_first_clip(const task_work *w);

/* Completes the report. */
void task_close(task_work *w);

#endif
