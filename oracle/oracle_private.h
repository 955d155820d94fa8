/* SPDX-License-Identifier: MIT
 *
 * Declarations shared by the oracle's files: tracks whose keys may be indexed past both ends of a
 * loop.
 */
#ifndef POSEMILL_TESTS_ORACLE_PRIVATE_H
#define POSEMILL_TESTS_ORACLE_PRIVATE_H

#include "oracle.h"

typedef struct vector_curve {
    vec3 *values;   /* NULL when the clip has none */
    vec3 *in, *out; /* cubicspline: the given tangents */
    vec3 *bend;     /* spline: second derivative at each key */
} vector_curve;

typedef struct oracle_track {
    size_t key_count;
    size_t segment_count;
    double *times; /* key_count of them */
    double period; /* 0: open */
    double wrap;   /* +1 or -1: the sign of key 0 after the last key */
    bool uniform;
    pm_rational rate;
    quat *stored;   /* keys as the library stores them; NULL when the clip has no rotations */
    quat *keys;     /* the same rotations with norm 1; cubicspline: as given */
    vec3 *user;     /* tangents given by the caller, or NULL */
    vec3 *leaving;  /* squad, hermite, spline: velocity of key i in segment i */
    vec3 *arriving; /* likewise in segment i - 1 */
    bool *cusp;     /* circular */
    quat *in, *out; /* cubicspline: the given tangents */
    bool diverged;  /* spline: no velocities found */
    vec3 axis;      /* sterp: unit vector */
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

/* Keys and times past the ends of a loop have the sign and time of their lap. Curves use the unit
 * keys: the error that rounding to float32 adds to a key's length is not part of its rotation, and
 * a circle or a nearly antipodal slerp would magnify it. */
quat track_key(const oracle_track *t, ptrdiff_t i);
double track_time(const oracle_track *t, ptrdiff_t i);
double track_step(const oracle_track *t, ptrdiff_t i); /* length of segment i */
bool track_has_key(const oracle_track *t, ptrdiff_t i);

vec3 chord_log(const oracle_track *t, ptrdiff_t i);   /* half-angle vector of segment i */
vec3 chord_slope(const oracle_track *t, ptrdiff_t i); /* the same per second */

/* Precompute the data of curves that depends on keys only. */
void tangents_prepare(const oracle *o, oracle_track *t);
void squad_prepare(const oracle *o, oracle_track *t);
void circular_prepare(oracle_track *t);
void spline_prepare(const oracle *o, oracle_track *t);
void vector_spline_prepare(const oracle *o, const oracle_track *t, vector_curve *curve);

/* Inside a segment only; u in (0, 1). */
quat squad_inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u);
quat circular_inside(const oracle_track *t, ptrdiff_t i, double u);
quat phased_inside(pm_method method, const oracle_track *t, ptrdiff_t i, double u);
quat sterp_inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u);
quat hermite_inside(const oracle_track *t, ptrdiff_t i, double u);

/* See oracle_condition. */
double squad_condition(const oracle_track *t, ptrdiff_t i, double u);

/* See oracle_reach. */
double phased_reach(const oracle_track *t, ptrdiff_t i);
double hermite_reach(const oracle_track *t, ptrdiff_t i);

/* The length is not 1: glTF divides by it. */
quat cubicspline_inside(const oracle_track *t, ptrdiff_t i, double u);
quat ncubic_inside(const oracle_track *t, ptrdiff_t i, double u);
double ncubic_reach(const oracle_track *t, ptrdiff_t i); /* of components, before normalisation */

/* Valid at keys too, through which the curve does not pass; u in [0, 1]. */
quat bspline_at(const oracle_track *t, ptrdiff_t i, double u);
vec3 vector_at(const oracle *o, const oracle_track *t, const vector_curve *curve, ptrdiff_t i,
               double u);

/* The weights at u of the four keys around a segment of a uniform cubic B-spline. */
void bspline_weights(double u, double weights[4]);

/* The blend weight of the second key's circle against the first key's. */
double blend_weight(bool third_derivative, double u);

/* A circle's arc between two keys. */
typedef struct circle_arc {
    quat from, along, across; /* along the chord, and perpendicular to it, away from the third
                               * key */
    double chord, alpha;      /* alpha is half of the angle of the arc */
} circle_arc;

/* The arc from p1 to p2 that does not contain p0; h is 0 at p1 and 1 at p2. */
circle_arc arc_through(quat p0, quat p1, quat p2);
quat arc_at(const circle_arc *arc, double h);
double arc_length(const circle_arc *arc);

/* Solves below[i] X[i-1] + at[i] X[i] + above[i] X[i+1] = right[i] and stores X in `right`.
 * Indices are cyclic modulo `count`; blocks are width x width. Returns false when the system is
 * singular. */
bool solve_ring(size_t count, size_t width, const double *below, const double *at,
                const double *above, double *right);

/* The tangent of an open track's end key from its own chord, the next chord, their lengths and the
 * velocity at the neighbouring key. */
vec3 end_tangent(pm_ends ends, vec3 own, vec3 next, double own_step, double next_step,
                 vec3 neighbour);

void *oracle_allocate(size_t count, size_t size);

#endif
