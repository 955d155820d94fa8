/* SPDX-License-Identifier: MIT
 *
 * One archive is open at a time.
 */
#include "motion/items/archive.h"

#include <stdio.h>
#include <string.h>

bool member_read(member_reader *r, const batch_item *item, const input_kind *kind, char **data,
                 size_t *size, char reason[ARCHIVE_REASON_SIZE]) {
    if (!r->path || strcmp(r->path, item->archive) != 0) {
        archive_close(&r->archive);
        r->path = item->archive;
        if (!archive_open(item->archive, &r->archive, reason))
            return false;
    }
    if (!r->archive) {
        snprintf(reason, ARCHIVE_REASON_SIZE, "the archive cannot be read");
        return false;
    }
    return archive_read(r->archive, item, kind, data, size, reason);
}

void member_reader_close(member_reader *r) {
    archive_close(&r->archive);
    r->path = NULL;
}
