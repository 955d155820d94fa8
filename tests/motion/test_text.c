/* SPDX-License-Identifier: MIT
 *
 * Tests of numbers from and to text, compared with strtod and snprintf of the C library in the C
 * locale, which round correctly.
 */
#include "motion/text/text.h"
#include "support/test.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* The number that `text` represents; fails if a part of the text is not read. */
static double read_all(const char *text) {
    double value = -12345.0;
    size_t commas = 0;
    const char *end = text + strlen(text);
    assert_ptr_equal(text_read_number(text, end, &value, &commas), end);
    return value;
}

static size_t length_read(const char *text) {
    double value;
    size_t commas = 0;
    const char *end = text_read_number(text, text + strlen(text), &value, &commas);
    return !end ? 0 : (size_t)(end - text);
}

static void check_as_strtod(const char *text) {
    double expected = strtod(text, NULL), value = read_all(text);
    if (memcmp(&expected, &value, sizeof value) != 0)
        fail_msg("%s: %.17g, expected %.17g", text, value, expected);
}

TEST(reads_forms_that_programs_write_and_the_borders_of_doubles) {
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+7",
                                        ".5",
                                        "-.25",
                                        "5.",
                                        "1e1",
                                        "9.0E+01",
                                        "1.0e-016",
                                        "-9.23872e-007",
                                        "007.50",
                                        "1e-0000",
                                        "12345678901234567",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "1e99999999999",
                                        "2.2250738585072014e-308",
                                        "2.225073858507201e-308",
                                        "5e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062329e-324",
                                        "1e-400",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "0.1e-345",
                                        "0e400",
                                        "6.02214076e23",
                                        "123456789012345678e22",
                                        "8.41e+21"};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        check_as_strtod(texts[i]);
}

TEST(reads_random_numbers_as_strtod_does) {
    print_message("seed %llx\n", (unsigned long long)random_state);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s%llue%d", random_bits() & 1 ? "-" : "",
                 (unsigned long long)(random_bits() >> (random_bits() % 60) >> 4),
                 (int)(random_bits() % 640) - 330);
        check_as_strtod(text);
    }
}

TEST(reads_back_every_17_digit_double) {
    for (int i = 0; i < 100000; i++) {
        char text[64];
        uint64_t bits = random_bits();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, i % 2 ? "%.16e" : "%.15e", value);
        check_as_strtod(text);
    }
}

TEST(more_than_19_digits_stay_within_an_ulp) {
    check_as_strtod("0.0000000000000000000000000000041666666666666666666666");
    check_as_strtod("3.14159265358979323846264338327950288");
    check_as_strtod("100000000000000000000000000000000000000000");
    check_as_strtod("0000000000000000000000000000000000000000012.5");
}

TEST(a_comma_is_decimal_only_between_digits) {
    double value = 0;
    size_t commas = 0;
    const char *text = "-20,75 ";
    assert_ptr_equal(text_read_number(text, text + 7, &value, &commas), text + 6);
    assert_true(value == -20.75);
    assert_int_equal(commas, 1);
    assert_int_equal(length_read("1, 2"), 1);
    assert_int_equal(length_read("1,2,3"), 3);
    assert_int_equal(length_read("1.5,2"), 3);
    assert_int_equal(length_read(",5"), 0);
    assert_int_equal(length_read("1,"), 1);
}

TEST(stops_where_the_number_does) {
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"1e", 1}, {"1e+", 1}, {"1.5x", 3}, {"1.2.3", 3}, {"", 0},
                 {"-", 0},  {".", 0},   {"nan", 0},  {"--1", 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (length_read(cases[i].text) != cases[i].length)
            fail_msg("%zu characters of '%s' are read", length_read(cases[i].text), cases[i].text);
}

TEST(never_reads_behind_the_end) {
    static const char text[] = "-12.5e-3";
    size_t size;
    for (size = 0; size <= strlen(text); size++) {
        char *copy = malloc(size + 1); /* one more byte, because malloc(0) may return NULL */
        double value;
        size_t commas = 0;
        assert_non_null(copy);
        memcpy(copy + 1, text, size);
        (void)text_read_number(copy + 1, copy + 1 + size, &value, &commas);
        free(copy);
    }
}

