/* SPDX-License-Identifier: MIT
 *
 * Tests of the rates for the frame times of motion files, and for --rate.
 */
#include "motion/time/key_rate.h"
#include "motion/time/rate.h"
#include "oracle/random_tracks.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cut frame times become whole rates; exact ones are what they say; broadcast rates are told from whole
 * ones, 29.97 as the rate from 30000/1001; without snapping every digit counts. */
TEST(frame_times_become_rates) {
    static const struct {
        const char *text;
        bool snap;
        int64_t num, den;
        rate_snap how;
    } cases[] = {
        {".0083333", true, 120, 1, RATE_INTEGER},
        {"0.008333", true, 120, 1, RATE_INTEGER},
        {"0.0083", true, 120, 1, RATE_INTEGER},
        {"0.033333", true, 30, 1, RATE_INTEGER},
        {"0,0333333", true, 30, 1, RATE_INTEGER},
        {"8.3333e-003", true, 120, 1, RATE_INTEGER},
        {"0.041667", true, 24, 1, RATE_INTEGER},
        {"0.016666666666666666", true, 60, 1, RATE_INTEGER},
        {"0.03", true, 30, 1, RATE_INTEGER},
        {"0.010000", true, 100, 1, RATE_LITERAL},
        {"0.04", true, 25, 1, RATE_LITERAL},
        {"0.008", true, 125, 1, RATE_LITERAL},
        {"2", true, 1, 2, RATE_LITERAL},
        {"1e1", true, 1, 10, RATE_LITERAL},
        {"0.008342", true, 120000, 1001, RATE_NTSC},
        {"0.033367", true, 30000, 1001, RATE_NTSC},
        {"0.0417083", true, 24000, 1001, RATE_NTSC},
        {"0.0417083750417", true, 2997, 125, RATE_NTSC},
        {"0.0333667000333667", true, 2997, 100, RATE_NTSC},
        {"0.01668335", true, 2997, 50, RATE_NTSC},
        {"0.0083416750", true, 2997, 25, RATE_NTSC},
        {"0.0801282051282", true, 312, 25, RATE_SIMPLE}, /* 12.48 */
        {"0.0133333333333", true, 75, 1, RATE_INTEGER},
        {"0.015625", true, 64, 1, RATE_LITERAL},
        {"0.0148148148148148", true, 135, 2, RATE_SIMPLE},
        {"0.0333331", true, 10000000, 333331, RATE_LITERAL},
        {".0083333", false, 10000000, 83333, RATE_LITERAL},
        {"0.008342", false, 500000, 4171, RATE_LITERAL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pm_rational rate = {-1, -1};
        rate_snap how = RATE_LITERAL;
        print_message("%s\n", cases[i].text);
        assert_true(
            rate_from_frame_time(cases[i].text, strlen(cases[i].text), cases[i].snap, &rate, &how));
        assert_int_equal(rate.num, cases[i].num);
        assert_int_equal(rate.den, cases[i].den);
        assert_int_equal(how, cases[i].how);
    }
}

TEST(invalid_times_are_refused) {
    static const char *const texts[] = {"",      "0",    "0.000", "-0.1", "nan",
                                        "1e-90", "1e90", "x",     "0.1e", "0.1e5x"};
    pm_rational rate;
    rate_snap how;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        print_message("%s\n", texts[i]);
        assert_false(rate_from_frame_time(texts[i], strlen(texts[i]), true, &rate, &how));
    }
}

TEST(written_frame_times_read_back_as_the_same_rate) {
    static const pm_rational rates[] = {{120, 1},    {60, 1},       {24, 1},        {1, 2},
                                        {7, 1},      {30000, 1001}, {120000, 1001}, {1, 3},
                                        {240000, 1}, {24000, 1001}, {999, 1},       {25, 1}};
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        char text[RATE_TEXT];
        pm_rational again = {0, 0};
        rate_snap how;
        rate_write_frame_time(rates[i], text);
        print_message("%s\n", text);
        assert_true(strlen(text) >= 10); /* 9 digits and a point at least */
        if (rates[i].num >= 7) {
            assert_true(rate_from_frame_time(text, strlen(text), true, &again, &how));
            assert_int_equal(again.num, rates[i].num);
            assert_int_equal(again.den, rates[i].den);
        }
    }
}

static pm_rational in_lowest_terms(int64_t num, int64_t den) {
    pm_rational rate = {0, 0};
    assert_true(rate_divide((pm_rational){num, 1}, (pm_rational){den, 1}, &rate));
    return rate;
}

static void expect_to_return(pm_rational rate) {
    char text[RATE_TEXT];
    pm_rational again = {0, 0};
    rate_snap how;
    rate_write_frame_time(rate, text);
    assert_true(rate_from_frame_time(text, strlen(text), true, &again, &how));
    if (again.num != rate.num || again.den != rate.den)
        fail_msg("%lld/%lld is written as %s and read as %lld/%lld", (long long)rate.num,
                 (long long)rate.den, text, (long long)again.num, (long long)again.den);
}

