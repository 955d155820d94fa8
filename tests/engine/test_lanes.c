/* SPDX-License-Identifier: MIT
 *
 * The bits of a sample do not depend on the samples beside it: each sample of a job with random times or
 * pairs has the bits of a job of one sample. For every method, all values, and numbers of samples around
 * those that are computed together.
 */
#include "base/counts.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 37, TRACKS = 3, SAMPLES = 75 };

/* Each sample of the job against a job of that sample alone. */
static void expect_samples_alone(const pm_clip *clip, const pm_sample_job *job,
                                 const char *method) {
    const unsigned set = OF_CHANNELS | VELOCITIES;
    SCOPED(outputs_free) outputs together = sampled_as(clip, *job, set);
    for (size_t k = 0; k < job->sample_count; k++) {
        pm_sample_job one = *job;
        one.sample_count = 1;
        one.times = job->times + k;
        one.tracks = job->tracks ? job->tracks + k : NULL;
        SCOPED(outputs_free) outputs alone = sampled_as(clip, one, set);
        const outputs part = outputs_from(&together, k * alone.rows, alone.rows);
        if (!are_same_outputs(&part, &alone))
            fail_msg("%s: sample %zu of %zu at %.17g differs", method, k, job->sample_count,
                     job->times[k]);
    }
}

/* Times in all segments, also short ones, at keys, outside the keys, and in runs that share a segment. */
static void draw_times(random_source *source, double *times) {
    for (size_t k = 0; k < SAMPLES; k++) {
        const double any = (double)random_size(source, 0, 1 << 20) / (1 << 20) * (KEYS + 4) - 2;
        const size_t kind = random_size(source, 0, 5);
        times[k] = kind == 0 ? rint(any) : kind < 3 && k > 0 ? times[k - 1] + 5e-5 : any;
    }
}

static void expect_clip(const pm_clip *clip, random_source *source, const char *method) {
    static const size_t counts[] = {1, 15, 16, 17, 31, 32, 33, 48, SAMPLES};
    double times[SAMPLES];
    uint32_t tracks[SAMPLES];
    draw_times(source, times);
    for (size_t k = 0; k < SAMPLES; k++)
        tracks[k] = (uint32_t)random_size(source, 0, TRACKS - 1);
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        pm_sample_job job = {.sample_count = counts[c], .times = times};
        expect_samples_alone(clip, &job, method);
        job.tracks = tracks;
        expect_samples_alone(clip, &job, method);
    }
}

/* Key times: at a rate, in a loop, listed, and listed in clusters, which make a search long. */
enum { AT_A_RATE, IN_A_LOOP, LISTED, IN_CLUSTERS, TIMING_COUNT };

static pm_clip *clip_of(void **state, const motion *m, size_t method, int timing,
                        pm_key_format format) {
    double times[KEYS];
    random_source source = random_salted(0x1A4);
    for (size_t k = 0; k < KEYS; k++) {
        const double step =
            timing == IN_CLUSTERS && k % 12 ? 1e-4 : random_between(&source, 0.2, 2);
        times[k] = k > 0 ? times[k - 1] + step : 0.25;
    }
    const pm_timeline listed = {.key_count = KEYS, .times = times},
                      uniform = {.key_count = KEYS, .rate = {1, 1}};
    pm_clip_desc desc = motion_desc(m, timing >= LISTED ? &listed : &uniform, (pm_method)method);
    desc.loop = timing == IN_A_LOOP ? KEYS : 0;
    desc.key_format = format;
    return clip_make(engine_for(state), &desc);
}

TEST_ON_REFERENCE(samples_do_not_depend_on_those_beside_them) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 2.5, 0x1A0);
    random_source source = random_salted(0x1A1);
    for (size_t method = 0; method < PM_METHOD_COUNT; method++)
        for (int timing = 0; timing < TIMING_COUNT; timing++) {
            if (method == PM_METHOD_BSPLINE && timing >= LISTED)
                continue; /* requires uniform keys */
            SCOPED(pm_clip_destroy)
            pm_clip *clip = clip_of(state, &m, method, timing, PM_KEYS_FLOAT32);
            expect_clip(clip, &source, pm_method_get_info((pm_method)method)->name);
        }
}

TEST_ON_REFERENCE(samples_of_short_keys_do_not_depend_on_those_beside_them) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 2.5, 0x1A2);
    random_source source = random_salted(0x1A3);
    static const pm_key_format formats[] = {PM_KEYS_LOG48, PM_KEYS_SMALLEST48};
    static const pm_method methods[] = {PM_METHOD_STEP, PM_METHOD_NLERP, PM_METHOD_SLERP,
                                        PM_METHOD_CUBIC};
    for (size_t f = 0; f < COUNT_OF(formats); f++)
        for (size_t i = 0; i < COUNT_OF(methods); i++) {
            SCOPED(pm_clip_destroy)
            pm_clip *clip = clip_of(state, &m, methods[i], AT_A_RATE, formats[f]);
            expect_clip(clip, &source, pm_method_get_info(methods[i])->name);
        }
}

TEST_GROUP(NULL, engines_close)