TEST(knows_the_words_for_what_is_not_finite) {
    static const char *const words[] = {"nan",       "-NaN",    "-nan(ind)", "inf",
                                        "+Infinity", "-1.#IND", "1.#QNAN0",  "-1.#INF00"};
    static const char *const others[] = {"information", "nano", "1.5", ""};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!text_is_not_finite(words[i], words[i] + strlen(words[i])))
            fail_msg("'%s' is finite", words[i]);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (text_is_not_finite(others[i], others[i] + strlen(others[i])))
            fail_msg("'%s' is not finite", others[i]);
}

static void check_written(double value, unsigned decimals, const char *expected) {
    char text[TEXT_FIXED_SIZE + 1];
    memset(text, '~', sizeof text);
    *text_write_fixed(text, value, decimals) = '\0';
    assert_string_equal(text, expected);
}

TEST(writes_known_numbers) {
    check_written(0.0, 6, "0.000000");
    check_written(-0.0, 6, "0.000000");
    check_written(-4e-7, 6, "0.000000");
    check_written(-6e-7, 6, "-0.000001");
    check_written(0.9999996, 6, "1.000000");
    check_written(-999.9999996, 6, "-1000.000000");
    check_written(90.0, 6, "90.000000");
    check_written(-123.456, 6, "-123.456000");
    check_written(1234567.25, 2, "1234567.25");
    check_written(2.5, 0, "2");
    check_written(1.0 / 3.0, 9, "0.333333333");
    check_written(9223372036854775808.0, 1, "9223372036854775808.0");
    check_written(-1e23, 3, "-99999999999999991611392.000");
}

TEST(writes_random_numbers_as_snprintf_does) {
    for (int i = 0; i < 200000; i++) {
        static const double scales[] = {1e-9, 1e-3, 1, 360, 1e5, 1e9, 1e14, 1e20, 1e300};
        char text[TEXT_FIXED_SIZE + 1], expected[400];
        double value = ((double)(random_bits() >> 11) * 0x1p-52 - 1.0) * scales[random_bits() % 9];
        unsigned decimals = (unsigned)(random_bits() % (TEXT_DECIMALS_MAX + 1));
        *text_write_fixed(text, value, decimals) = '\0';
        snprintf(expected, sizeof expected, "%.*f", (int)decimals, value);
        if (strtod(expected, NULL) == 0)
            snprintf(expected, sizeof expected, "%.*f", (int)decimals, 0.0);
        assert_string_equal(text, expected);
    }
}

TEST(the_largest_double_fits) {
    char text[TEXT_FIXED_SIZE + 1], expected[400];
    *text_write_fixed(text, -DBL_MAX, TEXT_DECIMALS_MAX) = '\0';
    snprintf(expected, sizeof expected, "%.*f", TEXT_DECIMALS_MAX, -DBL_MAX);
    assert_string_equal(text, expected);
    assert_true(strlen(text) < TEXT_FIXED_SIZE);
}

static void check_ratio(uint64_t num, uint64_t den, unsigned digits, const char *expected) {
    char text[64];
    memset(text, '~', sizeof text);
    assert_ptr_equal(text_write_ratio(text, num, den, digits), text + strlen(expected));
    assert_string_equal(text, expected);
}

TEST(ratios_have_the_digits_asked_for) {
    check_ratio(1, 120, 9, "0.00833333333");
    check_ratio(1, 60, 9, "0.0166666667");
    check_ratio(1001, 30000, 9, "0.0333666667");
    check_ratio(1, 25, 9, "0.0400000000");
    check_ratio(2, 1, 9, "2.00000000");
    check_ratio(999999999999, 1000000000000, 9, "1.000000000");
}

TEST(ratios_of_huge_parts_do_not_overflow) {
    check_ratio(9223372036854775807u, 9223372036854775806u, 17, "1.0000000000000000");
    check_ratio(1, 1000000000000000000u, 9, "0.00000000000000000100000000");
}

TEST(whole_numbers_saturate) {
    uint64_t value = 1;
    const char *text = "99999999999999999999999";
    assert_ptr_equal(text_read_integer(text, text + 23, &value), text + 23);
    assert_true(value == UINT64_MAX);
    assert_null(text_read_integer("x", text + 0, &value));
}
