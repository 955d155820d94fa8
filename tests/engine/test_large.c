/* SPDX-License-Identifier: MIT
 *
 * Jobs larger than the device: four times its largest allocation, in pieces that fit. With
 * POCL_MEMORY_LIMIT=1 PoCL's largest allocation is small enough for any machine; without it, the
 * job is limited to the amount of host memory that a test may use.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"
#include "support/motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { TRACKS = 61, KEYS = 40, WINDOW = 32 };

#define MAX_OUTPUT_BYTES ((uint64_t)5 << 29) /* 2.5 GiB: the test's memory stays below 3 GB */

static pm_clip *large_clip(pm_engine *engine, motion *m) {
    *m = motion_make(KEYS, TRACKS, 2.5, 0x51);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    pm_clip_desc desc = motion_desc(m, &timeline, PM_METHOD_SLERP);
    desc.loop_period = (double)KEYS / 30; /* samples at large distances differ from each other */
    desc.scales.data = NULL;
    return clip_make(engine, &desc);
}

/* Compares parts of a large result with small jobs on the reference: both ends, and enough
 * positions between them to include every piece. */
static void expect_spots(const pm_clip *clip, pm_sample_job job) {
    static float rotations[WINDOW * TRACKS * 4], positions[WINDOW * TRACKS * 3];
    const float *large_rotations = job.rotations, *large_positions = job.positions;
    const size_t all = job.sample_count, spots = small_sizes() ? 4 : 256;
    job.on_reference = true;
    job.sample_count = all < WINDOW ? all : WINDOW;
    job.rotations = large_rotations ? rotations : NULL;
    job.positions = large_positions ? positions : NULL;
    for (size_t spot = 0; spot <= spots; spot++) {
        const size_t at = (size_t)((double)(all - job.sample_count) * (double)spot / (double)spots);
        job.first = at;
        sample_make(clip, &job);
        if (large_rotations)
            expect_same_bits(large_rotations + at * TRACKS * 4, rotations,
                             job.sample_count * TRACKS * 4, 4);
        if (large_positions)
            expect_same_bits(large_positions + at * TRACKS * 3, positions,
                             job.sample_count * TRACKS * 3, 3);
    }
}

static double peak_mebibytes(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)usage.ru_maxrss / 1024;
}

TEST_ON_DEVICE(a_job_four_times_the_largest_allocation_completes) {
    pm_engine *engine = engine_for(state);
    pm_device_info info;
    pm_engine_get_info(engine, &info, sizeof(pm_device_info));
    const uint64_t wanted = 4 * info.max_allocation_bytes;
    print_message("largest allocation %.0f MiB\n", (double)info.max_allocation_bytes / 1048576.0);
    if (wanted > MAX_OUTPUT_BYTES || small_sizes()) {
        print_message(
            "4 times that is too much for this machine; POCL_MEMORY_LIMIT=1 makes it small\n");
        skip();
    }
    motion m;
    pm_clip *clip = large_clip(engine, &m);
    const size_t samples = (size_t)(wanted / (TRACKS * 16)) + 1;
    float *out = guarded_floats(samples * TRACKS * 4);
    const double before = peak_mebibytes();
    const pm_sample_job job = {.sample_count = samples, .rate = {44100, 1}, .rotations = out};
    sample_make(clip, &job);
    const double taken = peak_mebibytes() - before;
    print_message("%.0f MiB of results needed %.0f MiB of other memory\n",
                  (double)samples * TRACKS * 16 / 1048576.0, taken);
    /* Two pieces of the default size, and the driver's own memory. */
    assert_true(taken < 1024);
    expect_spots(clip, job);
    guarded_free(out);
    pm_clip_destroy(&clip);
    motion_free(&m);
}

/* Listed times and pairs are uploaded piece by piece. */
TEST_ON_DEVICE(jobs_of_listed_times_and_pairs_are_divided_into_pieces_too) {
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.piece_bytes = 1 << 18});
    motion m;
    pm_clip *clip = large_clip(engine, &m);
    const size_t samples = small_sizes() ? 500 : 20000, pairs = samples * 10;
    double *times = test_array(pairs, sizeof *times);
    uint32_t *tracks = test_array(pairs, sizeof *tracks);
    random_source source = random_salted(0x52);
    for (size_t k = 0; k < pairs; k++) {
        times[k] = random_between(&source, -3, 3);
        tracks[k] = (uint32_t)(random_bits(&source) % TRACKS);
    }
    float *device = guarded_floats(samples * TRACKS * 4);
    float *reference = guarded_floats(samples * TRACKS * 4);
    pm_sample_job job = {.sample_count = samples, .times = times};
    for (int kind = 0; kind < 2; kind++) {
        const size_t floats = (kind ? pairs : samples * TRACKS) * 4;
        job.rotations = device;
        job.on_reference = false;
        sample_make(clip, &job);
        job.rotations = reference;
        job.on_reference = true;
        sample_make(clip, &job);
        expect_same_bits(device, reference, floats, 4);
        job.sample_count = pairs;
        job.tracks = tracks;
    }
    guarded_free(device);
    guarded_free(reference);
    free(times);
    free(tracks);
    pm_clip_destroy(&clip);
    motion_free(&m);
    pm_engine_destroy(&engine);
}

/* A single sample of all tracks is larger than a piece may be. */
TEST_ON_DEVICE(a_sample_larger_than_a_piece_is_still_evaluated) {
    engine_for(state);
    enum { MANY = 3000 };
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.piece_bytes = 16384});
    motion m = motion_make(2, MANY, 2.5, 0x53);
    const pm_timeline timeline = {.key_count = 2, .rate = {1, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    pm_clip *clip = clip_make(engine, &desc);
    float *device = guarded_floats(3 * MANY * 4), *reference = guarded_floats(3 * MANY * 4);
    pm_sample_job job = {.sample_count = 3, .rate = {3, 1}, .rotations = device};
    sample_make(clip, &job);
    job.rotations = reference;
    job.on_reference = true;
    sample_make(clip, &job);
    expect_same_bits(device, reference, 3 * MANY * 4, 4);
    guarded_free(device);
    guarded_free(reference);
    pm_clip_destroy(&clip);
    motion_free(&m);
    pm_engine_destroy(&engine);
}

TEST_GROUP_ON_DEVICE(NULL, engines_close)
