/* SPDX-License-Identifier: MIT
 *
 * The weights of low-passes: those of the oracle, the ripple and the stop band that are promised for every
 * cut-off, and the same bits of results with each instruction set.
 */
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "oracle/lowpass_oracle.h"

static const double pi = 3.14159265358979323846;

/* The sum of weights with a sine about the sample. */
static double amplitude_of(const float *weights, pm_u32 taps, double u, double frequency,
                           bool in_quadrature) {
    double sum = 0;
    for (pm_u32 k = 0; k < taps; k++) {
        const double phase = 2 * pi * frequency * ((double)k + 1 - (double)(taps / 2) - u);
        sum += (double)weights[k] * (in_quadrature ? sin(phase) : cos(phase));
    }
    return sum;
}

TEST(ripple_and_stop_band_are_as_promised_at_any_cut_off_and_between_any_keys) {
    random_source source = random_salted(81);
    for (size_t i = 0; i < 40; i++) {
        const double cutoff = i == 0 ? 0.5 : exp(random_between(&source, log(0.02), log(0.5)));
        const double u = i % 4 == 0 ? 0 : random_between(&source, 0, 1);
        const pm_u32 taps = pm_lowpass_taps(cutoff);
        SCOPED(guarded_free_at) float *weights = guarded_floats(taps);
        pm_lowpass_weights(cutoff, taps, u, weights);
        expect_guards(weights, taps);
        for (pm_u32 k = 0; k < taps; k += taps / 16) {
            const long key = (long)k + 1 - (long)(taps / 2);
            assert_true(fabs((double)weights[k] - lowpass_oracle_weight(cutoff, u, key)) < 1e-7);
        }
        for (double f = 0; f <= 0.5; f += 0.04 * cutoff) {
            const double gain = f <= 0.8 * cutoff ? 1 : 0;
            const double cosine = amplitude_of(weights, taps, u, f, false);
            const double sine = amplitude_of(weights, taps, u, f, true);
            if (f <= 0.8 * cutoff || f >= 1.2 * cutoff)
                assert_true(hypot(cosine - gain, sine) < 1e-3);
        }
    }
}

enum { KEYS = 180, TRACKS = 21, SAMPLES = 70 };

TEST(all_instruction_sets_give_the_same_bits) {
    random_source source = random_salted(82);
    const double cutoff = random_between(&source, 0.1, 0.5);
    const pm_timeline all = {.key_count = KEYS, .rate = {1, 1}};
    static double keys[KEYS][TRACKS][4];
    static float values[2][SAMPLES][TRACKS][4];
    for (size_t k = 0; k < KEYS; k++)
        for (size_t t = 0; t < TRACKS; t++) {
            const double angle = random_between(&source, 0, 0.2) + 0.05 * (double)(k * t);
            keys[k][t][0] = sin(angle);
            keys[k][t][3] = cos(angle);
        }
    const pm_clip_desc desc = {
        .track_count = TRACKS, .timelines = &all, .rotations = {.data = keys, .type = PM_FLOAT64}};
    const pm_timeline within = {.key_count = KEYS - 2 * 50 - PM_TRACK_GROUP, .rate = {1, 1}};
    pm_clip_desc inner = desc;
    inner.timelines = &within;
    const pm_clip_limits limits = {.threads = 1};
    SCOPED(pm_clip_data_free) pm_clip_data *clip = NULL, *layout = NULL;
    expect_success(pm_clip_data_build(&desc, &limits, &clip, new_error()));
    expect_success(pm_clip_data_lay_out(NULL, &inner, NULL, &layout, new_error()));
    const pm_lowpass lowpass = {cutoff, pm_lowpass_taps(cutoff), 50, layout};
    for (size_t set = 0; set < pm_instruction_set_count(); set++) {
        if (!pm_instruction_set_is_supported(set))
            continue;
        const pm_sample_job job = {
            .sample_count = SAMPLES, .rate = {10, 9}, .rotations = values[set > 0][0][0]};
        pm_sample_request request = pm_sample_request_of(clip, &job, 1);
        request.lowpass = &lowpass;
        memset(values[set > 0], 0xFF, sizeof values[0]);
        expect_success(pm_cpu_sample_with(set, &request, new_error()));
        expect_same_bits(values[0][0][0], values[set > 0][0][0], sizeof values[0] / sizeof(float),
                         4 * TRACKS);
    }
}
