/* SPDX-License-Identifier: MIT
 *
 * ZIP archives in memory: the central directory, zip64, stored and deflated members. Nothing in an
 * archive is trusted: members lie inside the file and do not overlap, and a claimed size is not
 * allocated before its bytes are seen. The container is read and written here, so that stored
 * members are used in place and an archive can be written to a pipe; zlib compresses.
 */
#pragma once

#include "motion/model/model.h"

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

enum {
    ZIP_ENCRYPTED = 1 << 0,
    ZIP_DESCRIPTOR = 1 << 3 /* sizes stand after the data */
};

typedef struct zip_bytes {
    const char *data;
    size_t size;
} zip_bytes;

/* As the central directory has it. */
typedef struct zip_member {
    zip_bytes name, extra, comment, local_extra;
    uint16_t made_by, flags, method, time, date, internal;
    uint32_t external, crc;
    uint64_t size;    /* as claimed */
    zip_bytes packed; /* in the file */
} zip_member;

typedef struct zip_archive {
    zip_member *members; /* in the order of the central directory */
    size_t count;
    zip_bytes comment;
} zip_archive;

bool zip_recognise(const char *bytes, size_t size);

/* Reads the directory. Members are allocated in the arena and point into `data`. */
pm_status zip_open(motion_arena *arena, const char *data, size_t size, zip_archive *archive,
                   pm_error *error);

/* Refuses a member: "member 'poses.npy' is cut short". */
pm_status zip_refuse(pm_error *error, const zip_member *member, const char *problem);

/* Refuses a member that cannot be extracted, as far as the directory tells. */
pm_status zip_check(const zip_member *member, pm_error *error);
/* What all compressed members unpack to, as the directory claims; at most what their bytes can hold. */
uint64_t zip_unpacked_size(const zip_archive *archive);

/* Gives the bytes of a member: in place if stored, else decompressed into *owned, which the caller
 * frees. Their checksum is compared. */
pm_status zip_extract(const zip_member *member, zip_bytes *bytes, char **owned, pm_error *error);

/* Decompresses the first bytes, at most `room`. Returns how many there are; 0 also for a member that
 * cannot be decompressed. */
size_t zip_peek(const zip_member *member, char *bytes, size_t room);

uint32_t zip_checksum(zip_bytes bytes);

/* That of the bytes before, whose checksum is `before`, and these. */
uint32_t zip_continue_checksum(uint32_t before, zip_bytes bytes);

/* Zero-initialise, and set the sink. */
typedef struct zip_writer {
    const motion_sink *sink;
    uint64_t at;     /* bytes written */
    char *directory; /* the central directory so far */
    size_t directory_size, directory_room;
    uint64_t count;
} zip_writer;

/* What a new member has, which is stored: no time, and the attributes of a file. */
zip_member zip_new_member(zip_bytes name, uint32_t external);

/* Writes a member as it is, without decompressing it. */
pm_status zip_write_member(zip_writer *writer, const zip_member *member, pm_error *error);

/* Writes `bytes` in place of the member's, compressed as the member is. */
pm_status zip_write_bytes(zip_writer *writer, const zip_member *member, zip_bytes bytes,
                          pm_error *error);

/* New bytes of a member that are compressed piece by piece, into memory: the sizes stand before them. */
typedef struct zip_packing zip_packing;

/* NULL: memory is exhausted. */
zip_packing *zip_packing_begin(void);
/* False: memory is exhausted. */
bool zip_packing_add(zip_packing *packing, zip_bytes piece, bool is_last);
pm_status zip_write_packing(zip_writer *writer, const zip_member *member,
                            const zip_packing *packing, pm_error *error);
void zip_packing_release(zip_packing *packing); /* NULL is ignored */

/* Begins a new member that is stored. Pieces with `size` bytes in all must follow. */
pm_status zip_begin_stored(zip_writer *writer, const zip_member *member, uint32_t crc,
                           uint64_t size, pm_error *error);
pm_status zip_write_piece(zip_writer *writer, zip_bytes bytes, pm_error *error);

/* Writes the directory. */
pm_status zip_write_end(zip_writer *writer, zip_bytes comment, pm_error *error);

void zip_writer_release(zip_writer *writer);
