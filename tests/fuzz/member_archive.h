/* SPDX-License-Identifier: MIT
 *
 * Archives that are in order, from the input of a fuzzer: a list of members, `name NUL size bytes`.
 */
#ifndef POSEMILL_FUZZ_MEMBER_ARCHIVE_H
#define POSEMILL_FUZZ_MEMBER_ARCHIVE_H

#include <string.h>

#include "fuzz.h"
#include "motion/npz/zip.h"
#include "support/file_bytes.h"

/* The first bit of the size selects deflate. */
static inline void make_archive(const char *data, size_t size, file_bytes *out) {
    const motion_sink sink = bytes_sink(out);
    zip_writer zip = {.sink = &sink};
    pm_error error;
    const char *at = data, *end = data + size;
    while (at < end) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        if (!stop || end - stop < 3)
            break;
        const size_t claimed = (size_t)(unsigned char)stop[1] | (size_t)(unsigned char)stop[2] << 8;
        const size_t left = (size_t)(end - stop - 3), length = claimed >> 1;
        const zip_member member = {.name = {at, (size_t)(stop - at)},
                                   .method = claimed & 1 ? ZIP_DEFLATED : ZIP_STORED};
        const zip_bytes bytes = {stop + 3, length < left ? length : left};
        require(zip_write_bytes(&zip, &member, bytes, &error) == PM_OK);
        at = bytes.data + bytes.size;
    }
    require(zip_write_end(&zip, (zip_bytes){"", 0}, &error) == PM_OK);
    zip_writer_release(&zip);
}

#endif
