/* SPDX-License-Identifier: MIT
 *
 * The steps that a motion goes through between reading and writing: each makes a motion of the one before.
 * The row of a step stands in its own file.
 */
#pragma once

#include "motion/model/jumps.h"
#include "motion/model/model.h"
#include "motion/options/options.h"
#include "motion/steps/curve.h"
#include "motion/steps/engines.h"

/* The steps, in the order in which a task has those that it asks for. */
#define TASK_STEPS(ROW)                                                                            \
    ROW(fill, "fill")                                                                              \
    ROW(cut, "cut")                                                                                \
    ROW(repeat, "repeat")                                                                          \
    ROW(pick, "pick")                                                                              \
    ROW(mirror, "mirror")                                                                          \
    ROW(lowpass, "lowpass")                                                                        \
    ROW(resample, "resample")                                                                      \
    ROW(reduce, "reduce")                                                                          \
    ROW(transform, "transform")                                                                    \
    ROW(apply_scale, "apply-scale")                                                                \
    ROW(root, "root")

#define TASK_NAME_OF_STEP(step, name) " " name
#define TASK_STEP_NAMES TASK_STEPS(TASK_NAME_OF_STEP) /* " fill cut" */

/* What is the same for many files. */
typedef struct task_how {
    const pm_motion_batch_task *task;
    task_curve *curve;     /* of this thread */
    task_engines *engines; /* shared by threads */
    bool is_batch;         /* creates folders; options may be for other files of the batch */
    bool makes_folders;    /* also of one file */
    bool finds_aliasing;   /* for the report */
    pm_motion_log_function log;
    void *log_user;
    void (*progress)(void *user, uint64_t done, uint64_t total); /* NULL: not called */
    void *progress_user;
    const uint32_t *cancel; /* of reduce. NULL: it is not ended */
} task_how;

/* What became of the keys of a file: the bounds that no time exceeds. NaN: nothing is bounded. */
typedef struct task_reduced {
    bool is_done;
    uint64_t keys_before, keys_after;
    double degrees, distance, position, scale;
} task_reduced;

enum { TASK_EDITED = 4096 };

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
    uint64_t skeleton;           /* a hash of the joints, where something was converted */
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
    char edited[TASK_EDITED];     /* what became of the joints; "" if nothing can be said */
    pm_motion_fill_report filled; /* of the last step that filled, without its list of jumps */
    jump_shown *jumps;            /* malloc'ed: those that fill found */
    size_t jump_count;
    pm_motion_root_report root;        /* where the task extracts one */
    char root_joint[MOTION_PRINTABLE]; /* the name of its joint */
} task_report;

typedef struct task_work {
    const task_how *how;
    const struct task_input *in;
    const struct task_output *out;
    const char *path;               /* input name for messages */
    pm_motion *motion;              /* what the steps so far have made */
    pm_motion_format format;        /* of the output */
    pm_engine *engine;              /* of the resampling, as the following */
    size_t clips[OPTION_CLIPS_MAX]; /* that are resampled; all, if clip_count is 0 */
    size_t clip_count;
    pm_motion_reduction *reduction; /* of the last step that reduced; NULL: none has */
    bool is_authored;
    bool knows_meaning; /* the motion was read with the unit and the axis of the options */
    pm_rational rate;
    pm_clip_desc curve;
    task_report *report;
    double begun;
} task_work;

/* The first clip that is resampled. */
size_t task_first_clip(const task_work *w);

/* ---- the table ----------------------------------------------------------------------------- */

typedef enum task_step_does {
    STEP_KEEPS_NODES = 1, /* names, parents and the rest pose */
    STEP_KEEPS_TIMES = 2, /* of keys */
    STEP_COMPUTES = 4,    /* on an engine */
    STEP_IS_REPORTED = 8  /* what is reported of the source is the motion before it */
} task_step_does;

typedef struct task_step {
    const char *name;
    const char *verb;    /* whose options they are */
    const char *options; /* rows of the table of options that it takes, with blanks between */
    unsigned does;       /* a sum of task_step_does */
    /* Whether a task that lists no steps has it; NULL: none has. */
    bool (*is_asked)(const pm_motion_batch_task *task);
    /* Makes a motion of w->motion, and reports what it did. */
    pm_status (*make)(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                      pm_error *error);
} task_step;

#define TASK_DECLARE_STEP(step, name) extern const task_step step_##step;
TASK_STEPS(TASK_DECLARE_STEP)
#undef TASK_DECLARE_STEP

/* That of a name; NULL: none has it. */
const task_step *task_find_step(const char *name);

/* Whether a step takes an option. */
bool task_step_takes(const task_step *step, const char *option);

/* Whether a task has a step, or one that needs an engine. */
bool task_has_step(const pm_motion_batch_task *task, const task_step *step);
bool task_computes(const pm_motion_batch_task *task);

/* The steps of a task, the ones it lists or those that it asks for: step `index` of them and its options, or
 * NULL after the last. */
const task_step *task_step_of(const pm_motion_batch_task *task, size_t index,
                              const pm_motion_batch_task **options);

/* Appends to what is reported of the joints, which ends in "..." where there is no more room. */
void task_say(task_work *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends to what is reported of units and axes: "unit cm (estimated) to m". */
void task_say_converted(task_work *w, const char *what);

/* Members of a file that no layout names, "betas, gender"; and the warning that they are not scaled and turned
 * with the others. */
void task_list_other_arrays(const pm_motion_content *content, char *text, size_t size);
void task_warn_of_still_arrays(const task_work *w);

/* ---- filling ------------------------------------------------------------------------------- */

/* "filled: 2 gaps of 7 keys that were not finite, 1 gap of 30 frozen keys, at most 0.25 s" */
void task_describe_gaps(const pm_motion_fill_report *r, bool frozen, char *text, size_t size);

/* ---- resampling ---------------------------------------------------------------------------- */

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

/* What is said of the end of a clip that is not sampled, and its cure. */
extern const motion_about task_about_end;
void task_describe_end(pm_rational rate, double seconds, pm_error *warning);

/* ---- reducing ------------------------------------------------------------------------------ */

/* Refuses formats that cannot hold the keys of a reduction, and NPZ for cubicspline. PM_MOTION_ANY holds
 * all. */
/* The option by which values of keys are rounded so that they take fewer bytes. NULL: they are not. */
const char *task_packing(const pm_motion_batch_task *task);

pm_status task_check_reduce(pm_motion_format format, const pm_motion_reduce_options *how,
                            pm_error *error);
