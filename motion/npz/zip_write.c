/* SPDX-License-Identifier: MIT
 *
 * Writes a ZIP archive from front to back. Sizes and checksums are known before a member is
 * written, so that readers that trust the header of a member find them there.
 */
#include "motion/npz/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "motion/npz/zip_fields.h"

enum {
    VERSION_20 = 20, /* deflate and folders */
    VERSION_45 = 45, /* zip64 */
    EXTRA64_SIZE = 28
};

/* The next record, with all its parts. */
typedef struct record {
    const zip_member *member;
    uint32_t crc;
    uint64_t size, packed_size, at;
    bool is64;
} record;

static pm_status put(zip_writer *writer, const void *data, size_t size, pm_error *error) {
    if (size == 0)
        return PM_OK;
    writer->at += size;
    return writer->sink->write(writer->sink->user, data, size, error);
}

/* The central directory grows in memory: it is written last. */
static bool append(zip_writer *writer, const void *data, size_t size) {
    if (size == 0)
        return true;
    if (size > writer->directory_room - writer->directory_size) {
        const size_t needed = writer->directory_size + size, doubled = 2 * writer->directory_room;
        const size_t room = doubled > needed ? doubled : needed + 4096;
        char *grown = realloc(writer->directory, room);
        if (!grown)
            return false;
        writer->directory = grown;
        writer->directory_room = room;
    }
    memcpy(writer->directory + writer->directory_size, data, size);
    writer->directory_size += size;
    return true;
}

/* Copies the fields except zip64, which states sizes. Bytes that are no field are dropped. */
static size_t copy_extra(char *out, zip_bytes extra) {
    size_t size = 0;
    while (extra.size >= 4) {
        const size_t field = (size_t)4 + zip_get16(extra.data + 2);
        if (field > extra.size)
            break;
        if (zip_get16(extra.data) != ZIP_EXTRA64) {
            memcpy(out + size, extra.data, field);
            size += field;
        }
        extra.data += field;
        extra.size -= field;
    }
    return size;
}

/* The extra field of a record; `central` adds the place of the member. Sizes above 65535 bytes
 * cannot be stated: then the other fields are dropped. */
static size_t make_extra(char *out, zip_bytes source, const record *r, bool central) {
    char *at = out;
    if (r->is64) {
        at = zip_put(at, ZIP_EXTRA64, 2);
        at = zip_put(at, central ? 24 : 16, 2);
        at = zip_put(at, r->size, 8);
        at = zip_put(at, r->packed_size, 8);
        if (central)
            at = zip_put(at, r->at, 8);
    }
    if (source.size + EXTRA64_SIZE <= UINT16_MAX)
        at += copy_extra(at, source);
    return (size_t)(at - out);
}

/* The check of a password is the time of a member with a descriptor, and the checksum of others: so
 * an encrypted member keeps its descriptor. */
static bool keeps_descriptor(const zip_member *member) {
    return (member->flags & ZIP_DESCRIPTOR) && (member->flags & ZIP_ENCRYPTED);
}

/* The part that both headers of a member have. */
static char *put_common(char *at, const record *r, size_t extra_size) {
    const zip_member *m = r->member;
    at = zip_put(at, r->is64 ? VERSION_45 : VERSION_20, 2);
    at = zip_put(at, m->flags & ~(keeps_descriptor(m) ? 0u : (unsigned)ZIP_DESCRIPTOR), 2);
    at = zip_put(at, m->method, 2);
    at = zip_put(at, m->time, 2);
    at = zip_put(at, m->date, 2);
    at = zip_put(at, r->crc, 4);
    at = zip_put(at, r->is64 ? UINT32_MAX : r->packed_size, 4);
    at = zip_put(at, r->is64 ? UINT32_MAX : r->size, 4);
    at = zip_put(at, m->name.size, 2);
    return zip_put(at, extra_size, 2);
}

static pm_status put_local(zip_writer *writer, const record *r, char *extra, pm_error *error) {
    char header[ZIP_LOCAL_SIZE];
    const size_t extra_size = make_extra(extra, r->member->local_extra, r, false);
    put_common(zip_put(header, ZIP_LOCAL, 4), r, extra_size);
    MOTION_TRY(put(writer, header, sizeof header, error));
    MOTION_TRY(put(writer, r->member->name.data, r->member->name.size, error));
    return put(writer, extra, extra_size, error);
}

