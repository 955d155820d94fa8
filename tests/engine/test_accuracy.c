/* SPDX-License-Identifier: MIT
 *
 * Every method against the oracle in double precision, on the reference path and on every device.
 * Prints the table of errors that it checks; with --table it prints the table of docs/accuracy.md and
 * tests nothing.
 */
#include "support/accuracy.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACKS 200
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
    accuracy_of_random(s, v, small_sizes() ? FEW_TRACKS : TRACKS, out);
}

static void gentle_tracks(const implementation_span *s, const variant *v, accuracy *out) {
    accuracy_of_gentle(s, v, small_sizes() ? FEW_TRACKS : GENTLE_TRACKS, out);
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

static void check_all(measure_function *measure, const char *tracks) {
    const implementation *implementations = NULL;
    size_t count = 0, failures = 0;
    assert_true(implementation_list(&implementations, &count));
    accuracy *found = calloc(count, sizeof *found);
    assert_non_null(found);
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        if (small_sizes() && variant_repeats_kernels(v))
            continue;
        measure(&(implementation_span){implementations, count}, v, found);
        for (size_t k = 0; k < count; k++)
            failures += !hold(&implementations[k], v, tracks, &found[k], max_bound(measure, v),
                              rms_bound(measure, v));
    }
    free(found);
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
    const implementation *implementations = NULL;
    size_t count = 0, failures = 0;
    assert_true(implementation_list(&implementations, &count));
    accuracy *found = calloc(count, sizeof *found);
    assert_non_null(found);
    const variant *v = variant_named("squad, unlimited");
    accuracy_of_conditioned(&(implementation_span){implementations, count}, v,
                            small_sizes() ? FEW_TRACKS : TRACKS, found);
    for (size_t k = 0; k < count; k++)
        failures += !hold(&implementations[k], v, "conditioned", &found[k], MAX_ERROR, RMS_ERROR);
    free(found);
    assert_int_equal(failures, 0);
}

/* The first implementation's curve through keys that are each rotated by 2e-6 rad, in alternating
 * directions. */
static bool sample_of_turned_keys(const implementation *s, const pm_clip_desc *desc,
                                  const pm_sample_job *job, double *rotations, double *positions,
                                  double *scales) {
    const implementation *implementations = NULL;
    size_t count = 0, keys = 0;
    (void)s;
    if (!implementation_list(&implementations, &count))
        return false;
    for (size_t n = 0; n < (desc->timeline_count ? desc->timeline_count : 1); n++)
        keys += desc->timelines[n].key_count * (desc->timeline_count > 1 ? 1 : desc->track_count);
    double *turned = calloc(keys * 4, sizeof *turned);
    const double *q = desc->rotations.data;
    for (size_t n = 0; turned && n < keys; n++) {
        const double e = n % 2 ? 1e-6 : -1e-6;
        const double *k = q + 4 * n;
        const double moved[4] = {k[0] + e * k[3], k[1] - e * k[2], k[2] + e * k[1],
                                 k[3] - e * k[0]};
        memcpy(turned + 4 * n, moved, sizeof moved);
    }
    pm_clip_desc wrong = *desc;
    wrong.rotations.data = turned;
    const bool done = turned && implementations[0].sample(&implementations[0], &wrong, job,
                                                          rotations, positions, scales);
    free(turned);
    return done;
}

/* The bound grows with the condition and still detects keys that are off by 2e-6 rad. */
TEST(an_unlimited_squad_with_slightly_wrong_keys_exceeds_the_bound) {
    const variant *v = variant_named("squad, unlimited");
    const implementation wrong = {.name = "turned keys", .sample = sample_of_turned_keys};
    accuracy random = {0}, adversarial = {0};
    accuracy_of_conditioned(&(implementation_span){&wrong, 1}, v, 20, &random);
    accuracy_of_adversarial(&(implementation_span){&wrong, 1}, v, &adversarial);
    assert_true(random.worst > MAX_ERROR && accuracy_rms(&random) > RMS_ERROR);
    assert_true(adversarial.worst > MAX_ERROR);
}

/* A small error must be detected, otherwise the tests above prove nothing. */
TEST(another_method_exceeds_the_documented_error) {
    accuracy a = {0}, b = {0};
    const implementation *implementations = NULL;
    size_t count = 0;
    assert_true(implementation_list(&implementations, &count));
    implementation wrong = implementations[0];
    variant v = *variant_named("squad");
    accuracy_of_random(&(implementation_span){&wrong, 1}, &v, 20, &a);
    assert_true(a.worst <= MAX_ERROR && a.samples > 1000);
    wrong = implementation_oracle(); /* keys in double, where the other side has float32 keys */
    accuracy_of_random(&(implementation_span){&wrong, 1}, &v, 20, &b);
    assert_true(b.inexact_keys > 100 && b.worst > 1e-9);
}

static void print_table(const implementation *s) {
    printf("| curve | random, divided max | raw max | divided rms | position "
           "| adversarial, divided max | raw max | position | norm | vectors |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t n = 0; n < variant_count(); n++) {
        accuracy a, b;
        accuracy_of_random(&(implementation_span){s, 1}, variant_at(n), TRACKS, &a);
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
