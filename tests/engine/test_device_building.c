/* SPDX-License-Identifier: MIT
 *
 * Clips that a device builds: planes, constants and signs of laps have the bits of those that the host
 * builds, and samples those of one pass. Methods, rules, loops, times, sizes and kinds of arrays are
 * random; keys have random signs, are repeated, and are orthogonal to their neighbours.
 */
#include "support/engines.h"
#include "support/motion.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "engine/engine.h"

enum { MOST_KEYS = 600, MOST_TRACKS = 40 };

TEST_GROUP_ON_DEVICE(NULL, engines_close)

static pm_engine *engines[2]; /* the host's clips, and the device's */

static void open_engines(void **state) {
    for (int i = 0; i < 2; i++)
        if (!engines[i])
            engines[i] =
                engine_with(state, &(pm_engine_desc){.clip_building = i ? PM_CLIPS_BY_DEVICE
                                                                        : PM_CLIPS_BY_HOST});
}

static void close_engines(void) {
    for (int i = 0; i < 2; i++)
        pm_engine_destroy(&engines[i]);
}

/* One description, and memory that it points to. */
typedef struct subject {
    motion m;
    double times[2][MOST_KEYS];
    pm_timeline timelines[2];
    uint32_t timeline_of[MOST_TRACKS];
    double *doubles; /* rotations, with a stride */
    float *tangents;
    pm_clip_desc desc;
    bool may_be_left; /* to the host: long splines with large turns are */
} subject;

/* Random signs; some keys repeat the one before, and, but for splines, few of which have a curve then, are
 * orthogonal to it or half turns. */
static void spoil(random_source *source, motion *m, bool solves) {
    static const float half_turns[3][4] = {{0.6f, 0, 0.8f, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}};
    for (size_t i = 0; i < m->keys * m->tracks; i++) {
        float *q = m->rotations + 4 * i, *before = q - 4 * m->tracks;
        const size_t kind = random_size(source, 0, 19);
        if (kind == 0 && i >= m->tracks)
            memcpy(q, before, 4 * sizeof *q);
        if (kind == 1 && i >= m->tracks && !solves) {
            const float turned[4] = {before[1], -before[0], before[3], -before[2]};
            memcpy(q, turned, sizeof turned);
        }
        if (kind == 3 && !solves)
            memcpy(q, half_turns[random_size(source, 0, 2)], 4 * sizeof *q);
        for (int c = 0; c < 4 && (kind > 9 || (kind == 3 && i % 2)); c++)
            q[c] = -q[c];
        if (i >= m->tracks && kind == 2)
            memcpy(m->positions + 3 * i, m->positions + 3 * (i - m->tracks), 3 * sizeof(float));
    }
}

static void use_doubles(random_source *source, subject *s) {
    const size_t row = 4 * s->m.tracks, stride = row + random_size(source, 0, row);
    s->doubles = test_array(s->m.keys * stride, sizeof(double));
    for (size_t k = 0; k < s->m.keys; k++)
        for (size_t i = 0; i < row; i++)
            s->doubles[k * stride + i] = (double)s->m.rotations[k * row + i];
    s->desc.rotations = (pm_array){s->doubles, PM_FLOAT64, stride * sizeof(double)};
}

static void use_user_tangents(random_source *source, subject *s) {
    const size_t count = 3 * s->m.keys * s->m.tracks;
    s->tangents = test_array(count, sizeof(float));
    for (size_t i = 0; i < count; i++)
        s->tangents[i] = (float)random_between(source, -2, 2);
    s->desc.tangents = PM_TANGENTS_USER;
    s->desc.user_tangents.data = s->tangents;
}

static void use_two_timelines(random_source *source, subject *s) {
    s->timelines[1] = s->timelines[0];
    s->timelines[1].key_count = random_size(source, 1, s->m.keys);
    s->desc.timeline_count = 2;
    for (size_t t = 0; t < s->m.tracks; t++)
        s->timeline_of[t] = (uint32_t)random_size(source, 0, 1);
    s->desc.timeline_of = s->timeline_of;
}

