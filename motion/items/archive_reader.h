/* SPDX-License-Identifier: MIT
 *
 * An archive that is read entry by entry. Included only in builds with libarchive.
 */
#pragma once

#include "motion/items/archive.h" /* this folder's: that of libarchive is in angle brackets */

#include <archive.h>
#include <archive_entry.h>

/* What is used of libarchive, which needs a dozen other libraries: where it is shared, it is opened with the first
 * archive, and not with the program. */
#define ARCHIVE_FUNCTIONS(F)                                                                       \
    F(entry_filetype)                                                                              \
    F(entry_hardlink)                                                                              \
    F(entry_pathname)                                                                              \
    F(entry_pathname_w)                                                                            \
    F(entry_size)                                                                                  \
    F(entry_size_is_set)                                                                           \
    F(entry_sparse_next)                                                                           \
    F(entry_sparse_reset)                                                                          \
    F(error_string)                                                                                \
    F(read_data)                                                                                   \
    F(read_free)                                                                                   \
    F(read_new)                                                                                    \
    F(read_next_header)                                                                            \
    F(read_open_fd)                                                                                \
    F(read_set_option)                                                                             \
    F(read_support_filter_bzip2)                                                                   \
    F(read_support_filter_gzip)                                                                    \
    F(read_support_filter_xz)                                                                      \
    F(read_support_filter_zstd)                                                                    \
    F(read_support_format_tar)

typedef struct archive_table {
#define ARCHIVE_FUNCTION(name) __typeof__(archive_##name) *name;
    ARCHIVE_FUNCTIONS(ARCHIVE_FUNCTION)
#undef ARCHIVE_FUNCTION
} archive_table;

/* Set by the first archive_open. */
extern archive_table archive_functions;

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
