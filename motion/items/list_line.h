/* SPDX-License-Identifier: MIT
 *
 * The lines of a list of files: one path, or one JSON object, which begins with {. Nothing is opened
 * here.
 */
#ifndef POSEMILL_MOTION_LIST_LINE_H
#define POSEMILL_MOTION_LIST_LINE_H

#include <posemill/posemill.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIST_REASON_SIZE = 384, LIST_OBJECT_MAX = 1 << 20 };

/* More than any file has; a sum over many files must not overflow. */
#define LIST_BYTES_MAX (UINT64_C(1) << 50)

typedef struct list_line {
    size_t number;    /* from 1 */
    char *path;       /* not empty */
    char *member;     /* of the tar archive `path`. NULL: the path is that of a file */
    char *out;        /* NULL: by the path. Relative, and without . and .. */
    char *layout;     /* NULL: none */
    pm_rational rate; /* 0/0: none */
    bool has_nul;     /* in a text above, which is shown with escapes: no system opens it */
    bool has_bytes;
    uint64_t bytes;
} list_line;

/* The text of a list that is left. */
typedef struct list_text {
    const char *at, *end;
    size_t lines; /* those that were read */
} list_text;

typedef enum list_found { LIST_LINE, LIST_END, LIST_BAD } list_found;

list_text list_text_of(const char *data, size_t size);

/* Reads the next line that is not empty. LIST_BAD with a reason; `line->number` is set then too.
 * Release the line in any case. */
list_found list_next(list_text *text, list_line *line, char reason[LIST_REASON_SIZE]);
void list_line_release(list_line *line);

#endif
