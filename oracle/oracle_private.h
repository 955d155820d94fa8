/* SPDX-License-Identifier: MIT
 *
 * What the oracle's own files know of each other: tracks with keys that may be
 * indexed past both ends of a loop.
 */
#ifndef POSEMILL_TESTS_ORACLE_PRIVATE_H
#define POSEMILL_TESTS_ORACLE_PRIVATE_H

#include "oracle.h"

typedef struct vector_curve {
    vec3 *values;   /* NULL when the clip has none */
    vec3 *in, *out; /* cubicspline: tangents as given */
    vec3 *bend;     /* spline: second derivative at each key */
} vector_curve;

typedef struct oracle_track {
    size_t key_count;
    size_t segment_count;
    double *times; /* key_count */
    double period; /* 0: open */
    double wrap;   /* +1 or -1, sign of key 0 after the last */
    bool uniform;
    pm_rational rate;
    quat *stored;   /* keys as the library holds them; NULL when the clip has no rotations */
    quat *keys;     /* the rotations that those are: of norm 1 again */
    vec3 *user;     /* tangents given by the caller, or NULL */
    vec3 *leaving;  /* squad, hermite, spline: velocity of key i in segment i */
    vec3 *arriving; /* likewise in segment i - 1 */
    bool *cusp;     /* circular */
    quat *in, *out; /* cubicspline: tangents as given */
    bool diverged;  /* spline: no velocities found */
    vec3 axis;      /* sterp: unit */
    pm_windows windows;
    vector_curve positions, scales;
} oracle_track;

struct oracle {
    bool unrounded;
    pm_method method;
    pm_vector_method vector_method;
    pm_tangents tangents;
    double tension, continuity, bias;
    pm_ends ends;
    bool unlimited;
    pm_axis_frame frame;
    size_t track_count;
    oracle_track *tracks;
};

/* Keys and times past the ends of a loop follow with the sign and time of their lap. Curves
 * are made of the unit keys: what rounding to float32 did to a key's length is no part of
 * its rotation, and a circle or a nearly antipodal slerp would magnify it. */
quat track_key(const oracle_track *t, ptrdiff_t i);
double track_time(const oracle_track *t, ptrdiff_t i);
double track_step(const oracle_track *t, ptrdiff_t i); /* length of segment i */
bool track_has_key(const oracle_track *t, ptrdiff_t i);

vec3 chord_log(const oracle_track *t, ptrdiff_t i);   /* half-angle vector of segment i */
vec3 chord_slope(const oracle_track *t, ptrdiff_t i); /* likewise per second */

/* Fill what curves know of keys before any sample. */
void tangents_prepare(const oracle *o, oracle_track *t);
void squad_prepare(const oracle *o, oracle_track *t);
void circular_prepare(oracle_track *t);
void spline_prepare(const oracle *o, oracle_track *t);
void vector_spline_prepare(const oracle *o, const oracle_track *t, vector_curve *curve);

/* Strictly inside a segment; u in (0, 1). */
quat squad_inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u);
quat circular_inside(const oracle_track *t, ptrdiff_t i, double u);
quat phased_inside(pm_method method, const oracle_track *t, ptrdiff_t i, double u);
quat sterp_inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u);
quat hermite_inside(const oracle_track *t, ptrdiff_t i, double u);

/* As oracle_condition. */
double squad_condition(const oracle_track *t, ptrdiff_t i, double u);

/* As oracle_reach. */
double phased_reach(const oracle_track *t, ptrdiff_t i);
double hermite_reach(const oracle_track *t, ptrdiff_t i);

/* Of length other than 1: glTF divides by it. */
quat cubicspline_inside(const oracle_track *t, ptrdiff_t i, double u);
quat ncubic_inside(const oracle_track *t, ptrdiff_t i, double u);
double ncubic_reach(const oracle_track *t, ptrdiff_t i); /* of components, before normalising */

/* Also at keys, which it does not meet; u in [0, 1]. */
quat bspline_at(const oracle_track *t, ptrdiff_t i, double u);
vec3 vector_at(const oracle *o, const oracle_track *t, const vector_curve *curve, ptrdiff_t i,
               double u);

/* Weights, at u, of the four keys about a segment of a uniform cubic B-spline. */
void bspline_weights(double u, double weights[4]);

/* How far a curve is from the first key's circle to the second's. */
double blend_weight(bool third_derivative, double u);

/* A circle's arc between two keys. */
typedef struct circle_arc {
    quat from, along, across; /* along the chord, and across it away from the third key */
    double chord, alpha;      /* alpha is half of the arc's angle */
} circle_arc;

/* The arc from p1 to p2 that does not contain p0; h from 0 at p1 to 1 at p2. */
circle_arc arc_through(quat p0, quat p1, quat p2);
quat arc_at(const circle_arc *arc, double h);
double arc_length(const circle_arc *arc);

/* Solves below[i] X[i-1] + at[i] X[i] + above[i] X[i+1] = right[i] in place for right, with
 * indices round a ring of `count` and blocks of width x width. False when singular. */
bool solve_ring(size_t count, size_t width, const double *below, const double *at,
                const double *above, double *right);

/* Tangent of an open track's end key from its own chord, the next one, their lengths
 * and the velocity at the key beside it. */
vec3 end_tangent(pm_ends ends, vec3 own, vec3 next, double own_step, double next_step,
                 vec3 neighbour);

void *oracle_allocate(size_t count, size_t size);

#endif
