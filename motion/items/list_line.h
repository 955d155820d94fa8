/* SPDX-License-Identifier: MIT
 *
 * Lists of inputs, a line each.
 */
#pragma once

#include "motion/items/items.h"

#include <posemill/posemill.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lines of a list of files: one path, or one JSON object, which begins with {. Nothing is opened
 * here. */

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

/* Lists of files. */

/* Adds the files of a list, or of standard input for "-". Sizes are those of the list; only where it
 * has none are files looked at, and those that cannot be used get a fault. */
pm_status list_file_read(const char *path, batch_items *items, pm_error *error);

/* The same of a list in memory. */
pm_status list_text_read(const char *label, const char *text, size_t size, batch_items *items,
                         pm_error *error);

/* Writes lists of files, which list_file.h reads. */

/* The items without a fault, or the `whole` of them, as one JSON object a line in malloc'ed memory, sorted by
 * path: "path", "member" of an archive, "bytes", "out" where the name does not follow from the path, "rate"
 * and "layout" where the item has them. Texts that are not UTF-8 are there once more as bytes, with the
 * key "path_bytes" and the like. A whole list has "out" of all, so that their paths may be replaced, and
 * no "bytes" of items with a fault: the reader of the list finds the fault again. NULL: memory is
 * exhausted. */
char *list_write_text(const batch_items *items, bool whole, size_t *size);

/* Writes the items without a fault to a file, or to standard output for "-", whole or not at all. */
pm_status list_write(const char *path, const batch_items *items, pm_error *error);
