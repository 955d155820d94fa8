/* SPDX-License-Identifier: MIT
 *
 * The table of formats, above the rooms of the formats.
 */
#pragma once

#include "motion/model/model.h"

/* The row of a format; NULL if this build leaves it out. */
const motion_format *motion_format_of(pm_motion_format id);

/* That of a name's extension; NULL if it has none, or an unknown one. */
const motion_format *motion_format_of_name(const char *name);

/* All extensions of files that are read, or written, for messages: "bvh, gltf or csv". Returns text. */
enum { MOTION_EXTENSIONS = 64 };
const char *motion_list_extensions(char text[MOTION_EXTENSIONS], bool of_outputs);

/* The format that the options or the name give; NULL if the bytes must tell. */
pm_status motion_find_named_format(const pm_motion_read_options *options, const char *name,
                                   const motion_format **format, pm_error *error);

/* The format of an input. */
pm_status motion_find_format(const motion_input *input, const char *name,
                             const motion_format **format, pm_error *error);

/* The kind of file that a name or the options promise; that of any motion if they do not. */
const input_kind *motion_kind_of(const pm_motion_read_options *options, const char *name);

/* Refuses what a format cannot write anew, whatever the keys are: before these are computed. */
pm_status motion_check_writable(const pm_motion *motion, pm_motion_format format, pm_error *error);
