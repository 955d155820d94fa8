/* SPDX-License-Identifier: MIT
 *
 * Text that is printed into memory, and the order of texts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prints a text, or a part of one. False: memory is exhausted. */
typedef bool (*text_printer)(FILE *file, const void *content);

/* All that a printer prints, in the locale "C", malloc'ed, with a NUL that the size does not count. NULL:
 * memory is exhausted. */
char *compose_text(text_printer print, const void *content, size_t *size);

/* A text as of printf, malloc'ed. NULL: memory is exhausted. */
__attribute__((format(printf, 1, 2))) char *compose_format(const char *format, ...);

/* For qsort of pointers to texts. */
int compare_texts(const void *a, const void *b);
