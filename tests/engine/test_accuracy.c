/* SPDX-License-Identifier: MIT
 *
 * Every method against the oracle in double precision, on the reference path and on every device.
 * Prints the table of errors that it checks; with --table it prints the table of docs/accuracy.md and
 * tests nothing.
 */
#include "oracle/oracle.h"
#include "support/check.h"
#include "support/implementation.h"
#include "support/variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Infinite when a result was not a number or the implementation failed. */
typedef struct accuracy {
    double worst;       /* radians, divided by oracle_magnification and by the factors below: the
                         * bounds apply to this */
    double raw;         /* worst error in radians, undivided */
    double sum_squares; /* radians^2, divided in the same way */
    double position;    /* largest error from the float32 position in the segment, in radians: the
                         * oracle at that position against the oracle at the exact time */
    double norm;        /* worst | |q| - 1 | */
    double vector;      /* worst error of positions and scales, relative to the largest coordinate
                    * nearby */
    size_t samples;
    size_t inexact_keys; /* samples at key times whose bits differ from the stored key */
    char where[96];      /* location of the worst sample */
} accuracy;

/* Implementations that are measured on the same samples. */
typedef struct implementation_span {
    const implementation *first;
    size_t count;
} implementation_span;

#define PI 3.14159265358979323846
#define RANDOM_KEYS 10
#define IN_SEGMENT 24 /* samples of a segment: its key, its borders, and random ones */

static double accuracy_rms(const accuracy *a) {
    return a->samples ? sqrt(a->sum_squares / (double)a->samples) : 0.0;
}

static void accuracy_merge(accuracy *into, const accuracy *from) {
    if (!(from->worst <= into->worst)) {
        into->worst = from->worst;
        (void)snprintf(into->where, sizeof into->where, "%s", from->where);
    }
    into->raw = fmax(into->raw, from->raw);
    into->position = fmax(into->position, from->position);
    into->sum_squares += from->sum_squares;
    into->norm = fmax(into->norm, from->norm);
    into->vector = fmax(into->vector, from->vector);
    into->samples += from->samples;
    into->inexact_keys += from->inexact_keys;
}

static double largest_coordinate(const track_set *set) {
    double largest = 0.0;
    for (size_t n = 0; n < set->count; n++)
        for (size_t i = 0; i < set->tracks[n].key_count; i++)
            for (int c = 0; c < 3; c++)
                largest = fmax(largest, fabs(set->tracks[n].positions[i][c]));
    return largest;
}

static double or_infinite(double error) {
    return isnan(error) ? HUGE_VAL : error;
}

/* One sample. Directions and norms are compared separately: the length of a quaternion is not part
 * of its rotation. */
static void compare(accuracy *a, const oracle *o, size_t track, quat got, oracle_cursor cursor,
                    double condition, bool exact_keys, const char *name) {
    const quat expected = oracle_rotation(o, track, cursor);
    const double norm = or_infinite(fabs(quat_norm(got) - 1.0));
    const double raw = or_infinite(oracle_error(quat_normalise(got), quat_normalise(expected)));
    const double error = raw / (oracle_magnification(o, track, cursor) * condition);
    if (error > a->worst) {
        a->worst = error;
        (void)snprintf(a->where, sizeof a->where, "%s, segment %zu, u %.9g", name, cursor.segment,
                       cursor.u);
    }
    a->raw = fmax(a->raw, raw);
    a->norm = fmax(a->norm, norm);
    a->sum_squares += error * error;
    a->samples++;
    if ((cursor.u == 0.0 || cursor.u == 1.0) && exact_keys)
        a->inexact_keys += !(got.x == expected.x && got.y == expected.y && got.z == expected.z &&
                             got.w == expected.w);
}

static void compare_positions(accuracy *a, const oracle *o, size_t track, double time,
                              oracle_cursor cursor) {
    const quat rounded = quat_normalise(oracle_rotation(o, track, cursor));
    const oracle_cursor exact = oracle_at_exact_time(o, track, time);
    const quat there = quat_normalise(oracle_rotation(o, track, exact));
    a->position = fmax(a->position, or_infinite(oracle_error(rounded, there)));
}

static void compare_vector(accuracy *a, const double *got, vec3 expected, double size) {
    const double error = vec3_norm(vec3_subtract(vec3_of(got), expected));
    a->vector = fmax(a->vector, or_infinite(error / fmax(size, vec3_norm(expected))));
}