/* 24 to 240 Hz as N*1000/1001 and as that rounded to two and three decimals, multiples and parts of
 * them; decimals; fractions of small numbers. */
TEST(plausible_rates_return_from_their_frame_times) {
    static const int64_t film[] = {24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 240};
    random_source source = random_start();
    for (size_t i = 0; i < COUNT_OF(film); i++) {
        for (int64_t part = 1; part <= 8; part++) {
            const int64_t thousandths = (film[i] * 1000000 + 500) / 1001;
            expect_to_return(in_lowest_terms(film[i] * 1000, 1001 * part));
            expect_to_return(in_lowest_terms(film[i] * 1000 * part, 1001));
            expect_to_return(in_lowest_terms(film[i] * 999, 1000 * part));
            expect_to_return(in_lowest_terms(thousandths, 1000));
            expect_to_return(in_lowest_terms((thousandths + 5) / 10, 100 * part));
        }
    }
    for (int round = 0; round < 20000; round++) {
        static const int64_t usual[] = {1, 2, 3, 7, 10, 100, 1000, 1001};
        const size_t pick = random_size(&source, 0, 15);
        const int64_t den = pick < 8 ? usual[pick] : (int64_t)random_size(&source, 1, 9999);
        const int64_t whole = (int64_t)random_size(&source, 1, 1000);
        expect_to_return(
            in_lowest_terms(whole * den + (int64_t)random_size(&source, 0, (size_t)den - 1), den));
    }
}

/* The smallest denominator, found by trying all. */
TEST(the_simplest_fraction_is_in_its_interval) {
    random_source source = random_start();
    pm_rational found = {-1, -1};
    for (int round = 0; round < 2000; round++) {
        const double middle = random_between(&source, 0, 100);
        const double half = middle * pow(10, -random_between(&source, 1, 6));
        const double low = middle - half, high = middle + half;
        int64_t den = 1;
        while (ceil(low * (double)den) > high * (double)den)
            den++;
        assert_true(rate_simplest(low, high, &found));
        assert_int_equal(found.den, den);
        assert_true((double)found.num >= low * (double)den - 1e-9 &&
                    (double)found.num <= high * (double)den + 1e-9);
    }
    assert_true(rate_simplest(0, 0, &found) && found.num == 0 && found.den == 1);
    assert_true(rate_simplest(0.3, 0.3, &found));
    assert_true((double)found.num / (double)found.den == 0.3);
    assert_false(rate_simplest(1e-30, 1.5e-30, &found));
    assert_false(rate_simplest(1e30, 2e30, &found));
    assert_false(rate_simplest(-(double)INFINITY, (double)INFINITY, &found));
    assert_false(rate_simplest((double)NAN, (double)NAN, &found));
    assert_false(rate_simplest(1, (double)NAN, &found));
}

TEST(literal_rates_are_written_with_all_their_digits) {
    pm_rational rate = {599999885559082, 10000000000000}; /* 59.9999885559082 */
    char text[RATE_TEXT];
    rate_write_frame_time(rate, text);
    assert_string_equal(text, "0.016666669845581662");
}

/* ---- key times in float32 ----------------------------------------------------------------- */

enum { MOST_KEYS = 400 };

/* What exporters write for key k. */
typedef enum exporter { ROUNDS, MULTIPLIES, ADDS, EXPORTERS } exporter;

static void export_times(exporter how, pm_rational rate, double start, double *times,
                         size_t count) {
    const float step = (float)rate.den / (float)rate.num;
    float sum = (float)start;
    for (size_t k = 0; k < count; k++) {
        const double exact = start + (double)k * (double)rate.den / (double)rate.num;
        times[k] = how == ROUNDS       ? (double)(float)exact
                   : how == MULTIPLIES ? (double)((float)start + (float)k * step)
                                       : (double)sum;
        sum += step;
    }
}

static pm_rational usual_rate(random_source *source) {
    static const pm_rational rates[] = {{24, 1},       {25, 1},       {30, 1},    {60, 1},
                                        {120, 1},      {30000, 1001}, {15, 1},    {24000, 1001},
                                        {60000, 1001}, {2997, 50},    {25, 2},    {10, 1},
                                        {10, 3},       {240, 1},      {2997, 125}};
    return rates[random_size(source, 0, COUNT_OF(rates) - 1)];
}

/* A start at 0, on a frame, at a decimal, or anywhere. */
static double random_first_time(random_source *source, pm_rational rate) {
    switch (random_size(source, 0, 3)) {
    case 0:
        return 0;
    case 1:
        return (double)random_size(source, 1, 500) * (double)rate.den / (double)rate.num;
    case 2:
        return (double)random_size(source, 1, 3000) / 1000;
    default:
        return random_between(source, 0, 20);
    }
}

