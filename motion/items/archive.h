/* SPDX-License-Identifier: MIT
 *
 * Members of tar archives, read from front to back by libarchive: nothing is unpacked to the disk. In
 * a build without libarchive every archive is refused.
 */
#pragma once

#include "motion/files/input.h"
#include "motion/items/items.h"

/* Whether a name is that of a tar archive: .tar, and .tar.gz, .tgz, .tar.xz, .tar.bz2, .tar.zst. */
bool archive_is_named(const char *path);

/* Adds the regular files of an archive whose names match and are not hidden. Does not read their data
 * where the archive is not compressed. Names have no leading / and no .., so that no output leaves its
 * folder. Of members with the same name the last one counts, as in unpacking. A link whose name
 * matches is an item with a fault. */
pm_status archive_list(const char *path, const char *match, batch_items *items, pm_error *error);

/* A member that a list names. */
typedef struct archive_wanted {
    char *archive, *member;
    size_t item;    /* its index among the items */
    bool has_bytes; /* false: those of the archive are set */
} archive_wanted;

/* Finds the places of members of one archive, which are sorted by name, and sets those of their items. One that is
 * not there or is not a regular file gets a fault, and where the archive cannot be read those that
 * were not found. Fails where memory is exhausted. */
pm_status archive_find(const char *path, const archive_wanted *wanted, size_t count,
                       batch_items *items, pm_error *error);

typedef struct archive_reader archive_reader;

enum { ARCHIVE_REASON_SIZE = INPUT_REASON_SIZE };

/* Opens an archive to read members with rising `member`. False with a reason. */
bool archive_open(const char *path, archive_reader **reader, char reason[ARCHIVE_REASON_SIZE]);

/* Reads the data of a member into malloc'ed memory, followed by one NUL byte that *size does not count.
 * The member must come after the last one that was read. Members have the bounds of files: the first
 * bytes are checked before more is read, and memory grows with what is there, up to the `bytes` of the
 * item; a member of another size or name has changed since it was listed. `kind` NULL accepts any.
 * False with a reason; then another member may still be read. */
bool archive_read(archive_reader *reader, const batch_item *item, const input_kind *kind,
                  char **data, size_t *size, char reason[ARCHIVE_REASON_SIZE]);
void archive_close(archive_reader **reader);

/* Reads members of archives in the order of a plan, each archive from front to back. */

/* Zero-initialise. */
typedef struct member_reader {
    archive_reader *archive; /* NULL: it could not be opened */
    const char *path;        /* of the archive that comes now, borrowed from its items */
} member_reader;

/* Reads the data of a member as archive_read does. The items of an archive come one after another, with
 * rising `member`; some may be left out. False with a reason. */
bool member_read(member_reader *r, const batch_item *item, const input_kind *kind, char **data,
                 size_t *size, char reason[ARCHIVE_REASON_SIZE]);

/* The next member may be any. */
void member_reader_close(member_reader *r);
