/* SPDX-License-Identifier: MIT
 *
 * The scanner of BVH files: words, numbers, and failures with the line.
 */
#include "motion/bvh/bvh_scan.h"

#include "motion/base/printable.h"
#include "motion/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---------------------------------------------------------------------- */

bool bvh_is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bvh_text bvh_next_word(bvh_scan *scan) {
    const char *at = scan->at;
    bvh_text word;

    while (at < scan->end && bvh_is_blank(*at))
        at++;
    word.begin = at;
    if (at < scan->end && (*at == '{' || *at == '}'))
        at++;
    else
        while (at < scan->end && !bvh_is_blank(*at) && *at != '{' && *at != '}')
            at++;
    word.size = (size_t)(at - word.begin);
    scan->at = at;
    return word;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether `name` begins with the word, ignoring case. */
static bool begins_as(bvh_text word, const char *name) {
    size_t i;

    for (i = 0; i < word.size; i++)
        if (name[i] == '\0' || lower(word.begin[i]) != lower(name[i]))
            return false;
    return true;
}

bool bvh_word_is(bvh_text word, const char *name) {
    return begins_as(word, name) && name[word.size] == '\0';
}

char *bvh_printable(bvh_text word, char text[BVH_PRINTABLE_SIZE]) {
    size_t size = utf8_cut(word.begin, word.size, BVH_PRINTABLE_BYTES);

    printable_text(text, BVH_PRINTABLE_SIZE, word.begin, size);
    return text;
}

bool bvh_next_number(bvh_scan *scan, const char *what, double *value) {
    bvh_text word = bvh_next_word(scan);
    const char *end = word.begin + word.size;

    if (text_read_number(word.begin, end, value, &scan->commas) != end)
        return bvh_refuse(scan, word.begin, "%s is '%s'; expected a number", what,
                          bvh_printable(word, (char[BVH_PRINTABLE_SIZE]){0}));
    if (!isfinite(*value))
        return bvh_refuse(scan, word.begin, "%s is too large; expected a finite number", what);
    return true;
}

/* ---- failures --------------------------------------------------------------------- */

size_t bvh_line(const bvh_scan *scan, const char *location) {
    const char *at;
    size_t line = 1;

    for (at = scan->begin; at < location; at++)
        line += *at == '\n' || (*at == '\r' && (at + 1 == scan->end || at[1] != '\n'));
    return line;
}

static void refuse(bvh_scan *scan, const char *location, motion_about about, const char *reason,
                   va_list arguments) {
    char text[1024];

    if (!scan->failed) {
        vsnprintf(text, sizeof text, reason, arguments);
        motion_refuse(scan->error, "line %zu: %s", bvh_line(scan, location), text);
        motion_cure(scan->error, about.cure, about.cure_value, about.hint);
    }
    scan->failed = true;
}

bool bvh_refuse(bvh_scan *scan, const char *location, const char *reason, ...) {
    va_list arguments;

    va_start(arguments, reason);
    refuse(scan, location, (motion_about){.cure = NULL}, reason, arguments);
    va_end(arguments);
    return false;
}

bool bvh_refuse_about(bvh_scan *scan, const char *location, motion_about about, const char *reason,
                      ...) {
    va_list arguments;

    va_start(arguments, reason);
    refuse(scan, location, about, reason, arguments);
    va_end(arguments);
    return false;
}

bool bvh_out_of_memory(bvh_scan *scan) {
    if (!scan->failed)
        motion_refuse_memory(scan->error);
    scan->failed = true;
    return false;
}

void bvh_describe_joint(const bvh *model, size_t joint, char text[BVH_JOINT_TEXT]) {
    snprintf(text, BVH_JOINT_TEXT, "joint %zu (%s)", joint,
             bvh_printable(model->joints[joint].name, (char[BVH_PRINTABLE_SIZE]){0}));
}

bool bvh_grow(void **array, size_t count, size_t *capacity, size_t element_size) {
    size_t wanted;
    void *grown;

    if (count < *capacity)
        return true;
    if (*capacity > SIZE_MAX / 4 / element_size)
        return false;
    wanted = *capacity == 0 ? 16 : *capacity * 2;
    grown = realloc(*array, wanted * element_size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

/* ---- the kind ------------------------------------------------------------------- */

static const char byte_order_mark[] = {'\xef', '\xbb', '\xbf'};
static const char first_word[] = "HIERARCHY";

static input_kind_found find_first_word(const char *bytes, size_t size) {
    const char *at = bytes, *end = bytes + size;
    size_t mark = size < sizeof byte_order_mark ? size : sizeof byte_order_mark, left;

    if (memcmp(at, byte_order_mark, mark) == 0)
        at += mark;
    while (at < end && bvh_is_blank(*at))
        at++;
    left = (size_t)(end - at);
    if (left < sizeof first_word - 1)
        return begins_as((bvh_text){at, left}, first_word) ? INPUT_KIND_UNKNOWN : INPUT_KIND_NO;
    return bvh_word_is((bvh_text){at, sizeof first_word - 1}, first_word) ? INPUT_KIND_YES
                                                                          : INPUT_KIND_NO;
}

const input_kind bvh_kind = {find_first_word,
                             "not a BVH file; expected HIERARCHY at the beginning"};

void bvh_skip_byte_order_mark(bvh_scan *scan) {
    if ((size_t)(scan->end - scan->at) >= sizeof byte_order_mark &&
        memcmp(scan->at, byte_order_mark, sizeof byte_order_mark) == 0) {
        scan->at += sizeof byte_order_mark;
        scan->begin += sizeof byte_order_mark;
    }
}
