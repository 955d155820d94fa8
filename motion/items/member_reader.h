/* SPDX-License-Identifier: MIT
 *
 * Reads members of archives in the order of a plan, each archive from front to back.
 */
#ifndef POSEMILL_MOTION_MEMBER_READER_H
#define POSEMILL_MOTION_MEMBER_READER_H

#include "motion/items/archive.h"

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

#endif
