/* SPDX-License-Identifier: MIT
 *
 * pm_resample: every job has the bits, or the error, that a clip and pm_sample give, and nothing beside
 * the results is written. Methods, tangents, ends, loops, times, sizes and threads are random.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"

enum { KEYS = 1200, TIMES = 400 };

TEST_GROUP(NULL, engines_close)

static pm_status by_clip(const pm_clip_desc *desc, const pm_sample_job *job, pm_error *error) {
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
    pm_status status = pm_clip_create(engine_of_kind(ON_REFERENCE), desc, &clip, error);
    if (status == PM_OK)
        status = pm_sample(clip, job, error);
    return status;
}

static void expect_same(const pm_clip_desc *desc, pm_sample_job job, unsigned set) {
    const size_t rows = job.sample_count * desc->track_count;
    pm_error wanted_error = {0}, error = {0};
    SCOPED(outputs_free) outputs wanted = outputs_make(rows, set);
    SCOPED(outputs_free) outputs actual = outputs_make(rows, set);
    const pm_sample_job by_a_clip = outputs_job(job, &wanted), at_once = outputs_job(job, &actual);
    const pm_status status = by_clip(desc, &by_a_clip, &wanted_error);
    if (pm_resample(desc, &at_once, &error) != status ||
        (status != PM_OK && strcmp(error.message, wanted_error.message) != 0))
        fail_msg("%s: '%s', not '%s'", pm_method_get_info(desc->method)->name, error.message,
                 wanted_error.message);
    if (status == PM_OK)
        expect_same_outputs(&actual, &wanted);
}

/* Jobs one after another, now and then an earlier one again, have the rotations of one job. */
static void expect_same_in_parts(random_source *source, const pm_clip_desc *desc,
                                 pm_sample_job job) {
    const size_t row = 4 * desc->track_count, rows = job.sample_count * desc->track_count;
    pm_resampler *resampler = NULL;
    SCOPED(outputs_free) outputs wanted = outputs_make(rows, ONLY_ROTATIONS);
    SCOPED(outputs_free) outputs actual = outputs_make(rows, ONLY_ROTATIONS);
    const pm_sample_job whole = outputs_job(job, &wanted);
    const pm_status status = by_clip(desc, &whole, NULL);
    assert_int_equal(pm_resampler_create(desc, &resampler, NULL), PM_OK);
    for (size_t k = 0, count; status == PM_OK && k < job.sample_count; k += count) {
        const size_t left = job.sample_count - k;
        if (k > 0 && random_size(source, 0, 9) == 0)
            k = random_size(source, 0, k - 1);
        count = random_size(source, 1, left);
        pm_sample_job part = job;
        part.sample_count = count;
        part.first += k;
        part.rotations = actual.rotations + k * row;
        part.host_threads = random_size(source, 0, 9) ? 2 : 3;
        assert_int_equal(pm_resampler_sample(resampler, &part, NULL), PM_OK);
    }
    if (status == PM_OK)
        expect_same_outputs(&actual, &wanted);
    pm_resampler_destroy(&resampler);
    assert_null(resampler);
}

