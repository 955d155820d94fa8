/* SPDX-License-Identifier: MIT
 *
 * What is said about a comparison, in words and in JSON, and how the motions are looked at.
 */
#pragma once

#include "motion/compare/compare.h"
#include "motion/compare/subject.h"

/* How motions are looked at when they are compared or shown: the part along the time, the axis that points
 * up, and the unit of length. What is not given is what the motion has, and every guess is a hint, which the
 * log, the page, JSON and Python show. B is looked at in the unit and with the axis of A, as a hint says. */

/* The name of the axis of a subject that points up. */
const char *scene_up_name(int up);

/* A sentence for people, and the file of which it is. */
typedef struct scene_hint {
    const char *file;
    pm_error what;
    char value[32]; /* of its cure */
    char text[PM_ERROR_TEXT_SIZE];
} scene_hint;

typedef struct scene_hints {
    scene_hint of[8];
    pm_spelling spelling; /* of the texts */
    size_t count;
    bool is_note; /* for `info`, which has no such options: the verbs that have them are named */
} scene_hints;

/* Applies unit, axis and part of the options to both subjects, which may be one, before the comparison is
 * prepared, and sets its times but for rule and rate. Names are for messages and hints, which keep them. */
pm_status scene_apply(const pm_motion_compare_options *options, comparison *c, const char *name_a,
                      const char *name_b, scene_hints *hints, pm_error *error);

/* Adds a sentence without a cure. */
void scene_add_hint(scene_hints *hints, const char *file, const char *text);

/* Adds the hints about the first clip of a motion to its notes, for `info`. */
pm_status scene_note(pm_motion *motion, const char *name, pm_error *error);

/* Bounds of a comparison that no time exceeds. */

/* A bound, and the pair of joints that has it. */
typedef struct certified_bound {
    double most; /* NaN: not known */
    size_t pair;
} certified_bound;

typedef struct certified_bounds {
    certified_bound degrees;
    certified_bound distance; /* in units of length; not known where there are no places */
} certified_bounds;

/* Refused: cubicsplines that are not known there, methods but slerp, squad, hermite and spline, a part of the
 * clips, and clips whose first keys are at different times. A with a method has to have its turns alone. */
pm_status compare_certify(const comparison *c, certified_bounds *bounds, pm_error *error);

/* What is said about a comparison: words, and JSON. */

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
    double unit_mm; /* millimetres per unit of length. NaN: not known */
    bool has_tolerance;
    double tolerance_degrees, tolerance_mm;
    pm_motion_trajectory_error trajectory;
    uint64_t rpe_delta; /* of its relative error */
    bool certify;       /* bounds are asked for */
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

/* A comparison that callers keep: two motions, how they are compared, and what is found. */

struct pm_motion_comparison {
    subject subjects[2];
    joint_pairs pairs;
    comparison numbers; /* its arena has the texts too */
    scene_hints hints;
    outcome outcome;
    pm_motion_differences found;
    char *json; /* malloc'ed */
};

/* Checks the arguments and makes all that a comparison takes, which is not prepared yet. `b` NULL: A alone.
 * On failure *made is NULL. */
pm_status comparison_begin(const pm_motion *a, const pm_motion *b,
                           const pm_motion_compare_options *options, pm_motion_comparison **made,
                           pm_error *error);

/* After compare_run: fills in what callers see. */
pm_status comparison_end(pm_motion_comparison *made, pm_error *error);

/* The number of times that are not too many. */
uint64_t comparison_most_times(const pm_motion_compare_options *options);
