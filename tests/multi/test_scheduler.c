/* SPDX-License-Identifier: MIT
 *
 * How devices share a job, as arithmetic: shares by speed, what is least worth taking, what is
 * not known yet, and that somebody always takes the rest.
 */
#include "multi/scheduler.h"

#include <math.h>

#include "support/check.h"
#include "support/motion.h"

enum { MIN = 100, MANY = 5 };

/* A part that did a second's work of this job. */
static pm_throughput timed(double rate) {
    return (pm_throughput){.values = rate, .seconds = 1};
}

static pm_throughput known(double rate) {
    return (pm_throughput){.before = rate};
}

static void parts_of_one_speed_take_equal_shares(void **state) {
    (void)state;
    const pm_throughput throughputs[4] = {timed(7), timed(7), timed(7), timed(7)};
    for (size_t part = 0; part < 4; part++)
        assert_int_equal(pm_next_piece(throughputs, 4, part, 80000, MIN), 10000);
}

static void a_slow_part_takes_less_in_proportion(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(3e9), timed(1e9)};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 80000, MIN), 30000);
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 80000, MIN), 10000);
}

static void a_piece_is_half_of_a_share_so_that_a_wrong_guess_can_be_mended(void **state) {
    (void)state;
    const pm_throughput alone = timed(5);
    assert_int_equal(pm_next_piece(&alone, 1, 0, 8000, MIN), 4000);
    const pm_throughput throughputs[2] = {timed(5), {.values = 5, .seconds = 1, .retired = true}};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 8000, MIN), 4000);
}

static void no_piece_is_below_the_least_but_the_last(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(5), timed(5)};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 300, MIN), MIN);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 200, MIN), MIN);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, MIN, MIN), MIN);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 1, MIN), 1);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 0, MIN), 0);
}

static void a_rest_below_the_least_goes_with_the_piece_before_it(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(5), timed(5)};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 2 * MIN - 1, MIN), 2 * MIN - 1);
}

static void what_was_never_timed_takes_the_least_first(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(1000), known(0)};
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 80000, MIN), MIN);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 80000, MIN), 20000);
    const pm_throughput nobody[2] = {known(0), known(0)};
    for (size_t part = 0; part < 2; part++)
        assert_int_equal(pm_next_piece(nobody, 2, part, 80000, MIN), MIN);
}

static void rates_of_jobs_before_count_until_there_are_new_ones(void **state) {
    (void)state;
    const pm_throughput before[2] = {known(300), known(100)};
    assert_int_equal(pm_next_piece(before, 2, 0, 80000, MIN), 30000);
    const pm_throughput after[2] = {{.before = 300, .values = 50, .seconds = 1},
                                    {.before = 100, .values = 50, .seconds = 1}};
    assert_int_equal(pm_next_piece(after, 2, 0, 80000, MIN), 20000);
}

/* A job of another kind: what took the first part three times as long will take the second as
 * many. */
static void what_a_job_costs_one_part_is_expected_of_the_others(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {{.before = 300, .values = 100, .seconds = 1}, known(300)};
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 80000, MIN), 20000);
    assert_true(fabs(pm_learned_throughput(throughputs, 2, 1) / 100 - 1) < 0.02);
}

static void who_would_be_done_last_leaves_the_rest_to_the_others(void **state) {
    (void)state;
    pm_throughput throughputs[2] = {timed(1000), timed(1)};
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 1000 * MIN - 1, MIN), 0);
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 1000 * MIN, MIN), MIN);
    throughputs[0].retired = true;
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 500, MIN), 250);
}

/* Of the parts that still take pieces, the one that is done with its last before the others. */
static size_t first_done(const pm_throughput *throughputs, const double *until) {
    size_t part = MANY;
    for (size_t i = 0; i < MANY; i++)
        if (!throughputs[i].retired && (part == MANY || until[i] < until[part]))
            part = i;
    return part;
}

static void somebody_takes_every_item_whatever_the_rates(void **state) {
    (void)state;
    random_source source = random_salted(0x5A1);
    for (int round = 0; round < 2000; round++) {
        pm_throughput throughputs[MANY] = {{0}};
        double rates[MANY], until[MANY] = {0};
        size_t rest = (size_t)random_between(&source, 0, 1e6), staying = MANY;
        for (size_t i = 0; i < MANY; i++) {
            rates[i] = pow(10, random_between(&source, 0, 6));
            if (random_between(&source, 0, 1) < 0.5) /* right, or wrong by any factor */
                throughputs[i].before = rates[i] * pow(10, random_between(&source, -3, 3));
        }
        while (staying > 0) {
            const size_t part = first_done(throughputs, until);
            const size_t take = pm_next_piece(throughputs, MANY, part, rest, MIN);
            assert_true(take <= rest);
            assert_true(take >= MIN || take == rest || take == 0);
            rest -= take;
            throughputs[part].retired = take == 0;
            staying -= take == 0;
            throughputs[part].values += (double)take;
            throughputs[part].seconds += (double)take / rates[part];
            until[part] += (double)take / rates[part];
        }
        assert_int_equal(rest, 0);
    }
}

