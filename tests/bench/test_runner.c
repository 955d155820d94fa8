/* SPDX-License-Identifier: MIT
 *
 * The bench's statistics: medians against their definition, paired ratios, intervals, and one or two rates of
 * fills. And what a record says about its machine: values in files of any content, the system that the
 * test runs on, and its load. And the last lines of a run.
 */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include "runner/record.h"
#include "support/motion.h"
#include "support/test.h"
#include "support/test_folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- medians ------------------------------------------------------------------- */

/* At most half of the numbers are on either side, and for an even count it lies half way. */
TEST(a_median_has_half_of_the_numbers_on_each_side) {
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
TEST(the_ratio_is_the_median_of_pairs) {
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

/* ---- intervals ----------------------------------------------------------------- */

/* The probability that the median is between the sorted values with `outside` on either side: that each
 * side has more heads than that when `count` coins are thrown. */
static double covered(size_t outside, size_t count) {
    double sum = 0;
    for (size_t heads = outside + 1; heads < count - outside; heads++)
        sum += exp(lgamma((double)count + 1) - lgamma((double)heads + 1) -
                   lgamma((double)(count - heads) + 1) - (double)count * log(2.0));
    return sum;
}

static size_t place_of(const double *sorted, size_t count, double number) {
    size_t k = 0;
    while (k < count && sorted[k] != number)
        k++;
    assert_true(k < count);
    return k + 1;
}

TEST(the_interval_is_the_shortest_that_covers_the_median_in_95_of_100_runs) {
    random_source source = random_salted(3);
    double numbers[STATS_MAX];
    for (size_t count = 1; count <= STATS_MAX; count++) {
        double interval[2] = {-1.0, -1.0};
        for (size_t i = 0; i < count; i++)
            numbers[i] = random_between(&source, 1.0, 2.0);
        stats_interval(numbers, NULL, count, interval);
        (void)stats_median(numbers, count); /* sorts */
        const size_t low = place_of(numbers, count, interval[0]);
        assert_int_equal(low + place_of(numbers, count, interval[1]), count + 1);
        assert_true(low == 1 || covered(low - 1, count) >= 0.95);
        assert_true(covered(low, count) < 0.95);
        assert_true((count < 6) == (covered(low - 1, count) < 0.95));
    }
}

TEST(the_interval_of_ratios_is_that_of_pairs) {
    random_source source = random_salted(4);
    double above[STATS_MAX], under[STATS_MAX], ratios[STATS_MAX], a[2], b[2];
    const size_t count = draw(&source, above, 60);
    for (size_t i = 0; i < count; i++) {
        under[i] = random_between(&source, 1.0, 9.0);
        ratios[i] = above[i] / under[i];
    }
    stats_interval(above, under, count, a);
    stats_interval(ratios, NULL, count, b);
    assert_true(a[0] == b[0] && a[1] == b[1] && a[0] <= a[1]);
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

TEST(two_rates_are_found_where_each_has_a_fifth) {
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

TEST(rates_of_one_kind_are_one_rate) {
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

TEST(few_other_rates_or_near_ones_do_not_count) {
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

static void expect(const char *text, const char *key, const char *wanted) {
    char value[HOST_TEXT];
    test_folder_put_text("values", text);
    host_read_value("values", key, value);
    assert_string_equal(value, wanted);
}

TEST(a_value_is_read_after_a_colon_or_an_equals_sign) {
    expect("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nmodel name\t: other\n", "model name",
           "Some CPU @ 2 GHz");
    expect("NAME=\"Some OS\"\nPRETTY_NAME=\"Some OS 12 (name)\"\n", "PRETTY_NAME",
           "Some OS 12 (name)");
    expect("NAME=plain", "NAME", "plain");
}

TEST(a_line_without_the_key_or_a_value_is_passed_over) {
    expect("model\t: 1\nmodel names: 2\n", "model name", "");
    expect("model name\n", "model name", "");
    expect("model name:\nmodel name: later\n", "model name", "later");
    expect("", "model name", "");
    char value[HOST_TEXT] = "before";
    host_read_value("no such file", "model name", value);
    assert_string_equal(value, "");
}

TEST(this_machine_has_a_processor_and_memory) {
    const bench_host host = host_of_system();
    assert_true(host.cores >= 1);
    assert_true(host.memory_bytes > 1 << 20);
    assert_non_null(strstr(host.os, "Linux"));
}

/* ---- load ---------------------------------------------------------------------------------- */

static const char begin_stat[] = "cpu  1000 0 500 8000 100 10 20 50 300 0\ncpu0 1 2 3\n";

static bench_load load_after(const char *end_stat, double own, double processors) {
    load_counters begin = load_counters_in(begin_stat, 100), end = load_counters_in(end_stat, 100);
    assert_true(begin.known && end.known);
    end.own = own;
    return load_between(&begin, &end, processors);
}

/* In the first row, 20 s of two processors: 10 s of work, of which this process did 9.9 s. */
TEST(work_of_others_and_stolen_time_make_a_machine_busy) {
    static const struct {
        const char *end;
        double own, processors, others, steal;
        bool busy;
    } rows[] = {
        {"cpu  1800 0 700 10980 100 10 20 70 300 0\n", 9.9, 2, 0.005, 0.005, false},
        {"cpu  1800 200 500 10000 100 10 20 50 300 0\n", 9, 2, 1.0 / 15, 0, false},
        {"cpu  1800 200 500 10000 100 10 20 50 300 0\n", 8, 2, 2.0 / 15, 0, true},
        {"cpu  1000 0 500 9800 100 10 20 250 300 0\n", 0, 1, 0, 0.1, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const bench_load load = load_after(rows[i].end, rows[i].own, rows[i].processors);
        assert_true(load.known);
        assert_float_equal(load.others, rows[i].others, 1e-9);
        assert_float_equal(load.steal, rows[i].steal, 1e-9);
        assert_int_equal(load.busy, rows[i].busy);
    }
}

TEST(what_is_no_list_of_counters_is_unknown) {
    static const char *const texts[] = {"",
                                        "cpu",
                                        "cpu ",
                                        "cpu 1 2 3\n",
                                        "cpu0 1 2 3 4 5 6 7 8\n",
                                        "intr 1\n",
                                        "cpu  1 2 x 4 5 6 7 8\n"};
    const load_counters sound = load_counters_in(begin_stat, 100);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const load_counters odd = load_counters_in(texts[i], 100);
        assert_false(odd.known);
        assert_false(load_between(&odd, &sound, 1).known);
    }
    assert_false(load_counters_in(begin_stat, 0).known);
    assert_false(load_between(&sound, &sound, 1).known); /* no time has passed */
}

/* ---- the last lines ------------------------------------------------------------------------ */

static char told[8192];

static void tell(const bench_record *record) {
    memset(told, 0, sizeof told);
    FILE *file = fmemopen(told, sizeof told - 1, "w");
    assert_non_null(file);
    record_print_summary(file, record);
    fclose(file);
}

static void expect_told(const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strstr(told, words[i]))
            fail_msg("'%s' is not in: %s", words[i], told);
}
#define EXPECT_TOLD(...)                                                                           \
    expect_told((const char *const[]){__VA_ARGS__},                                                \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static size_t lines_told(void) {
    size_t lines = 0;
    for (const char *c = told; *c != '\0'; c++)
        lines += *c == '\n';
    return lines;
}

/* 2 million samples in 2, 4 and 5 ms, bound by a fill that takes half of each. */
static bench_record record_of_three(bench_result *result) {
    static const double times[] = {0.004, 0.002, 0.005};
    *result = (bench_result){.name = "upsample-4/slerp",
                             .samples = 2000000,
                             .samples_per_s = 5e8,
                             .times = {.count = 3},
                             .bound = BOUND_FILL,
                             .bound_share = 0.5};
    for (size_t i = 0; i < 3; i++) {
        result->times.of[ROLE_CASE][i] = times[i];
        result->times.of[ROLE_BOUND][i] = times[i] / 2;
    }
    return (bench_record){.date = "2026-11-28T21:00:00Z",
                          .commit = "c0ffee\x1b[2J",
                          .load = {.known = true, .others = 0.02},
                          .results = result,
                          .count = 1};
}

TEST(five_lines_tell_machine_headline_bound_commit_and_date) {
    static bench_result result;
    bench_record record = record_of_three(&result);
    tell(&record);
    assert_int_equal(lines_told(), 5);
    EXPECT_TOLD("machine: quiet; other processes used 0.02",
                "\nheadline: 500.0 million samples/s of slerp by 4, 95 % interval 400.0 to 1000.0, "
                "3 repetitions\n",
                "\nbound: 50.0 % of writing the results (fill)", "95 % interval 50.0 to 50.0\n",
                "\ncommit: c0ffee\\x1b[2J\n", "\ndate: 2026-11-28T21:00:00Z\n");
    record.load.busy = true;
    record.quick = true;
    tell(&record);
    assert_int_equal(lines_told(), 5);
    EXPECT_TOLD("machine: BUSY;", "(a quick run)");
    record.load.known = false;
    tell(&record);
    EXPECT_TOLD("machine: load unknown\n");
}

TEST(what_was_not_measured_is_not_told) {
    static bench_result result;
    bench_record record = record_of_three(&result);
    result.bound = BOUND_NONE;
    tell(&record);
    EXPECT_TOLD("headline: 500.0 million", "\nbound: not measured\n");
    memcpy(result.name, "upsample-4/squad", sizeof "upsample-4/squad");
    tell(&record);
    assert_int_equal(lines_told(), 5);
    EXPECT_TOLD("headline: not measured: the run has no upsample-4/slerp\nbound: not measured\n");
    assert_null(strstr(told, "million"));
}

TEST_GROUP(test_folder_enter, test_folder_leave)