/* Samples of a set and the expected values. */
typedef struct sampling {
    const variant *variant;
    const track_set *set;
    const oracle *oracle;
    const pm_sample_job *job;
    size_t total, per_track;
    bool conditioned; /* errors are divided by oracle_condition */
    double *rotations, *positions, *scales;
} sampling;

static sampling sampling_of(const implementation *s, const sampling *like, const pm_clip_desc *desc,
                            accuracy *out) {
    sampling r = *like;
    r.rotations = test_array(r.total * 4, sizeof *r.rotations);
    r.positions = test_array(r.total * 3, sizeof *r.positions);
    r.scales = test_array(r.total * 3, sizeof *r.scales);
    *out = (accuracy){0};
    if (!s->sample(s, desc, r.job, r.rotations, r.positions, r.scales)) {
        out->worst = HUGE_VAL;
        (void)snprintf(out->where, sizeof out->where, "no result");
    }
    return r;
}

static void release(sampling *r) {
    free(r->rotations);
    free(r->positions);
    free(r->scales);
}

static bool same_bits(const sampling *a, const sampling *b) {
    return memcmp(a->rotations, b->rotations, a->total * 4 * sizeof(double)) == 0 &&
           memcmp(a->positions, b->positions, a->total * 3 * sizeof(double)) == 0 &&
           memcmp(a->scales, b->scales, a->total * 3 * sizeof(double)) == 0;
}

static void compare_all(const sampling *r, accuracy *out) {
    const track_set *set = r->set;
    const double size = largest_coordinate(set);
    const bool exact_keys = variant_interpolates(r->variant);
    for (size_t n = 0; n < r->total; n++) {
        const size_t track = set->common_timeline ? n % set->count : n / r->per_track;
        const double time = r->job->times[set->common_timeline ? n / set->count : n];
        const oracle_cursor cursor = oracle_at_time(r->oracle, track, time);
        const double condition = r->conditioned ? oracle_condition(r->oracle, track, cursor) : 1.0;
        compare(out, r->oracle, track, quat_of(r->rotations + 4 * n), cursor, condition, exact_keys,
                set->tracks[track].name);
        compare_positions(out, r->oracle, track, time, cursor);
        compare_vector(out, r->positions + 3 * n, oracle_position(r->oracle, track, cursor), size);
        compare_vector(out, r->scales + 3 * n, oracle_scale(r->oracle, track, cursor), size);
    }
}

/* `per_track` times of each track; a set with a common timeline uses those of track 0. The oracle
 * is slow: an implementation whose bits equal those of the first one has its accuracy. */
static void measure_set(const implementation_span *implementations, const variant *v,
                        track_set *set, size_t per_track, const double *times, bool conditioned,
                        accuracy *out) {
    const size_t total = set->count * per_track;
    const pm_clip_desc desc = variant_describe(v, set);
    SCOPED(free_at) uint32_t *tracks = test_array(total, sizeof *tracks);
    oracle *o = oracle_create(&desc);
    for (size_t n = 0; n < total; n++)
        tracks[n] = (uint32_t)(n / per_track);
    const pm_sample_job job = {.sample_count = set->common_timeline ? per_track : total,
                               .times = times,
                               .tracks = set->common_timeline ? NULL : tracks};
    const sampling like = {.variant = v,
                           .set = set,
                           .oracle = o,
                           .job = &job,
                           .total = total,
                           .per_track = per_track,
                           .conditioned = conditioned};
    SCOPED(release) sampling first = {0};
    for (size_t k = 0; k < implementations->count; k++) {
        sampling r = sampling_of(&implementations->first[k], &like, &desc, &out[k]);
        if (k > 0 && out[k].worst < HUGE_VAL && same_bits(&r, &first))
            out[k] = out[0];
        else if (out[k].worst < HUGE_VAL)
            compare_all(&r, &out[k]);
        if (k == 0)
            first = r;
        else
            release(&r);
    }
    oracle_destroy(o);
}

/* u of the k-th sample in a segment: the borders first, then random values. */
static double u_of(random_source *source, size_t k) {
    static const double borders[] = {0.0, 1e-12, 1e-7, 0.5, 1.0 - 1e-7, 1.0 - 1e-12};
    return k < COUNT_OF(borders) ? borders[k] : random_unit(source);
}

