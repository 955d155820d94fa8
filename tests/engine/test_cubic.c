/* SPDX-License-Identifier: MIT
 *
 * cubic is squad without stored tangents: the same rotations but for rounding, from keys alone. Both are
 * compared with the oracle elsewhere.
 */
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 24, TRACKS = 19, SAMPLES = 300 };

static uint64_t device_bytes(const pm_clip *clip) {
    pm_clip_info info;
    pm_clip_get_info(clip, &info);
    return info.device_bytes;
}

/* The rotations of a method, which the caller frees. */
static float *rotations_of(pm_engine *engine, pm_clip_desc desc, pm_method method,
                           const double *times, uint64_t *bytes) {
    float *rotations = test_array((size_t)SAMPLES * TRACKS, 4 * sizeof *rotations);
    desc.method = method;
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    *bytes = device_bytes(clip);
    sample_make(clip,
                &(pm_sample_job){.sample_count = SAMPLES, .times = times, .rotations = rotations});
    return rotations;
}

static double largest_difference(const float *a, const float *b) {
    double largest = 0;
    for (size_t i = 0; i < (size_t)SAMPLES * TRACKS; i++) {
        const float *q = b + 4 * i;
        const double other[4] = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
        largest = fmax(largest, rotation_error(a + 4 * i, other));
    }
    return largest;
}

/* Key times with ratios of up to 8, keys up to 90 degrees apart, and samples before and after them. */
static void expect_squad(void **state, pm_ends ends, bool loops) {
    random_source source = random_salted(0xC0B1C + 2 * (uint64_t)ends + loops);
    double key_times[KEYS] = {0}, times[SAMPLES];
    for (size_t k = 1; k < KEYS; k++)
        key_times[k] = key_times[k - 1] + random_between(&source, 0.1, 0.8);
    for (size_t k = 0; k < SAMPLES; k++)
        times[k] = random_between(&source, -0.2, 1.2) * key_times[KEYS - 1];
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1.57, 0xC0B2 + (uint64_t)ends);
    const pm_timeline timeline = {.key_count = KEYS, .times = key_times};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    desc.positions.data = desc.scales.data = NULL;
    desc.ends = ends;
    desc.loop_period = loops ? key_times[KEYS - 1] + 0.5 : 0;
    uint64_t squad_bytes, cubic_bytes;
    SCOPED(free_at)
    float *squad = rotations_of(engine_for(state), desc, PM_METHOD_SQUAD, times, &squad_bytes);
    SCOPED(free_at)
    float *cubic = rotations_of(engine_for(state), desc, PM_METHOD_CUBIC, times, &cubic_bytes);
    const double difference = largest_difference(squad, cubic);
    printf("# ends %d%s: difference %.2e rad\n", (int)ends, loops ? ", loop" : "", difference);
    assert_true(difference < 4e-7);
    assert_true(2 * cubic_bytes < squad_bytes || squad_bytes == 0);
}

TEST_ON_BOTH(cubic_is_squad_from_keys_alone) {
    for (int ends = PM_ENDS_CHORD; ends <= PM_ENDS_ZERO; ends++)
        expect_squad(state, (pm_ends)ends, false);
    expect_squad(state, PM_ENDS_CHORD, true);
}

TEST_GROUP(NULL, engines_close)