static bool append_central(zip_writer *writer, const record *r, char *extra) {
    char header[ZIP_CENTRAL_SIZE];
    const zip_member *m = r->member;
    const size_t extra_size = make_extra(extra, m->extra, r, true);
    char *at = zip_put(zip_put(header, ZIP_CENTRAL, 4), m->made_by, 2);
    at = put_common(at, r, extra_size);
    at = zip_put(at, m->comment.size, 2);
    at = zip_put(at, 0, 2);
    at = zip_put(at, m->internal, 2);
    at = zip_put(at, m->external, 4);
    zip_put(at, r->is64 ? UINT32_MAX : r->at, 4);
    return append(writer, header, sizeof header) && append(writer, m->name.data, m->name.size) &&
           append(writer, extra, extra_size) && append(writer, m->comment.data, m->comment.size);
}

static pm_status put_descriptor(zip_writer *writer, const record *r, pm_error *error) {
    char text[24];
    const unsigned width = r->is64 ? 8 : 4;
    char *at = zip_put(zip_put(text, ZIP_AFTER, 4), r->crc, 4);
    at = zip_put(zip_put(at, r->packed_size, width), r->size, width);
    return put(writer, text, (size_t)(at - text), error);
}

/* Writes what stands before the data. */
static pm_status begin_record(zip_writer *writer, record *r, pm_error *error) {
    const uint64_t limit = UINT32_MAX;
    r->at = writer->at;
    r->is64 = r->size >= limit || r->packed_size >= limit || r->at >= limit;
    FREED char *extra = malloc(UINT16_MAX + EXTRA64_SIZE);
    MOTION_TRY_MEMORY(extra, error);
    MOTION_TRY_MEMORY(append_central(writer, r, extra), error);
    writer->count++;
    return put_local(writer, r, extra, error);
}

static pm_status put_record(zip_writer *writer, record r, const char *packed, pm_error *error) {
    MOTION_TRY(begin_record(writer, &r, error));
    MOTION_TRY(put(writer, packed, (size_t)r.packed_size, error));
    return keeps_descriptor(r.member) ? put_descriptor(writer, &r, error) : PM_OK;
}

zip_member zip_new_member(zip_bytes name, uint32_t external) {
    enum { UNIX = 3 << 8 | 20, NEW_YEAR_1980 = 1 << 5 | 1 };
    return (zip_member){.name = name,
                        .made_by = UNIX,
                        .method = ZIP_STORED,
                        .date = NEW_YEAR_1980,
                        .external = external};
}

pm_status zip_write_member(zip_writer *writer, const zip_member *member, pm_error *error) {
    const record r = {member, member->crc, member->size, member->packed.size, 0, false};
    return put_record(writer, r, member->packed.data, error);
}

struct zip_packing {
    z_stream stream;
    char *packed;
    size_t packed_size, room;
    uint32_t crc;
    uint64_t size; /* of the bytes */
};

zip_packing *zip_packing_begin(void) {
    zip_packing *packing = calloc(1, sizeof *packing);
    if (packing && deflateInit2(&packing->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                                Z_DEFAULT_STRATEGY) == Z_OK)
        return packing;
    free(packing);
    return NULL;
}

static bool grow(zip_packing *p, size_t left) {
    const size_t room = p->room ? p->room + p->room / 2 : left / 2 + 4096;
    char *grown = realloc(p->packed, room);
    if (!grown)
        return false;
    p->packed = grown;
    p->room = room;
    return true;
}