static void measure_random(const implementation_span *s, const variant *v, size_t tracks,
                           double largest, bool conditioned, accuracy *out) {
    random_source source = random_start();
    SCOPED(set_destroy) track_set set;
    static double times[(RANDOM_KEYS - 1) * IN_SEGMENT];
    set_random(&source, tracks, RANDOM_KEYS, 0.0, largest, true, true, &set);
    variant_prepare(v, &set);
    for (size_t i = 0; i + 1 < RANDOM_KEYS; i++) {
        const double *key_times = set.tracks[0].times;
        for (size_t k = 0; k < IN_SEGMENT; k++)
            times[i * IN_SEGMENT + k] =
                key_times[i] + u_of(&source, k) * (key_times[i + 1] - key_times[i]);
    }
    measure_set(s, v, &set, COUNT_OF(times), times, conditioned, out);
}

/* Whether rounding is magnified near half turns: without its limiter, squad may slerp antipodal operands;
 * cubic makes tangents and inner points in float32. */
static bool magnifies_half_turns(const variant *v) {
    return v->unlimited || v->method == PM_METHOD_CUBIC;
}

/* Radians from key to key: half a turn; a quarter for those. */
static double largest_turn(const variant *v) {
    return magnifies_half_turns(v) ? 0.5 * PI : PI;
}

static void accuracy_of_track(const implementation_span *s, const variant *v, size_t index,
                              accuracy *out) {
    random_source source = {index + 1};
    SCOPED(set_destroy) track_set set;
    size_t count = 0;
    set_create(1, false, &set);
    adversarial_track(index, &set.tracks[0]);
    variant_prepare(v, &set);
    const test_track *t = &set.tracks[0];
    const pm_clip_desc desc = variant_describe(v, &set);
    for (size_t k = 0; k < s->count; k++)
        out[k] = (accuracy){0};
    if (oracle_beyond_reason(&desc))
        return;
    SCOPED(free_at) double *times = test_array((TRACK_KEYS_MAX * 64 + 2) * 5, sizeof *times);
    const int laps = t->period > 0.0 ? 2 : 0;
    for (int lap = -laps; lap <= laps; lap++) {
        for (size_t i = 0; i < t->key_count; i++) {
            const bool closing = i + 1 == t->key_count;
            const double next = !closing          ? t->times[i + 1]
                                : t->period > 0.0 ? t->times[0] + t->period
                                                  : t->times[i] + 1.0;
            for (size_t k = 0; k < 64; k++)
                times[count++] =
                    t->times[i] + u_of(&source, k) * (next - t->times[i]) + lap * t->period;
        }
    }
    times[count++] = t->times[0] - 1e6;
    times[count++] = t->times[t->key_count - 1] + 1e6;
    measure_set(s, v, &set, count, times, true, out);
}

/* Every adversarial track, from laps before to laps after the keys if it loops. Errors are divided
 * in the same way. */
static void accuracy_of_adversarial(const implementation_span *s, const variant *v, accuracy *out) {
    SCOPED(free_at) accuracy *one = test_array(s->count, sizeof *one);
    for (size_t k = 0; k < s->count; k++)
        out[k] = (accuracy){0};
    for (size_t n = 0; n < adversarial_count(); n += small_sizes() ? 4 : 1) {
        accuracy_of_track(s, v, n, one);
        for (size_t k = 0; k < s->count; k++)
            accuracy_merge(&out[k], &one[k]);
    }
}

#define TABLE_TRACKS 200
#define TRACKS 60
#define GENTLE_TRACKS 50
#define FEW_TRACKS 17
#define MAX_ERROR 4e-7
#define RMS_ERROR 1e-7
/* Rotation-vector cubics with more than a radian from key to key. */
#define STEEP_MAX_ERROR 5e-7
#define STEEP_RMS_ERROR 1.2e-7
#define NORM_ERROR 4e-7
#define VECTOR_ERROR 1e-6

static void print_row(const implementation *s, const variant *v, const char *tracks,
                      const accuracy *a) {
    printf("# %-20s %-20s %-12s max %.2e raw %.2e rms %.2e norm %.2e vectors %.2e position %.2e"
           " (%zu samples)\n",
           s->name, v->name, tracks, a->worst, a->raw, accuracy_rms(a), a->norm, a->vector,
           a->position, a->samples);
}

/* Prints the row, and each bound that it exceeds; true when it exceeds none. */
static bool hold(const implementation *s, const variant *v, const char *tracks, const accuracy *a,
                 double max, double rms) {
    print_row(s, v, tracks, a);
    const bool worst = a->worst <= max, mean = accuracy_rms(a) <= rms;
    const bool norm = a->norm <= NORM_ERROR, vectors = a->vector <= VECTOR_ERROR;
    if (!worst)
        printf("# ^ exceeds %g rad at %s\n", max, a->where);
    if (!mean || !norm || !vectors || a->inexact_keys)
        printf("# ^ exceeds:%s%s%s; %zu keys without their bits\n", mean ? "" : " rms",
               norm ? "" : " norm", vectors ? "" : " vectors", a->inexact_keys);
    return worst && mean && norm && vectors && a->inexact_keys == 0;
}

