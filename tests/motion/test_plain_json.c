/* SPDX-License-Identifier: MIT
 *
 * The parser of plain JSON against jansson's: what it reads has the same values in the same order, and
 * what jansson refuses it does not read.
 */
#include "motion/gltf/plain_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- comparison ---------------------------------------------------------------------------- */

/* Reads a text with both, from memory of exactly its size. Returns whether the parser read it. */
static bool is_read_alike(const char *text, size_t size) {
    char *exact = malloc(size + (size == 0 ? 1 : 0));
    assert_non_null(exact);
    memcpy(exact, text, size);
    json_t *read = plain_json_load(exact, size);
    json_t *expected = json_loadb(exact, size, JSON_ALLOW_NUL, NULL);
    free(exact);
    if (read) {
        if (!expected)
            fail_msg("jansson refuses '%.*s'", (int)size, text);
        char *a = json_dumps(read, 0), *b = json_dumps(expected, 0);
        assert_non_null(a);
        assert_string_equal(a, b);
        assert_true(json_equal(read, expected));
        free(a);
        free(b);
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

/* ---- tests --------------------------------------------------------------------------------- */

static const char document[] =
    " {\"asset\" : {\"version\":\"2.0\", \"generator\": \"\"},\t\"nodes\":[{\"name\":\"hip\","
    "\"children\":[1,2],\"rotation\":[0.5,-0.5,5e-1,0.50],\"extras\":null},{}],\r\n"
    "\"accessors\":[{\"count\":31,\"byteOffset\":-0,\"max\":[1.0E+3],\"normalized\":false}],"
    "\"names\":[\"a\\\"b\\\\\",\"\\u0000\",\"J\xc3\xb6rg\",\"\x7f\"],\"on\":true,\"\":[[]]} \n";

static void plain_documents_are_read(void **state) {
    (void)state;
    expect(true, document);
    expect(true, "[]");
    expect(true, "{}");
    expect(true, "[0,-1,123456789012345678,-123456789012345678]");
    expect(true, "[9223372036854775807,-9223372036854775808]");
    expect(true, "[1e308,-1e-320,0.0,-0.0,0e1,12345678901234567890.5]");
    expect(true, "{\"a\":1,\"b\":2,\"a\":{\"c\":3}}"); /* the last one counts */
    expect(true, "[\"\xf0\x9f\x99\x82 \\ud83d\\ude42 \\/\"]");
}

static void documents_with_errors_are_not_read(void **state) {
    (void)state;
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
        "[1e999]",
        "[9223372036854775808]",
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
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(false, texts[i]);
    assert_false(is_read_alike("[1]\0", 4));
    assert_false(is_read_alike("[\"\0\"]", 5));
}

/* jansson can read these. */
static void unusual_documents_are_left_to_jansson(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        char *key = repeated("k", 63 + i), *open = repeated("[", 128 + i);
        char *close = repeated("]", 128 + i);
        (void)snprintf(text, sizeof text, "{\"%s\":1}", key);
        expect(i == 0, text);
        (void)snprintf(text, sizeof text, "%s%s", open, close);
        expect(i == 0, text);
        free(key);
        free(open);
        free(close);
    }
    expect(false, "{\"J\xc3\xb6rg\":1}");
    expect(false, "{\"a\\\"\":1}");
}

static void deep_documents_do_not_exhaust_the_stack(void **state) {
    (void)state;
    char *lists = repeated("[", 1 << 20), *objects = repeated("{\"a\":", 1 << 20);
    expect(false, lists);
    expect(false, objects);
    free(lists);
    free(objects);
}

/* A character at a time is replaced by each of these, put in, or left out, and the end is cut off. */
static void changed_documents_are_read_alike(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_documents_are_read),
        cmocka_unit_test(documents_with_errors_are_not_read),
        cmocka_unit_test(unusual_documents_are_left_to_jansson),
        cmocka_unit_test(deep_documents_do_not_exhaust_the_stack),
        cmocka_unit_test(changed_documents_are_read_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