static void choose_options(random_source *source, subject *s) {
    static const pm_vector_method vectors[] = {
        PM_VECTOR_STEP,         PM_VECTOR_LINEAR, PM_VECTOR_CATMULL_ROM, PM_VECTOR_PARABOLAS_C2,
        PM_VECTOR_PARABOLAS_C3, PM_VECTOR_SPLINE, PM_VECTOR_BSPLINE};
    const pm_method_info *info = pm_method_get_info(s->desc.method);
    const bool uniform = !s->timelines[0].times;
    s->desc.ends = (pm_ends)random_size(source, 0, 3);
    s->desc.tension = random_between(source, -1, 1);
    s->desc.continuity = random_between(source, -1, 1);
    s->desc.bias = random_between(source, -1, 1);
    s->desc.unlimited = random_size(source, 0, 1);
    if (!info->takes_in_out)
        s->desc.vector_method = vectors[random_size(source, 0, uniform ? 6 : 5)];
    const pm_curve *curve = &pm_curves[pm_rotation_impl(&s->desc).curve];
    if (curve->coefficients == 0 && curve->constants == 0)
        s->desc.key_format = (pm_key_format)random_size(source, 0, PM_KEYS_COUNT - 1);
    if (info->takes_tangents)
        s->desc.tangents = (pm_tangents)random_size(source, 0, 3);
    if (info->takes_tangents && random_size(source, 0, 3) == 0)
        use_user_tangents(source, s);
}

static void make_subject(random_source *source, pm_method method, bool loops, bool listed,
                         subject *s) {
    const size_t many = small_sizes() ? 70 : MOST_KEYS, tracks = small_sizes() ? 5 : MOST_TRACKS;
    const size_t most = random_size(source, 0, 2) ? many : 5;
    const size_t keys = random_size(source, 1, most);
    *s = (subject){.m = motion_make(keys, random_size(source, 1, tracks),
                                    random_between(source, 0.1, 3), random_bits(source)),
                   .may_be_left = method == PM_METHOD_SPLINE && keys > PM_LEAST_RANGED};
    spoil(source, &s->m, method == PM_METHOD_SPLINE);
    random_key_times(source, keys, -3, 0.1, 0.9, s->times[0]);
    s->timelines[0] = (pm_timeline){.key_count = keys, .rate = {3, 2}};
    if (listed && method != PM_METHOD_BSPLINE)
        s->timelines[0] = (pm_timeline){.key_count = keys, .times = s->times[0]};
    s->desc = motion_desc(&s->m, s->timelines, method);
    choose_options(source, s);
    if (loops)
        s->desc.loop = listed && method != PM_METHOD_BSPLINE
                           ? s->times[0][keys - 1] - s->times[0][0] + 0.3
                           : (double)keys / 1.5;
    const bool is_uniform =
        method == PM_METHOD_BSPLINE || s->desc.vector_method == PM_VECTOR_BSPLINE;
    if (!(loops && is_uniform) && random_size(source, 0, 2) == 0)
        use_two_timelines(source, s);
    else if (random_size(source, 0, 1))
        use_doubles(source, s);
}

static void free_subject(subject *s) {
    motion_free(&s->m);
    free(s->doubles);
    free(s->tangents);
}

static void expect_same_bytes(const char *name, const char *what, const void *a, const void *b,
                              size_t bytes) {
    if (memcmp(a, b, bytes) != 0)
        fail_msg("%s: %s differ", name, what);
}

