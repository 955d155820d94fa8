/* SPDX-License-Identifier: MIT
 *
 * Random keys for tests of the public interface, clips made from them, and a plain slerp in double
 * to check sample times with. The oracle of every method is elsewhere.
 */
#ifndef POSEMILL_TESTS_MOTION_H
#define POSEMILL_TESTS_MOTION_H

#include "check.h"
#include "oracle/random_tracks.h"

/* A separate source for one test: the seed of the run, which is printed, and the test's salt. */
random_source random_salted(uint64_t salt);

/* Keys of shape (keys, tracks, 4 | 3 | 3): a random walk whose steps rotate by up to `turn`
 * radians. Components of positions are within 10, those of scales in [0.5, 2]. */
typedef struct motion {
    size_t keys, tracks;
    float *rotations;
    float *positions;
    float *scales;
    /* Tangents for methods with tangents in and out: per second, small against any rotation. One
     * array for each of the arrays above, in the same order. */
    float *tangents_in[3], *tangents_out[3];
} motion;

motion motion_make(size_t keys, size_t tracks, double turn, uint64_t salt);
void motion_free(motion *m);

/* The first `keys` keys of one track. */
motion motion_slice(const motion *m, size_t track, size_t keys);

/* Single tracks one after another: the layout of a clip with several timelines. */
motion motion_pack(const motion *parts, size_t count);

/* A description of the motion over a timeline; both must outlive it. Valid for every method, with
 * the axes or tangents that it requires. */
pm_clip_desc motion_desc(const motion *m, const pm_timeline *timeline, pm_method method);

/* pm_clip_create that fails the test on an error; the caller destroys the clip. */
pm_clip *clip_make(pm_engine *engine, const pm_clip_desc *desc);

/* pm_sample that fails the test on an error. */
void sample_make(const pm_clip *clip, const pm_sample_job *job);

/* One key, normalised in double and rounded to float: the stored key of the library except for the
 * sign. */
void stored_key(const motion *m, size_t key, size_t track, float out[4]);

/* Textbook slerp over the shorter arc between two float keys. */
void slerp_double(const float a[4], const float b[4], double u, double out[4]);

/* 4 atan2(|a - b|, |a + b|) of the normalised operands with aligned signs: the angle between two
 * rotations of any norm. */
double rotation_error(const float a[4], const double b[4]);

#endif
