/* SPDX-License-Identifier: MIT
 *
 * The parser of JSON against jansson's: both read the same documents, with the same values in the same
 * order; numbers that jansson cannot hold, which it alone reads, keep their text.
 */
#include "motion/gltf/plain_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* The value with numbers in place of their texts: what jansson reads, which has no others. */
static json_t *with_numbers(const json_t *value) {
    size_t size = 0;
    const char *text = plain_json_number_text(value, &size);
    json_t *made = NULL;
    if (text)
        return json_loadb(text, size, JSON_DECODE_ANY, NULL);
    if (json_is_array(value)) {
        made = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            assert_int_equal(json_array_append_new(made, with_numbers(json_array_get(value, i))),
                             0);
        return made;
    }
    if (!json_is_object(value))
        return json_deep_copy(value);
    made = json_object();
    json_t *object = (json_t *)(uintptr_t)value;
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i))
        assert_int_equal(json_object_set_new_nocheck(made, json_object_iter_key(i),
                                                     with_numbers(json_object_iter_value(i))),
                         0);
    return made;
}

/* Reads a text with both, from memory of exactly its size. Returns whether the parser read it, which
 * it does whenever jansson does. */
static bool is_read_alike(const char *text, size_t size) {
    char *exact = malloc(size + (size == 0 ? 1 : 0));
    plain_json_fault fault = {.text = ""};
    assert_non_null(exact);
    memcpy(exact, text, size);
    json_t *read = plain_json_load(exact, size, &fault);
    json_t *expected = json_loadb(exact, size, JSON_ALLOW_NUL, NULL);
    free(exact);
    if (!read != !expected && !memchr(text, '\0', size)) /* between values, jansson takes it */
        fail_msg("'%.*s' is %s, and jansson disagrees", (int)size, text,
                 read ? "read" : fault.text);
    if (read) {
        SCOPED(json_decrefp) json_t *numbers = with_numbers(read);
        SCOPED(free_at) char *a = json_dumps(numbers, 0), *b = json_dumps(expected, 0);
        assert_non_null(a);
        assert_string_equal(a, b);
    } else {
        assert_true(fault.text[0] != '\0' && fault.line > 0 && fault.column > 0);
    }
    const bool was_read = read != NULL;
    json_decref(read);
    json_decref(expected);
    return was_read;
}

static void expect(bool read, const char *text) {
    if (is_read_alike(text, strlen(text)) != read)
        fail_msg("'%s' is %s", text, read ? "not read" : "read");
}

/* `count` times the text. */
static char *repeated(const char *text, size_t count) {
    const size_t length = strlen(text);
    char *made = malloc(length * count + 1);
    assert_non_null(made);
    for (size_t i = 0; i < count; i++)
        memcpy(made + i * length, text, length);
    made[length * count] = '\0';
    return made;
}

static const char document[] =
    " {\"asset\" : {\"version\":\"2.0\", \"generator\": \"\"},\t\"nodes\":[{\"name\":\"hip\","
    "\"children\":[1,2],\"rotation\":[0.5,-0.5,5e-1,0.50],\"extras\":null},{}],\r\n"
    "\"accessors\":[{\"count\":31,\"byteOffset\":-0,\"max\":[1.0E+3],\"normalized\":false}],"
    "\"names\":[\"a\\\"b\\\\\",\"\\u0000\",\"J\xc3\xb6rg\",\"\x7f\"],\"on\":true,\"\":[[]]} \n";

TEST(plain_documents_are_read) {
    expect(true, document);
    expect(true, "[]");
    expect(true, "{}");
    expect(true, "[0,-1,123456789012345678,-123456789012345678]");
    expect(true, "[9223372036854775807,-9223372036854775808]");
    expect(true, "[1e308,-1e-320,0.0,-0.0,0e1,12345678901234567890.5]");
    expect(true, "{\"a\":1,\"b\":2,\"a\":{\"c\":3}}"); /* the last one counts */
    expect(true, "[\"\xf0\x9f\x99\x82 \\ud83d\\ude42 \\/\"]");
}

TEST(documents_with_errors_are_not_read) {
    static const char *const texts[] = {
        "",
        " ",
        "1",
        "\"a\"",
        "{",
        "}",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1]]",
        "[1] 2",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a",
        "{\"a\\",
        "[01]",
        "[-]",
        "[+1]",
        "[.5]",
        "[5.]",
        "[1e]",
        "[1.e5]",
        "[0x1]",
        "[1x]",
        "[-01]",
        "[1,2",
        "[tru]",
        "[truex]",
        "[nulll]",
        "[True]",
        "[nan]",
        "[\"a]",
        "[\"\\\"]",
        "[\"\\",
        "[\"\\x\"]",
        "[\"\\ud800\"]",
        "[\"\n\"]",
        "[\"\x1f\"]",
        "[\"\xff\"]",
        "[\"\xc3\"]",
        "[1]\f",
        "[\v1]",
        "\xef\xbb\xbf[]",
        "{\"\\u0000\":1}",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        expect(false, texts[i]);
    assert_false(is_read_alike("[1]\0", 4));
    assert_false(is_read_alike("[\"\0\"]", 5));
}

