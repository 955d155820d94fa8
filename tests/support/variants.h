/* SPDX-License-Identifier: MIT
 *
 * Every method with every option that changes its curve: the rows that accuracy,
 * properties and identity are tested over.
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
bool variant_is_circular(const variant *v); /* circular and the smooth ones of its family */
bool variant_has_tangents(const variant *v);

/* The last continuous derivative at keys, as the table of methods and the variant's options promise
 * it: of rotations, and of positions. -1: the curve itself jumps. */
int variant_continuity(const variant *v);
int variant_vector_continuity(const variant *v);

/* Whether it differs from another in what its clip is built from, and in nothing that a kernel
 * would notice: what an interpreter of kernels may leave out. */
bool variant_repeats_kernels(const variant *v);

/* Makes the set one that the variant is defined for: bspline needs uniform keys. */
void variant_prepare(const variant *v, track_set *set);

/* The set's description with the variant's options. */
pm_clip_desc variant_describe(const variant *v, track_set *set);

#endif
