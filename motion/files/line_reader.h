/* SPDX-License-Identifier: MIT
 *
 * Lines of a file, in a buffer of bounded size.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct line_reader {
    int file;         /* borrowed */
    char *buffer;     /* of max + 1 bytes */
    size_t max;       /* the longest line, without its newline */
    size_t begin;     /* of the next line */
    size_t seen, end; /* bytes from begin to seen have no newline */
    size_t too_long;  /* lines that were left out */
    bool at_end, is_skipping;
} line_reader;

/* False: memory is exhausted. */
bool line_reader_begin(line_reader *reader, int file, size_t max);

/* The next line, without its newline, valid until the next call. The last one may have none. False at
 * the end with *failure 0, or with an errno. */
bool line_reader_next(line_reader *reader, const char **line, size_t *size, int *failure);

void line_reader_end(line_reader *reader);
