/* SPDX-License-Identifier: MIT
 *
 * Lines and words of a text of any encoding. Texts that are read are not NUL-terminated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct text_span {
    const char *begin;
    size_t size;
} text_span;

/* A blank or a line end. */
static inline bool text_is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Without blanks, and bytes of `also`, around it. */
text_span text_trim(text_span text, const char *also);

/* Takes the next line from a text, and what ends it: LF, CR or CRLF. False at the end of the text. */
bool text_next_line(text_span *rest, text_span *line, text_span *end);

/* Takes the next word from a text. Bytes of `also` count as blanks, and each of `alone` is a word. False, and
 * an empty word, at the end of the text. */
bool text_next_word(text_span *rest, const char *also, const char *alone, text_span *word);

/* Whether a word is `name`, or begins it, ignoring case. */
bool text_is(text_span word, const char *name);
bool text_begins(text_span word, const char *name);

/* Whether a word as a whole is a number, without a decimal comma. */
bool text_is_number(text_span word, double *value);

/* The number of the line that has a location in a text that begins at `begin`, from 1. */
size_t text_line_of(const char *begin, const char *location);

/* The text behind its byte order mark. */
text_span text_skip_mark(text_span text);
