/* SPDX-License-Identifier: MIT
 *
 * The inputs of digests: keys, times, instances. They are computed from integers and square roots,
 * so that they are the same on every machine. Includes no test framework: a cross compiler has
 * none.
 */
#ifndef POSEMILL_TESTS_DIGEST_INPUT_H
#define POSEMILL_TESTS_DIGEST_INPUT_H

#include <posemill/posemill_crowd.h>

enum {
    DIGEST_TRACKS = 19,
    DIGEST_KEYS = 14,
    DIGEST_PAIRS = 300,
    DIGEST_INSTANCES = 37,
    DIGEST_CLIPS = 3,
    DIGEST_MASKS = 2
};

typedef struct digest_input {
    bool tiny;
    float rotations[DIGEST_KEYS * DIGEST_TRACKS][4];
    float positions[DIGEST_KEYS * DIGEST_TRACKS][3];
    float scales[DIGEST_KEYS * DIGEST_TRACKS][3];
    float tangents[DIGEST_KEYS * DIGEST_TRACKS][4];
    float axes[DIGEST_TRACKS][3];
    double times[2][DIGEST_KEYS];
    double sample_times[DIGEST_PAIRS];
    uint32_t tracks[DIGEST_PAIRS];
    uint32_t timeline_of[DIGEST_TRACKS];
    pm_timeline timelines[2];
    pm_timeline uniform;
    int32_t parents[DIGEST_TRACKS];
    float masks[DIGEST_MASKS * DIGEST_TRACKS];
    uint8_t half[DIGEST_TRACKS];
    pm_crowd_instance before[DIGEST_INSTANCES], after[DIGEST_INSTANCES];
} digest_input;

/* Ordinary motion. */
digest_input *digest_input_make(void);

/* Motion whose numbers are often subnormal in float32, differ by subnormal numbers, or have
 * subnormal products: keys, tangents, times, weights and masks. */
digest_input *digest_input_make_tiny(void);

/* One timeline of uniform keys, one of listed keys that loops, several timelines. */
typedef enum key_times { UNIFORM, LISTED_LOOP, SEVERAL, KEY_TIMES } key_times;

/* A description that reads the input, which must outlive it. */
pm_clip_desc digest_clip_desc(const digest_input *in, pm_method method, key_times times);

#endif
