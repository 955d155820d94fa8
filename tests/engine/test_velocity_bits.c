/* SPDX-License-Identifier: MIT
 *
 * Angular velocities and accelerations bit for bit: the device with one lane and with its own
 * width against the reference, for every rotation curve and every kind of job. Outside the keys of an
 * open track they are zero. test_velocities.c checks the values of the reference.
 */
#include "support/derivatives.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"
#include "support/track_kinds.h"
#include "support/variants.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

enum { MAX_TRACKS = 19, COUNT = 37, KEYS = TRACK_KIND_KEYS };

static size_t track_count(void) {
    return small_sizes() ? 5 : MAX_TRACKS;
}

/* Too slow for an interpreter of kernels. */
static bool is_left_out(const pm_engine *engine, const variant *v) {
    return (small_sizes() && variant_repeats_kernels(v)) || !can_compile_motion(engine, v->method);
}

/* ---- clips and jobs ---- */

typedef enum input_kind {
    UNIFORM,      /* one timeline with a rate, samples at a rate; similar rotations between keys */
    UNIFORM_LOOP, /* the same, from laps before the keys to laps after them */
    LISTED,       /* one timeline of any times, samples at any times */
    OWN_LOOP,     /* per-track timelines with one period */
    PAIRS,        /* per-track timelines with extreme times, pairs of track and time */
    SHAPES
} input_kind;

/* A description of a clip and a job for it. */
typedef struct input {
    track_set set;
    pm_clip_desc desc;
    pm_sample_job job;
    double times[COUNT];
    uint32_t tracks[COUNT];
} input;

/* Rotations that are similar enough that no curve requires its wide form. */
static void steady(random_source *source, size_t n, test_track *t) {
    (void)n;
    random_track(source, KEYS, 0.5, 1.0, false, t);
}

static void make_tracks(input_kind kind, random_source *source, input *s) {
    static make_track *const makers[SHAPES] = {steady, track_kind_loops, track_kind_uneven,
                                               track_kind_loops, track_kind_extreme};
    const bool common_timeline = kind <= LISTED;
    set_create(track_count(), common_timeline, &s->set);
    for (size_t n = 0; n < s->set.count; n++) {
        test_track *t = &s->set.tracks[n];
        makers[kind](source, n, t);
        if (n > 0 && (common_timeline || kind == OWN_LOOP)) {
            t->period = s->set.tracks[0].period;
            memcpy(t->times, s->set.tracks[0].times, sizeof t->times);
        }
    }
    if (kind <= UNIFORM_LOOP)
        set_make_uniform(&s->set);
}

/* Times from before the keys to after them, in any order, including the first and the last key. */
static void make_times(random_source *source, input *s) {
    const test_track *t = &s->set.tracks[0];
    const double last = t->times[KEYS - 1];
    for (size_t k = 0; k < COUNT; k++) {
        s->times[k] = random_between(source, -0.25 * last, 1.25 * last);
        s->tracks[k] = (uint32_t)(random_bits(source) % s->set.count);
    }
    s->times[COUNT / 2] = t->times[0];
    s->times[COUNT / 3] = last;
}

static void input_make(const variant *v, input_kind kind, input *s) {
    static const pm_timeline uniform = {.key_count = KEYS, .rate = {3, 1}};
    random_source source = random_start();
    make_tracks(kind, &source, s);
    variant_prepare(v, &s->set);
    make_times(&source, s);
    s->desc = variant_describe(v, &s->set);
    s->job = (pm_sample_job){.sample_count = COUNT, .times = s->times};
    if (kind <= UNIFORM_LOOP) {
        s->desc.timelines = &uniform;
        s->desc.loop = kind == UNIFORM_LOOP ? KEYS / 3.0 : 0.0;
        s->job = (pm_sample_job){
            .sample_count = COUNT, .rate = {7, 1}, .start_after_first_key = {-1, 1}};
    }
    if (kind == PAIRS)
        s->job.tracks = s->tracks;
    s->job.velocity_frame = kind % 2 ? PM_AXIS_PARENT : PM_AXIS_BODY;
}

static void input_free(input *s) {
    set_destroy(&s->set);
}

/* ---- the device ---- */

/* A device whose rotations have other bits too is checked with the error bounds instead. */
static void compare_with_reference(pm_engine *engine, const outputs *device,
                                   const outputs *reference, const char *name) {
    pm_bit_match identity = PM_BIT_MATCH_UNKNOWN;
    if (are_same_outputs(device, reference))
        return;
    expect_success(pm_engine_self_check(engine, &identity, new_error()));
    if (identity != PM_BIT_MATCH_EXACT) {
        print_message("this device has different bits\n");
        skip();
    }
    print_error("%s:\n", name);
    expect_same_outputs(device, reference);
}