TEST(keys_of_any_kind_are_read) {
    for (size_t i = 0; i < 3; i++) {
        char text[512], *key = repeated("k", 62 + i);
        (void)snprintf(text, sizeof text, "{\"%s\":1,\"a\":[{\"%s\":{}}]}", key, key);
        expect(true, text);
        free(key);
    }
    expect(true, "{\"J\xc3\xb6rg\":1}");
    expect(true, "{\"a\\\"\":{\"\\u00e4\":[]}}");
    expect(false, "{\"a\xff\":1}");
}

static void expect_text(const char *text, double number) {
    char list[512];
    plain_json_fault fault;
    size_t size = 0;
    (void)snprintf(list, sizeof list, "[%s]", text);
    SCOPED(json_decrefp) json_t *array = plain_json_load(list, strlen(list), &fault);
    const json_t *value = json_array_get(array, 0);
    const char *kept = plain_json_number_text(value, &size);
    if (!kept || size != strlen(text) || memcmp(kept, text, size) != 0)
        fail_msg("%s is not kept", text);
    assert_true(plain_json_is_number(value));
    assert_false(plain_json_is_string(value));
    assert_true(plain_json_number(value) == number);
}

TEST(numbers_that_are_no_plain_integers_keep_their_text) {
    expect_text("18446744073709551615", 18446744073709551615.0);
    expect_text("9223372036854775808", 9223372036854775808.0);
    expect_text("-9223372036854775809", -9223372036854775809.0);
    expect_text("1000000000000000000", 1e18);
    expect_text("3.14159265358979323846264338327950288", 3.14159265358979323846);
    expect_text("1e400", (double)INFINITY);
    expect_text("-1E+400", -(double)INFINITY);
    expect_text("-0", 0);
    expect_text("0.10", 0.1);
    expect_text("1.0", 1);
    expect_text("5e-1", 0.5);
    SCOPED(free_at) char *digits = repeated("12", 150);
    expect_text(digits, strtod(digits, NULL));
}

TEST(plain_integers_and_strings_are_jansson_s) {
    plain_json_fault fault;
    static const char text[] = "[0,-7,999999999999999999,\"1.5\",\"\",null]";
    SCOPED(json_decrefp) json_t *array = plain_json_load(text, sizeof text - 1, &fault);
    for (size_t i = 0; i < 6; i++) {
        const json_t *value = json_array_get(array, i);
        size_t size = 0;
        assert_null(plain_json_number_text(value, &size));
        assert_true(plain_json_is_number(value) == (i < 3));
        assert_true(plain_json_is_string(value) == (i == 3 || i == 4));
        assert_true(i > 2 || json_is_integer(value));
    }
    assert_true(plain_json_number(json_array_get(array, 1)) == -7);
}

TEST(faults_have_their_place) {
    static const struct {
        const char *text;
        size_t line, column;
    } faults[] = {{"{\"a\":1,\n \"b\":}", 2, 6}, {"[1,\n2,\n03]", 3, 1}, {"[\"\\x\"]", 1, 2}};
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        plain_json_fault fault;
        assert_null(plain_json_load(faults[i].text, strlen(faults[i].text), &fault));
        assert_int_equal(fault.line, faults[i].line);
        assert_int_equal(fault.column, faults[i].column);
        assert_true(fault.text[0] != '\0');
    }
}

/* A character at a time is replaced by each of these, put in, or left out, and the end is cut off. */
TEST(changed_documents_are_read_alike) {
    static const char others[] = "\"\\{}[],: \n0-9.eEtn\x01\x7f\x80\xc3u";
    const size_t size = sizeof document - 1;
    char text[sizeof document];
    size_t read = 0;
    for (size_t i = 0; i < size; i++) {
        for (size_t c = 0; c < sizeof others; c++) { /* NUL too */
            memcpy(text, document, size);
            text[i] = others[c];
            read += is_read_alike(text, size);
            memcpy(text + i + 1, document + i, size - i);
            read += is_read_alike(text, size + 1);
        }
        memcpy(text, document, i);
        memcpy(text + i, document + i + 1, size - i - 1);
        read += is_read_alike(text, size - 1);
        read += is_read_alike(document, i);
    }
    assert_in_range(read, size, size * 2 * sizeof others);
}
