/* SPDX-License-Identifier: MIT
 *
 * Options about how a motion is written, shared by resample and convert: lengths, the axis that is up,
 * and the numbers of BVH.
 */
#ifndef POSEMILL_TOOLS_CONVERSION_OPTIONS_H
#define POSEMILL_TOOLS_CONVERSION_OPTIONS_H

#include "options.h"

#include <posemill/posemill_motion.h>

typedef struct conversion_options {
    bool euler_given;
    pm_euler_order euler;
    double scale; /* 0: not given */
    pm_motion_turn turn;
    size_t decimals; /* 0: not given */
} conversion_options;

/* The table, which fills `options`. They must be zeroed. */
option_group conversion_options_group(conversion_options *options);

/* Whether lengths or the axis that is up change. */
bool conversion_moves(const conversion_options *options);

/* Prints and returns CLI_USAGE if an option is given that only BVH has, and the output has another
 * format. */
cli_exit conversion_check_format(const conversion_options *options, pm_motion_format format);

#endif