bool zip_packing_add(zip_packing *p, zip_bytes piece, bool is_last) {
    int answer = Z_OK;
    p->crc = zip_continue_checksum(p->crc, piece);
    p->size += piece.size;
    while (answer == Z_OK && (is_last || piece.size > 0)) {
        if (p->packed_size == p->room && !grow(p, piece.size))
            return false;
        const size_t in = piece.size < 1u << 30 ? piece.size : 1u << 30;
        const size_t free_size = p->room - p->packed_size;
        const size_t left = free_size < 1u << 30 ? free_size : 1u << 30;
        p->stream.next_in = (z_const Bytef *)piece.data;
        p->stream.avail_in = (uInt)in;
        p->stream.next_out = (Bytef *)p->packed + p->packed_size;
        p->stream.avail_out = (uInt)left;
        answer = deflate(&p->stream, is_last && in == piece.size ? Z_FINISH : Z_NO_FLUSH);
        piece.data += in - p->stream.avail_in;
        piece.size -= in - p->stream.avail_in;
        p->packed_size += left - p->stream.avail_out;
    }
    return answer == (is_last ? Z_STREAM_END : Z_OK);
}

pm_status zip_write_packing(zip_writer *writer, const zip_member *member,
                            const zip_packing *packing, pm_error *error) {
    const record r = {member, packing->crc, packing->size, packing->packed_size, 0, false};
    return put_record(writer, r, packing->packed, error);
}

void zip_packing_release(zip_packing *packing) {
    if (!packing)
        return;
    deflateEnd(&packing->stream);
    MOTION_FREE(packing->packed, packing);
}

pm_status zip_write_bytes(zip_writer *writer, const zip_member *member, zip_bytes bytes,
                          pm_error *error) {
    if (member->method == ZIP_STORED) {
        const record r = {member, zip_checksum(bytes), bytes.size, bytes.size, 0, false};
        return put_record(writer, r, bytes.data, error);
    }
    zip_packing *packing = zip_packing_begin();
    const pm_status status = packing && zip_packing_add(packing, bytes, true)
                                 ? zip_write_packing(writer, member, packing, error)
                                 : motion_refuse_memory(error);
    zip_packing_release(packing);
    return status;
}

pm_status zip_begin_stored(zip_writer *writer, const zip_member *member, uint32_t crc,
                           uint64_t size, pm_error *error) {
    record r = {.member = member, .crc = crc, .size = size, .packed_size = size};
    return begin_record(writer, &r, error);
}

pm_status zip_write_piece(zip_writer *writer, zip_bytes bytes, pm_error *error) {
    return put(writer, bytes.data, bytes.size, error);
}

static pm_status put_end64(zip_writer *writer, uint64_t at, pm_error *error) {
    char text[ZIP_END64_SIZE + ZIP_LOCATOR64_SIZE];
    const uint64_t end = writer->at;
    char *p = zip_put(zip_put(text, ZIP_END64, 4), ZIP_END64_SIZE - 12, 8);
    p = zip_put(zip_put(p, VERSION_45, 2), VERSION_45, 2);
    p = zip_put(p, 0, 8);
    p = zip_put(zip_put(p, writer->count, 8), writer->count, 8);
    p = zip_put(zip_put(p, writer->directory_size, 8), at, 8);
    p = zip_put(zip_put(zip_put(p, ZIP_LOCATOR64, 4), 0, 4), end, 8);
    zip_put(p, 1, 4);
    return put(writer, text, sizeof text, error);
}

pm_status zip_write_end(zip_writer *writer, zip_bytes comment, pm_error *error) {
    char text[ZIP_END_SIZE];
    const uint64_t at = writer->at, size = writer->directory_size, count = writer->count;
    const bool is64 = at >= UINT32_MAX || size >= UINT32_MAX || count >= UINT16_MAX;
    MOTION_TRY(put(writer, writer->directory, writer->directory_size, error));
    if (is64)
        MOTION_TRY(put_end64(writer, at, error));
    char *p = zip_put(zip_put(text, ZIP_END, 4), 0, 4);
    p = zip_put(zip_put(p, is64 ? UINT16_MAX : count, 2), is64 ? UINT16_MAX : count, 2);
    p = zip_put(zip_put(p, is64 ? UINT32_MAX : size, 4), is64 ? UINT32_MAX : at, 4);
    zip_put(p, comment.size, 2);
    MOTION_TRY(put(writer, text, sizeof text, error));
    return put(writer, comment.data, comment.size, error);
}

void zip_writer_release(zip_writer *writer) {
    free(writer->directory);
    writer->directory = NULL;
    writer->directory_size = writer->directory_room = 0;
}
