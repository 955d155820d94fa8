/* SPDX-License-Identifier: MIT
 *
 * Values for every row of a table of options, from what the row says of itself.
 */
#ifndef POSEMILL_TESTS_OPTION_SAMPLES_H
#define POSEMILL_TESTS_OPTION_SAMPLES_H

#include <posemill/posemill_motion.h>

enum { OPTION_SAMPLE = 64 };

/* A value that the option takes, and that is no default. Returns text. */
const char *option_sample(size_t option, char text[OPTION_SAMPLE]);

#endif
