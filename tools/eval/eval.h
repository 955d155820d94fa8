/* SPDX-License-Identifier: MIT
 *
 * The parts of posemill eval: the options, the arrays read from files, and the writing of samples
 * in pieces.
 */
#ifndef POSEMILL_TOOLS_EVAL_H
#define POSEMILL_TOOLS_EVAL_H

#include "motion/task/task_curve.h"
#include "options/curve_options.h"
#include "options/device_options.h"

typedef struct eval_options {
    const char *keys;
    const char *key_times;
    pm_rational key_rate; /* 0/0: not given */
    const char *times;
    pm_rational rate; /* 0/0: not given */
    bool count_given;
    size_t count;
    uint64_t max_frames; /* maximum number of samples of --rate without --count */
    const char *vectors;
    const char *in_tangents, *out_tangents; /* tangents of cubicspline */
    const char *vectors_in_tangents, *vectors_out_tangents;
    const char *out; /* output files; all but the first may be NULL */
    const char *vectors_out;
    const char *velocity;
    const char *acceleration;
    pm_axis_frame velocity_frame;
    pm_key_format key_format;
    bool json;
    pm_motion_curve curve;
    device_options device;
} eval_options;

/* The arrays, and the clip description, which borrows from them and from the options. */
typedef struct eval_input {
    npy_array keys;
    npy_array key_times;
    npy_array times;
    npy_array vectors;
    task_curve curve;
    npy_array tangents[4]; /* incoming and outgoing tangents of the keys, then of the vectors */
    pm_timeline timeline;
    pm_clip_desc desc;
    size_t track_count;
    size_t sample_count;
} eval_input;

/* Reads and checks all input files. On failure prints and returns the code. Release the input in
 * either case. */
cli_exit eval_input_read(eval_options *options, eval_input *input);
void eval_input_release(eval_input *input);

/* Prints why a clip of this input was rejected, with the name of the file that contains the
 * cause. */
cli_exit eval_input_fail(const eval_options *options, const eval_input *input,
                         const pm_error *error);

/* Stores the names of the requested outputs, --out first. Returns their number. */
enum { EVAL_OUTPUTS = 4 };
size_t eval_output_names(const eval_options *options, const char *names[EVAL_OUTPUTS]);

/* Samples the clip and writes all outputs. On failure no output is left behind. */
cli_exit eval_write(const eval_options *options, const eval_input *input, const pm_clip *clip);

#endif
