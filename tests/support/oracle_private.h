/* SPDX-License-Identifier: MIT
 *
 * What the oracle's own files know of each other: tracks with keys that may be
 * indexed past both ends of a loop.
 */
#ifndef POSEMILL_TESTS_ORACLE_PRIVATE_H
#define POSEMILL_TESTS_ORACLE_PRIVATE_H

#include "oracle.h"

typedef struct vector_curve {
    vec3 *values; /* NULL when the clip has none */
} vector_curve;

typedef struct oracle_track {
    size_t key_count;
    size_t segment_count;
    double *times; /* key_count */
    double period; /* 0: open */
    double wrap;   /* +1 or -1, sign of key 0 after the last */
    bool uniform;
    pm_rational rate;
    quat *keys;     /* NULL when the clip has no rotations */
    vec3 *user;     /* tangents given by the caller, or NULL */
    vec3 *leaving;  /* squad: velocity of key i in segment i */
    vec3 *arriving; /* squad: velocity of key i in segment i - 1 */
    bool *cusp;     /* circular */
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

/* Keys and times past the ends of a loop follow with the sign and time of their lap. */
quat track_key(const oracle_track *t, ptrdiff_t i);
double track_time(const oracle_track *t, ptrdiff_t i);
double track_step(const oracle_track *t, ptrdiff_t i); /* length of segment i */
bool track_has_key(const oracle_track *t, ptrdiff_t i);

/* Fill what squad and circular know of keys before any sample. */
void squad_prepare(const oracle *o, oracle_track *t);
void circular_prepare(oracle_track *t);

/* Strictly inside a segment; u in (0, 1). */
quat squad_inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u);
quat circular_inside(const oracle_track *t, ptrdiff_t i, double u);
quat sterp_inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u);
vec3 catmull_rom_inside(const oracle *o, const oracle_track *t, const vec3 *values, ptrdiff_t i,
                        double u);

/* Tangent of an open track's end key from its own chord, the next one, their lengths
 * and the velocity at the key beside it. */
vec3 end_tangent(pm_ends ends, vec3 own, vec3 next, double own_step, double next_step,
                 vec3 neighbour);

void *oracle_allocate(size_t count, size_t size);

#endif
