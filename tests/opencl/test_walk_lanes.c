/* SPDX-License-Identifier: MIT
 *
 * Vectors wider than a register: walks have as many lanes as the launch configuration says where a
 * clip fills most of them, and a register's otherwise; gathers have a register's. Any number of
 * tracks has the bits of the reference path. The width of a register is set, because processors
 * whose registers have 16 lanes have no wider vectors.
 */
#include "support/engines.h"
#include "support/motion.h"

#include "engine/engine.h"
#include "opencl/device.h"

#include <stdlib.h>

enum { KEYS = 5, SAMPLES = 41, TRACKS_MAX = 40, PAIRS = 33 };

typedef struct results {
    float *rotations, *positions;
} results;

/* Uniform samples of nearly two laps of a loop, so that signs of tracks flip, or pairs. */
static results results_of(pm_engine *engine, const motion *keys, bool pairs) {
    static double times[PAIRS];
    static uint32_t tracks[PAIRS];
    const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    pm_clip_desc desc = motion_desc(keys, &timeline, PM_METHOD_SLERP);
    desc.loop_period = KEYS / 10.0;
    pm_clip *clip = clip_make(engine, &desc);
    const size_t values = pairs ? PAIRS : SAMPLES * keys->tracks;
    results r = {guarded_floats(4 * values), guarded_floats(3 * values)};
    pm_sample_job job = {.sample_count = SAMPLES,
                         .rate = {45, 1},
                         .rotations = r.rotations,
                         .positions = r.positions};
    for (uint32_t k = 0; pairs && k < PAIRS; k++) {
        times[k] = 0.03 * k;
        tracks[k] = (7 * k) % (uint32_t)keys->tracks;
    }
    if (pairs) {
        job.sample_count = PAIRS;
        job.rate = (pm_rational){0, 0};
        job.times = times;
        job.tracks = tracks;
    }
    sample_make(clip, &job);
    pm_clip_destroy(&clip);
    return r;
}

static void results_free(results *r) {
    guarded_free(r->rotations);
    guarded_free(r->positions);
}

static void expect_reference(pm_engine *reference, pm_engine *engine, size_t tracks) {
    motion keys = motion_make(KEYS, tracks, 3.0, 0xF31 + tracks);
    for (int pairs = 0; pairs < 2; pairs++) {
        const size_t values = pairs ? PAIRS : SAMPLES * tracks;
        results expected = results_of(reference, &keys, pairs);
        results found = results_of(engine, &keys, pairs);
        expect_same_bits(found.rotations, expected.rotations, values, 4);
        expect_same_bits(found.positions, expected.positions, values, 3);
        results_free(&expected);
        results_free(&found);
    }
    motion_free(&keys);
}

TEST_ON_DEVICE(any_number_of_tracks_has_the_reference_bits) {
    static const uint32_t widths[][2] = {{16, 8}, {16, 4}, {8, 4}, {16, 16}};
    pm_engine *reference = engine_of_kind(ON_REFERENCE);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        const uint32_t wide = widths[w][0], narrow = widths[w][1];
        if (!can_compile_lanes(engine_for(state), wide) ||
            !can_compile_lanes(engine_for(state), narrow))
            continue;
        pm_engine *engine = engine_with(state, &(pm_engine_desc){.lanes = wide});
        pm_opencl_of(engine->device)->plan.narrow_lanes = narrow;
        for (size_t tracks = 1; tracks <= TRACKS_MAX; tracks++)
            expect_reference(reference, engine, tracks);
        pm_engine_destroy(&engine);
    }
}

TEST_GROUP_ON_DEVICE(NULL, engines_close)
