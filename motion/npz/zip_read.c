/* SPDX-License-Identifier: MIT
 *
 * The directory of a ZIP archive: from the record at the end of the file to the place of every
 * member's data. Offsets are compared with what is left, never added first.
 */
#include "motion/npz/zip.h"

#include <stdlib.h>
#include <string.h>

#include "motion/npz/zip_fields.h"

bool zip_recognise(const char *bytes, size_t size) {
    return size >= 4 && (zip_get32(bytes) == ZIP_LOCAL || zip_get32(bytes) == ZIP_END);
}

/* Where the central directory lies. */
typedef struct directory {
    uint64_t at, size, count;
    uint64_t limit; /* the record that follows it */
} directory;

/* The last end record whose comment fits into the file; `size` if there is none. */
static size_t find_end(const char *data, size_t size) {
    if (size < ZIP_END_SIZE)
        return size;
    const size_t last = size - ZIP_END_SIZE, first = last > UINT16_MAX ? last - UINT16_MAX : 0;
    for (size_t at = last + 1; at-- > first;)
        if (zip_get32(data + at) == ZIP_END && zip_get16(data + at + 20) <= last - at)
            return at;
    return size;
}

/* Replaces the directory by the one of the zip64 record, if a number of the end record is too small
 * for the archive. Bytes of other archives can look like a zip64 record. */
static pm_status read_end64(const char *data, size_t end, directory *d, pm_error *error) {
    const bool is_full = d->count == UINT16_MAX || d->size == UINT32_MAX || d->at == UINT32_MAX;
    if (!is_full || end < ZIP_LOCATOR64_SIZE ||
        zip_get32(data + end - ZIP_LOCATOR64_SIZE) != ZIP_LOCATOR64)
        return PM_OK;
    const size_t locator = end - ZIP_LOCATOR64_SIZE;
    const uint64_t at = zip_get64(data + locator + 8);
    if (locator < ZIP_END64_SIZE || at > locator - ZIP_END64_SIZE ||
        zip_get32(data + at) != ZIP_END64)
        return motion_refuse(error, "ZIP archive is damaged: its zip64 record is not at byte %llu",
                             (unsigned long long)at);
    *d = (directory){.at = zip_get64(data + at + 48),
                     .size = zip_get64(data + at + 40),
                     .count = zip_get64(data + at + 32),
                     .limit = at};
    return PM_OK;
}

static pm_status find_directory(const char *data, size_t size, directory *d, zip_bytes *comment,
                                pm_error *error) {
    const size_t end = find_end(data, size);
    if (end == size)
        return motion_refuse(error, "ZIP archive is cut short: it has no end record");
    *comment = (zip_bytes){data + end + ZIP_END_SIZE, zip_get16(data + end + 20)};
    *d = (directory){.at = zip_get32(data + end + 16),
                     .size = zip_get32(data + end + 12),
                     .count = zip_get16(data + end + 10),
                     .limit = end};
    MOTION_TRY(read_end64(data, end, d, error));
    if (d->at > d->limit || d->size > d->limit - d->at || d->count > d->size / ZIP_CENTRAL_SIZE)
        return motion_refuse(error,
                             "ZIP archive is damaged: its directory of %llu members and %llu bytes "
                             "at byte %llu does not fit before byte %llu",
                             (unsigned long long)d->count, (unsigned long long)d->size,
                             (unsigned long long)d->at, (unsigned long long)d->limit);
    return PM_OK;
}

pm_status zip_refuse(pm_error *error, const zip_member *member, const char *problem) {
    return motion_refuse(error, "member '%s' %s",
                         MOTION_SHOWN(member->name.data, member->name.size), problem);
}

/* The zip64 numbers of an extra field, in their order; those that 32 bits can hold are missing. */
static bool read_extra64(zip_bytes extra, uint64_t *const wanted[], size_t count) {
    const char *at = extra.data, *end = extra.data + extra.size;
    if (count == 0)
        return true;
    while (end - at >= 4) {
        const uint16_t id = zip_get16(at), size = zip_get16(at + 2);
        at += 4;
        if (size > end - at)
            return false;
        if (id == ZIP_EXTRA64) {
            for (size_t i = 0; i < count && 8 * (i + 1) <= size; i++)
                *wanted[i] = zip_get64(at + 8 * i);
            return 8 * count <= size;
        }
        at += size;
    }
    return false;
}

