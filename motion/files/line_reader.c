/* SPDX-License-Identifier: MIT
 *
 * The buffer holds the longest line. What follows the first bytes of a longer one is skipped as it is
 * read.
 */
#include "motion/files/line_reader.h"

#include "motion/base/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool line_reader_begin(line_reader *reader, int file, size_t max) {
    memset(reader, 0, sizeof *reader);
    reader->file = file;
    reader->max = max;
    reader->buffer = malloc(max + 1);
    return reader->buffer != NULL;
}

void line_reader_end(line_reader *reader) {
    free(reader->buffer);
    reader->buffer = NULL;
}

/* Makes room and reads more. Returns 0 or an errno. */
static int fill(line_reader *reader) {
    if (reader->begin > 0) {
        memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
        reader->end -= reader->begin;
        reader->begin = 0;
    }
    if (reader->end == reader->max + 1) {
        reader->too_long += !reader->is_skipping;
        reader->is_skipping = true;
        reader->end = 0;
    }
    reader->seen = reader->end;
    const int64_t size =
        os_read(reader->file, reader->buffer + reader->end, reader->max + 1 - reader->end);
    if (size < 0)
        return errno;
    reader->at_end = size == 0;
    reader->end += (size_t)size;
    return 0;
}

/* Takes the bytes up to `end` as a line, or as the rest of one that is skipped. */
static bool take(line_reader *reader, size_t end, size_t next, const char **line, size_t *size) {
    const bool is_line = !reader->is_skipping;
    *line = reader->buffer + reader->begin;
    *size = end - reader->begin;
    reader->begin = reader->seen = next;
    reader->is_skipping = false;
    return is_line;
}

bool line_reader_next(line_reader *reader, const char **line, size_t *size, int *failure) {
    *failure = 0;
    while (*failure == 0) {
        const char *newline =
            memchr(reader->buffer + reader->seen, '\n', reader->end - reader->seen);
        if (newline) {
            const size_t at = (size_t)(newline - reader->buffer);
            if (take(reader, at, at + 1, line, size))
                return true;
        } else if (!reader->at_end) {
            *failure = fill(reader);
        } else {
            const bool is_rest = reader->end > reader->begin;
            return take(reader, reader->end, reader->end, line, size) && is_rest;
        }
    }
    return false;
}