static void expect_same_channel(const char *name, const pm_clip_data *a, const pm_clip_data *b,
                                unsigned c) {
    const pm_channel *ours = &a->channels[c], *theirs = &b->channels[c];
    const unsigned planes = pm_curve_planes(ours->impl.curve);
    const size_t before = pm_rows_before(ours);
    if (ours->format != PM_KEYS_FLOAT32) {
        expect_same_bytes(name, "codes", ours->keys, theirs->keys, ours->key_bytes);
        return;
    }
    for (size_t t = 0; t < a->track_count; t++) {
        const pm_track_layout *at = &ours->layout[t];
        const size_t rows = pm_clip_timeline_of(a, t)->segment_count + 1 + 2 * before;
        expect_same_bytes(name, "layouts", at, &theirs->layout[t], sizeof *at);
        for (size_t i = 0; i < rows * planes; i++) {
            const size_t place =
                at->first - before * at->row + i / planes * at->row + i % planes * at->plane;
            const float *wanted = (const float *)ours->keys + place;
            const float *actual = (const float *)theirs->keys + place;
            if (memcmp(wanted, actual, 4 * sizeof *wanted) != 0)
                fail_msg("%s: %s, track %zu, row %zu of %zu, plane %zu: %.9g %.9g %.9g %.9g, not "
                         "%.9g %.9g %.9g %.9g",
                         name, pm_channel_name(c), t, i / planes, rows, i % planes,
                         (double)actual[0], (double)actual[1], (double)actual[2], (double)actual[3],
                         (double)wanted[0], (double)wanted[1], (double)wanted[2],
                         (double)wanted[3]);
        }
    }
    expect_same_bytes(name, "constants", ours->constants, theirs->constants,
                      ours->constant_floats * sizeof(float));
}

static void expect_same_clips(const char *name, pm_clip *clips[2]) {
    assert_int_equal(pm_clip_fetch(clips[1], NULL), PM_OK);
    const pm_clip_data *a = clips[0]->data, *b = clips[1]->data;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        if (a->channels[c].present)
            expect_same_channel(name, a, b, c);
    expect_same_bytes(name, "laps", a->wraps, b->wraps, a->track_count * sizeof(float));
    expect_same_bytes(name, "rates", a->rates, b->rates, a->rate_count * sizeof(float));
}

static bool has_double(pm_engine *engine) {
    return engine->device->builds_clips;
}

static bool is_built_on_device(const pm_clip *clip) {
    pm_clip_info info;
    pm_clip_get_info(clip, &info);
    return info.built_on_device;
}

/* Samples of the device's clip, on the device and on the reference path, and in one pass. */
static void expect_same_samples(const char *name, const subject *s, const pm_clip *clip) {
    const size_t samples = 2 * s->m.keys + 1, count = 4 * samples * s->m.tracks;
    SCOPED(guarded_free_at)
    float *of_device = guarded_floats(count), *of_host = guarded_floats(count),
          *in_one_pass = guarded_floats(count);
    float *const values[] = {of_device, of_host, in_one_pass};
    for (int i = 0; i < 3; i++) {
        const pm_sample_job job = {.sample_count = samples,
                                   .rate = {7, 2},
                                   .rotations = values[i],
                                   .on_reference = i == 1};
        expect_success(i < 2 ? pm_sample(clip, &job, new_error())
                             : pm_resample(&s->desc, &job, new_error()));
    }
    expect_same_bytes(name, "samples on the reference path", of_host, in_one_pass,
                      count * sizeof(float));
    expect_same_bytes(name, "samples", of_device, in_one_pass, count * sizeof(float));
}

/* False: a spline that has no curve, as both say. */
static bool make_clips(const subject *s, pm_clip *clips[2]) {
    pm_error errors[2];
    pm_status statuses[2];
    for (int i = 0; i < 2; i++) {
        clips[i] = NULL;
        statuses[i] = pm_clip_create(engines[i], &s->desc, &clips[i], &errors[i]);
    }
    assert_int_equal(statuses[0], statuses[1]);
    if (statuses[0] == PM_OK)
        return true;
    assert_int_equal(s->desc.method, PM_METHOD_SPLINE);
    assert_int_equal(statuses[0], PM_ERROR_KEY);
    assert_string_equal(errors[0].message, errors[1].message);
    return false;
}

