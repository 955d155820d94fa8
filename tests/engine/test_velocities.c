/* SPDX-License-Identifier: MIT
 *
 * Angular velocities and accelerations of every method against derivatives of the oracle's curve in
 * double, in both frames. Prints the largest error of each method. test_velocity_bits.c compares the
 * bits of device and reference; test_continuity.c shows how smooth the oracle's curve is at keys.
 *
 * The bounds. Errors are relative to the rates of the segment: at least its rotation divided by its
 * length, and the square of that (see scale_of). A derivative is a sum of about ten products of u
 * and float32 coefficients, each accurate to 6e-8, divided by a squared length: about ten roundings
 * that mostly do not accumulate. 1e-6 was measured, the bound is 3e-6. An acceleration has twice as
 * many products, and uses second derivatives of polynomials fitted to values, whose error grows
 * with the square of their degree for each derivative: 5e-6 was measured, the bound is 1e-5.
 */
#include "base/counts.h"
#include "support/check.h"
#include "support/derivatives.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"
#include "support/track_kinds.h"
#include "support/variants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE_TRACKS 4
#define RATE_SAMPLES 640

/* The scale of errors in a segment: its largest rates. */
typedef struct rate_scale {
    double velocity, acceleration;
} rate_scale;

/* Tracks with pairs of track and time, and the cursors of those. */
typedef struct probe {
    track_set set;
    pm_clip_desc desc;
    oracle *o;
    size_t count;
    double times[RATE_SAMPLES];
    uint32_t tracks[RATE_SAMPLES];
    oracle_cursor cursors[RATE_SAMPLES];
    rate_scale scales[RATE_TRACKS][TRACK_KEYS_MAX]; /* for each segment, without its samples */
} probe;

#define IN_SEGMENT 12

/* Rotations in float32 have an error of 1e-7 rad at any angle, and a curve whose weights rise by 2
 * per segment moves by a few of those: this is the minimum rotation of a segment. */
#define MIN_TURN 0.25

static rate_scale scale_of(const oracle *o, size_t track, size_t segment) {
    const double length =
        oracle_key_time(o, track, segment + 1) - oracle_key_time(o, track, segment);
    const double velocity = fmax(oracle_reach(o, track, segment), MIN_TURN) / length;
    return (rate_scale){velocity, fmax(velocity / length, velocity * velocity)};
}

static void finish(const variant *v, probe *p) {
    variant_prepare(v, &p->set);
    p->desc = variant_describe(v, &p->set);
    p->o = oracle_create(&p->desc);
    p->count = 0;
    for (size_t n = 0; n < p->set.count; n++)
        for (size_t i = 0; oracle_key_count(p->o, n) > 1 && i < oracle_segment_count(p->o, n); i++)
            p->scales[n][i] = scale_of(p->o, n, i);
}

/* Whether float32 keys determine the curve. */
static bool is_reasonable(const variant *v, const test_track *t) {
    SCOPED(set_destroy) track_set one;
    set_create(1, false, &one);
    one.tracks[0] = *t;
    variant_prepare(v, &one);
    const pm_clip_desc desc = variant_describe(v, &one);
    const bool beyond = v->method == PM_METHOD_SPLINE && oracle_beyond_reason(&desc);
    return !beyond;
}

/* Tracks of one kind, or the one adversarial track, without samples. Freed with probe_free. */
static void probe_tracks(const track_kind *c, const variant *v, probe *p) {
    random_source source = random_start();
    set_create(small_sizes() ? 1 : RATE_TRACKS, false, &p->set);
    for (size_t n = 0; n < p->set.count; n++) {
        test_track *t = &p->set.tracks[n];
        do {
            c->make(&source, n, t);
        } while (!is_reasonable(v, t));
        if (n > 0 && t->period > 0.0) { /* a clip has a single period */
            memcpy(t->times, p->set.tracks[0].times, sizeof t->times);
            t->period = p->set.tracks[0].period;
        }
    }
    finish(v, p);
}

static void probe_adversarial(size_t index, const variant *v, probe *p) {
    set_create(1, false, &p->set);
    adversarial_track(index, &p->set.tracks[0]);
    finish(v, p);
}

static void probe_free(probe *p) {
    oracle_destroy(p->o);
    set_destroy(&p->set);
}

static void probe_add(probe *p, size_t track, double time) {
    assert_true(p->count < RATE_SAMPLES);
    p->tracks[p->count] = (uint32_t)track;
    p->times[p->count] = time;
    p->cursors[p->count++] = oracle_at_time(p->o, track, time);
}

