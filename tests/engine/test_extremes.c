/* SPDX-License-Identifier: MIT
 *
 * Numbers at the limits of their types, in clips and in jobs: accepted input gives unit rotations
 * and finite vectors, other input is refused.
 */
#include "base/counts.h"
#include "support/digest_input.h"
#include "support/engines.h"
#include "support/motion.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* As many tracks as test_digest has, so that programs are built once for both. */
enum { TRACKS = DIGEST_TRACKS, KEYS = 4, PER_SEGMENT = 20, SAMPLES = (KEYS - 1) * PER_SEGMENT + 1 };

static float rotations[SAMPLES * TRACKS * 4], positions[SAMPLES * TRACKS * 3];

static void expect_sound(const char *what, pm_method method) {
    for (size_t k = 0; k < (size_t)SAMPLES * TRACKS; k++) {
        double norm = 0;
        for (size_t i = 0; i < 4; i++)
            norm += (double)rotations[k * 4 + i] * (double)rotations[k * 4 + i];
        if (!(fabs(sqrt(norm) - 1) <= 1e-6))
            fail_msg("%s, %s: value %zu has norm %.9g", pm_method_get_info(method)->name, what, k,
                     sqrt(norm));
        for (size_t i = 0; i < 3; i++)
            if (!isfinite(positions[k * 3 + i]))
                fail_msg("%s, %s: position %zu is %g", pm_method_get_info(method)->name, what, k,
                         (double)positions[k * 3 + i]);
    }
}

/* Returns whether the clip was accepted; if so, its samples must be valid. */
static bool is_sound_if_accepted(void **state, const char *what, const pm_clip_desc *desc,
                                 const pm_sample_job *job) {
    pm_clip *clip = NULL;
    const pm_status status = pm_clip_create(engine_for(state), desc, &clip, new_error());
    if (status != PM_OK) {
        assert_true(status == PM_ERROR_TIME || status == PM_ERROR_KEY);
        assert_int_equal(last_error()->status, status);
        return false;
    }
    memset(rotations, 0xFF, sizeof rotations);
    memset(positions, 0xFF, sizeof positions);
    pm_sample_job with_outputs = *job;
    with_outputs.sample_count = SAMPLES;
    with_outputs.rotations = rotations;
    with_outputs.positions = positions;
    const pm_status sampled = pm_sample(clip, &with_outputs, new_error());
    pm_clip_destroy(&clip);
    if (sampled != PM_OK) {
        assert_true(sampled == PM_ERROR_TIME || sampled == PM_ERROR_SIZE);
        return false;
    }
    expect_sound(what, desc->method);
    return true;
}

TEST_ON_BOTH(key_times_at_the_limits_of_double) {
    static const struct {
        const char *what;
        double times[KEYS], loop;
    } cases[] = {
        {"the smallest double apart", {0, 0x1p-1074, 1, 2}, 0},
        {"neighbouring doubles", {1, 1 + 0x1p-52, 2, 3}, 0},
        {"all of them subnormal", {0, 1e-310, 2e-310, 1e-300}, 0},
        {"as far apart as double goes", {-1e307, 0, 1e307, 1.5e307}, 0},
        {"intervals of 1 to 1e30", {0, 1, 1e30, 2e30}, 0},
        {"intervals of 1e-30 to 1e30", {0, 1e-30, 1e30, 2e30}, 0},
        {"far from zero", {1e15, 1e15 + 1, 1e15 + 2, 1e15 + 3}, 0},
        {"a closing segment of 1e300 s", {0, 1, 2, 3}, 1e300},
        {"a closing segment of 1e-7 s", {0, 1, 2, 3}, 3.0000001},
    };
    size_t accepted[PM_METHOD_COUNT] = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t j = 0; j < PM_METHOD_COUNT; j++) {
            const double *t = cases[i].times;
            double times[SAMPLES];
            for (size_t k = 0; k < SAMPLES; k++) {
                const size_t key = k / PER_SEGMENT;
                const double u = (double)(k % PER_SEGMENT) / PER_SEGMENT;
                times[k] = u > 0 ? t[key] + (t[key + 1] - t[key]) * u : t[key];
            }
            SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 3.0, 0x71);
            const pm_timeline timeline = {.key_count = KEYS, .times = t};
            pm_clip_desc desc = motion_desc(&m, &timeline, (pm_method)j);
            desc.loop = cases[i].loop;
            accepted[j] +=
                is_sound_if_accepted(state, cases[i].what, &desc, &(pm_sample_job){.times = times});
        }
    for (size_t j = 0; j < PM_METHOD_COUNT; j++)
        assert_true(accepted[j] > 0);
}

