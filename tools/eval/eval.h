/* SPDX-License-Identifier: MIT
 *
 * The parts of posemill eval: the options, the arrays read from files, and the writing of samples
 * in pieces.
 */
#pragma once

#include "motion/steps/curve.h"
#include "options/device_options.h"

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
cli_exit eval_input_read(command_options *options, eval_input *input);
void eval_input_release(eval_input *input);

/* Prints why a clip of this input was rejected, with the name of the file that contains the
 * cause. */
cli_exit eval_input_fail(const command_options *options, const eval_input *input,
                         const pm_error *error);

/* Stores the names of the requested outputs, --out first. Returns their number. */
enum { EVAL_OUTPUTS = 4 };
size_t eval_output_names(const command_options *options, const char *names[EVAL_OUTPUTS]);

/* Samples the clip and writes all outputs. On failure no output is left behind. */
cli_exit eval_write(const command_options *options, const eval_input *input, const pm_clip *clip);

/* For key_count keys at key_rate: floor((key_count - 1) rate / key_rate) + 1, in integers. False if
 * the result does not fit in 63 bits. Rates must be above 0. */
bool eval_count_uniform(uint64_t key_count, pm_rational key_rate, pm_rational rate,
                        uint64_t *count);

/* For listed keys that span `seconds`: one more than the largest k with k / rate <= seconds, both
 * as doubles, so that a last key written as 0.3 matches the third sample at 10 Hz. False if the
 * result does not fit in 53 bits or seconds is not finite. */
bool eval_count_listed(double seconds, pm_rational rate, uint64_t *count);
