/* SPDX-License-Identifier: MIT
 *
 * Tests of what a record says about its machine: values in files of any content, the system that the
 * test runs on, and its load.
 */
#include "runner/host.h"
#include "runner/load.h"

#include "support/test.h"
#include "support/test_folder.h"

#include <string.h>

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

TEST(a_long_value_is_cut) {
    char text[4096] = "key: ", value[HOST_TEXT];
    memset(text + 5, 'x', sizeof text - 6);
    text[sizeof text - 1] = '\0';
    test_folder_put_text("values", text);
    host_read_value("values", "key", value);
    assert_int_equal(strlen(value), HOST_TEXT - 2); /* a blank after the colon is cut off too */
    assert_int_equal(strspn(value, "x"), HOST_TEXT - 2);
}

TEST(odd_bytes_are_kept_for_the_writer_to_escape) {
    expect("key: a\x01\xff\"b\n", "key", "a\x01\xff\"b");
    expect("key: \"\n", "key", "\"");
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

/* 20 s of two processors: 10 s of work, of which this process did 9.9 s. */
TEST(a_machine_whose_work_is_ours_is_quiet) {
    const bench_load load = load_after("cpu  1800 0 700 10980 100 10 20 70 300 0\n", 9.9, 2);
    assert_true(load.known);
    assert_float_equal(load.others, 0.005, 1e-9);
    assert_float_equal(load.steal, 0.005, 1e-9);
    assert_false(load.busy);
}

TEST(work_of_others_makes_a_machine_busy) {
    const bench_load load = load_after("cpu  1800 200 500 10000 100 10 20 50 300 0\n", 9.0, 2);
    assert_float_equal(load.others, 1.0 / 15, 1e-9);
    assert_false(load.busy);
    assert_true(load_after("cpu  1800 200 500 10000 100 10 20 50 300 0\n", 8.0, 2).busy);
}

TEST(stolen_time_makes_a_machine_busy) {
    const bench_load load = load_after("cpu  1000 0 500 9800 100 10 20 250 300 0\n", 0, 1);
    assert_float_equal(load.steal, 0.1, 1e-9);
    assert_float_equal(load.others, 0, 1e-9);
    assert_true(load.busy);
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
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const load_counters odd = load_counters_in(texts[i], 100);
        assert_false(odd.known);
        assert_false(load_between(&odd, &sound, 1).known);
    }
    assert_false(load_counters_in(begin_stat, 0).known);
    assert_false(load_between(&sound, &sound, 1).known); /* no time has passed */
}

TEST_GROUP(test_folder_enter, test_folder_leave)
