/* SPDX-License-Identifier: MIT
 *
 * How several devices divide a job, as arithmetic: pieces in proportion to throughput, the minimum
 * piece, devices without a measurement, and that some device always takes the rest.
 */
#include "multi/scheduler.h"

#include <math.h>

#include "support/check.h"
#include "support/motion.h"

enum { MIN = 100, MANY = 5 };

/* A device that has done a second's work of this job. */
static pm_throughput timed(double rate) {
    return (pm_throughput){.values = rate, .seconds = 1};
}

static pm_throughput known(double rate) {
    return (pm_throughput){.before = rate};
}

static void devices_of_one_throughput_take_equal_pieces(void **state) {
    (void)state;
    const pm_throughput throughputs[4] = {timed(7), timed(7), timed(7), timed(7)};
    for (size_t part = 0; part < 4; part++)
        assert_int_equal(pm_next_piece(throughputs, 4, part, 80000, MIN), 10000);
}

static void a_slower_device_takes_proportionally_less(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(3e9), timed(1e9)};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 80000, MIN), 30000);
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 80000, MIN), 10000);
}

static void a_piece_is_half_of_a_share_so_that_a_wrong_estimate_can_be_corrected(void **state) {
    (void)state;
    const pm_throughput alone = timed(5);
    assert_int_equal(pm_next_piece(&alone, 1, 0, 8000, MIN), 4000);
    const pm_throughput throughputs[2] = {timed(5), {.values = 5, .seconds = 1, .retired = true}};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 8000, MIN), 4000);
}

static void no_piece_but_the_last_is_below_the_minimum(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(5), timed(5)};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 300, MIN), MIN);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 200, MIN), MIN);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, MIN, MIN), MIN);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 1, MIN), 1);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 0, MIN), 0);
}

static void a_rest_below_the_minimum_is_added_to_the_previous_piece(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(5), timed(5)};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 2 * MIN - 1, MIN), 2 * MIN - 1);
}

static void a_device_without_a_measurement_takes_the_minimum_first(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(1000), known(0)};
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 80000, MIN), MIN);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 80000, MIN), 20000);
    const pm_throughput nobody[2] = {known(0), known(0)};
    for (size_t part = 0; part < 2; part++)
        assert_int_equal(pm_next_piece(nobody, 2, part, 80000, MIN), MIN);
}

static void throughputs_of_previous_jobs_are_used_until_there_are_new_ones(void **state) {
    (void)state;
    const pm_throughput before[2] = {known(300), known(100)};
    assert_int_equal(pm_next_piece(before, 2, 0, 80000, MIN), 30000);
    const pm_throughput after[2] = {{.before = 300, .values = 50, .seconds = 1},
                                    {.before = 100, .values = 50, .seconds = 1}};
    assert_int_equal(pm_next_piece(after, 2, 0, 80000, MIN), 20000);
}

/* A job of another kind: if it takes the first device three times as long, the second is expected
 * to take three times as long too. */
static void a_change_of_cost_on_one_device_is_expected_of_the_others(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {{.before = 300, .values = 100, .seconds = 1}, known(300)};
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 80000, MIN), 20000);
    assert_true(fabs(pm_learned_throughput(throughputs, 2, 1) / 100 - 1) < 0.02);
}

static void a_device_that_would_finish_last_leaves_the_rest_to_the_others(void **state) {
    (void)state;
    pm_throughput throughputs[2] = {timed(1000), timed(1)};
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 1000 * MIN - 1, MIN), 0);
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 1000 * MIN, MIN), MIN);
    throughputs[0].retired = true;
    assert_int_equal(pm_next_piece(throughputs, 2, 1, 500, MIN), 250);
}

/* Of the devices that still take pieces, the one that finishes its last piece first. */
static size_t first_done(const pm_throughput *throughputs, const double *until) {
    size_t part = MANY;
    for (size_t i = 0; i < MANY; i++)
        if (!throughputs[i].retired && (part == MANY || until[i] < until[part]))
            part = i;
    return part;
}

static void every_item_is_taken_for_any_throughputs(void **state) {
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

/* With known throughputs, no device is busy for much longer than the ideal total time. */
static void devices_with_known_throughputs_end_together(void **state) {
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

static void numbers_at_their_limits_are_divided_correctly(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {timed(1e300), timed(1e300)};
    assert_true(pm_next_piece(throughputs, 2, 0, SIZE_MAX, MIN) <= SIZE_MAX / 2);
    assert_true(pm_next_piece(throughputs, 2, 0, SIZE_MAX, MIN) > SIZE_MAX / 8);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, SIZE_MAX, SIZE_MAX), SIZE_MAX);
    assert_int_equal(pm_next_piece(throughputs, 2, 0, MIN, SIZE_MAX), MIN);
    const pm_throughput unequal[2] = {timed(1e300), timed(1e-300)};
    assert_int_equal(pm_next_piece(unequal, 2, 1, SIZE_MAX, MIN), 0);
    assert_true(pm_next_piece(unequal, 2, 0, SIZE_MAX, MIN) > SIZE_MAX / 4);
}

static void work_that_took_no_time_gives_no_measurement(void **state) {
    (void)state;
    const pm_throughput throughputs[2] = {{.values = 1000, .seconds = 0}, timed(5)};
    assert_int_equal(pm_next_piece(throughputs, 2, 0, 80000, MIN), MIN);
    assert_true(pm_learned_throughput(throughputs, 2, 0) <= 0);
}

static void the_fastest_device_takes_a_job_too_small_to_divide(void **state) {
    (void)state;
    const pm_throughput throughputs[3] = {known(5), known(7), known(6)};
    assert_int_equal(pm_fastest_member(throughputs, 3), 1);
    const pm_throughput nobody[3] = {known(0), known(0), known(0)};
    assert_int_equal(pm_fastest_member(nobody, 3), 0);
    const pm_throughput unknown[3] = {known(0), known(7), known(6)};
    assert_int_equal(pm_fastest_member(unknown, 3), 1);
}

static void the_estimate_of_a_device_without_work_increases_slightly(void **state) {
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
        cmocka_unit_test(devices_of_one_throughput_take_equal_pieces),
        cmocka_unit_test(a_slower_device_takes_proportionally_less),
        cmocka_unit_test(a_piece_is_half_of_a_share_so_that_a_wrong_estimate_can_be_corrected),
        cmocka_unit_test(no_piece_but_the_last_is_below_the_minimum),
        cmocka_unit_test(a_rest_below_the_minimum_is_added_to_the_previous_piece),
        cmocka_unit_test(a_device_without_a_measurement_takes_the_minimum_first),
        cmocka_unit_test(throughputs_of_previous_jobs_are_used_until_there_are_new_ones),
        cmocka_unit_test(a_change_of_cost_on_one_device_is_expected_of_the_others),
        cmocka_unit_test(a_device_that_would_finish_last_leaves_the_rest_to_the_others),
        cmocka_unit_test(every_item_is_taken_for_any_throughputs),
        cmocka_unit_test(devices_with_known_throughputs_end_together),
        cmocka_unit_test(numbers_at_their_limits_are_divided_correctly),
        cmocka_unit_test(work_that_took_no_time_gives_no_measurement),
        cmocka_unit_test(the_fastest_device_takes_a_job_too_small_to_divide),
        cmocka_unit_test(the_estimate_of_a_device_without_work_increases_slightly),
    };
    return cmocka_run_group_tests_name("scheduler", tests, NULL, NULL);
}