static void check_subject(const subject *s, bool with_samples) {
    const char *name = pm_method_get_info(s->desc.method)->name;
    pm_clip *clips[2];
    if (!make_clips(s, clips))
        return;
    assert_false(is_built_on_device(clips[0]));
    if (!s->may_be_left)
        assert_int_equal(is_built_on_device(clips[1]), has_double(engines[1]));
    if (with_samples)
        expect_same_samples(name, s, clips[1]);
    expect_same_clips(name, clips);
    for (int i = 0; i < 2; i++)
        pm_clip_destroy(&clips[i]);
}

TEST_ON_DEVICE(clips_of_the_device_have_the_bits_of_the_hosts) {
    random_source source = random_salted(0xB11D);
    const int rounds = small_sizes() ? 1 : 6;
    open_engines(state);
    for (unsigned method = 0; method < PM_METHOD_COUNT; method++)
        for (unsigned kind = 0; kind < 4; kind++)
            for (int i = 0; i < rounds; i++) {
                SCOPED(free_subject) subject s;
                make_subject(&source, (pm_method)method, kind & 1, kind & 2, &s);
                check_subject(&s, method == PM_METHOD_SLERP && i == 0);
            }
    close_engines();
}

/* Two ranges: built by the device where steps are small, and by the host where the range before matters. */
TEST_ON_DEVICE(long_splines_are_left_to_the_host_only_where_their_ranges_depend_on_each_other) {
    random_source source = random_salted(0x5917);
    open_engines(state);
    for (int large = 0; large < 2; large++) {
        const double turn =
            large ? random_between(&source, 2.5, 3) : random_between(&source, 0.1, 1);
        const size_t keys = PM_LEAST_RANGED + random_size(&source, 1, 9);
        SCOPED(free_subject)
        subject s = {.m = motion_make(keys, small_sizes() ? 1 : 9, turn, random_bits(&source))};
        s.timelines[0] = (pm_timeline){.key_count = keys, .rate = {30, 1}};
        s.desc = motion_desc(&s.m, s.timelines, PM_METHOD_SPLINE);
        s.may_be_left = large;
        check_subject(&s, true);
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engines[1], &s.desc);
        assert_int_equal(is_built_on_device(clip), !large && has_double(engines[1]));
    }
    close_engines();
}

TEST_ON_DEVICE(a_device_reports_the_first_track_without_a_curve) {
    const double fast[3] = {1e9, 0, 0};
    double tangents[90][20][3] = {{{0}}};
    SCOPED(motion_free) motion m = motion_make(90, 20, 1, 6);
    const pm_timeline timeline = {.key_count = 90, .rate = {2, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_HERMITE);
    pm_error errors[2];
    open_engines(state);
    desc.tangents = PM_TANGENTS_USER;
    desc.user_tangents = (pm_array){tangents, PM_FLOAT64, 0};
    memcpy(tangents[70][13], fast, sizeof fast);
    memcpy(tangents[3][17], fast, sizeof fast);
    for (int i = 0; i < 2; i++) {
        pm_clip *clip = NULL;
        errors[i] = poisoned_error();
        assert_int_equal(pm_clip_create(engines[i], &desc, &clip, &errors[i]), PM_ERROR_KEY);
        assert_null(clip);
    }
    assert_string_equal(errors[0].message, errors[1].message);
    expect_error_at(&errors[1], 13, PM_NO_INDEX);
    close_engines();
}

TEST_ON_DEVICE(other_clips_are_built_by_the_host) {
    SCOPED(motion_free) motion m = motion_make(60, 3, 1, 7);
    const pm_timeline timeline = {.key_count = 20, .rate = {2, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    open_engines(state);
    desc.rotations.stride = 3 * (4 * 3 * sizeof(float)); /* 20 keys of 60 */
    pm_clip *clip = clip_make(engines[1], &desc);
    assert_false(is_built_on_device(clip));
    pm_clip_destroy(&clip);
    pm_engine *engine = NULL;
    expect_error(pm_engine_create(&(pm_engine_desc){.clip_building = (pm_clip_building)3}, &engine,
                                  new_error()),
                 PM_ERROR_ARGUMENT, "clip_building");
    close_engines();
}
