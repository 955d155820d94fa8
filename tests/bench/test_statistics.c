/* SPDX-License-Identifier: MIT
 *
 * Tests of the bench's statistics: medians against their definition, paired ratios, and one or two rates
 * of fills.
 */
#include "runner/statistics.h"

#include "support/motion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 200 };

static size_t draw(random_source *source, double *numbers, size_t most) {
    const size_t count = random_size(source, 1, most);
    for (size_t i = 0; i < count; i++)
        numbers[i] = random_between(source, 1.0, 2.0);
    return count;
}

static size_t below(const double *numbers, size_t count, double bound) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += numbers[i] < bound;
    return found;
}

/* ---- random numbers ------------------------------------------------------------ */

static void random_numbers_repeat_and_cover_their_range_evenly(void **state) {
    (void)state;
    uint64_t one = 5, same = 5;
    size_t counts[7] = {0};
    for (int i = 0; i < 70000; i++) {
        const size_t drawn = stats_random(&one, 7);
        assert_int_equal(drawn, stats_random(&same, 7));
        assert_true(drawn < 7);
        counts[drawn]++;
    }
    for (size_t i = 0; i < 7; i++) /* five standard deviations of a binomial distribution */
        assert_in_range(counts[i], 10000 - 463, 10000 + 463);
}

/* ---- medians ------------------------------------------------------------------- */

/* At most half of the numbers are on either side, and for an even count it lies half way. */
static void a_median_has_half_of_the_numbers_on_each_side(void **state) {
    (void)state;
    random_source source = random_salted(1);
    double numbers[STATS_MAX], sorted[STATS_MAX];
    for (int round = 0; round < ROUNDS; round++) {
        const size_t count = draw(&source, numbers, 40);
        memcpy(sorted, numbers, sizeof sorted);
        const double median = stats_median(sorted, count);
        const size_t less = below(numbers, count, median);
        const size_t up_to = below(numbers, count, nextafter(median, 9.0));
        assert_true(2 * less <= count && 2 * up_to >= count);
        for (size_t i = 1; i < count; i++)
            assert_true(sorted[i - 1] <= sorted[i]);
        if (count % 2 == 0) {
            const double ends = sorted[count / 2 - 1] + sorted[count / 2];
            assert_true(fabs(2.0 * median - ends) < 1e-15);
        } else {
            assert_true(up_to > less);
        }
    }
}

/* ---- paired ratios ------------------------------------------------------------- */

/* The median of the ratios and not the ratio of the medians, which noise that both share enters. */
static void the_ratio_is_the_median_of_pairs(void **state) {
    (void)state;
    random_source source = random_salted(2);
    double above[STATS_MAX], under[STATS_MAX], ratios[STATS_MAX];
    for (int round = 0; round < ROUNDS; round++) {
        const double scale = random_between(&source, 0.1, 10.0);
        const size_t count = draw(&source, above, STATS_MAX);
        for (size_t i = 0; i < count; i++) {
            under[i] = random_between(&source, 1.0, 9.0);
            ratios[i] = scale * above[i] / under[i];
        }
        assert_true(stats_ratio(above, under, scale, count) == stats_median(ratios, count));
    }
    const double a[] = {1.0, 8.0, 3.0}, b[] = {1.0, 4.0, 9.0}; /* ratios 1, 2, 1/3; medians 3, 4 */
    assert_true(stats_ratio(a, b, 1.0, 3) == 1.0);
}

static void noise_that_both_share_cancels(void **state) {
    (void)state;
    random_source source = random_salted(3);
    double above[50], under[50];
    for (size_t i = 0; i < 50; i++) {
        under[i] = random_between(&source, 1.0, 100.0);
        above[i] = 0.25 * under[i];
    }
    assert_true(stats_ratio(above, under, 2.0, 50) == 0.5);
}

/* ---- rates --------------------------------------------------------------------- */

/* `slow` of `count` rates around 1, the others around `fast`, in random order. */
static void draw_rates(random_source *source, double *rates, size_t count, size_t slow,
                       double fast) {
    for (size_t i = 0; i < count; i++) {
        const double centre = i < slow ? 1.0 : fast;
        rates[i] = centre * random_between(source, 0.95, 1.05);
    }
    for (size_t i = count - 1; i > 0; i--) {
        const size_t other = random_size(source, 0, i);
        const double kept = rates[i];
        rates[i] = rates[other];
        rates[other] = kept;
    }
}

