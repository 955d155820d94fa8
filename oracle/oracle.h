/* SPDX-License-Identifier: MIT
 *
 * The oracle: every method in double precision, written only from the textbook formulas in the
 * definition of the methods. It reads the same public description as the library, conditions the
 * keys to the same float32 values, and uses the same float32 u. Every remaining difference is an
 * error of the library.
 */
#ifndef POSEMILL_TESTS_ORACLE_H
#define POSEMILL_TESTS_ORACLE_H

#include "oracle_quat.h"
#include "posemill/posemill.h"

typedef struct oracle oracle;

/* The position of a sample. u is a float32 value in [0, 1] held in a double; it is below 1 before
 * the next key. */
typedef struct oracle_cursor {
    int64_t lap; /* of a loop; 0 on an open track */
    size_t segment;
    double u;
} oracle_cursor;

/* pm_clip_check must accept the description. Never returns NULL: out of memory ends the test
 * program. */
oracle *oracle_create(const pm_clip_desc *desc);

/* The same curves with keys and u kept in double, for properties that hold for the curve but not
 * after rounding to float32. */
oracle *oracle_create_unrounded(const pm_clip_desc *desc);
void oracle_destroy(oracle *o);

size_t oracle_track_count(const oracle *o);
size_t oracle_key_count(const oracle *o, size_t track);     /* without a dropped closing key */
size_t oracle_segment_count(const oracle *o, size_t track); /* 1 for a single key */
double oracle_key_time(const oracle *o, size_t track, size_t key); /* key_count gives the end of the
                                                                    * track */
double oracle_wrap(const oracle *o, size_t track);

/* Stored keys: float32 values in double. The index may run past the ends of a loop. */
quat oracle_key(const oracle *o, size_t track, ptrdiff_t key);

oracle_cursor oracle_at_time(const oracle *o, size_t track, double time);

/* With u kept in double: the difference to oracle_at_time is the cost of the float32 position. */
oracle_cursor oracle_at_exact_time(const oracle *o, size_t track, double time);
oracle_cursor oracle_at_sample(const oracle *o, size_t track, const pm_sample_job *job, size_t k);

/* The maximum of the rotation from key to key and the rotations that the velocities at both keys
 * would make in the segment, in radians. A curve that passes its keys faster than half a turn per
 * segment may rotate many times in it, and float32 resolves no rotation better than its magnitude
 * allows. */
double oracle_reach(const oracle *o, size_t track, size_t segment);

/* The factor by which the curve magnifies rounding at the cursor: its reach in half turns, at least
 * 1. For cubicspline, which divides by a length that depends on its keys and tangents, the inverse
 * of that length. */
double oracle_magnification(const oracle *o, size_t track, oracle_cursor cursor);

/* The factor by which squad without its limiter magnifies rounding at the cursor, where it applies
 * slerp to nearly antipodal operands; 1 for all other methods. */
double oracle_condition(const oracle *o, size_t track, oracle_cursor cursor);

/* Whether the circular methods treat a key as a cusp. */
bool oracle_cusp(const oracle *o, size_t track, size_t key);

/* Whether track 0 is a spline that rotates so often in a segment that the library may refuse it:
 * the number of turns then depends on the last bits of a key. */
bool oracle_beyond_reason(const pm_clip_desc *desc);

/* Whether no velocities were found for a spline's track. Its values are meaningless then. */
bool oracle_diverged(const oracle *o, size_t track);

/* The interval of u around `u` in which the curve of any segment is smooth. Its borders are those
 * of [0, 1] or of sterp's windows. At a border, the interval that starts there. */
void oracle_smooth_part(const oracle *o, size_t track, double u, double *from, double *to);

quat oracle_rotation(const oracle *o, size_t track, oracle_cursor cursor);
vec3 oracle_position(const oracle *o, size_t track, oracle_cursor cursor);
vec3 oracle_scale(const oracle *o, size_t track, oracle_cursor cursor);

#endif
