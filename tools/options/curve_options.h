/* SPDX-License-Identifier: MIT
 *
 * The options that say what curve goes through the keys, shared by eval and resample:
 * one table, one struct, one function that puts them into a clip description.
 */
#ifndef POSEMILL_TOOLS_CURVE_OPTIONS_H
#define POSEMILL_TOOLS_CURVE_OPTIONS_H

#include "formats/npy.h"
#include "options.h"

typedef struct curve_options {
    bool method_given;
    pm_method method;

    bool tangents_given;
    pm_tangents tangents;
    double tcb[3];             /* tension, continuity, bias */
    const char *tangents_file; /* of PM_TANGENTS_USER */
    bool ends_given;
    pm_ends ends;
    bool no_limit;
    double loop_period; /* 0: open */

    bool axis_given; /* sterp takes none by itself: without it the command finds one or refuses */
    double axis[3];
    const char *axis_file; /* NULL: `axis` */
    bool axis_frame_given;
    pm_axis_frame axis_frame;
    bool swing_given, twist_given;
    double swing[2], twist[2];

    /* Loaded by curve_options_apply; a description borrows from all of these. */
    npy_array tangents_array;
    npy_array axis_array;
    pm_windows windows;
} curve_options;

/* The table, with `options` as the struct to fill; it must be zeroed. */
option_group curve_options_group(curve_options *options);

/* Reads the .npy files, checks them against (key_count, track_count, 3) and
 * (track_count, 3), and sets the description's fields that have options; the others are
 * left alone. Warns of options that the method takes no notice of. On failure prints
 * and returns the code. The description is valid until the options are released. */
cli_exit curve_options_apply(curve_options *options, size_t key_count, size_t track_count,
                             pm_clip_desc *desc);

/* Frees what apply read; takes zeroed options. */
void curve_options_release(curve_options *options);

#endif
