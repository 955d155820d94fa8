/* SPDX-License-Identifier: MIT
 *
 * The oracle: every method in double precision, from the textbook forms of the
 * methods' definition and from nothing else. It reads the same public description
 * as the library, conditions the keys to the same float32, and takes the same
 * float32 u; whatever differs after that is the library's error.
 */
#ifndef POSEMILL_TESTS_ORACLE_H
#define POSEMILL_TESTS_ORACLE_H

#include "oracle_quat.h"
#include "posemill/posemill.h"

typedef struct oracle oracle;

/* Where a sample lies. u is a float32 in [0, 1] held in a double; below 1 before the next key. */
typedef struct oracle_cursor {
    int64_t lap; /* of a loop; 0 on an open track */
    size_t segment;
    double u;
} oracle_cursor;

/* The description must be one that pm_clip_check accepts. Never NULL: out of memory
 * ends the test program. */
oracle *oracle_create(const pm_clip_desc *desc);

/* The same curves over keys and u left in double: for the properties that a curve has
 * but its rounding to float32 has not. */
oracle *oracle_create_unrounded(const pm_clip_desc *desc);
void oracle_destroy(oracle *o);

size_t oracle_track_count(const oracle *o);
size_t oracle_key_count(const oracle *o, size_t track);     /* without a dropped closing key */
size_t oracle_segment_count(const oracle *o, size_t track); /* 1 for a single key */
double oracle_key_time(const oracle *o, size_t track, size_t key); /* key_count gives the end */
double oracle_wrap(const oracle *o, size_t track);

/* Stored keys: float32 values, in double. Indices run on past the ends of a loop. */
quat oracle_key(const oracle *o, size_t track, ptrdiff_t key);

oracle_cursor oracle_at_time(const oracle *o, size_t track, double time);

/* With u left in double: what the float32 position costs is the difference. */
oracle_cursor oracle_at_exact_time(const oracle *o, size_t track, double time);
oracle_cursor oracle_at_sample(const oracle *o, size_t track, const pm_sample_job *job, size_t k);

/* The largest of the turn from key to key and the turns that the velocities at both would
 * make in the segment, in radians. Curves that run through their keys faster than half a turn
 * a segment may go round many times, and float32 resolves no turn better than its size allows. */
double oracle_reach(const oracle *o, size_t track, size_t segment);

/* By how much the curve magnifies rounding there: its reach in half turns, where that is more
 * than one; for cubicspline, which divides by a length that its keys and tangents choose, the
 * inverse of that length. */
double oracle_magnification(const oracle *o, size_t track, oracle_cursor cursor);

/* By how much squad without its limiter magnifies rounding there, where it slerps operands that are
 * nearly antipodal; 1 for everything else. */
double oracle_condition(const oracle *o, size_t track, oracle_cursor cursor);

/* Whether the circular methods take a key for a cusp. */
bool oracle_cusp(const oracle *o, size_t track, size_t key);

/* Whether track 0 is a spline that goes round so often in a segment that the library may refuse
 * it: as many turns as hang on a key's last bits. */
bool oracle_beyond_reason(const pm_clip_desc *desc);

/* Whether no velocities were found for a spline's track; its values then mean nothing. */
bool oracle_diverged(const oracle *o, size_t track);

/* The part of all segments about u, borders of [0, 1] or of sterp's windows, in which curves
 * are smooth; of two, the one that begins at u. */
void oracle_smooth_part(const oracle *o, size_t track, double u, double *from, double *to);

quat oracle_rotation(const oracle *o, size_t track, oracle_cursor cursor);
vec3 oracle_position(const oracle *o, size_t track, oracle_cursor cursor);
vec3 oracle_scale(const oracle *o, size_t track, oracle_cursor cursor);

#endif
