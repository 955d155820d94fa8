/* SPDX-License-Identifier: MIT
 *
 * Members of tar archives, read from front to back: nothing is unpacked to the disk.
 */
#ifndef POSEMILL_TOOLS_BATCH_ARCHIVE_H
#define POSEMILL_TOOLS_BATCH_ARCHIVE_H

#include "items.h"

/* Whether a name is that of a tar archive: .tar, and .tar.gz, .tgz, .tar.xz, .tar.bz2, .tar.zst. */
bool archive_is_named(const char *path);

/* Adds the regular files of an archive whose names match. Does not read their data where the archive
 * can be sought in. Names have no leading / and no .., so that no output leaves its folder. On failure
 * prints and returns the code. */
cli_exit archive_list(const char *path, const char *match, batch_items *items);

typedef struct archive_reader archive_reader;

enum { ARCHIVE_REASON_SIZE = 256 };

/* Opens an archive to read members with rising `member`. False with a reason. */
bool archive_open(const char *path, archive_reader **reader, char reason[ARCHIVE_REASON_SIZE]);

/* Reads the data of a member into malloc'ed memory. The member must come after the last one that was
 * read. False with a reason. */
bool archive_read(archive_reader *reader, const batch_item *item, char **data, size_t *size,
                  char reason[ARCHIVE_REASON_SIZE]);
void archive_close(archive_reader **reader);

#endif
