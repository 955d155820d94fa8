/* SPDX-License-Identifier: MIT
 *
 * Options that select the curve through the keys, shared by eval and resample: two tables that fill one
 * struct, which must be zeroed.
 */
#ifndef POSEMILL_TOOLS_CURVE_OPTIONS_H
#define POSEMILL_TOOLS_CURVE_OPTIONS_H

#include "options.h"

#include <posemill/posemill_motion.h>

/* --method, which may accept `authored`, and what follows it. */
option_group method_option_group(pm_motion_curve *curve, bool takes_authored);
option_group curve_options_group(pm_motion_curve *curve);

#endif
