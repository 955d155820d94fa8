/* SPDX-License-Identifier: MIT
 *
 * Tests of what a record says about its machine: values in files of any content, and the system that
 * the test runs on.
 */
#include "runner/host.h"

#include "support/test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, const char *key, const char *wanted) {
    char value[HOST_TEXT];
    test_folder_put_text("values", text);
    host_read_value("values", key, value);
    assert_string_equal(value, wanted);
}

static void a_value_is_read_after_a_colon_or_an_equals_sign(void **state) {
    (void)state;
    expect("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nmodel name\t: other\n", "model name",
           "Some CPU @ 2 GHz");
    expect("NAME=\"Some OS\"\nPRETTY_NAME=\"Some OS 12 (name)\"\n", "PRETTY_NAME",
           "Some OS 12 (name)");
    expect("NAME=plain", "NAME", "plain");
}

static void a_line_without_the_key_or_a_value_is_passed_over(void **state) {
    (void)state;
    expect("model\t: 1\nmodel names: 2\n", "model name", "");
    expect("model name\n", "model name", "");
    expect("model name:\nmodel name: later\n", "model name", "later");
    expect("", "model name", "");
    char value[HOST_TEXT] = "before";
    host_read_value("no such file", "model name", value);
    assert_string_equal(value, "");
}

static void a_long_value_is_cut(void **state) {
    (void)state;
    char text[4096] = "key: ", value[HOST_TEXT];
    memset(text + 5, 'x', sizeof text - 6);
    text[sizeof text - 1] = '\0';
    test_folder_put_text("values", text);
    host_read_value("values", "key", value);
    assert_int_equal(strlen(value), HOST_TEXT - 2); /* a blank after the colon is cut off too */
    assert_int_equal(strspn(value, "x"), HOST_TEXT - 2);
}

static void odd_bytes_are_kept_for_the_writer_to_escape(void **state) {
    (void)state;
    expect("key: a\x01\xff\"b\n", "key", "a\x01\xff\"b");
    expect("key: \"\n", "key", "\"");
}

static void this_machine_has_a_processor_and_memory(void **state) {
    (void)state;
    const bench_host host = host_of_system();
    assert_true(host.cores >= 1);
    assert_true(host.memory_bytes > 1 << 20);
    assert_non_null(strstr(host.os, "Linux"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_read_after_a_colon_or_an_equals_sign),
        cmocka_unit_test(a_line_without_the_key_or_a_value_is_passed_over),
        cmocka_unit_test(a_long_value_is_cut),
        cmocka_unit_test(odd_bytes_are_kept_for_the_writer_to_escape),
        cmocka_unit_test(this_machine_has_a_processor_and_memory),
    };
    return cmocka_run_group_tests_name("host", tests, test_folder_enter, test_folder_leave);
}
