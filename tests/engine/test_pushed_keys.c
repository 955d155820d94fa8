/* SPDX-License-Identifier: MIT
 *
 * Keys that are pushed: in chunks of any size, the samples that are pulled have the bits of all keys at once,
 * each as soon as the latency of its method says and no sooner, and the memory does not grow with the
 * motion. Methods, options, rates, tracks and chunks are random.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"
#include "support/wrapped.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"

enum { MOST_KEYS = 4000, MOST_TRACKS = 70 };

static size_t largest; /* request for memory */

WRAPPED(void *, pm_reallocate, const pm_host *host, void *memory, size_t size) {
    largest = size > largest ? size : largest;
    return __real_pm_reallocate(host, memory, size);
}

TEST_GROUP(NULL, engines_close)

/* All keys, and the samples of all of them. */
typedef struct take {
    pm_clip_desc desc;
    pm_timeline timeline;
    pm_sample_job job; /* sample_count: those up to the last key */
    unsigned set;
    outputs wanted;
} take;

/* Whether sample k is before the time of a key, or at it: in integers for uniform keys. */
static bool is_sample_before(const take *t, size_t k, size_t key, bool or_at) {
    const pm_rational start = t->job.start_after_first_key, rate = t->job.rate;
    const pm_rational keys = t->timeline.rate;
    const uint64_t n = t->job.first + k;
    if (t->timeline.times) {
        const double at = t->timeline.times[0] + (double)start.num / (double)start.den +
                          (double)n * (double)rate.den / (double)rate.num;
        return or_at ? at <= t->timeline.times[key] : at < t->timeline.times[key];
    }
    const int64_t at = (start.num * rate.num + (int64_t)n * rate.den * start.den) * keys.num;
    const int64_t end = (int64_t)key * keys.den * start.den * rate.num;
    return or_at ? at <= end : at < end;
}

static size_t keys_latency(const pm_clip_desc *desc) {
    return pm_method_latency(desc->method, desc->vector_method);
}

/* The description of keys from `first` on. */
static pm_array rows_from(pm_array array, size_t first, size_t numbers) {
    if (array.data)
        array.data =
            (const char *)array.data +
            first * (array.stride ? array.stride : numbers * (array.type == PM_FLOAT64 ? 8 : 4));
    return array;
}

static pm_clip_desc chunk_of(const take *t, size_t first, size_t count, pm_timeline *timeline) {
    const size_t tracks = t->desc.track_count;
    pm_clip_desc d = t->desc;
    d.rotations = rows_from(d.rotations, first, 4 * tracks);
    d.tangents_in = rows_from(d.tangents_in, first, 4 * tracks);
    d.tangents_out = rows_from(d.tangents_out, first, 4 * tracks);
    d.user_tangents = rows_from(d.user_tangents, first, 3 * tracks);
    pm_array *const vectors[] = {&d.positions, &d.positions_in, &d.positions_out,
                                 &d.scales,    &d.scales_in,    &d.scales_out};
    for (size_t i = 0; i < COUNT_OF(vectors); i++)
        *vectors[i] = rows_from(*vectors[i], first, 3 * tracks);
    *timeline = t->timeline;
    timeline->key_count = count;
    if (timeline->times)
        timeline->times += first;
    d.timelines = timeline;
    return d;
}

/* Copies of the keys of a chunk, which are lost after the push. */
static void push(pm_resampler *resampler, const take *t, size_t first, size_t count) {
    pm_timeline timeline;
    const pm_clip_desc chunk = chunk_of(t, first, count, &timeline);
    pm_error error = {0};
    if (pm_resampler_push(resampler, &chunk, &error) != PM_OK)
        fail_msg("%s", error.message);
}

static void expect_untouched(const outputs *own, size_t from, size_t rows) {
    static const size_t numbers[OUTPUTS_MAX] = {4, 3, 3, 3, 3};
    for (size_t o = 0; o < OUTPUTS_MAX; o++)
        for (size_t i = from * numbers[o]; own->values[o] && i < rows * numbers[o]; i++)
            assert_true(is_poison(own->values[o][i]));
}