/* Finds the data behind the local header, which must be of the same member. */
static pm_status find_data(const char *data, uint64_t limit, uint64_t at, uint64_t packed,
                           zip_member *member, pm_error *error) {
    if (at > limit || limit - at < ZIP_LOCAL_SIZE || zip_get32(data + at) != ZIP_LOCAL)
        return zip_refuse(error, member, "has no header where the directory says");
    const char *local = data + at;
    const size_t name = zip_get16(local + 26), extra = zip_get16(local + 28);
    const uint64_t rest = limit - at - ZIP_LOCAL_SIZE;
    if (name + extra > rest || packed > rest - name - extra)
        return zip_refuse(error, member, "is cut short");
    if (name != member->name.size || memcmp(local + ZIP_LOCAL_SIZE, member->name.data, name) != 0)
        return zip_refuse(error, member, "has another name in its own header");
    member->local_extra = (zip_bytes){local + ZIP_LOCAL_SIZE + name, extra};
    member->packed = (zip_bytes){local + ZIP_LOCAL_SIZE + name + extra, (size_t)packed};
    return PM_OK;
}

/* Reads the entry at *at, which is advanced. */
static pm_status read_entry(const char *data, const directory *d, uint64_t *at, zip_member *member,
                            pm_error *error) {
    const uint64_t rest = d->at + d->size - *at;
    const char *entry = data + *at;
    if (rest < ZIP_CENTRAL_SIZE || zip_get32(entry) != ZIP_CENTRAL)
        return motion_refuse(error,
                             "ZIP archive is damaged: its directory has no entry at byte %llu",
                             (unsigned long long)*at);
    const size_t name = zip_get16(entry + 28), extra = zip_get16(entry + 30),
                 comment = zip_get16(entry + 32);
    if (name + extra + comment > rest - ZIP_CENTRAL_SIZE)
        return motion_refuse(error, "ZIP archive is damaged: the entry at byte %llu is cut short",
                             (unsigned long long)*at);
    const char *text = entry + ZIP_CENTRAL_SIZE;
    *member = (zip_member){.name = {text, name},
                           .extra = {text + name, extra},
                           .comment = {text + name + extra, comment},
                           .made_by = zip_get16(entry + 4),
                           .flags = zip_get16(entry + 8),
                           .method = zip_get16(entry + 10),
                           .time = zip_get16(entry + 12),
                           .date = zip_get16(entry + 14),
                           .crc = zip_get32(entry + 16),
                           .size = zip_get32(entry + 24),
                           .internal = zip_get16(entry + 36),
                           .external = zip_get32(entry + 38)};
    uint64_t packed = zip_get32(entry + 20), local = zip_get32(entry + 42);
    uint64_t *wanted[3];
    size_t count = 0;
    if (member->size == UINT32_MAX)
        wanted[count++] = &member->size;
    if (packed == UINT32_MAX)
        wanted[count++] = &packed;
    if (local == UINT32_MAX)
        wanted[count++] = &local;
    if (!read_extra64(member->extra, wanted, count))
        return zip_refuse(error, member, "has no zip64 sizes, or damaged ones");
    *at += ZIP_CENTRAL_SIZE + name + extra + comment;
    return find_data(data, d->at, local, packed, member, error);
}

static int compare_places(const void *a, const void *b) {
    const zip_member *x = *(const zip_member *const *)a, *y = *(const zip_member *const *)b;
    return x->name.data == y->name.data       ? 0
           : x->packed.data != y->packed.data ? (x->packed.data < y->packed.data ? -1 : 1)
           : x->packed.size != y->packed.size ? (x->packed.size < y->packed.size ? -1 : 1)
                                              : 0;
}

/* Data in two members at once would unpack a small file into any size. */
static pm_status check_overlaps(const zip_archive *archive, pm_error *error) {
    FREED const zip_member **order = malloc((archive->count + 1) * sizeof *order);
    MOTION_TRY_MEMORY(order, error);
    for (size_t i = 0; i < archive->count; i++)
        order[i] = &archive->members[i];
    qsort(order, archive->count, sizeof *order, compare_places);
    for (size_t i = 1; i < archive->count; i++) {
        const zip_member *before = order[i - 1], *m = order[i];
        const char *header = m->packed.data - m->local_extra.size - m->name.size - ZIP_LOCAL_SIZE;
        if (before->packed.data + before->packed.size > header)
            return zip_refuse(error, m, "overlaps another member");
    }
    return PM_OK;
}

pm_status zip_open(motion_arena *arena, const char *data, size_t size, zip_archive *archive,
                   pm_error *error) {
    directory d = {0};
    MOTION_TRY(find_directory(data, size, &d, &archive->comment, error));
    archive->members = motion_allocate(arena, (size_t)d.count, sizeof *archive->members);
    MOTION_TRY_MEMORY(archive->members, error);
    uint64_t at = d.at;
    for (; archive->count < d.count; archive->count++)
        MOTION_TRY(read_entry(data, &d, &at, &archive->members[archive->count], error));
    if (d.at + d.size - at >= ZIP_CENTRAL_SIZE && zip_get32(data + at) == ZIP_CENTRAL)
        return motion_refuse(error,
                             "ZIP archive is damaged: its directory has more than %llu members",
                             (unsigned long long)d.count);
    return check_overlaps(archive, error);
}
