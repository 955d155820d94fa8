/* SPDX-License-Identifier: MIT
 *
 * Writing a motion: whose document is written again, or whether the file is made anew, is decided here.
 */
#pragma once

#include "motion/model/adjustment.h"
#include "motion/model/model.h"

/* Samples in place of the keys of clips. */
typedef struct convert_samples {
    const motion_samples *samples;
    size_t count;
    bool rewrites; /* decimals are of all numbers in text; false: of computed ones */
} convert_samples;

/* The format of an output. */
pm_status convert_find_format(const pm_motion_convert_options *options, const char *path,
                              const motion_format **format, pm_error *error);

/* The motion whose document is written again with the rows of `motion`, adjusted, or with samples of it. NULL:
 * the file is made anew. */
const pm_motion *convert_find_document(const pm_motion *motion, const motion_format *format,
                                       const pm_motion_convert_options *options,
                                       motion_adjustment by, const convert_samples *samples);

/* Refuses a turn, or a motion that is turned, where such a document cannot say what it becomes. */
pm_status convert_check_turn(const pm_motion *motion, const pm_motion *document, motion_turn turn,
                             pm_error *error);

/* Writes samples into such a document. */
pm_status convert_write_samples(const pm_motion *motion, const pm_motion *document,
                                const motion_format *format,
                                const pm_motion_convert_options *options,
                                const convert_samples *samples, const char *path, pm_error *error);
