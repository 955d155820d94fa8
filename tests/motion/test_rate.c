/* SPDX-License-Identifier: MIT
 *
 * Tests of the rates for the frame times of motion files, and for --rate.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "motion/time/rate.h"

#include <stdlib.h>
#include <string.h>

static void check(const char *text, bool snap, int64_t num, int64_t den, rate_snap expected) {
    pm_rational rate = {-1, -1};
    rate_snap how = RATE_LITERAL;

    print_message("%s\n", text);
    assert_true(rate_from_frame_time(text, strlen(text), snap, &rate, &how));
    assert_int_equal(rate.num, num);
    assert_int_equal(rate.den, den);
    assert_int_equal(how, expected);
}

static void cut_frame_times_become_whole_rates(void **state) {
    (void)state;
    check(".0083333", true, 120, 1, RATE_INTEGER);
    check("0.008333", true, 120, 1, RATE_INTEGER);
    check("0.0083", true, 120, 1, RATE_INTEGER);
    check("0.033333", true, 30, 1, RATE_INTEGER);
    check("0,0333333", true, 30, 1, RATE_INTEGER);
    check("8.3333e-003", true, 120, 1, RATE_INTEGER);
    check("0.041667", true, 24, 1, RATE_INTEGER);
    check("0.016666666666666666", true, 60, 1, RATE_INTEGER);
    check("0.03", true, 30, 1, RATE_INTEGER);
}

static void exact_frame_times_are_what_they_say(void **state) {
    (void)state;
    check("0.010000", true, 100, 1, RATE_LITERAL);
    check("0.04", true, 25, 1, RATE_LITERAL);
    check("0.008", true, 125, 1, RATE_LITERAL);
    check("2", true, 1, 2, RATE_LITERAL);
    check("1e1", true, 1, 10, RATE_LITERAL);
}

static void broadcast_rates_are_told_from_whole_ones(void **state) {
    (void)state;
    check("0.008342", true, 120000, 1001, RATE_NTSC);
    check("0.033367", true, 30000, 1001, RATE_NTSC);
    check("0.0417083", true, 24000, 1001, RATE_NTSC);
}

static void unknown_rates_stay_literal(void **state) {
    (void)state;
    check("0.0417083750417", true, 10000000000000, 417083750417, RATE_LITERAL);
    check("0.0333331", true, 10000000, 333331, RATE_LITERAL);
}

static void no_snap_takes_every_digit(void **state) {
    (void)state;
    check(".0083333", false, 10000000, 83333, RATE_LITERAL);
    check("0.008342", false, 500000, 4171, RATE_LITERAL);
}

static void invalid_times_are_refused(void **state) {
    static const char *const texts[] = {"",      "0",    "0.000", "-0.1", "nan",
                                        "1e-90", "1e90", "x",     "0.1e", "0.1e5x"};
    size_t i;
    pm_rational rate;
    rate_snap how;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        print_message("%s\n", texts[i]);
        assert_false(rate_from_frame_time(texts[i], strlen(texts[i]), true, &rate, &how));
    }
}

static void written_frame_times_read_back_as_the_same_rate(void **state) {
    static const pm_rational rates[] = {{120, 1},    {60, 1},       {24, 1},        {1, 2},
                                        {7, 1},      {30000, 1001}, {120000, 1001}, {1, 3},
                                        {240000, 1}, {24000, 1001}, {999, 1},       {25, 1}};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rates / sizeof rates[0]; i++) {
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

static void literal_rates_are_written_with_all_their_digits(void **state) {
    pm_rational rate = {599999885559082, 10000000000000}; /* 59.9999885559082 */
    char text[RATE_TEXT];

    (void)state;
    rate_write_frame_time(rate, text);
    assert_string_equal(text, "0.016666669845581662");
}

static void check_target(const char *text, int64_t num, int64_t den) {
    pm_rational source = {30000, 1001}, rate = {-1, -1};

    print_message("%s\n", text);
    assert_true(rate_parse_target(text, source, &rate));
    assert_int_equal(rate.num, num);
    assert_int_equal(rate.den, den);
}

static void targets_are_rates_or_multiples_of_the_source(void **state) {
    (void)state;
    check_target("60", 60, 1);
    check_target("29.97", 2997, 100);
    check_target("30000/1001", 30000, 1001);
    check_target("x1", 30000, 1001);
    check_target("x2", 60000, 1001);
    check_target("x1.5", 45000, 1001);
    check_target("/4", 7500, 1001);
}

static void targets_that_make_no_sense_are_refused(void **state) {
    static const char *const texts[] = {"",  "0",   "-60", "x",  "x0",    "/0",
                                        "/", "60x", "1/0", "ab", "60 Hz", "x9223372036854775807"};
    pm_rational source = {30000, 1001}, rate;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        print_message("%s\n", texts[i]);
        assert_false(rate_parse_target(texts[i], source, &rate));
    }
}

static void seconds_may_be_zero(void **state) {
    pm_rational s = {-1, -1};

    (void)state;
    assert_true(rate_parse_seconds("0", &s));
    assert_int_equal(s.num, 0);
    assert_int_equal(s.den, 1);
    assert_true(rate_parse_seconds("0.00", &s) && s.num == 0);
    assert_true(rate_parse_seconds("1.25", &s) && s.num == 5 && s.den == 4);
    assert_true(rate_parse_seconds("1001/30", &s) && s.num == 1001 && s.den == 30);
    assert_false(rate_parse_seconds("", &s));
    assert_false(rate_parse_seconds(".", &s));
    assert_false(rate_parse_seconds("0.0.0", &s));
    assert_false(rate_parse_seconds("-1", &s));
}

static void products_that_do_not_fit_are_refused(void **state) {
    pm_rational big = {INT64_MAX, 1}, two = {2, 1}, half = {1, 2}, zero = {0, 1}, out = {7, 7};

    (void)state;
    assert_false(rate_multiply(big, two, &out));
    assert_false(rate_divide(big, half, &out));
    assert_false(rate_divide(big, zero, &out));
    assert_int_equal(out.num, 7);
    assert_true(rate_multiply(two, half, &out) && out.num == 1 && out.den == 1);
    assert_true(rate_divide(big, big, &out) && out.num == 1 && out.den == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_frame_times_become_whole_rates),
        cmocka_unit_test(exact_frame_times_are_what_they_say),
        cmocka_unit_test(broadcast_rates_are_told_from_whole_ones),
        cmocka_unit_test(unknown_rates_stay_literal),
        cmocka_unit_test(no_snap_takes_every_digit),
        cmocka_unit_test(invalid_times_are_refused),
        cmocka_unit_test(written_frame_times_read_back_as_the_same_rate),
        cmocka_unit_test(literal_rates_are_written_with_all_their_digits),
        cmocka_unit_test(targets_are_rates_or_multiples_of_the_source),
        cmocka_unit_test(targets_that_make_no_sense_are_refused),
        cmocka_unit_test(seconds_may_be_zero),
        cmocka_unit_test(products_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
