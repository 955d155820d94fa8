/* SPDX-License-Identifier: MIT
 *
 * Every method with every option that changes its curve: the rows of the tests of accuracy,
 * properties and bit matches.
 */
#ifndef POSEMILL_TESTS_VARIANTS_H
#define POSEMILL_TESTS_VARIANTS_H

#include "oracle/random_tracks.h"

typedef struct variant {
    const char *name;
    pm_method method;
    pm_tangents tangents;
    pm_ends ends;
    bool unlimited;
    double tension, continuity, bias;
    pm_axis_frame frame;
    const pm_windows *windows;
} variant;

size_t variant_count(void);
const variant *variant_at(size_t index);
const variant *variant_named(const char *name);

bool variant_interpolates(const variant *v);
bool variant_is_circular(const variant *v); /* circular and circular-c1 to -c3 */
bool variant_has_tangents(const variant *v);

/* The order of the last continuous derivative at keys, from the table of methods and the options of
 * the variant: of rotations, and of positions. -1: the curve itself jumps. */
int variant_continuity(const variant *v);
int variant_vector_continuity(const variant *v);

/* Whether the variant differs from another only in the data that its clip is built from, not in its
 * kernels: an interpreter of kernels may leave it out. */
bool variant_repeats_kernels(const variant *v);

/* Changes the set to one that the variant is defined for: bspline requires uniform keys. */
void variant_prepare(const variant *v, track_set *set);

/* The description of the set with the variant's options. */
pm_clip_desc variant_describe(const variant *v, track_set *set);

#endif
