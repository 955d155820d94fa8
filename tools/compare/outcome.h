/* SPDX-License-Identifier: MIT
 *
 * What the command says about a comparison: lines for people, and JSON.
 */
#ifndef POSEMILL_TOOLS_COMPARE_OUTCOME_H
#define POSEMILL_TOOLS_COMPARE_OUTCOME_H

#include "compare.h"

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
    double unit_mm;     /* millimetres per unit of length */
    bool has_tolerance;
    double tolerance_degrees, tolerance_mm;
} outcome;

/* Whether the tolerance is exceeded. A distance that is not known exceeds none. */
bool outcome_exceeds(const outcome *o);

/* Lines: a joint each, the worst first, then the clip. */
void outcome_print(FILE *file, const outcome *o);

/* One JSON object. */
void outcome_print_json(FILE *file, const outcome *o);

/* "60 Hz", or "keys are not uniform". */
enum { OUTCOME_RATE = 96 };
void outcome_rate(const pm_motion_clip *clip, char text[OUTCOME_RATE]);

#endif