/* Each method, and slerp with each method of vectors but that of given tangents. */
enum { KINDS = PM_METHOD_COUNT + PM_VECTOR_CUBICSPLINE - PM_VECTOR_STEP };

static pm_clip_desc desc_of(const motion *m, const pm_timeline *timeline, size_t kind) {
    if (kind < PM_METHOD_COUNT)
        return motion_desc(m, timeline, (pm_method)kind);
    pm_clip_desc desc = motion_desc(m, timeline, PM_METHOD_SLERP);
    desc.vector_method = (pm_vector_method)(PM_VECTOR_STEP + kind - PM_METHOD_COUNT);
    return desc;
}

/* Keys at 30 Hz beside a loop's closing segment, in which the samples are. Rotations that turn too far in it are
 * refused, and so is a B-spline. */
TEST_ON_BOTH(closing_segments_far_longer_than_the_others) {
    const double periods[] = {1e20, 1e30, 4e37, 1e45, 1e69};
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    size_t accepted = 0;
    for (size_t n = 0; n < KINDS * COUNT_OF(periods); n++) {
        const double period = periods[n % COUNT_OF(periods)];
        double times[SAMPLES];
        char what[64];
        SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 3.0, 0x76);
        pm_clip_desc desc = desc_of(&m, &timeline, n / COUNT_OF(periods));
        for (size_t k = 0; k < SAMPLES; k++)
            times[k] = period * (double)k / SAMPLES;
        desc.loop = period;
        snprintf(what, sizeof what, "vectors by %d, a period of %g s", (int)desc.vector_method,
                 period);
        accepted += is_sound_if_accepted(state, what, &desc, &(pm_sample_job){.times = times});
    }
    /* all but hermite, spline, and two B-splines */
    assert_true(accepted >= (KINDS - 4) * COUNT_OF(periods));
}

/* At keys that are equally far apart, and not: a cubic overshoots the more, the longer a segment is than its
 * neighbours. */
TEST_ON_BOTH(positions_at_the_limits_of_float) {
    const float sizes[] = {FLT_MAX, FLT_MAX / 2, FLT_MAX / 8, 1e37f, 8e36f, 1e30f, FLT_MIN, 1e-45f};
    const double uneven[KEYS] = {0, 0.01, 2, 3};
    const pm_timeline timelines[] = {{.key_count = KEYS, .rate = {1, 1}},
                                     {.key_count = KEYS, .times = uneven}};
    for (size_t n = 0; n < 2 * COUNT_OF(sizes); n++)
        for (size_t kind = 0; kind < KINDS; kind++) {
            const float size = sizes[n / 2];
            SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 3.0, 0x72);
            for (size_t c = 0; c < (size_t)KEYS * TRACKS * 3; c++)
                m.positions[c] = (c / 3 % TRACKS + c / 3 / TRACKS) % 2 ? size : -size;
            const pm_clip_desc desc = desc_of(&m, &timelines[n % 2], kind);
            char what[64];
            snprintf(what, sizeof what, "vectors by %d, positions of %g", (int)desc.vector_method,
                     (double)size);
            is_sound_if_accepted(state, what, &desc, &(pm_sample_job){.rate = {PER_SEGMENT, 1}});
        }
}

/* Numbers of one magnitude and random sign. */
static void fill_with(double size, uint64_t salt, double *out, size_t count) {
    random_source source = random_salted(salt);
    for (size_t c = 0; c < count; c++)
        out[c] = random_bits(&source) & 1 ? size : -size;
}

static const double tangent_sizes[] = {1e-300, 1, 1e10, 1e38, 1e300, DBL_MAX};
enum { TANGENT_SIZES = COUNT_OF(tangent_sizes) };

