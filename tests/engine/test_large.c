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
    desc.loop = (double)KEYS / 30; /* samples at large distances differ from each other */
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
    pm_engine_get_info(engine, &info);
    const uint64_t wanted = 4 * info.max_allocation_bytes;
    print_message("largest allocation %.0f MiB\n", (double)info.max_allocation_bytes / 1048576.0);
    if (wanted > MAX_OUTPUT_BYTES || small_sizes()) {
        print_message(
            "4 times that is too much for this machine; POCL_MEMORY_LIMIT=1 makes it small\n");
        skip();
    }
    SCOPED(motion_free) motion m;
    SCOPED(pm_clip_destroy) pm_clip *clip = large_clip(engine, &m);
    const size_t samples = (size_t)(wanted / (TRACKS * 16)) + 1;
    SCOPED(guarded_free_at) float *out = guarded_floats(samples * TRACKS * 4);
    const double before = peak_mebibytes();
    const pm_sample_job job = {.sample_count = samples, .rate = {44100, 1}, .rotations = out};
    sample_make(clip, &job);
    const double taken = peak_mebibytes() - before;
    print_message("%.0f MiB of results needed %.0f MiB of other memory\n",
                  (double)samples * TRACKS * 16 / 1048576.0, taken);
    /* Two pieces of the default size, and the driver's own memory. */
    assert_true(taken < 1024);
    expect_spots(clip, job);
}

TEST_GROUP_ON_DEVICE(NULL, engines_close)