typedef void measure_function(const implementation_span *s, const variant *v, accuracy *out);

static void random_tracks(const implementation_span *s, const variant *v, accuracy *out) {
    measure_random(s, v, small_sizes() ? FEW_TRACKS : TRACKS, largest_turn(v), false, out);
}

static void gentle_tracks(const implementation_span *s, const variant *v, accuracy *out) {
    measure_random(s, v, small_sizes() ? FEW_TRACKS : GENTLE_TRACKS, 1.0, false, out);
}

/* Half turns for every variant, with errors divided by oracle_condition. */
static void conditioned_tracks(const implementation_span *s, const variant *v, accuracy *out) {
    measure_random(s, v, small_sizes() ? FEW_TRACKS : TRACKS, PI, true, out);
}

static bool is_vector_cubic(const variant *v) {
    return v->method == PM_METHOD_HERMITE || v->method == PM_METHOD_SPLINE;
}

static double max_bound(measure_function *measure, const variant *v) {
    return is_vector_cubic(v) && measure != gentle_tracks ? STEEP_MAX_ERROR : MAX_ERROR;
}

/* For adversarial tracks the bound of the mean is that of the maximum. */
static double rms_bound(measure_function *measure, const variant *v) {
    if (measure == accuracy_of_adversarial)
        return max_bound(measure, v);
    return is_vector_cubic(v) && measure != gentle_tracks ? STEEP_RMS_ERROR : RMS_ERROR;
}

/* The number of implementations that exceed a bound. */
static size_t count_failures(measure_function *measure, const variant *v, const char *tracks) {
    implementation_span all = {NULL, 0};
    size_t failures = 0;
    assert_true(implementation_list(&all.first, &all.count));
    SCOPED(free_at) accuracy *found = test_array(all.count, sizeof *found);
    measure(&all, v, found);
    for (size_t k = 0; k < all.count; k++)
        failures += !hold(&all.first[k], v, tracks, &found[k], max_bound(measure, v),
                          rms_bound(measure, v));
    return failures;
}

static void check_all(measure_function *measure, const char *tracks) {
    size_t failures = 0;
    for (size_t n = 0; n < variant_count(); n++)
        if (!small_sizes() || !variant_repeats_kernels(variant_at(n)))
            failures += count_failures(measure, variant_at(n), tracks);
    assert_int_equal(failures, 0);
}

TEST(random_tracks_are_within_the_documented_error) {
    check_all(random_tracks, "random");
}

TEST(gentle_tracks_are_within_the_tighter_error) {
    check_all(gentle_tracks, "gentle");
}

TEST(adversarial_tracks_are_within_the_documented_error) {
    check_all(accuracy_of_adversarial, "adversarial");
}

/* Squad without its limiter may apply its slerps to nearly antipodal operands. Its bound is that of
 * all methods times the magnification by those. */
TEST(squad_without_its_limiter_has_an_error_bounded_by_its_condition) {
    const variant *v = variant_named("squad, unlimited");
    assert_int_equal(count_failures(conditioned_tracks, v, "conditioned"), 0);
}

static void print_table(const implementation *s) {
    printf("| curve | random, divided max | raw max | divided rms | position "
           "| adversarial, divided max | raw max | position | norm | vectors |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t n = 0; n < variant_count(); n++) {
        accuracy a, b;
        const variant *v = variant_at(n);
        measure_random(&(implementation_span){s, 1}, v, TABLE_TRACKS, largest_turn(v), false, &a);
        accuracy_of_adversarial(&(implementation_span){s, 1}, variant_at(n), &b);
        printf("| %s | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e |\n",
               variant_at(n)->name, a.worst, a.raw, accuracy_rms(&a), a.position, b.worst, b.raw,
               b.position, fmax(a.norm, b.norm), fmax(a.vector, b.vector));
    }
}

TEST_GROUP(NULL, implementation_release)

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--table") == 0) {
        const implementation *implementations = NULL;
        size_t count = 0;
        (void)implementation_list(&implementations, &count);
        if (count == 0)
            return 1;
        print_table(&implementations[0]);
        implementation_release(NULL);
        return 0;
    }
    return test_main(argc, argv);
}