static double u_of(random_source *source, size_t k) {
    static const double borders[] = {0.0, 0.5, 1e-7, 1.0 - 1e-7, 1.0 - 1e-12};
    return k < COUNT_OF(borders) ? borders[k] : random_unit(source);
}

/* Adds samples to every segment: its key, its middle, near both ends, and anywhere. */
static void probe_segments(probe *p) {
    random_source source = random_start();
    for (size_t n = 0; n < p->set.count; n++) {
        const bool constant = oracle_key_count(p->o, n) < 2;
        for (size_t i = 0; i < oracle_segment_count(p->o, n); i++) {
            const double from = oracle_key_time(p->o, n, i);
            const double to = constant ? from + 1.0 : oracle_key_time(p->o, n, i + 1);
            for (size_t k = 0; k < IN_SEGMENT; k++)
                probe_add(p, n, from + u_of(&source, k) * (to - from));
        }
    }
}

/* Fails the test when the job fails, leaves an output unwritten or writes outside. */
static outputs probe_sample(const probe *p, pm_engine *engine, pm_axis_frame frame) {
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &p->desc);
    const pm_sample_job job = {
        .sample_count = p->count, .times = p->times, .tracks = p->tracks, .velocity_frame = frame};
    return sampled_as(clip, job, ONLY_RATES);
}

static vec3 rate_of(const float v[3]) {
    return (vec3){(double)v[0], (double)v[1], (double)v[2]};
}

#define VELOCITY_ERROR 3e-6
#define ACCELERATION_ERROR 1e-5
/* The largest errors of velocity and acceleration, and their locations. */
typedef struct errors {
    double velocity, acceleration;
    char where[2][96];
} errors;

static void note(double error, double *worst, char *where, const char *name, oracle_cursor cursor) {
    if (isnan(error) || error > *worst) {
        *worst = isnan(error) ? HUGE_VAL : error;
        (void)snprintf(where, sizeof((errors *)0)->where[0], "%s, segment %zu, u %.9g", name,
                       cursor.segment, cursor.u);
    }
}

static double distance(vec3 a, vec3 b) {
    return vec3_norm(vec3_subtract(a, b));
}

/* The oracle's rates in the body frame, which also raise the scales of their segments. */
static void find_expected(probe *p, angular expected[RATE_SAMPLES]) {
    for (size_t k = 0; k < p->count; k++) {
        const size_t track = p->tracks[k];
        rate_scale *scale = &p->scales[track][p->cursors[k].segment];
        expected[k] = oracle_angular(p->o, track, p->cursors[k], 1.0);
        scale->velocity = fmax(scale->velocity, vec3_norm(expected[k].velocity));
        scale->acceleration = fmax(scale->acceleration, vec3_norm(expected[k].acceleration));
    }
}

/* The scale of errors at a sample: larger where the curve magnifies rounding. */
static rate_scale scale_at(const probe *p, size_t k) {
    const rate_scale *scale = &p->scales[p->tracks[k]][p->cursors[k].segment];
    const double magnified = oracle_magnification(p->o, p->tracks[k], p->cursors[k]);
    return (rate_scale){magnified * scale->velocity, magnified * scale->acceleration};
}

static void compare(const probe *p, const outputs *got, const angular *expected, const char *name,
                    errors *e) {
    for (size_t k = 0; k < p->count; k++) {
        const rate_scale scale = scale_at(p, k);
        const double v = distance(rate_of(got->velocities + 3 * k), expected[k].velocity);
        const double a = distance(rate_of(got->accelerations + 3 * k), expected[k].acceleration);
        const bool exact = v == 0.0 && a == 0.0; /* one key has no scale */
        note(exact ? 0.0 : v / scale.velocity, &e->velocity, e->where[0], name, p->cursors[k]);
        note(exact ? 0.0 : a / scale.acceleration, &e->acceleration, e->where[1], name,
             p->cursors[k]);
    }
}

/* In both frames, from one derivative, which takes most of the time. */
static void compare_with_oracle(probe *p, const outputs got[PM_AXIS_COUNT], const char *name,
                                errors *e) {
    static angular expected[RATE_SAMPLES];
    find_expected(p, expected);
    compare(p, &got[PM_AXIS_BODY], expected, name, e);
    for (size_t k = 0; k < p->count; k++)
        expected[k] = oracle_in_parent_frame(p->o, p->tracks[k], p->cursors[k], expected[k]);
    compare(p, &got[PM_AXIS_PARENT], expected, name, e);
}

