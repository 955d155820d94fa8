/* SPDX-License-Identifier: MIT
 *
 * What segments are built from: the stored keys of a window of segments in double, with a loop's keys
 * continued past both ends, a track per lane; and how keys are read. The host's windows move along the
 * tracks, so that their contents stay in the cache; a work-item of a device has one segment.
 */
#ifndef PM_WINDOW_H
#define PM_WINDOW_H

#include "pm_build_data.h"
#include "pm_double.h"

/* What a segment's formula reads beside keys and lengths. */
#define PM_NEEDS_LOGS 1u
#define PM_NEEDS_USER 2u   /* user tangents, where that is the rule */
#define PM_NEEDS_IN_OUT 4u /* tangents of cubicspline */
#define PM_NEEDS_RATES 8u  /* rates that are found first */
#define PM_NEEDS_AXES 16u

/* Segments [first, end), one more on either side where they exist, and their keys. */
typedef struct pm_window {
    dquat keys[PM_WINDOW + 3];     /* unrolled float32 keys, normalised; vectors: w is 0 */
    dvec3 logs[PM_WINDOW + 2];     /* logarithms of the steps from key to key; set where needed */
    double lengths[PM_WINDOW + 2]; /* seconds */
    /* Of the two keys of a segment, where needed: tangents in and out, or `in` for user tangents and rates. */
    dquat in[2], out[2];
    ptrdiff_t first, end;
    ptrdiff_t segment_count;
    bool loop, single; /* single: one key, stored twice */
    dvec3 axis;        /* of sterp: unit */
    pm_build_rules rules;
} pm_window;

/* The coefficients of a segment, as many as its curve has. failed: the curve does not exist, because it
 * turns too far. */
typedef struct pm_coefficients {
    dquat of[4];
    dmask failed;
} pm_coefficients;

/* For segments whose keys are not prepared one by one. */
#define PM_NO_KNOTS(name)                                                                          \
    typedef int pm_##name##_knot;                                                                  \
    pm_fn int pm_##name##_knot_at(const pm_window *w, ptrdiff_t i) {                               \
        (void)w, (void)i;                                                                          \
        return 0;                                                                                  \
    }

/* Key i, from first - 1 to end + 1. */
pm_fn dquat pm_window_key(const pm_window *w, ptrdiff_t i) {
    return w->keys[i - w->first + 1];
}

/* log(q_i^-1 q_{i+1}) of segment i, from first - 1 to end. */
pm_fn dvec3 pm_window_log(const pm_window *w, ptrdiff_t i) {
    return w->logs[i - w->first + 1];
}

/* Length of segment i in seconds, from first - 1 to end. */
pm_fn double pm_window_length(const pm_window *w, ptrdiff_t i) {
    return w->lengths[i - w->first + 1];
}

/* The place of what is given for a key. */
#if PM_WINDOW == 1
#define PM_GIVEN_AT(w, i) ((i) - (w)->first)
#else
#define PM_GIVEN_AT(w, i) ((i)&1)
#endif

pm_fn dquat pm_window_in(const pm_window *w, ptrdiff_t i) {
    return w->in[PM_GIVEN_AT(w, i)];
}

pm_fn dquat pm_window_out(const pm_window *w, ptrdiff_t i) {
    return w->out[PM_GIVEN_AT(w, i)];
}

/* Whether segment i exists; always true in a loop. */
pm_fn bool pm_window_has(const pm_window *w, ptrdiff_t i) {
    return w->loop || (i >= 0 && i < w->segment_count);
}

/* Whether keys i and i + 1 are the same, bit for bit. */
pm_fn dmask pm_window_repeats(const pm_window *w, ptrdiff_t i) {
    dquat d = dquat_difference(pm_window_key(w, i), pm_window_key(w, i + 1));
    return dmask_of(d.x == 0) & dmask_of(d.y == 0) & dmask_of(d.z == 0) & dmask_of(d.w == 0);
}

/* The logarithm of the step between two keys. */
pm_fn dvec3 pm_step_log(dquat from, dquat to) {
    return dquat_log(dquat_product(dquat_conjugate(from), to));
}

/* ---- keys ---- */

/* A quaternion whose length is not 1 only by rounding, normalised; others as they are. */
pm_fn dquat pm_unit_if_near(dquat q) {
    const dreal off = dreal_abs(dquat_norm(q) - 1);
    return dquat_select(dmask_of(off <= dreal_of(0x1p-23)), dquat_unit(q), q);
}

/* A rotation of a description, as it is stored but for its sign. */
pm_fn dquat pm_normalised(dquat given, bool keeps_length) {
    return keeps_length ? pm_unit_if_near(given) : dquat_near_unit(given);
}

/* A stored rotation, normalised again: rounding moved it off the sphere by 1e-7, which a circle through
 * near keys, or the midpoint of far keys, would amplify. */
pm_fn dquat pm_normalised_again(dquat stored, bool keeps_length) {
    return keeps_length ? dquat_unit(stored) : dquat_near_unit(stored);
}

/* Whether a rotation takes the other sign, to be nearer to the one before it. */
pm_fn dmask pm_is_turned(dquat before, dquat q) {
    return dmask_of(dquat_dot(before, q) < 0);
}

/* The sign of a loop's laps, from its first and last stored key. */
pm_fn dreal pm_wrap_of(dquat first, dquat last) {
    return dreal_select(pm_is_turned(last, first), dreal_of(-1), dreal_of(1));
}

/* What is kept of a number: see pm_stored. */
pm_fn dreal pm_kept(dreal value) {
    return dreal_where(dmask_of(dreal_abs(value) >= dreal_of(0x1p-60)), value);
}

/* The axis of sterp at unit length. */
pm_fn dvec3 pm_unit_axis(dvec3 axis) {
    /* scaled first, so that the square of a long or short axis stays in range */
    dreal largest = dreal_max(dreal_abs(axis.x), dreal_max(dreal_abs(axis.y), dreal_abs(axis.z)));
    axis = (dvec3){axis.x / largest, axis.y / largest, axis.z / largest};
    return dvec3_scaled(axis, 1 / dvec3_norm(axis));
}

#endif
