/* SPDX-License-Identifier: MIT
 *
 * Options that select the curve through the keys, shared by eval and resample: one table, one
 * struct, and one function that stores them in a clip description.
 */
#ifndef POSEMILL_TOOLS_CURVE_OPTIONS_H
#define POSEMILL_TOOLS_CURVE_OPTIONS_H

#include "formats/npy.h"
#include "options.h"

typedef struct curve_options {
    bool takes_authored; /* set before parsing: --method authored is accepted */
    bool authored;       /* each channel by its own interpolation */
    bool method_given;
    pm_method method;

    bool tangents_given;
    pm_tangents tangents;
    double tcb[3];             /* tension, continuity, bias */
    const char *tangents_file; /* for PM_TANGENTS_USER */
    bool ends_given;
    pm_ends ends;
    bool no_limit;
    double loop_period; /* 0: open */

    bool axis_given; /* false: resample computes the axes of sterp from the bones, eval fails */
    double axis[3];
    const char *axis_file; /* NULL: `axis` */
    bool axis_frame_given;
    pm_axis_frame axis_frame;
    bool swing_given, twist_given;
    double swing[2], twist[2];

    bool is_warned, is_warned_of_authored;

    /* Loaded by curve_options_apply. A description borrows from all of these. */
    npy_array tangents_array;
    npy_array axis_array;
    pm_windows windows;
} curve_options;

/* The table, which fills `options`. They must be zeroed. */
option_group curve_options_group(curve_options *options);

/* Warns about options that the method or, with `authored`, the file's own interpolation does not use,
 * once. curve_options_apply does so for the method. */
void curve_options_warn(curve_options *options, bool authored);

/* Reads the .npy files, checks them against (key_count, track_count, 3) and (track_count, 3), and
 * sets the fields of the description that have options; other fields are unchanged. Warns about
 * options that the method does not use. On failure prints and returns the code. The description is
 * valid until the options are released. */
cli_exit curve_options_apply(curve_options *options, size_t key_count, size_t track_count,
                             pm_clip_desc *desc);

/* Frees the arrays; also accepts zeroed options. */
void curve_options_release(curve_options *options);

#endif
