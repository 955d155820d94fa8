/* SPDX-License-Identifier: MIT
 *
 * Seeded random numbers and the random and adversarial tracks that tests sample.
 * The same seed gives the same tracks on every machine. Tracks are plain arrays;
 * describe_track makes the public description of one.
 */
#ifndef POSEMILL_TESTS_RANDOM_TRACKS_H
#define POSEMILL_TESTS_RANDOM_TRACKS_H

#include "posemill/posemill.h"

#define TRACK_KEYS_MAX 12

typedef struct random_source {
    uint64_t state;
} random_source;

/* POSEMILL_TEST_SEED, or a fixed number without it. Printed by the first call. */
random_source random_start(void);

uint64_t random_bits(random_source *source);
double random_unit(random_source *source);                             /* in [0, 1) */
double random_between(random_source *source, double low, double high); /* in [low, high) */
double random_normal(random_source *source);

void random_quaternion(random_source *source, double q[4]);
void random_direction(random_source *source, double v[3]);

/* One rotation curve with positions beside it. */
typedef struct track {
    const char *name;
    size_t key_count;
    double times[TRACK_KEYS_MAX];
    double keys[TRACK_KEYS_MAX][4];
    double positions[TRACK_KEYS_MAX][3];
    double axis[3];
    double period; /* loop period, 0 when open */
    pm_timeline timeline;
} track;

/* Keys one after another at rotations of up to `largest` radians about random
 * axes, key times 1 apart or (uneven) 0.2 to 1.8 apart. */
void random_track(random_source *source, size_t key_count, double largest, bool uneven, track *out);

/* The adversarial tracks of the methods' specification, section 10. */
size_t adversarial_count(void);
void adversarial_track(size_t index, track *out);

/* A description of the track with everything else zero. Points into the track. */
pm_clip_desc describe_track(track *t);

#endif
