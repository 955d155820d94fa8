/* SPDX-License-Identifier: MIT
 *
 * Angular velocities and accelerations to test: track sets with samples in all their
 * segments, what the library gives for them, and the size that errors are parts of.
 */
#ifndef POSEMILL_TESTS_RATES_H
#define POSEMILL_TESTS_RATES_H

#include "check.h"
#include "courses.h"
#include "derivatives.h"
#include "variants.h"

#define RATE_TRACKS 4
#define RATE_SAMPLES 640

/* What errors in a segment are relative to: its largest rates. */
typedef struct rate_scale {
    double velocity, acceleration;
} rate_scale;

/* Tracks with pairs of track and time, and where those lie. */
typedef struct probe {
    track_set set;
    pm_clip_desc desc;
    oracle *o;
    size_t count;
    double times[RATE_SAMPLES];
    uint32_t tracks[RATE_SAMPLES];
    oracle_cursor cursors[RATE_SAMPLES];
    rate_scale scales[RATE_TRACKS][TRACK_KEYS_MAX]; /* of each segment, without its samples */
} probe;

/* Tracks of a course, or the one adversarial track, without samples; free with probe_free. */
void probe_course(const course *c, const variant *v, probe *p);
void probe_adversarial(size_t index, const variant *v, probe *p);
void probe_free(probe *p);

void probe_add(probe *p, size_t track, double time);

/* In every segment: its key, its middle, next to both ends, and anywhere. */
void probe_segments(probe *p);

/* The library's, of all samples. */
typedef struct rates {
    float velocities[RATE_SAMPLES][3], accelerations[RATE_SAMPLES][3];
    float rotations[RATE_SAMPLES][4];
} rates;

/* Fails the test when the job does, or where it left anything unwritten or wrote past it. */
void probe_sample(const probe *p, pm_engine *engine, pm_axis_frame frame, rates *out);

vec3 rate_of(const float v[3]);

#endif
