/* SPDX-License-Identifier: MIT
 *
 * Random keys for the tests of the contract, clips made of them, and the plain
 * double slerp to hold placed times against. The oracle of every method is elsewhere.
 */
#ifndef POSEMILL_TESTS_MOTION_H
#define POSEMILL_TESTS_MOTION_H

#include "check.h"
#include "oracle/random_tracks.h"

/* A source of its own for one test: the run's seed, which is printed, and the test's salt. */
random_source random_salted(uint64_t salt);

/* Keys of shape (keys, tracks, 4 | 3 | 3), a random walk whose steps turn by up to
 * `turn` radians, with every component of positions within 10 and of scales in [0.5, 2]. */
typedef struct motion {
    size_t keys, tracks;
    float *rotations;
    float *positions;
    float *scales;
    /* What methods with tangents in and out take beside them: per second, of any rotation small
     * against it. Of each of the above by its place here. */
    float *tangents_in[3], *tangents_out[3];
} motion;

motion motion_make(size_t keys, size_t tracks, double turn, uint64_t salt);
void motion_free(motion *m);

/* The first `keys` keys of one track. */
motion motion_slice(const motion *m, size_t track, size_t keys);

/* Single tracks one after another: the layout of a clip of several timelines. */
motion motion_pack(const motion *parts, size_t count);

/* A description of the motion over a timeline; both must outlive it. Valid for every method:
 * each finds what it takes beside keys, axes or tangents in and out. */
pm_clip_desc motion_desc(const motion *m, const pm_timeline *timeline, pm_method method);

/* pm_clip_create that fails the test; the caller destroys. */
pm_clip *clip_make(pm_engine *engine, const pm_clip_desc *desc);

/* pm_sample that fails the test. */
void sample_make(const pm_clip *clip, const pm_sample_job *job);

/* One key, normalised in double and rounded to float, as the library stores it but for
 * the sign. */
void stored_key(const motion *m, size_t key, size_t track, float out[4]);

/* Textbook slerp the short way between two float keys. */
void slerp_double(const float a[4], const float b[4], double u, double out[4]);

/* 4 atan2(|a - b|, |a + b|) of the normalised operands with their signs aligned: the angle
 * between two rotations, whatever their norms. */
double rotation_error(const float a[4], const double b[4]);

#endif
