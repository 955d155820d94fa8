/* SPDX-License-Identifier: MIT
 *
 * Seeded random numbers, and the random and adversarial tracks that tests sample. The same seed
 * gives the same tracks on every machine. Tracks are plain arrays; set_describe makes the public
 * description of a set of tracks.
 */
#ifndef POSEMILL_TESTS_RANDOM_TRACKS_H
#define POSEMILL_TESTS_RANDOM_TRACKS_H

#include "posemill/posemill.h"

#define TRACK_KEYS_MAX 12

typedef struct random_source {
    uint64_t state;
} random_source;

/* The source from which tests draw times, offsets, sizes, alignments and signals. The seed is
 * POSEMILL_TEST_SEED, or a fixed number, so that CI runs repeat. The first call prints the seed to
 * stderr, which ctest shows for a failing test: the same seed repeats the failure. Tests that need
 * an independent sequence call random_salted of motion.h. */
random_source random_start(void);

uint64_t random_bits(random_source *source);
double random_unit(random_source *source);                             /* in [0, 1) */
double random_between(random_source *source, double low, double high); /* in [low, high) */
double random_normal(random_source *source);
size_t random_size(random_source *source, size_t low, size_t high); /* in [low, high] */

/* `count` times in [low, high), unordered. */
void random_times(random_source *source, size_t count, double low, double high, double *out);
/* `count` times starting at `first`, each `min` to `max` after the previous one. */
void random_key_times(random_source *source, size_t count, double first, double min, double max,
                      double *out);

void random_quaternion(random_source *source, double q[4]);
void random_direction(random_source *source, double v[3]);

/* One rotation curve with positions beside it. */
typedef struct test_track {
    const char *name;
    size_t key_count;
    double times[TRACK_KEYS_MAX];
    double keys[TRACK_KEYS_MAX][4];
    double positions[TRACK_KEYS_MAX][3];
    double tangents[TRACK_KEYS_MAX][3]; /* for PM_TANGENTS_USER */
    double axis[3];
    double period; /* loop period, 0 when open */
} test_track;

/* Keys one after another with rotations of `smallest` to `largest` radians about random axes. Key
 * times are 1 apart, or 0.2 to 1.8 apart if uneven. */
void random_track(random_source *source, size_t key_count, double smallest, double largest,
                  bool uneven, test_track *out);

/* The adversarial tracks: the keys that docs/methods.md, "Properties", lists. */
size_t adversarial_count(void);
void adversarial_track(size_t index, test_track *out);

/* Tracks in the arrays that a description points to. */
typedef struct track_set {
    size_t count;
    bool common_timeline; /* one timeline, that of track 0; keys in C order (key, track) */
    test_track *tracks;
    double *rotations, *positions, *tangents, *axes;
    double *scales; /* 2 - position / 2: tracks have no scales of their own */
    /* Tangents of cubicspline, different on both sides of a key: see set_give_tangents. */
    double *tangents_in, *tangents_out, *positions_in, *positions_out, *scales_in, *scales_out;
    pm_timeline *timelines;
    uint32_t *timeline_of;
} track_set;

void set_create(size_t count, bool common_timeline, track_set *set);
void set_destroy(track_set *set);

/* `count` random tracks of `key_count` keys. */
void set_random(random_source *source, size_t count, size_t key_count, double smallest,
                double largest, bool uneven, bool common_timeline, track_set *set);

/* Packs the current tracks. All options except those of the tracks are zero. The description is
 * valid until the set is packed again or destroyed. */
pm_clip_desc set_describe(track_set *set);

/* Adds tangents for cubicspline to a description made by set_describe. They rotate and stretch with
 * the keys; the tangents of a reversed track are the reversed tangents. */
void set_give_tangents(track_set *set, pm_clip_desc *desc);

/* Makes key times 1 apart, and sets the period of a loop that fits them. */
void set_make_uniform(track_set *set);

#endif
