/* SPDX-License-Identifier: MIT
 *
 * Tar archives for tests, entry by entry, with headers that may lie.
 */
#ifndef POSEMILL_TESTS_TAR_FILES_H
#define POSEMILL_TESTS_TAR_FILES_H

#include "file_bytes.h"

#include <stdint.h>

/* Types of entries. */
enum {
    TAR_FILE = '0',
    TAR_HARD_LINK = '1',
    TAR_LINK = '2',
    TAR_DEVICE = '3',
    TAR_FOLDER = '5',
    TAR_FIFO = '6'
};

typedef struct tar_entry {
    const char *name;
    char type;          /* 0: TAR_FILE */
    const char *target; /* of links */
    const char *data;
    size_t size;
    uint64_t claimed; /* the size in the header; 0: `size` */
} tar_entry;

void tar_add(file_bytes *tar, const tar_entry *entry);

/* A file whose text is also its size. */
void tar_add_text(file_bytes *tar, const char *name, const char *text);

/* Ends the archive and writes it to a file; frees it. */
void tar_put(file_bytes *tar, const char *path);

#endif