static void expect_bits_of_the_reference(pm_engine *engine) {
    bool met[PM_CURVE_COUNT] = {false};
    const bool all = can_compile_motion(engine, PM_METHOD_SQUAD);
    for (size_t n = 0; n < variant_count(); n++) {
        for (size_t kind = 0; kind < SHAPES && !is_left_out(engine, variant_at(n));
             kind += small_sizes() ? 2 : 1) {
            SCOPED(input_free) input s;
            input_make(variant_at(n), (input_kind)kind, &s);
            SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &s.desc);
            SCOPED(outputs_free)
            outputs device = sampled_as(clip, s.job, ONLY_RATES),
                    reference = sampled_on_reference(clip, s.job, ONLY_RATES);
            met[clip->data->channels[pm_outputs[PM_OUT_VELOCITIES].channel].impl.curve] = true;
            compare_with_reference(engine, &device, &reference, variant_at(n)->name);
        }
    }
#define EXPECT_MET(name) assert_true(met[PM_CURVE_##name] || !all);
    PM_ROTATION_CURVES(EXPECT_MET)
}

TEST_ON_DEVICE(the_device_gives_the_bits_of_the_reference) {
    expect_bits_of_the_reference(engine_for(state));
}

/* ---- zero rates outside the keys ---- */

static void expect_rest(const variant *v, const float *values, size_t sample, size_t tracks) {
    for (size_t i = 0; i < 3 * tracks; i++)
        if (values[3 * tracks * sample + i] != 0.0f)
            fail_msg("%s: sample %zu has rates that are not zero", v->name, sample);
}

static bool any_motion(const float *values, size_t sample, size_t tracks) {
    for (size_t i = 0; i < 3 * tracks; i++)
        if (values[3 * tracks * sample + i] != 0.0f)
            return true;
    return false;
}

/* Whether some track of the exact curve turns at a sample. */
static bool turns(const input *s, const oracle *o, size_t k) {
    for (size_t n = 0; n < s->set.count; n++) {
        const oracle_cursor cursor =
            s->job.times ? oracle_at_time(o, n, s->times[k]) : oracle_at_sample(o, n, &s->job, k);
        if (vec3_norm(oracle_angular(o, n, cursor, 1.0).velocity) > 1e-3)
            return true;
    }
    return false;
}

/* At the first key and at the last, a curve has the rates of its segment. They may be zero: where the
 * ends are at rest, and outside sterp's windows. */
static void expect_rest_outside(pm_engine *engine, const variant *v, input_kind kind,
                                const bool *outside) {
    SCOPED(input_free) input s;
    input_make(v, kind, &s);
    if (kind == LISTED) {
        const double *keys = s.set.tracks[0].times;
        const double times[] = {keys[0] - 1e9,  keys[0] - 1e-9,        keys[0],
                                keys[KEYS - 1], keys[KEYS - 1] + 1e-9, keys[KEYS - 1] + 1e9};
        memcpy(s.times, times, sizeof times);
        s.job.sample_count = COUNT_OF(times);
    }
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &s.desc);
    SCOPED(outputs_free) outputs r = sampled_as(clip, s.job, ONLY_RATES);
    const bool still = v->method == PM_METHOD_STEP;
    oracle *o = oracle_create(&s.desc);
    for (size_t k = 0; k < s.job.sample_count; k++) {
        if (outside[k] || still) {
            expect_rest(v, r.velocities, k, s.set.count);
            expect_rest(v, r.accelerations, k, s.set.count);
        } else if (turns(&s, o, k)) {
            assert_true(any_motion(r.velocities, k, s.set.count));
        }
    }
    oracle_destroy(o);
}

TEST_ON_BOTH(rates_are_zero_outside_the_keys_and_only_there) {
    static const bool listed[] = {true, true, false, false, true, true};
    pm_engine *engine = engine_for(state);
    bool uniform[COUNT]; /* 7 per second, from a second before keys at 3 per second */
    const size_t first = 7, last = first + (KEYS - 1) * 7 / 3;
    for (size_t k = 0; k < COUNT; k++)
        uniform[k] = k < first || k > last;
    for (size_t n = 0; n < variant_count(); n++) {
        if (!is_left_out(engine, variant_at(n))) {
            expect_rest_outside(engine, variant_at(n), LISTED, listed);
            expect_rest_outside(engine, variant_at(n), UNIFORM, uniform);
        }
    }
}

TEST_GROUP(NULL, engines_close)
