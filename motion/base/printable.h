/* SPDX-License-Identifier: MIT
 *
 * Makes untrusted text printable. Names of files, joints and devices, and words of files can
 * contain any bytes, and a terminal obeys control characters. All text output of the command
 * passes through here; JSON has its own escapes (json.h).
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The length of the UTF-8 character at the beginning of `size` bytes; 0 if there is none. Overlong
 * forms, surrogates and code points beyond U+10FFFF are not characters. */
size_t utf8_length(const char *text, size_t size);

/* The code point of a character of utf8_length bytes. */
uint32_t utf8_code(const char *character, size_t length);

/* Writes a code point, at most 4 bytes; those that are none as U+FFFD. Returns the bytes written. */
size_t utf8_write(char *out, uint32_t code);

/* Whether a character of utf8_length bytes changes how a terminal shows others, or is not seen: C0,
 * DEL, C1, separators of lines, and formats such as those that turn the direction of text. */
bool utf8_is_control(const char *character, size_t length);

enum { ESCAPED_BYTE_SIZE = 4 }; /* length of the escape \x1b */

/* Copies text with each byte of a control character and each byte that is not UTF-8 escaped as
 * \x1b, and appends a NUL. If `room` bytes (at least one) are too few, the text is cut between
 * characters. Returns the length written. */
size_t printable_text(char *out, size_t room, const char *text, size_t size);

/* The largest size up to `max` that does not end inside a UTF-8 character of text. */
size_t utf8_cut(const char *text, size_t size, size_t max);

/* printf of one line: the formatted text is escaped as by printable_text and a newline is appended.
 * Written in one call, so that lines of several processes do not mix. */
void printable_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* vprintf into malloc'ed memory. NULL when memory is exhausted. */
char *format_alloc(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
