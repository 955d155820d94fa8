/* SPDX-License-Identifier: MIT
 *
 * Tests of the escapes for terminals and JSON against an independent UTF-8 decoder: here
 * characters are decoded to code points and classified by those.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/base/json.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "oracle/random_tracks.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The code point of the character at the beginning and its number of bytes; -1 and 1 if there is
 * none. */
static long decode(const unsigned char *at, size_t size, size_t *length) {
    static const long min[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t wanted = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : 4;
    long number = at[0] & (wanted == 1 ? 0x7f : 0x7f >> wanted);
    *length = 1;
    if (wanted > size || (wanted == 4 && at[0] >> 3 != 30))
        return -1;
    for (size_t i = 1; i < wanted; i++) {
        if (at[i] >> 6 != 2)
            return -1;
        number = number << 6 | (at[i] & 0x3f);
    }
    if (number < min[wanted] || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff))
        return -1;
    *length = wanted;
    return number;
}

/* Controls, and what no one sees: marks and turns of direction, separators of lines, tags, and others of
 * Unicode's category Cf, but not U+200C and U+200D, which Persian and emoji are written with. */
static bool is_control(long number) {
    static const long marks[] = {0x61c, 0x180e, 0x200b, 0x200e, 0x200f, 0xfeff};
    bool mark = false;
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        mark = mark || number == marks[i];
    return mark || (number >= 0 && number < 0x20) || (number >= 0x7f && number < 0xa0) ||
           (number >= 0x2028 && number <= 0x202e) || (number >= 0x2060 && number <= 0x206f) ||
           (number >= 0xfff9 && number <= 0xfffb) || (number >= 0x1bca0 && number <= 0x1bca3) ||
           (number >= 0x1d173 && number <= 0x1d17a) || (number >= 0xe0001 && number <= 0xe007f);
}

/* The expected text, computed in a simple way. */
static size_t expected_text(const unsigned char *text, size_t size, char *out) {
    size_t used = 0, length = 0;
    for (size_t at = 0; at < size; at += length) {
        long number = decode(text + at, size - at, &length);
        for (size_t i = 0; i < length; i++)
            used += (size_t)sprintf(out + used, number < 0 || is_control(number) ? "\\x%02x" : "%c",
                                    text[at + i]);
    }
    return used;
}

/* Random bytes, with relevant ones more frequent than by chance. */
static size_t draw(random_source *source, unsigned char *text, size_t max) {
    static const char *const parts[] = {
        "\x1b[31m",     "\x7f",     "\xc2\x9b", "\xc3\xa9", "\xe6\xad\xa9", "\xf0\x9f\x95\xba",
        "\xed\xa0\x80", "\xc0\xaf", "walk",     "\n\r\t",   "\xe2\x82",     "\xf4\x90\x80\x80",
        "\u202e",       "\u2028",   "\u2069",   "\u200d",   "\ufeff",       "\U000e0041"};
    size_t size = 0;
    while (size + 8 < max && random_unit(source) < 0.95) {
        if (random_unit(source) < 0.5) {
            text[size++] = (unsigned char)random_bits(source);
        } else {
            const char *part = parts[random_bits(source) % (COUNT_OF(parts))];
            memcpy(text + size, part, strlen(part));
            size += strlen(part);
        }
    }
    return size;
}

TEST(control_characters_and_stray_bytes_are_shown_and_the_rest_stays_as_far_as_it_fits) {
    random_source source = random_start();
    unsigned char text[256];
    char wanted[sizeof text * 4 + 1], got[sizeof wanted];
    for (int round = 0; round < 40000; round++) {
        size_t size = draw(&source, text, sizeof text);
        size_t length = expected_text(text, size, wanted);
        size_t room = round % 2 ? 1 + (size_t)(random_bits(&source) % (length + 4)) : sizeof got;
        unsigned char *copy = malloc(size + 1); /* lets a sanitizer detect a read past the end */
        assert_non_null(copy);
        memcpy(copy, text, size);
        memset(got, 0x5a, sizeof got);
        size_t used = printable_text(got, room, (const char *)copy, size);
        free(copy);
        assert_true(used < room && used <= length);
        assert_memory_equal(got, wanted, used);
        assert_int_equal(got[used], '\0');
        for (size_t i = room; i < sizeof got; i++)
            assert_int_equal(got[i], 0x5a);
        /* As much as fits: the largest unit is a character escaped byte by byte. */
        assert_true(used == length || (round % 2 && used + 4 * 4 >= room));
        size_t max = (size_t)(random_bits(&source) % (size + 1));
        size_t cut = utf8_cut((const char *)text, size, max);
        assert_true(cut <= max && max - cut <= 3);
        size_t shown = printable_text(got, sizeof got, (const char *)text, cut);
        assert_memory_equal(got, wanted, shown);
    }
}

TEST(a_line_is_one_line_whatever_is_in_it) {
    SCOPED(free_at) char *text = NULL;
    size_t size = 0;
    FILE *file = os_text_begin(&text, &size);
    assert_non_null(file);
    printable_line(file, "%s -> %d", "a\nb\x1b]0;title\x07\xc2\x85.bvh", 7);
    assert_true(os_text_end(file, &text, &size));
    assert_string_equal(text, "a\\x0ab\\x1b]0;title\\x07\\xc2\\x85.bvh -> 7\n");
}

/* Checks for valid UTF-8 without control characters, and for valid JSON escapes. */
TEST(json_has_no_control_characters_either) {
    random_source source = random_start();
    unsigned char text[256];
    for (int round = 0; round < 5000; round++) {
        SCOPED(free_at) char *json_text = NULL;
        size_t size = draw(&source, text, sizeof text), json_size = 0, length = 0, at = 0;
        text[size] = '\0';
        size = strlen((const char *)text);
        FILE *file = os_text_begin(&json_text, &json_size);
        assert_non_null(file);
        json_writer json = {file, 0, false};
        json_write_string(&json, NULL, (const char *)text);
        assert_true(os_text_end(file, &json_text, &json_size));
        assert_true(json_size >= 2 && json_text[0] == '"' && json_text[json_size - 1] == '"');
        const unsigned char *out = (const unsigned char *)json_text + 1;
        const unsigned char *end = (const unsigned char *)json_text + json_size - 1;
        for (size_t step = 0; at < size; at += length, out += step) {
            char escape[16];
            long number = decode(text + at, size - at, &length);
            if (number > 0xffff && is_control(number)) {
                snprintf(escape, sizeof escape, "\\u%04x\\u%04x",
                         (unsigned)(0xd7c0 + (number >> 10)), (unsigned)(0xdc00 + number % 0x400));
            } else if (number < 0 || is_control(number)) {
                snprintf(escape, sizeof escape, "\\u%04x",
                         (unsigned)(number < 0 ? 0xfffd : number));
            } else if (number == '"' || number == '\\') {
                snprintf(escape, sizeof escape, "\\%c", (char)number);
            } else {
                memcpy(escape, text + at, length);
                escape[length] = '\0';
            }
            step = strlen(escape);
            assert_true((size_t)(end - out) >= step);
            assert_memory_equal(out, escape, step);
        }
        assert_ptr_equal(out, end);
    }
}