/* With rates that are known, nobody is busy for much longer than all would be together. */
static void parts_that_are_known_end_together(void **state) {
    (void)state;
    random_source source = random_salted(0x5A2);
    for (int round = 0; round < 500; round++) {
        pm_throughput throughputs[MANY] = {{0}};
        double until[MANY] = {0}, sum = 0, last = 0, slowest = HUGE_VAL;
        const size_t total = 1000 * MIN;
        size_t rest = total, staying = MANY;
        for (size_t i = 0; i < MANY; i++) {
            throughputs[i].before = pow(10, random_between(&source, 0, 2));
            sum += throughputs[i].before;
        }
        while (staying > 0) {
            const size_t part = first_done(throughputs, until);
            const size_t take = pm_next_piece(throughputs, MANY, part, rest, MIN);
            rest -= take;
            throughputs[part].retired = take == 0;
            staying -= take == 0;
            until[part] += (double)take / throughputs[part].before;
            last = until[part] > last ? until[part] : last;
            if (take > 0 && throughputs[part].before < slowest)
                slowest = throughputs[part].before;
        }
        const double ideal = (double)total / sum, min_piece = 2 * MIN / slowest;
        assert_true(last >= ideal * (1 - 1e-9));
        assert_true(last <= ideal + min_piece);
    }
}

static void numbers_at_their_limits_are_divided_like_others(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(1e300), timed(1e300)};
    assert_true(pm_next_piece(throughputs, 2, 0, SIZE_MAX, MIN) <= SIZE_MAX / 2);
    assert_true(pm_next_piece(throughputs, 2, 0, SIZE_MAX, MIN) > SIZE_MAX / 8);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, SIZE_MAX, SIZE_MAX), SIZE_MAX);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, MIN, SIZE_MAX), MIN);
    const pm_throughput per_joint[2] = {timed(1e300), timed(1e-300)};
    assert_int_equal(pm_next_piece(per_joint, 2, 1, SIZE_MAX, MIN), 0);
    assert_true(pm_next_piece(per_joint, 2, 0, SIZE_MAX, MIN) > SIZE_MAX / 4);
}

static void work_that_took_no_time_says_nothing(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {{.values = 1000, .seconds = 0}, timed(5)};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 80000, MIN), MIN);
    assert_true(pm_learned_throughput(throughputs, 2, 0) <= 0);
}

static void the_fastest_takes_what_is_too_small_to_share(void **state) {
    (void)state;
    const pm_throughput throughputs[3] = {known(5), known(7), known(6)};
    assert_int_equal(pm_fastest_member(throughputs, 3), 1);
    const pm_throughput nobody[3] = {known(0), known(0), known(0)};
    assert_int_equal(pm_fastest_member(nobody, 3), 0);
    const pm_throughput unknown[3] = {known(0), known(7), known(6)};
    assert_int_equal(pm_fastest_member(unknown, 3), 1);
}

static void a_part_without_work_is_thought_a_little_faster_next_time(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(100), known(10)};
    assert_true(pm_learned_throughput(throughputs, 2, 1) > 10);
    assert_true(pm_learned_throughput(throughputs, 2, 1) < 11);
    assert_true(fabs(pm_learned_throughput(throughputs, 2, 0) - 100) < 1e-9);
    const pm_throughput nobody = known(0);
    assert_true(pm_learned_throughput(&nobody, 1, 0) <= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_one_speed_take_equal_shares),
        cmocka_unit_test(a_slow_part_takes_less_in_proportion),
        cmocka_unit_test(a_piece_is_half_of_a_share_so_that_a_wrong_guess_can_be_mended),
        cmocka_unit_test(no_piece_is_below_the_least_but_the_last),
        cmocka_unit_test(a_rest_below_the_least_goes_with_the_piece_before_it),
        cmocka_unit_test(what_was_never_timed_takes_the_least_first),
        cmocka_unit_test(rates_of_jobs_before_count_until_there_are_new_ones),
        cmocka_unit_test(what_a_job_costs_one_part_is_expected_of_the_others),
        cmocka_unit_test(who_would_be_done_last_leaves_the_rest_to_the_others),
        cmocka_unit_test(somebody_takes_every_item_whatever_the_rates),
        cmocka_unit_test(parts_that_are_known_end_together),
        cmocka_unit_test(numbers_at_their_limits_are_divided_like_others),
        cmocka_unit_test(work_that_took_no_time_says_nothing),
        cmocka_unit_test(the_fastest_takes_what_is_too_small_to_share),
        cmocka_unit_test(a_part_without_work_is_thought_a_little_faster_next_time),
    };
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
