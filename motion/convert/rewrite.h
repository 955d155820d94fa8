/* SPDX-License-Identifier: MIT
 *
 * A file of arrays with other numbers.
 */
#ifndef POSEMILL_MOTION_REWRITE_H
#define POSEMILL_MOTION_REWRITE_H

#include "motion/convert/adjust.h"

/* Writes the document of `source` with the keys of an adjusted copy of it, whose clip has the same
 * channels and frames. */
pm_status motion_rewrite(const pm_motion *source, const pm_motion *adjusted, motion_adjustment by,
                         const motion_format *format, const motion_write_options *options,
                         const motion_sink *sink, pm_error *error);

#endif