/* Those of users, unlimited or not, or those in and out. */
static void expect_sound_tangents(void **state, bool in_out) {
    const pm_timeline timeline = {.key_count = KEYS, .rate = {1, 1}};
    double tangents[2][KEYS * TRACKS][4];
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 3.0, 0x73);
    size_t accepted = 0;
    for (size_t n = 0; n < (size_t)PM_METHOD_COUNT * TANGENT_SIZES * 2; n++) {
        const pm_method_info *method = pm_method_get_info((pm_method)(n / 2 / TANGENT_SIZES));
        const double size = tangent_sizes[n / 2 % TANGENT_SIZES];
        if (!(in_out ? method->takes_in_out : method->takes_tangents))
            continue;
        pm_clip_desc desc = motion_desc(&m, &timeline, method->method);
        fill_with(size, n, &tangents[0][0][0], sizeof tangents / sizeof(double));
        if (in_out) {
            desc.tangents_in = (pm_array){tangents[0], PM_FLOAT64, 0};
            desc.tangents_out = (pm_array){tangents[1], PM_FLOAT64, 0};
        } else {
            desc.tangents = PM_TANGENTS_USER;
            desc.user_tangents = (pm_array){tangents, PM_FLOAT64, 0};
            desc.unlimited = n % 2 != 0;
        }
        char what[64];
        snprintf(what, sizeof what, "tangents of %g", size);
        accepted +=
            is_sound_if_accepted(state, what, &desc, &(pm_sample_job){.rate = {PER_SEGMENT, 1}});
    }
    assert_true(accepted > 0);
}

TEST_ON_BOTH(user_tangents_of_any_size) {
    expect_sound_tangents(state, false);
}

TEST_ON_BOTH(tangents_in_and_out_of_any_size) {
    expect_sound_tangents(state, true);
}

TEST_ON_BOTH(rates_starts_and_counters_at_the_limits_of_64_bits) {
    const pm_rational rates[] = {
        {1, 1}, {INT64_MAX, 1}, {1, INT64_MAX}, {INT64_MAX, INT64_MAX - 1}};
    const pm_rational starts[] = {{0, 0},         {0, 1},         {INT64_MAX, 1},
                                  {INT64_MIN, 1}, {1, INT64_MAX}, {INT64_MIN, INT64_MAX}};
    const uint64_t firsts[] = {0, UINT64_C(1) << 40, UINT64_MAX - SAMPLES, UINT64_MAX};
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 3.0, 0x74);
    size_t accepted = 0;
    for (size_t key_rate = 0; key_rate < 4; key_rate++) {
        const pm_timeline timeline = {.key_count = KEYS, .rate = rates[key_rate]};
        pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
        for (int loop = 0; loop < 2; loop++) {
            desc.loop = loop ? KEYS * (double)rates[key_rate].den / (double)rates[key_rate].num : 0;
            for (size_t rate = 0; rate < 4; rate++)
                for (size_t start = 0; start < 6; start++)
                    for (size_t first = 0; first < 4; first++) {
                        const pm_sample_job job = {.rate = rates[rate],
                                                   .start_after_first_key = starts[start],
                                                   .first = firsts[first]};
                        accepted += is_sound_if_accepted(state, "64-bit terms", &desc, &job);
                    }
        }
    }
    assert_true(accepted > 0);
}

/* Sample times near the limits of double still clamp to the nearer end. */
TEST_ON_BOTH(samples_far_beyond_the_keys_clamp_to_their_side) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 3.0, 0x75);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    const pm_sample_job jobs[] = {
        {.sample_count = 1, .rate = {30000, 1001}, .first = UINT64_MAX - 1},
        {.sample_count = 1, .rate = {30000, 1001}, .start_after_first_key = {INT64_MIN, 1}},
    };
    float ends[2][TRACKS * 4];
    sample_make(clip, &(pm_sample_job){
                          .sample_count = 2, .times = (double[]){-1, 100}, .rotations = ends[0]});
    for (size_t i = 0; i < 2; i++) {
        float out[TRACKS * 4];
        pm_sample_job job = jobs[i];
        job.rotations = out;
        sample_make(clip, &job);
        expect_same_bits(out, ends[1 - i], (size_t)TRACKS * 4, 4);
    }
}

TEST_GROUP(NULL, engines_close)
