/* SPDX-License-Identifier: MIT
 *
 * Segments of curves that are polynomials in each component: positions and scales, and
 * glTF's cubic spline of rotations (spec: methods, section 7).
 */
#include <stdlib.h>

#include "segments.h"
#include "tangents.h"

static const pm_built_segments done = {PM_OK, false};

static dvec3 vector_at(const pm_track *track, ptrdiff_t i) {
    dquat key = pm_track_key(track, i);
    return dvec3_of(key.x, key.y, key.z);
}

/* A coefficient for float: only key times of absurd ratios leave its range. */
static dquat in_range(dvec3 v) {
    const double most = 1e38;
    return (dquat){fmin(fmax(v.x, -most), most), fmin(fmax(v.y, -most), most),
                   fmin(fmax(v.z, -most), most), 0};
}

pm_built_segments pm_build_vector_cubic(const pm_track *track, const pm_extras_out *out) {
    pm_tangent here = pm_tangent_of(track, 0, PM_TANGENTS_BESSEL, pm_vector_slope);
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        pm_tangent next = pm_tangent_of(track, i + 1, PM_TANGENTS_BESSEL, pm_vector_slope);
        double length = pm_track_length(track, i);
        pm_put(out, k, 0, in_range(dvec3_scaled(here.out, length)));
        pm_put(out, k, 1, in_range(dvec3_scaled(next.in, length)));
        here = next;
    }
    return done;
}

/* Over segment i, a parabola through keys i - 1, i, i + 1 (with `key` i) is the chord and
 * u (1 - u) times this: its second divided difference times the segment's squared length. */
static dvec3 bend_of(const pm_track *track, ptrdiff_t key, double length) {
    dvec3 s0 = pm_vector_slope(track, key - 1);
    dvec3 s1 = pm_vector_slope(track, key);
    double span = pm_track_length(track, key - 1) + pm_track_length(track, key);
    double k = length * (length / span);
    return dvec3_blend(k, s0, -k, s1);
}

pm_built_segments pm_build_vector_parabolas(const pm_track *track, const pm_extras_out *out) {
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        double length = pm_track_length(track, i);
        bool before = pm_track_has(track, i - 1);
        bool after = pm_track_has(track, i + 1);
        dvec3 none = {0, 0, 0};
        dvec3 leaving = before ? bend_of(track, i, length) : none;
        dvec3 arriving = after ? bend_of(track, i + 1, length) : leaving;
        pm_put(out, k, 0, in_range(before ? leaving : arriving));
        pm_put(out, k, 1, in_range(arriving));
    }
    return done;
}

/* Key i, or the end key it lies beyond. */
static dvec3 clamped_vector(const pm_track *track, ptrdiff_t i) {
    ptrdiff_t last = (ptrdiff_t)track->key_count - 1;
    if (!track->loop)
        i = i < 0 ? 0 : i > last ? last : i;
    return vector_at(track, i);
}

pm_built_segments pm_build_vector_bspline(const pm_track *track, const pm_extras_out *out) {
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        dvec3 a = clamped_vector(track, i - 1), b = clamped_vector(track, i);
        dvec3 c = clamped_vector(track, i + 1), d = clamped_vector(track, i + 2);
        dvec3 ac = dvec3_blend(1, a, 1, c);
        pm_put(out, k, 0, in_range(dvec3_blend(1.0 / 6, ac, 4.0 / 6, b)));
        pm_put(out, k, 1, in_range(dvec3_blend(-0.5, a, 0.5, c)));
        pm_put(out, k, 2, in_range(dvec3_blend(0.5, ac, -1, b)));
        dvec3 outer = dvec3_blend(1.0 / 6, d, -1.0 / 6, a);
        pm_put(out, k, 3, in_range(dvec3_blend(1, outer, 1, dvec3_blend(0.5, b, -0.5, c))));
    }
    return done;
}

static dquat given_tangent(const pm_rows_of_track *rows, size_t key, unsigned components,
                           double length) {
    dquat t = {pm_number_at(rows, key, 0), pm_number_at(rows, key, 1), pm_number_at(rows, key, 2),
               components == 4 ? pm_number_at(rows, key, 3) : 0};
    /* a float's square must stay in range: only absurd segments leave it */
    double most = 1e15;
    double scale = length;
    double largest = fmax(fmax(fabs(t.x), fabs(t.y)), fmax(fabs(t.z), fabs(t.w)));
    if (largest * length > most)
        scale = most / largest;
    return dquat_scaled(t, scale);
}

pm_built_segments pm_build_cubicspline(const pm_track *track, const pm_extras_out *out) {
    for (size_t k = 0; k < track->segment_count; k++) {
        size_t next = track->single ? 0 : (k + 1) % track->key_count;
        double length = track->single ? 0 : pm_track_length(track, (ptrdiff_t)k);
        pm_put(out, k, 0, given_tangent(&track->tangents_out, k, track->components, length));
        pm_put(out, k, 1, given_tangent(&track->tangents_in, next, track->components, length));
    }
    return done;
}