/* Pulls what is decided in parts of at most `most` samples; returns how many samples there are now. */
static size_t pull(pm_resampler *resampler, const take *t, size_t before, size_t most) {
    const size_t tracks = t->desc.track_count;
    size_t count = most;
    while (count == most) {
        outputs own = outputs_make(most * tracks, t->set);
        pm_sample_job job = outputs_job(t->job, &own);
        pm_error error = {0};
        job.sample_count = most;
        if (pm_resampler_pull(resampler, &job, &count, &error) != PM_OK)
            fail_msg("%s", error.message);
        assert_true(before + count <= t->job.sample_count);
        const outputs wanted = outputs_from(&t->wanted, before * tracks, count * tracks);
        outputs written = outputs_from(&own, 0, count * tracks);
        if (!are_same_outputs(&written, &wanted))
            fail_msg(
                "%s, vectors %d: %zu tracks, samples %zu to %zu of %zu, rate %lld/%lld: other bits",
                pm_method_get_info(t->desc.method)->name, (int)t->desc.vector_method, tracks,
                before, before + count, t->job.sample_count, (long long)t->job.rate.num,
                (long long)t->job.rate.den);
        expect_untouched(&own, count * tracks, most * tracks);
        outputs_free(&own);
        before += count;
    }
    return before;
}

/* Pushes all keys in chunks of at most `chunk`, and pulls after some of them. */
static void push_and_pull(random_source *source, const take *t, size_t chunk) {
    const size_t keys = t->timeline.key_count, latency = keys_latency(&t->desc);
    SCOPED(pm_resampler_destroy) pm_resampler *resampler = NULL;
    size_t pulled = 0;
    assert_int_equal(pm_resampler_open(&resampler, NULL), PM_OK);
    for (size_t first = 0, count; first < keys; first += count) {
        count = random_size(source, 1, chunk);
        count = count < keys - first ? count : keys - first;
        push(resampler, t, first, count);
        if (random_size(source, 0, 3) == 0)
            continue;
        pulled = pull(resampler, t, pulled, random_size(source, 1, 3000));
        const size_t there = first + count;
        const bool any = there > latency;
        assert_true(pulled == 0 || is_sample_before(t, pulled - 1, there - latency, false));
        assert_true(!any || pulled == t->job.sample_count ||
                    !is_sample_before(t, pulled, there - latency, false));
    }
    assert_int_equal(pm_resampler_end(resampler, NULL), PM_OK);
    pulled = pull(resampler, t, pulled, random_size(source, 1, 3000));
    assert_int_equal(pulled, t->job.sample_count);
    assert_int_equal(pull(resampler, t, pulled, 7), pulled);
}

static void choose_options(random_source *source, pm_clip_desc *desc) {
    static const pm_vector_method vectors[] = {PM_VECTOR_AUTO,         PM_VECTOR_STEP,
                                               PM_VECTOR_LINEAR,       PM_VECTOR_CATMULL_ROM,
                                               PM_VECTOR_PARABOLAS_C2, PM_VECTOR_PARABOLAS_C3};
    const pm_method_info *info = pm_method_get_info(desc->method);
    desc->ends = (pm_ends)random_size(source, 0, 3);
    if (!info->takes_in_out && random_size(source, 0, 1))
        desc->vector_method = vectors[random_size(source, 0, COUNT_OF(vectors) - 1)];
    if (info->takes_tangents)
        desc->tangents = (pm_tangents)random_size(source, 0, 3);
    if (desc->tangents == PM_TANGENTS_TCB)
        desc->tension = random_between(source, -1, 1);
    desc->unlimited = random_size(source, 0, 3) == 0;
    desc->axis_frame = (pm_axis_frame)random_size(source, 0, 1);
    if (desc->method == PM_METHOD_SLERP || desc->method == PM_METHOD_CUBIC)
        desc->key_format = (pm_key_format)random_size(source, 0, 2);
}