static void two_rates_are_found_where_each_has_a_fifth(void **state) {
    (void)state;
    random_source source = random_salted(6);
    double rates[200], found[2];
    for (int round = 0; round < ROUNDS; round++) {
        const size_t count = random_size(&source, 30, 200);
        const size_t slow = random_size(&source, (count + 4) / 5, count - (count + 4) / 5);
        const double fast = random_between(&source, 1.6, 3.0);
        draw_rates(&source, rates, count, slow, fast);
        assert_int_equal(stats_rates(rates, count, found), 2);
        assert_true(fabs(found[0] - 1.0) <= 0.05);
        assert_true(fabs(found[1] - fast) <= 0.05 * fast);
    }
}

/* Fills during which the machine switches have a rate between the two. */
static void a_few_rates_between_do_not_hide_the_two(void **state) {
    (void)state;
    random_source source = random_salted(9);
    double rates[500], found[2];
    for (int round = 0; round < ROUNDS; round++) {
        const size_t count = random_size(&source, 60, 500), quarter = count / 4;
        const double fast = random_between(&source, 1.6, 3.0);
        draw_rates(&source, rates, count, random_size(&source, quarter, count - quarter), fast);
        for (size_t i = 0; i < count / 25; i++)
            rates[i] = random_between(&source, 1.0, fast);
        assert_int_equal(stats_rates(rates, count, found), 2);
        assert_true(fabs(found[0] - 1.0) <= 0.07);
        assert_true(fabs(found[1] - fast) <= 0.07 * fast);
    }
}

/* Around one rate, however wide, most rates are in the middle. */
static void a_wide_spread_around_one_rate_is_one_rate(void **state) {
    (void)state;
    random_source source = random_salted(10);
    double rates[500], found[2];
    for (int round = 0; round < ROUNDS; round++) {
        const size_t count = random_size(&source, 200, 500); /* fewer make gaps by chance */
        const double width = random_between(&source, 0.1, 3.0);
        for (size_t i = 0; i < count; i++) {
            rates[i] = 10.0;
            for (int k = 0; k < 3; k++)
                rates[i] += random_between(&source, -width, width);
        }
        assert_int_equal(stats_rates(rates, count, found), 1);
    }
}

static void rates_of_one_kind_are_one_rate(void **state) {
    (void)state;
    random_source source = random_salted(7);
    double rates[500], found[2];
    for (int round = 0; round < ROUNDS; round++) {
        const size_t few = random_size(&source, 1, 29), many = random_size(&source, 200, 500);
        const size_t count = round % 2 ? few : many;           /* between, chance makes gaps */
        const double ends = random_between(&source, 1.0, 4.0); /* wide, too */
        for (size_t i = 0; i < count; i++)
            rates[i] = random_between(&source, 1.0, ends);
        assert_int_equal(stats_rates(rates, count, found), 1);
        assert_true(found[0] == stats_median(rates, count));
        assert_true(isnan(found[1]));
    }
}

static void few_other_rates_or_near_ones_do_not_count(void **state) {
    (void)state;
    random_source source = random_salted(8);
    double rates[100], found[2];
    draw_rates(&source, rates, 100, 19, 2.0);
    assert_int_equal(stats_rates(rates, 100, found), 1);
    draw_rates(&source, rates, 100, 81, 2.0);
    assert_int_equal(stats_rates(rates, 100, found), 1);
    draw_rates(&source, rates, 100, 50, 1.2);
    assert_int_equal(stats_rates(rates, 100, found), 1);
    draw_rates(&source, rates, 29, 15, 2.0);
    assert_int_equal(stats_rates(rates, 29, found), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_repeat_and_cover_their_range_evenly),
        cmocka_unit_test(a_median_has_half_of_the_numbers_on_each_side),
        cmocka_unit_test(the_ratio_is_the_median_of_pairs),
        cmocka_unit_test(noise_that_both_share_cancels),
        cmocka_unit_test(two_rates_are_found_where_each_has_a_fifth),
        cmocka_unit_test(a_few_rates_between_do_not_hide_the_two),
        cmocka_unit_test(a_wide_spread_around_one_rate_is_one_rate),
        cmocka_unit_test(rates_of_one_kind_are_one_rate),
        cmocka_unit_test(few_other_rates_or_near_ones_do_not_count),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
