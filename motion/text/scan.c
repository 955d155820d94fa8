/* SPDX-License-Identifier: MIT
 *
 * Lines and words of files of text.
 */
#include "motion/text/scan.h"

#include <string.h>

#include "motion/text/text.h"

static bool is_among(char c, const char *bytes) {
    while (*bytes && *bytes != c)
        bytes++;
    return *bytes != '\0';
}

static bool is_blank(char c, const char *also) {
    return text_is_blank(c) || is_among(c, also);
}

text_span text_trim(text_span text, const char *also) {
    for (; text.size > 0 && is_blank(*text.begin, also); text.size--)
        text.begin++;
    while (text.size > 0 && is_blank(text.begin[text.size - 1], also))
        text.size--;
    return text;
}

bool text_next_line(text_span *rest, text_span *line, text_span *end) {
    size_t size = 0;
    if (rest->size == 0)
        return false;
    while (size < rest->size && rest->begin[size] != '\n' && rest->begin[size] != '\r')
        size++;
    *line = (text_span){rest->begin, size};
    const size_t left = rest->size - size;
    const bool pair = left >= 2 && rest->begin[size] == '\r' && rest->begin[size + 1] == '\n';
    *end = (text_span){rest->begin + size, pair ? 2 : left > 0 ? 1 : 0};
    *rest = (text_span){end->begin + end->size, left - end->size};
    return true;
}

bool text_next_word(text_span *rest, const char *also, const char *alone, text_span *word) {
    const char *at = rest->begin, *const end = at + rest->size;
    while (at < end && is_blank(*at, also))
        at++;
    word->begin = at;
    if (at < end && is_among(*at, alone))
        at++;
    else
        while (at < end && !is_blank(*at, also) && !is_among(*at, alone))
            at++;
    word->size = (size_t)(at - word->begin);
    *rest = (text_span){at, (size_t)(end - at)};
    return word->size > 0;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_begins(text_span word, const char *name) {
    for (size_t i = 0; i < word.size; i++)
        if (name[i] == '\0' || lower(word.begin[i]) != lower(name[i]))
            return false;
    return true;
}

bool text_is(text_span word, const char *name) {
    return text_begins(word, name) && name[word.size] == '\0';
}

bool text_is_number(text_span word, double *value) {
    const char *end = word.begin + word.size;
    size_t commas = 0;
    return word.size > 0 && text_read_number(word.begin, end, value, &commas) == end && commas == 0;
}

size_t text_line_of(const char *begin, const char *location) {
    text_span rest = {begin, (size_t)(location - begin)}, line, end = {begin, 0};
    size_t number = 0;
    while (text_next_line(&rest, &line, &end))
        number++;
    return number + (number == 0 || end.size > 0);
}

text_span text_skip_mark(text_span text) {
    const bool has_mark = text.size >= 3 && memcmp(text.begin, "\xef\xbb\xbf", 3) == 0;
    return has_mark ? (text_span){text.begin + 3, text.size - 3} : text;
}