static size_t count_samples(const take *t) {
    size_t count = 0;
    while (is_sample_before(t, count, t->timeline.key_count - 1, true))
        count++;
    return count;
}

/* User tangents, and rotations in double with numbers between the rows, which the caller frees. */
static double *choose_arrays(random_source *source, const motion *m, pm_clip_desc *desc) {
    const size_t row = 4 * m->tracks, stride = row + random_size(source, 0, 5);
    double *rows = test_array(m->keys * stride, sizeof *rows);
    for (size_t k = 0; k < m->keys; k++)
        for (size_t i = 0; i < row; i++)
            rows[k * stride + i] = (double)m->rotations[k * row + i];
    if (random_size(source, 0, 1))
        desc->rotations =
            (pm_array){.data = rows, .type = PM_FLOAT64, .stride = stride * sizeof *rows};
    if (pm_method_get_info(desc->method)->takes_tangents && random_size(source, 0, 2) == 0) {
        desc->tangents = PM_TANGENTS_USER;
        desc->user_tangents = (pm_array){.data = m->positions, .type = PM_FLOAT32};
    }
    return rows;
}

static void choose_job(random_source *source, take *t, size_t keys) {
    static const unsigned sets[] = {OF_CHANNELS, ONLY_ROTATIONS, ALL_OUTPUTS};
    const double ratio = random_between(source, 0.02, 4); /* samples a key */
    const int64_t den = (int64_t)random_size(source, 1, 9);
    t->job =
        (pm_sample_job){.rate = {(int64_t)(ratio * 30 * (double)den) + 1, den},
                        .start_after_first_key = {(int64_t)random_size(source, 0, 60) - 30, 17},
                        .first = random_size(source, 0, 2 * keys),
                        .velocity_frame = (pm_axis_frame)random_size(source, 0, 1),
                        .host_threads = (uint32_t)random_size(source, 1, 2)};
    if (random_size(source, 0, 2) == 0) /* on keys */
        t->job.rate = (pm_rational){30 * (int64_t)random_size(source, 1, 3), 1};
    t->set = sets[random_size(source, 0, 2)];
    t->job.sample_count = count_samples(t);
}

static void check_method(random_source *source, pm_method method, bool listed) {
    static const size_t most[] = {7, 200, MOST_KEYS}, chunks[] = {1, 3, 60, 1000, MOST_KEYS};
    const size_t keys = random_size(source, 1, most[random_size(source, 0, small_sizes() ? 1 : 2)]);
    const size_t tracks = random_size(source, 1, keys > 200 ? 9 : MOST_TRACKS);
    double times[MOST_KEYS];
    SCOPED(motion_free)
    motion m = motion_make(keys, tracks, random_between(source, 0.1, 3.1), random_bits(source));
    for (size_t k = 0; k < keys * tracks;
         k++) /* which sign continues a key is found from all before it */
        if (random_size(source, 0, 1))
            for (size_t i = 0; i < 4; i++)
                m.rotations[4 * k + i] = -m.rotations[4 * k + i];
    take t = {.timeline = {.key_count = keys, .rate = {30, 1}}};
    random_key_times(source, keys, random_between(source, -9, 9), 0.001, 0.07, times);
    if (listed && method != PM_METHOD_BSPLINE)
        t.timeline = (pm_timeline){.key_count = keys, .times = times};
    t.desc = motion_desc(&m, &t.timeline, method);
    choose_options(source, &t.desc);
    SCOPED(free_at) double *rows = choose_arrays(source, &m, &t.desc);
    choose_job(source, &t, keys);
    const size_t chunk = chunks[random_size(source, keys > 200 ? 2 : 0, COUNT_OF(chunks) - 1)];
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_of_kind(ON_REFERENCE), &t.desc);
    t.wanted = sampled_as(clip, t.job, t.set);
    push_and_pull(source, &t, chunk);
    outputs_free(&t.wanted);
}