/* A device with the bits of the reference has the errors of the reference. */
static void measure(void **state, probe *p, const char *name, errors *e) {
    outputs got[PM_AXIS_COUNT];
    bool same = is_for_device(state);
    probe_segments(p);
    for (int frame = PM_AXIS_BODY; frame < PM_AXIS_COUNT; frame++) {
        got[frame] = probe_sample(p, engine_for(state), (pm_axis_frame)frame);
        if (same) {
            SCOPED(outputs_free)
            outputs reference = probe_sample(p, engine_of_kind(ON_REFERENCE), (pm_axis_frame)frame);
            same = are_same_outputs(&got[frame], &reference);
        }
    }
    if (!same)
        compare_with_oracle(p, got, name, e);
    for (int frame = PM_AXIS_BODY; frame < PM_AXIS_COUNT; frame++)
        outputs_free(&got[frame]);
}

static bool hold(const char *what, const variant *v, const errors *e) {
    const bool velocity = e->velocity <= VELOCITY_ERROR;
    const bool acceleration = e->acceleration <= ACCELERATION_ERROR;
    printf("# %-11s %-20s velocity %.1e acceleration %.1e\n", what, v->name, e->velocity,
           e->acceleration);
    if (!velocity)
        printf("# ^ velocity: %s\n", e->where[0]);
    if (!acceleration)
        printf("# ^ acceleration: %s\n", e->where[1]);
    return velocity && acceleration;
}

/* Whether the curve is unique and has derivatives. Squad without its limiter jumps where its last
 * slerp has antipodal operands, which large rotations may cause. A spline whose rates rotate
 * several times in a segment is not unique: at extreme times there are two with the same continuity
 * and the same natural ends, and library and oracle may each find another. The components of ncubic
 * overshoot at such times and may all pass near zero together, where they are no rotation. */
static bool is_curve(const variant *v, const track_kind *c) {
    if (v->method == PM_METHOD_NCUBIC && c->make == track_kind_extreme)
        return false;
    const bool natural = v->method == PM_METHOD_SPLINE && v->ends == PM_ENDS_NATURAL;
    return v->unlimited ? c->make == track_kind_gentle : !natural || c->make != track_kind_extreme;
}

/* Too slow for an interpreter of kernels. */
static bool is_left_out(const variant *v, const track_kind *c) {
    return small_sizes() && (variant_repeats_kernels(v) || c->make != track_kind_loops);
}

static bool is_tested(const pm_engine *engine, const variant *v, const track_kind *c) {
    return is_curve(v, c) && !is_left_out(v, c) && can_compile_motion(engine, v->method);
}

TEST_ON_BOTH(derivatives_are_those_of_the_curve) {
    pm_engine *engine = engine_for(state);
    static probe p;
    size_t failures = 0;
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        errors e = {0};
        for (size_t c = 0; c < track_kind_count(); c++) {
            if (!is_tested(engine, v, track_kind_at(c)))
                continue;
            probe_tracks(track_kind_at(c), v, &p);
            measure(state, &p, track_kind_at(c)->name, &e);
            probe_free(&p);
        }
        failures += !hold("track_kinds", v, &e);
    }
    assert_int_equal(failures, 0);
}

/* Whether cubic, whose tangents and inner points are made in float32, magnifies rounding: some key is more
 * than 90 degrees from the one before it. */
static bool turns_far(const variant *v, const test_track *t) {
    bool far = false;
    for (size_t i = 0; v->method == PM_METHOD_CUBIC && i < t->key_count; i++) {
        const double *a = t->keys[i], *b = t->keys[i + 1 < t->key_count ? i + 1 : 0];
        const bool follows = i + 1 < t->key_count || t->period > 0;
        far |= follows && fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]) < 0.7071;
    }
    return far;
}

/* All except those of keys with opposite signs for cubicspline, and of squad without its limiter:
 * both pass through or near points where there is no rotation. */
TEST_ON_BOTH(derivatives_of_adversarial_tracks_are_those_of_the_curve) {
    pm_engine *engine = engine_for(state);
    static probe p;
    size_t failures = 0;
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        errors e = {0};
        if (v->unlimited || v->method == PM_METHOD_CUBICSPLINE || v->method == PM_METHOD_NCUBIC ||
            (small_sizes() && variant_repeats_kernels(v)) || !can_compile_motion(engine, v->method))
            continue;
        for (size_t i = 0; i < adversarial_count(); i += small_sizes() ? 8 : 1) {
            probe_adversarial(i, v, &p);
            if (!oracle_beyond_reason(&p.desc) && !turns_far(v, &p.set.tracks[0]))
                measure(state, &p, p.set.tracks[0].name, &e);
            probe_free(&p);
        }
        failures += !hold("adversarial", v, &e);
    }
    assert_int_equal(failures, 0);
}

TEST_GROUP(NULL, engines_close)
