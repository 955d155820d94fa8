/* SPDX-License-Identifier: MIT
 *
 * Text from outside, as people may see it: names of files, of joints and of devices, and words
 * of files may hold anything, and a terminal obeys control characters. Everything the command
 * prints for people goes through here; JSON has an escape of its own (json.h).
 */
#ifndef POSEMILL_TOOLS_PRINTABLE_H
#define POSEMILL_TOOLS_PRINTABLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at the beginning of `size` bytes, at least one; 0 when there is
 * none. Overlong forms, surrogates and what lies beyond U+10FFFF are none. */
size_t utf8_length(const char *text, size_t size);

/* Whether a character of utf8_length bytes is a control character: C0, DEL or C1. */
bool utf8_is_control(const char *character, size_t length);

enum { ESCAPED_BYTE_SIZE = 4 }; /* what one byte can become: \x1b */

/* Writes text with each byte of a control character, and each that is not UTF-8, as \x1b, and a
 * NUL behind. Cut between characters when `room` bytes, at least one, are too few. Returns
 * the length written. */
size_t printable_text(char *out, size_t room, const char *text, size_t size);

/* The most bytes of text, up to `most`, that do not end inside a UTF-8 character. */
size_t utf8_cut(const char *text, size_t size, size_t max);

/* printf of one line: the whole of what the format makes is shown as by printable_text, and a
 * newline follows. Written at once, so that lines of several processes do not mix. */
void printable_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* vprintf into memory to be freed. NULL when there is none. */
char *format_alloc(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

#endif
