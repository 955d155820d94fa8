/* SPDX-License-Identifier: MIT
 *
 * What is said about a comparison: words, and JSON.
 */
#ifndef POSEMILL_MOTION_OUTCOME_H
#define POSEMILL_MOTION_OUTCOME_H

#include "motion/compare/certified.h"
#include "motion/compare/scene.h"

#include <stdio.h>

/* A file that is compared. */
typedef struct compared_file {
    const char *path;
    const char *digest; /* XXH3-128 of what was read; NULL: this build has none */
} compared_file;

typedef struct outcome {
    const comparison *comparison;
    compared_file a, b;
    const char *method; /* of A: "authored" or the name of a method */
    const char *device; /* NULL: everything in double on the host */
    const scene_hints *hints;
    double unit_mm; /* millimetres per unit of length */
    bool has_tolerance;
    double tolerance_degrees, tolerance_mm;
    bool certify; /* bounds are asked for */
    certified_bounds certified;
    pm_spelling spelling; /* of options that texts name */
} outcome;

/* Whether the tolerance is exceeded. A distance that is not known exceeds none. */
bool outcome_exceeds(const outcome *o);

/* One JSON object, malloc'ed, terminated by a NUL that the size does not count, and in the locale "C". NULL:
 * memory is exhausted. */
char *outcome_json(const outcome *o, size_t *size);

/* When values of a measure lie far above all others: "at 1 of 61 times, at 0 s". Empty: none do. */
enum { OUTCOME_APART = 128 };
void outcome_apart(const comparison *c, compare_measure measure, char text[OUTCOME_APART]);

/* How many keys at the beginning have all the angles that are apart, as a T-pose before the motion has.
 * 0: they have not, or are too many for that. */
size_t outcome_keys_apart(const comparison *c);

/* "60 Hz", or "keys are not uniform". */
enum { OUTCOME_RATE = 96 };
void outcome_rate(const pm_motion_clip *clip, char text[OUTCOME_RATE]);

#endif
