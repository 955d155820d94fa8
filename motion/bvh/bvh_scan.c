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
#include <string.h>

text_span bvh_next_word(bvh_scan *scan) {
    text_span rest = {scan->at, (size_t)(scan->end - scan->at)}, word;
    (void)text_next_word(&rest, "", "{}", &word);
    scan->at = rest.begin;
    return word;
}

char *bvh_printable(text_span word, char text[BVH_PRINTABLE_SIZE]) {
    size_t size = utf8_cut(word.begin, word.size, BVH_PRINTABLE_BYTES);
    printable_text(text, BVH_PRINTABLE_SIZE, word.begin, size);
    return text;
}

bool bvh_next_number(bvh_scan *scan, const char *what, double *value) {
    text_span word = bvh_next_word(scan);
    const char *end = word.begin + word.size;
    if (text_read_number(word.begin, end, value, &scan->commas) != end)
        return bvh_refuse(scan, word.begin, "%s is '%s'; expected a number", what, BVH_SHOWN(word));
    if (!isfinite(*value))
        return bvh_refuse(scan, word.begin, "%s is too large; expected a finite number", what);
    return true;
}

static void refuse(bvh_scan *scan, const char *location, motion_about about, const char *reason,
                   va_list arguments) {
    char text[1024];
    if (!scan->failed) {
        vsnprintf(text, sizeof text, reason, arguments);
        motion_refuse(scan->error, "line %zu: %s", text_line_of(scan->begin, location), text);
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
    snprintf(text, BVH_JOINT_TEXT, "joint %zu (%s)", joint, BVH_SHOWN(model->joints[joint].name));
}

static const char first_word[] = "HIERARCHY";

static input_kind_found find_first_word(const char *bytes, size_t size) {
    static const char mark[] = "\xef\xbb\xbf";
    const bool is_cut = size < strlen(mark) && memcmp(bytes, mark, size) == 0;
    text_span word = text_skip_mark((text_span){bytes, size});
    for (; word.size > 0 && text_is_blank(*word.begin); word.size--)
        word.begin++;
    if (is_cut || word.size < strlen(first_word))
        return is_cut || text_begins(word, first_word) ? INPUT_KIND_UNKNOWN : INPUT_KIND_NO;
    word.size = strlen(first_word);
    return text_is(word, first_word) ? INPUT_KIND_YES : INPUT_KIND_NO;
}

const input_kind bvh_kind = {find_first_word,
                             "not a BVH file; expected HIERARCHY at the beginning"};
