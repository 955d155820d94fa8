/* SPDX-License-Identifier: MIT
 *
 * The continuity that each method promises, by derivatives of the oracle from both sides of every
 * key: uniform, random and extreme key times, cusps, holds, loops of both wraps. The next
 * derivative must have a jump, which shows that the test detects jumps. Independent of the library
 * and of devices: the accuracy test shows that the library's curve is the oracle's.
 */
#include "support/derivatives.h"
#include "support/test.h"
#include "support/track_kinds.h"
#include "support/variants.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define TRACKS 40
#define VISIBLE 1e-3 /* a larger relative jump is no error of the test */

static const double tolerance[DERIVATIVES] = {0.0, 1e-9, 1e-8, 1e-6};

/* The property tests check that the other variants have a jump. */
static bool is_smooth(const variant *v) {
    return variant_continuity(v) >= 1;
}

/* The largest relative jumps of each derivative; keys that are cusps are separate. */
typedef struct jumps {
    double rotations[DERIVATIVES], positions[DERIVATIVES], cusps[DERIVATIVES];
    size_t keys, cusp_keys, positive_wraps, negative_wraps;
} jumps;

static double worse(double a, double b) {
    return b <= a ? a : b;
}

static void measure_track(const variant *v, track_set *set, jumps *found) {
    variant_prepare(v, set);
    const pm_clip_desc desc = variant_describe(v, set);
    oracle *o = oracle_create_unrounded(&desc);
    const bool loop = desc.loop > 0.0;
    assert_false(oracle_diverged(o, 0));
    found->positive_wraps += loop && oracle_wrap(o, 0) > 0.0;
    found->negative_wraps += loop && oracle_wrap(o, 0) < 0.0;
    for (size_t i = loop ? 0 : 1; i + (loop ? 0 : 1) < oracle_key_count(o, 0); i++) {
        const bool cusp = oracle_cusp(o, 0, i);
        found->keys++;
        found->cusp_keys += cusp;
        for (int k = 1; k < DERIVATIVES; k++) {
            double *rotations = cusp ? found->cusps : found->rotations;
            rotations[k] = worse(rotations[k], derivative_jump(o, i, k, true));
            found->positions[k] = worse(found->positions[k], derivative_jump(o, i, k, false));
        }
    }
    oracle_destroy(o);
}

static void measure(make_track *make, const variant *v, jumps *found) {
    random_source source = random_start();
    SCOPED(set_destroy) track_set set;
    set_create(1, false, &set);
    *found = (jumps){0};
    for (size_t n = 0; n < TRACKS; n++) {
        make(&source, n, &set.tracks[0]);
        measure_track(v, &set, found);
    }
}

static bool check_order(const variant *v, const char *what, const double *jump, int order) {
    bool kept = true;
    for (int k = 1; k <= order; k++) {
        if (!(jump[k] <= tolerance[k])) {
            printf("# %s: %s: derivative %d jumps by %.2g of itself\n", v->name, what, k, jump[k]);
            kept = false;
        }
    }
    return kept;
}

/* At a cusp the curve reverses at rest: only the velocity is promised to be continuous. */
static void check_promises(make_track *make, const char *name) {
    size_t broken = 0;
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        jumps found;
        if (!is_smooth(v))
            continue;
        if (make == track_kind_extreme && v->method == PM_METHOD_NCUBIC) {
            continue; /* its components overshoot and pass near zero, where derivatives are
                       * unbounded */
        }
        measure(make, v, &found);
        broken += !check_order(v, "rotations", found.rotations, variant_continuity(v));
        broken += !check_order(v, "cusps", found.cusps, 1);
        broken += !check_order(v, "positions", found.positions, variant_vector_continuity(v));
        printf("# %-9s %-18s rotations %.1e %.1e %.1e cusps %.1e %.1e %.1e (%zu of %zu) "
               "positions %.1e %.1e %.1e\n",
               name, v->name, found.rotations[1], found.rotations[2], found.rotations[3],
               found.cusps[1], found.cusps[2], found.cusps[3], found.cusp_keys, found.keys,
               found.positions[1], found.positions[2], found.positions[3]);
    }
    assert_int_equal(broken, 0);
}

TEST(uniform_keys_have_the_promised_continuity) {
    check_promises(track_kind_uniform, "uniform");
}

TEST(random_keys_have_the_promised_continuity) {
    check_promises(track_kind_uneven, "random");
}

TEST(extreme_time_ratios_have_the_promised_continuity) {
    check_promises(track_kind_extreme, "1:1000");
}

TEST(held_keys_have_the_promised_continuity) {
    check_promises(track_kind_holds, "holds");
}

TEST(loops_have_the_promised_continuity) {
    jumps found;
    measure(track_kind_loops, variant_named("spline"), &found);
    assert_true(found.positive_wraps > 5 && found.negative_wraps > 5);
    check_promises(track_kind_loops, "loops");
}

TEST(the_derivative_after_the_promised_ones_jumps) {
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        const int rotations = variant_continuity(v), positions = variant_vector_continuity(v);
        jumps found;
        if (!is_smooth(v))
            continue;
        measure(track_kind_uneven, v, &found);
        if (rotations < 3 && !(found.rotations[rotations + 1] > VISIBLE))
            fail_msg("%s: derivative %d of rotations does not jump", v->name, rotations + 1);
        if (positions < 3 && !(found.positions[positions + 1] > VISIBLE))
            fail_msg("%s: derivative %d of positions does not jump", v->name, positions + 1);
    }
}

TEST(acceleration_jumps_at_cusps) {
    jumps found;
    measure(track_kind_uneven, variant_named("circular-c3"), &found);
    assert_true(found.cusp_keys > 20);
    assert_true(found.cusps[1] <= tolerance[1] && found.cusps[2] > VISIBLE);
}