static void choose_options(random_source *source, pm_clip_desc *desc) {
    static const pm_vector_method vectors[] = {PM_VECTOR_AUTO, PM_VECTOR_LINEAR,
                                               PM_VECTOR_CATMULL_ROM, PM_VECTOR_PARABOLAS_C3,
                                               PM_VECTOR_SPLINE};
    desc->ends = (pm_ends)random_size(source, 0, 3);
    if (!pm_method_get_info(desc->method)->takes_in_out)
        desc->vector_method = vectors[random_size(source, 0, COUNT_OF(vectors) - 1)];
    if (pm_method_get_info(desc->method)->takes_tangents)
        desc->tangents = (pm_tangents)random_size(source, 0, 3);
    desc->unlimited = random_size(source, 0, 3) == 0;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Uniform jobs up and down, and listed times: in order, or in none. */
static void check_jobs(random_source *source, const pm_clip_desc *desc, size_t keys) {
    const unsigned which = (unsigned)random_size(source, 1, 7);
    const int64_t step = (int64_t)random_size(source, 1, 5);
    double times[TIMES];
    pm_sample_job job = {.sample_count = random_size(source, 1, 3 * keys + 2),
                         .rate = {(int64_t)random_size(source, 1, 40), 8},
                         .start_after_first_key = {(int64_t)random_size(source, 0, 9), 8},
                         .first = random_size(source, 0, keys),
                         .host_threads = (unsigned)random_size(source, 1, 5)};
    expect_same(desc, job, which);
    expect_same_in_parts(source, desc, job);
    job.rate = (pm_rational){2, step}; /* on keys */
    job.start_after_first_key = (pm_rational){0, 1};
    expect_same(desc, job, which);
    random_times(source, TIMES, -1, random_between(source, 1, (double)keys), times);
    job = (pm_sample_job){.sample_count = TIMES, .times = times, .host_threads = 2};
    if (random_size(source, 0, 3))
        qsort(times, TIMES, sizeof *times, ascending);
    expect_same(desc, job, which);
}

static void check_method(random_source *source, pm_method method, bool loops, bool listed) {
    static const size_t most[] = {9, 200, KEYS};
    const size_t keys = random_size(source, 2, most[random_size(source, 0, 2)]);
    double times[KEYS];
    SCOPED(motion_free)
    motion m = motion_make(keys, random_size(source, 1, random_size(source, 0, 2) ? 30 : 100),
                           random_between(source, 0.1, 1.5), random_bits(source));
    pm_timeline timeline = {.key_count = keys, .rate = {2, 1}};
    random_key_times(source, keys, 0, 0.1, 0.9, times);
    if (listed && method != PM_METHOD_BSPLINE)
        timeline = (pm_timeline){.key_count = keys, .times = times};
    pm_clip_desc desc = motion_desc(&m, &timeline, method);
    choose_options(source, &desc);
    if (loops)
        desc.loop = timeline.times ? times[keys - 1] + 0.3 : (double)keys / 2;
    check_jobs(source, &desc, keys);
}

TEST(jobs_in_one_pass_have_the_bits_of_clips) {
    random_source source = random_salted(0x1d);
    const int rounds = small_sizes() ? 1 : 6;
    for (unsigned method = 0; method < PM_METHOD_COUNT; method++)
        for (unsigned kind = 0; kind < 4; kind++)
            for (int i = 0; i < rounds; i++)
                check_method(&source, (pm_method)method, kind & 1, kind & 2);
}

TEST(other_jobs_are_computed_by_a_clip) {
    SCOPED(motion_free) motion m = motion_make(70, 20, 1, 3), one = motion_make(1, 20, 1, 4);
    const uint32_t tracks[] = {3, 19, 0, 3};
    const double times[] = {0.5, 30, 2, -1};
    const pm_timeline timeline = {.key_count = 70, .rate = {2, 1}},
                      single = {.key_count = 1, .rate = {2, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    const pm_sample_job job = {.sample_count = 50, .rate = {3, 1}};
    expect_same(&desc, job, ALL_OUTPUTS);
    expect_same(&desc, (pm_sample_job){.sample_count = 2000, .rate = {3, 1}}, 1);
    desc.loop = 35; /* many laps */
    expect_same(&desc, (pm_sample_job){.sample_count = 2000, .rate = {3, 1}}, 7);
    pm_clip_desc constant = motion_desc(&one, &single, PM_METHOD_SQUAD);
    expect_same(&constant, job, 7);
    desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    desc.key_format = PM_KEYS_LOG48;
    expect_same(&desc, job, 7);
    pm_sample_job pairs = {.sample_count = 4, .times = times, .tracks = tracks};
    float wanted[4][4], actual[4][4];
    pairs.rotations = wanted[0];
    assert_int_equal(by_clip(&desc, &pairs, NULL), PM_OK);
    memset(actual, 0xFF, sizeof actual);
    pairs.rotations = actual[0];
    assert_int_equal(pm_resample(&desc, &pairs, NULL), PM_OK);
    assert_memory_equal(wanted, actual, sizeof actual);
}

TEST(what_a_clip_or_a_job_refuses_is_refused) {
    SCOPED(motion_free) motion m = motion_make(90, 20, 1, 5);
    pm_timeline timeline = {.key_count = 90, .rate = {2, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    pm_sample_job job = {.sample_count = 50, .rate = {3, 1}};
    expect_same(&desc, job, 0);
    job.sample_count = 0;
    expect_same(&desc, job, 1);
    job = (pm_sample_job){.sample_count = 50, .rate = {0, 1}};
    expect_same(&desc, job, 1);
    job.rate.num = 3;
    job.next = &job;
    expect_same(&desc, job, 1);
    job.next = NULL;
    m.rotations[4 * (70 * 20 + 13)] = 2; /* key 70 of track 13 */
    expect_same(&desc, job, 1);
    desc.rotations.data = NULL;
    expect_same(&desc, job, 1);
}

TEST(a_curve_that_does_not_exist_is_an_error) {
    const double fast[3] = {1e9, 0, 0};
    double tangents[90][20][3] = {{{0}}};
    SCOPED(motion_free) motion m = motion_make(90, 20, 1, 6);
    const pm_timeline timeline = {.key_count = 90, .rate = {2, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_HERMITE);
    memcpy(tangents[80][11], fast, sizeof fast);
    memcpy(tangents[85][7], fast, sizeof fast);
    desc.tangents = PM_TANGENTS_USER;
    desc.user_tangents = (pm_array){.data = tangents, .type = PM_FLOAT64};
    expect_same(&desc, (pm_sample_job){.sample_count = 300, .rate = {7, 1}, .host_threads = 2}, 1);
}
