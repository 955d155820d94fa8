/* SPDX-License-Identifier: MIT
 *
 * The bytes of a member. Deflated ones grow into memory as they appear, up to the size that the
 * directory claims, which in turn must be one that deflate can reach.
 */
#include "motion/npz/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "motion/files/input.h"

enum {
    MAX_RATIO = 1032, /* of deflate: 258 bytes in 2 bits */
    FIRST_STEP = 1 << 16
};

/* NULL, or why the member cannot be extracted. */
static const char *obstacle_of(const zip_member *member) {
    if (member->flags & ZIP_ENCRYPTED)
        return "is encrypted";
    if (member->method != ZIP_STORED && member->method != ZIP_DEFLATED)
        return "has an unknown compression; expected stored or deflated";
    return NULL;
}

pm_status zip_check(const zip_member *member, pm_error *error) {
    const char *obstacle = obstacle_of(member);
    if (obstacle)
        return zip_refuse(error, member, obstacle);
    if (member->method == ZIP_STORED && member->size != member->packed.size)
        return zip_refuse(error, member, "is stored, but has two sizes");
    if (member->method == ZIP_DEFLATED && member->size / MAX_RATIO > member->packed.size)
        return zip_refuse(error, member, "claims more bytes than deflate can hold");
    if (member->size > input_machine_bounds().file)
        return zip_refuse(error, member, "is larger than the memory of this machine");
    return PM_OK;
}

uint64_t zip_unpacked_size(const zip_archive *archive) {
    uint64_t sum = 0;
    for (size_t i = 0; i < archive->count; i++) {
        const zip_member *m = &archive->members[i];
        const uint64_t most = (uint64_t)m->packed.size * MAX_RATIO;
        if (m->method == ZIP_DEFLATED)
            sum += m->size < most ? m->size : most;
    }
    return sum;
}

/* zlib counts in 32 bits. */
static uInt at_most_int(size_t size) {
    return size < 1u << 30 ? (uInt)size : 1u << 30;
}

uint32_t zip_continue_checksum(uint32_t before, zip_bytes bytes) {
    uLong crc = before;
    while (bytes.size > 0) {
        const uInt step = at_most_int(bytes.size);
        crc = crc32(crc, (const Bytef *)bytes.data, step);
        bytes.data += step;
        bytes.size -= step;
    }
    return (uint32_t)crc;
}

uint32_t zip_checksum(zip_bytes bytes) {
    return zip_continue_checksum(0, bytes);
}

static bool begin(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return inflateInit2(stream, -MAX_WBITS) == Z_OK;
}

/* Inflates until `room` bytes are there or the data end. Returns zlib's answer. */
static int inflate_to(z_stream *stream, zip_bytes *packed, char *out, size_t *size, size_t room) {
    int answer = Z_OK;
    while (*size < room && answer == Z_OK) {
        stream->next_in = (z_const Bytef *)packed->data;
        stream->avail_in = at_most_int(packed->size);
        stream->next_out = (Bytef *)out + *size;
        stream->avail_out = at_most_int(room - *size);
        const uInt in = stream->avail_in, left = stream->avail_out;
        answer = inflate(stream, Z_NO_FLUSH);
        packed->data += in - stream->avail_in;
        packed->size -= in - stream->avail_in;
        *size += left - stream->avail_out;
    }
    return answer;
}

/* One byte more than claimed is asked for, so that the end of the data is seen. */
static pm_status inflate_all(z_stream *stream, const zip_member *member, char **out,
                             pm_error *error) {
    zip_bytes packed = member->packed;
    size_t size = 0, room = 0;
    const size_t wanted = (size_t)member->size + 1;
    int answer = Z_OK;
    while (answer == Z_OK && size < wanted) {
        size_t next = room < FIRST_STEP ? FIRST_STEP : 2 * room;
        next = next < wanted && next > room ? next : wanted;
        char *grown = realloc(*out, next);
        MOTION_TRY_MEMORY(grown, error);
        *out = grown;
        room = next;
        answer = inflate_to(stream, &packed, *out, &size, room);
    }
    if (answer == Z_MEM_ERROR)
        return motion_refuse_memory(error);
    if (answer != Z_STREAM_END || size != member->size)
        return zip_refuse(error, member,
                          "has damaged data, or another size than the directory says");
    return PM_OK;
}

pm_status zip_extract(const zip_member *member, zip_bytes *bytes, char **owned, pm_error *error) {
    z_stream stream;
    *bytes = member->packed;
    MOTION_TRY(zip_check(member, error));
    if (member->method == ZIP_DEFLATED) {
        MOTION_TRY_MEMORY(begin(&stream), error);
        const pm_status status = inflate_all(&stream, member, owned, error);
        inflateEnd(&stream);
        if (status != PM_OK) {
            free(*owned);
            *owned = NULL;
            return status;
        }
        *bytes = (zip_bytes){*owned, (size_t)member->size};
    }
    if (zip_checksum(*bytes) != member->crc)
        return zip_refuse(error, member, "has damaged data: its checksum disagrees");
    return PM_OK;
}

size_t zip_peek(const zip_member *member, char *bytes, size_t room) {
    zip_bytes packed = member->packed;
    size_t size = 0;
    z_stream stream;
    if (obstacle_of(member))
        return 0;
    if (member->method == ZIP_STORED) {
        size = packed.size < room ? packed.size : room;
        memcpy(bytes, packed.data, size);
        return size;
    }
    if (!begin(&stream))
        return 0;
    inflate_to(&stream, &packed, bytes, &size, room);
    inflateEnd(&stream);
    return size;
}
