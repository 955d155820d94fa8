/* SPDX-License-Identifier: MIT
 *
 * A file of arrays with other numbers.
 */
#ifndef POSEMILL_MOTION_REWRITE_H
#define POSEMILL_MOTION_REWRITE_H

#include "motion/convert/adjust.h"

/* Writes the document of `source` with the keys of a copy of it that is adjusted, whose clip has the same
 * channels. `is_made`: the copy is of a motion that was made of the source. */
pm_status motion_rewrite(const pm_motion *source, const pm_motion *adjusted, motion_adjustment by,
                         bool is_made, const motion_format *format, unsigned decimals,
                         const motion_sink *sink, pm_error *error);

#endif
