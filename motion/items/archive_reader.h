/* SPDX-License-Identifier: MIT
 *
 * An archive that is read entry by entry. Included only in builds with libarchive.
 */
#pragma once

#include "motion/items/archive.h" /* this folder's: that of libarchive is in angle brackets */

#include <archive.h>
#include <archive_entry.h>

struct archive_reader {
    struct archive *archive;
    int file;                    /* -1: none */
    struct archive_entry *entry; /* of the last archive_next */
    const char *name;            /* of the entry; NULL: none */
    char *narrowed;              /* NULL, or the name */
    uint64_t place;              /* of the entry */
    bool begun;                  /* false: there is no entry yet */
};

typedef enum archive_step { ARCHIVE_AT_ENTRY, ARCHIVE_AT_END, ARCHIVE_BROKEN } archive_step;

/* Goes to the next entry. ARCHIVE_BROKEN with a reason. */
archive_step archive_next(archive_reader *reader, char reason[ARCHIVE_REASON_SIZE]);

/* Why an entry is not a file with data that may be read; NULL: it is one. */
const char *archive_fault_of(struct archive_entry *entry);