TEST(pushed_keys_have_the_bits_of_all_keys_at_once) {
    random_source source = random_salted(0x9e);
    const int rounds = small_sizes() ? 2 : 12;
    for (unsigned method = 0; method < PM_METHOD_COUNT; method++)
        for (int i = 0; i < rounds && method != PM_METHOD_SPLINE; i++)
            check_method(&source, (pm_method)method, i & 1);
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Pushes many keys, and pulls what they decide; `samples` a key. */
static void expect_bounded(random_source *source, double samples, bool pulls) {
    enum { KEYS = 100000, CHUNK = 64, TRACKS = 3, HELD = 1024 + 2 * CHUNK };
    SCOPED(pm_resampler_destroy) pm_resampler *resampler = NULL;
    SCOPED(motion_free) motion m = motion_make(CHUNK, TRACKS, 1, 0x31);
    float out[100][TRACKS][4];
    pm_timeline timeline = {.rate = {100, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    desc.positions.data = desc.scales.data = NULL;
    const pm_sample_job job = {
        .rate = {(int64_t)(samples * 1e6), 10000}, .sample_count = 100, .rotations = out[0][0]};
    assert_int_equal(pm_resampler_open(&resampler, NULL), PM_OK);
    largest = 0;
    for (size_t k = 0; k < KEYS; k += timeline.key_count) {
        size_t count = pulls ? 100 : 0;
        timeline.key_count = random_size(source, 1, CHUNK);
        assert_int_equal(pm_resampler_push(resampler, &desc, NULL), PM_OK);
        while (count == 100)
            assert_int_equal(pm_resampler_pull(resampler, &job, &count, NULL), PM_OK);
    }
    const size_t row = TRACKS * 4 * sizeof(double);
    assert_true(pulls == (largest <= 5 * HELD * row));
}

TEST(as_many_keys_are_held_however_long_the_motion) {
    random_source source = random_salted(0x9f);
    expect_bounded(&source, 2, true);
    expect_bounded(&source, 0.0002, true); /* a sample in 5,000 keys */
    expect_bounded(&source, 2, false);
}

/* ---- refusals and latencies ---------------------------------------------------------------- */

TEST(latencies_are_those_of_the_keys_that_a_sample_depends_on) {
    for (unsigned i = 0; i < PM_METHOD_COUNT; i++) {
        const pm_method_info *info = pm_method_get_info((pm_method)i);
        const size_t wanted = info->keys_used == 0 ? 0 : info->keys_used <= 2 ? 1 : 2;
        assert_int_equal(pm_method_latency((pm_method)i, PM_VECTOR_STEP), wanted);
    }
    assert_int_equal(pm_method_latency(PM_METHOD_SLERP, PM_VECTOR_AUTO), 1);
    assert_int_equal(pm_method_latency(PM_METHOD_SLERP, PM_VECTOR_CATMULL_ROM), 2);
    assert_int_equal(pm_method_latency(PM_METHOD_SLERP, PM_VECTOR_SPLINE), 0);
    assert_int_equal(pm_method_latency((pm_method)PM_METHOD_COUNT, PM_VECTOR_STEP), 0);
    assert_int_equal(pm_method_latency(PM_METHOD_SLERP, (pm_vector_method)PM_VECTOR_COUNT), 0);
}

/* A refused push changes nothing: the next one is as if it had not been. */
static void expect_push_refused(pm_resampler *resampler, const pm_clip_desc *desc, pm_status status,
                                const char *words) {
    pm_error error = {0};
    assert_int_equal(pm_resampler_push(resampler, desc, &error), status);
    if (!strstr(error.message, words))
        fail_msg("'%s' is not in '%s'", words, error.message);
}

TEST(keys_that_cannot_be_pushed_are_refused) {
    enum { KEYS = 4, TRACKS = 2 };
    SCOPED(pm_resampler_destroy) pm_resampler *resampler = NULL;
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 0x32);
    const double times[] = {1, 2, 4, 8}, later[] = {9, 10, 11, 12};
    const pm_timeline listed = {.key_count = KEYS, .times = times},
                      next = {.key_count = KEYS, .times = later},
                      uniform = {.key_count = KEYS, .rate = {1, 1}};
    const pm_clip_desc good = motion_desc(&m, &listed, PM_METHOD_SLERP);
    pm_clip_desc bad = motion_desc(&m, &uniform, PM_METHOD_SPLINE);
    assert_int_equal(pm_resampler_open(&resampler, NULL), PM_OK);
    expect_push_refused(resampler, &bad, PM_ERROR_ARGUMENT, "depends on all keys");
    bad = good;
    bad.vector_method = PM_VECTOR_SPLINE;
    expect_push_refused(resampler, &bad, PM_ERROR_ARGUMENT, "depends on all keys");
    bad = good;
    bad.loop = 9;
    expect_push_refused(resampler, &bad, PM_ERROR_ARGUMENT, "loop");
    bad = motion_desc(&m, &(pm_timeline){.key_count = 3, .times = (const double[]){1, 2, 3}},
                      PM_METHOD_BSPLINE);
    expect_push_refused(resampler, &bad, PM_ERROR_TIME, "B-spline");
    assert_int_equal(pm_resampler_push(resampler, &good, NULL), PM_OK);
    expect_push_refused(resampler, &good, PM_ERROR_TIME, "behind that of the last key");
    bad = good;
    bad.timelines = &uniform;
    expect_push_refused(resampler, &bad, PM_ERROR_ARGUMENT, "first push");
    bad = good;
    bad.timelines = &next;
    bad.method = PM_METHOD_SQUAD;
    expect_push_refused(resampler, &bad, PM_ERROR_ARGUMENT, "first push");
    bad.method = PM_METHOD_SLERP;
    bad.scales.data = NULL;
    expect_push_refused(resampler, &bad, PM_ERROR_ARGUMENT, "arrays");
    bad = good;
    bad.timelines = &next;
    assert_int_equal(pm_resampler_push(resampler, &bad, NULL), PM_OK);
    assert_int_equal(pm_resampler_end(resampler, NULL), PM_OK);
    expect_push_refused(resampler, &bad, PM_ERROR_ARGUMENT, "behind the end");
}

TEST(pulls_that_differ_from_earlier_ones_are_refused) {
    SCOPED(pm_resampler_destroy) pm_resampler *pushed = NULL;
    SCOPED(pm_resampler_destroy) pm_resampler *given = NULL;
    SCOPED(motion_free) motion m = motion_make(5, 1, 1, 0x33);
    const pm_timeline timeline = {.key_count = 5, .rate = {1, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    float out[4][4];
    size_t count = 9;
    pm_sample_job job = {.sample_count = 4, .rate = {2, 1}, .rotations = out[0]};
    assert_int_equal(pm_resampler_create(&desc, &given, NULL), PM_OK);
    assert_int_equal(pm_resampler_pull(given, &job, &count, NULL), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_resampler_push(given, &desc, NULL), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_resampler_end(given, NULL), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_resampler_open(&pushed, NULL), PM_OK);
    assert_int_equal(pm_resampler_sample(pushed, &job, NULL), PM_ERROR_ARGUMENT);
    assert_int_equal(pm_resampler_pull(pushed, &job, &count, NULL), PM_OK);
    assert_int_equal(count, 0);
    assert_int_equal(pm_resampler_push(pushed, &desc, NULL), PM_OK);
    assert_int_equal(pm_resampler_pull(pushed, &job, &count, NULL), PM_OK);
    assert_int_equal(count, 4);
    job.first = 1;
    assert_int_equal(pm_resampler_pull(pushed, &job, &count, NULL), PM_ERROR_ARGUMENT);
    job.first = 0;
    job.rotations = NULL;
    assert_int_equal(pm_resampler_pull(pushed, &job, &count, NULL), PM_ERROR_ARGUMENT);
    job.rotations = out[0];
    job.times = (const double[]){0, 1, 2, 3};
    assert_int_equal(pm_resampler_pull(pushed, &job, &count, NULL), PM_ERROR_ARGUMENT);
}
