/* SPDX-License-Identifier: MIT
 *
 * Test data of angular velocities and accelerations: track sets with samples in all their segments,
 * the library's results for them, and the scale of their errors.
 */
#ifndef POSEMILL_TESTS_RATES_H
#define POSEMILL_TESTS_RATES_H

#include "check.h"
#include "derivatives.h"
#include "track_kinds.h"
#include "variants.h"

#define RATE_TRACKS 4
#define RATE_SAMPLES 640

/* The scale of errors in a segment: its largest rates. */
typedef struct rate_scale {
    double velocity, acceleration;
} rate_scale;

/* Tracks with pairs of track and time, and the cursors of those. */
typedef struct probe {
    track_set set;
    pm_clip_desc desc;
    oracle *o;
    size_t count;
    double times[RATE_SAMPLES];
    uint32_t tracks[RATE_SAMPLES];
    oracle_cursor cursors[RATE_SAMPLES];
    rate_scale scales[RATE_TRACKS][TRACK_KEYS_MAX]; /* for each segment, without its samples */
} probe;

/* Tracks of one kind, or the one adversarial track, without samples. Freed with probe_free. */
void probe_tracks(const track_kind *c, const variant *v, probe *p);
void probe_adversarial(size_t index, const variant *v, probe *p);
void probe_free(probe *p);

void probe_add(probe *p, size_t track, double time);

/* Adds samples to every segment: its key, its middle, near both ends, and anywhere. */
void probe_segments(probe *p);

/* The library's results for all samples. */
typedef struct rates {
    float velocities[RATE_SAMPLES][3], accelerations[RATE_SAMPLES][3];
    float rotations[RATE_SAMPLES][4];
} rates;

/* Fails the test when the job fails, leaves an output unwritten or writes outside. */
void probe_sample(const probe *p, pm_engine *engine, pm_axis_frame frame, rates *out);

vec3 rate_of(const float v[3]);

#endif