static void expect_grid(const double *times, size_t count, key_grid grid) {
    grid.start = key_grid_start(times[0], grid.rate);
    assert_true(grid.start.den > 0);
    for (size_t k = 0; k < count; k++)
        assert_int_equal(key_grid_frame(&grid, times[k]), k);
}

/* Times that are rounded once are given back by the rate, whatever it is. */
TEST(rounded_times_have_a_rate_wherever_they_start) {
    random_source source = random_start();
    double times[MOST_KEYS];
    for (int round = 0; round < 20000; round++) {
        const size_t count = random_size(&source, 2, MOST_KEYS);
        const pm_rational any = {(int64_t)random_size(&source, 1, 300),
                                 (int64_t)random_size(&source, 1, 20)};
        const pm_rational rate = round % 2 == 0 ? usual_rate(&source) : any;
        export_times(ROUNDS, rate, random_first_time(&source, rate), times, count);
        const key_grid grid = {.rate = key_rate(times, count)};
        if (grid.rate.den == 0)
            fail_msg("%zu keys at %lld/%lld Hz from %.9g s are not uniform", count,
                     (long long)rate.num, (long long)rate.den, times[0]);
        expect_grid(times, count, grid);
    }
}

/* Of ten frames or more, so that rates are told apart. */
TEST(common_rates_are_found_in_what_exporters_compute) {
    random_source source = random_start();
    double times[MOST_KEYS];
    for (int round = 0; round < 3000; round++) {
        for (int how = 0; how < EXPORTERS; how++) {
            static const pm_rational rates[] = {{24, 1}, {25, 1}, {30, 1}, {60, 1}, {120, 1}};
            const pm_rational rate = rates[random_size(&source, 0, 4)];
            const size_t count = random_size(&source, 10, MOST_KEYS);
            const double start = random_first_time(&source, rate);
            export_times((exporter)how, rate, start, times, count);
            const key_grid grid = {.rate = key_rate(times, count)};
            if (grid.rate.num != rate.num || grid.rate.den != rate.den)
                fail_msg("exporter %d: %zu keys at %lld Hz from %.9g s are taken as %lld/%lld", how,
                         count, (long long)rate.num, start, (long long)grid.rate.num,
                         (long long)grid.rate.den);
            expect_grid(times, count, grid);
        }
    }
}

TEST(times_off_by_a_hundredth_of_a_frame_are_not_uniform) {
    random_source source = random_start();
    double times[MOST_KEYS];
    for (int round = 0; round < 3000; round++) {
        const size_t count = random_size(&source, 4, MOST_KEYS);
        const pm_rational rate = {(int64_t)random_size(&source, 10, 60), 1};
        const size_t moved = random_size(&source, 1, count - 2);
        export_times((exporter)(round % EXPORTERS), rate, random_first_time(&source, rate), times,
                     count);
        times[moved] += (round % 2 == 0 ? 0.011 : -0.011) / (double)rate.num;
        times[moved] = (double)(float)times[moved];
        assert_int_equal(key_rate(times, count).den, 0);
    }
}

/* ---- targets ------------------------------------------------------------------------------ */

static void check_target(const char *text, int64_t num, int64_t den) {
    pm_rational source = {30000, 1001}, rate = {-1, -1};
    print_message("%s\n", text);
    assert_true(rate_parse_target(text, source, &rate));
    assert_int_equal(rate.num, num);
    assert_int_equal(rate.den, den);
}

TEST(targets_are_rates_or_multiples_of_the_source) {
    check_target("60", 60, 1);
    check_target("29.97", 2997, 100);
    check_target("30000/1001", 30000, 1001);
    check_target("x1", 30000, 1001);
    check_target("x2", 60000, 1001);
    check_target("x1.5", 45000, 1001);
    check_target("/4", 7500, 1001);
}

TEST(targets_that_make_no_sense_are_refused) {
    static const char *const texts[] = {"",  "0",   "-60", "x",  "x0",    "/0",
                                        "/", "60x", "1/0", "ab", "60 Hz", "x9223372036854775807"};
    pm_rational source = {30000, 1001}, rate;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        print_message("%s\n", texts[i]);
        assert_false(rate_parse_target(texts[i], source, &rate));
    }
}

TEST(products_that_do_not_fit_are_refused) {
    pm_rational big = {INT64_MAX, 1}, two = {2, 1}, half = {1, 2}, zero = {0, 1}, out = {7, 7};
    assert_false(rate_multiply(big, two, &out));
    assert_false(rate_divide(big, half, &out));
    assert_false(rate_divide(big, zero, &out));
    assert_int_equal(out.num, 7);
    assert_true(rate_multiply(two, half, &out) && out.num == 1 && out.den == 1);
    assert_true(rate_divide(big, big, &out) && out.num == 1 && out.den == 1);
}
