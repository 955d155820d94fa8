/* SPDX-License-Identifier: MIT
 *
 * Writes a file of arrays. All sizes are known before, and with them the place of every array: threads
 * write pieces in any order, and the digests of pieces give those of the members.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "motion/base/parallel.h"
#include "motion/files/output.h"
#include "motion/library/array_file.h"
#include "motion/npz/zip.h"
#include "motion/npz/zip_fields.h"

enum {
    LINE = 64,
    BLOCK = 1 << 22,
    EXTRA64 = 20,     /* bytes of the sizes of zip64 in the header of a member */
    PADDING = 0x4D50, /* id of the extra field before an array */
    UTF8_NAME = 1 << 11
};

#define PERMISSIONS ((uint32_t)0600 << 16)

typedef struct piece {
    size_t size;
    uint32_t crc;
} piece;

typedef struct member {
    zip_member zip;
    char *name, extra[4 + LINE];
    char header[NPY_WRITTEN_MAX];
    size_t header_size;
    uint64_t at, data_at; /* in the file */
    piece *pieces;
    size_t piece_count;
} member;

struct array_writer {
    const file_array *arrays;
    size_t count;
    member *members;
    motion_arena arena;
    motion_output *output;
    zip_writer zip;
    motion_sink headers; /* of `zip` */
};

static bool has_ascii_name(pm_motion_name name) {
    for (size_t i = 0; i < name.size; i++)
        if ((unsigned char)name.text[i] >= 0x80)
            return false;
    return true;
}

/* Returns where the next member begins. */
static uint64_t lay_out(member *m, const file_array *array, uint64_t at) {
    const size_t name = array->name.size + 4;
    m->header_size = npy_write_any_header(&array->header, m->header);
    const uint64_t size = m->header_size + array->bytes;
    const bool is64 = size >= UINT32_MAX || at >= UINT32_MAX;
    m->at = at;
    at += ZIP_LOCAL_SIZE + name + 4 + (is64 ? EXTRA64 : 0);
    const size_t room = (size_t)(LINE - (at + m->header_size) % LINE) % LINE;
    memcpy(m->name, array->name.text, array->name.size);
    memcpy(m->name + array->name.size, ".npy", 4);
    zip_put(zip_put(m->extra, PADDING, 2), room, 2);
    const zip_bytes extra = {m->extra, 4 + room};
    m->zip = zip_new_member((zip_bytes){m->name, name}, PERMISSIONS);
    m->zip.extra = m->zip.local_extra = extra;
    m->zip.flags = has_ascii_name(array->name) ? 0 : UTF8_NAME;
    m->data_at = at + room + m->header_size;
    return m->data_at + array->bytes;
}

static pm_status lay_out_all(array_writer *w, pm_error *error) {
    uint64_t at = 0;
    w->members = motion_allocate(&w->arena, w->count, sizeof *w->members);
    for (size_t i = 0; i < w->count && w->members; i++) {
        const file_array *array = &w->arrays[i];
        member *m = &w->members[i];
        m->piece_count = array->data ? (array->bytes + BLOCK - 1) / BLOCK : array->pieces;
        m->pieces = motion_allocate(&w->arena, m->piece_count, sizeof *m->pieces);
        m->name = motion_allocate(&w->arena, array->name.size + 4, 1);
        if (!m->pieces || !m->name)
            return motion_refuse_memory(error);
        at = lay_out(m, array, at);
    }
    return w->members ? PM_OK : motion_refuse_memory(error);
}

pm_status array_writer_begin(const char *path, const file_array *arrays, size_t count,
                             array_writer **writer, pm_error *error) {
    array_writer *w = *writer = calloc(1, sizeof *w);
    if (!w)
        return motion_refuse_memory(error);
    w->arrays = arrays;
    w->count = count;
    MOTION_TRY(lay_out_all(w, error));
    return motion_output_open(path, &w->output, error);
}

pm_status array_writer_put(array_writer *w, size_t array, size_t index, size_t offset,
                           const void *data, size_t size, pm_error *error) {
    member *m = &w->members[array];
    m->pieces[index] = (piece){size, zip_checksum((zip_bytes){data, size})};
    return motion_output_write_at(w->output, m->data_at + offset, data, size, error);
}

typedef struct blocks {
    array_writer *writer;
    size_t *first; /* of each array, among all blocks */
} blocks;

static pm_status put_block(void *user, size_t index, pm_error *error) {
    const blocks *b = user;
    size_t array = 0;
    while (b->first[array + 1] <= index)
        array++;
    const file_array *from = &b->writer->arrays[array];
    const size_t number = index - b->first[array], offset = number * BLOCK;
    const size_t rest = from->bytes - offset;
    return array_writer_put(b->writer, array, number, offset, (const char *)from->data + offset,
                            rest < BLOCK ? rest : BLOCK, error);
}

pm_status array_writer_put_all(array_writer *w, size_t threads, pm_error *error) {
    blocks b = {w, calloc(w->count + 1, sizeof *b.first)};
    if (!b.first)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < w->count; i++)
        b.first[i + 1] = b.first[i] + (w->arrays[i].data ? w->members[i].piece_count : 0);
    const pm_status status =
        array_run(threads, b.first[w->count], &(array_work){.item = put_block, .user = &b}, error);
    free(b.first);
    return status;
}

/* The writer of ZIP archives has counted the bytes already. */
static pm_status write_headers(void *user, const void *data, size_t size, pm_error *error) {
    array_writer *w = user;
    return motion_output_write_at(w->output, w->zip.at - size, data, size, error);
}

static pm_status write_member(array_writer *w, size_t index, pm_error *error) {
    const member *m = &w->members[index];
    const zip_bytes header = {m->header, m->header_size};
    uLong crc = zip_checksum(header);
    for (size_t i = 0; i < m->piece_count; i++)
        crc = crc32_combine(crc, m->pieces[i].crc, (z_off_t)m->pieces[i].size);
    pm_status status = zip_begin_stored(&w->zip, &m->zip, (uint32_t)crc,
                                        m->header_size + w->arrays[index].bytes, error);
    if (status == PM_OK)
        status = zip_write_piece(&w->zip, header, error);
    w->zip.at += w->arrays[index].bytes;
    return status;
}

pm_status array_writer_end(array_writer *w, pm_error *error) {
    w->headers = (motion_sink){write_headers, w};
    w->zip.sink = &w->headers;
    for (size_t i = 0; i < w->count; i++)
        MOTION_TRY(write_member(w, i, error));
    MOTION_TRY(zip_write_end(&w->zip, (zip_bytes){"", 0}, error));
    return motion_output_commit(&w->output, error);
}

void array_writer_abandon(array_writer **writer) {
    array_writer *w = *writer;
    if (!w)
        return;
    motion_output_abandon(&w->output);
    zip_writer_release(&w->zip);
    motion_arena_release(&w->arena);
    free(w);
    *writer = NULL;
}

typedef struct run {
    const array_work *work;
    size_t items;
    pthread_mutex_t lock;
    size_t failed; /* the first item that has failed, with its failure */
    pm_status status;
    pm_error error;
} run;

static bool has_failed_before(run *r, size_t index) {
    pthread_mutex_lock(&r->lock);
    const bool found = r->failed < index;
    pthread_mutex_unlock(&r->lock);
    return found;
}

static void do_item(void *user, size_t index) {
    run *r = user;
    pm_error error = {0};
    if (has_failed_before(r, index))
        return;
    const pm_status status = r->work->item(r->work->user, index, &error);
    if (status == PM_OK)
        return;
    pthread_mutex_lock(&r->lock);
    if (index < r->failed) {
        r->failed = index;
        r->status = status;
        r->error = error;
    }
    pthread_mutex_unlock(&r->lock);
}

static void tell(void *user, size_t done) {
    const run *r = user;
    r->work->progress(r->work->progress_user, done, r->items);
}

pm_status array_run(size_t threads, size_t items, const array_work *work, pm_error *error) {
    run r = {.work = work,
             .items = items,
             .lock = PTHREAD_MUTEX_INITIALIZER,
             .failed = SIZE_MAX,
             .status = PM_OK};
    motion_run_parallel(
        threads, items,
        &(motion_work){.item = do_item, .progress = work->progress ? tell : NULL, .user = &r});
    pthread_mutex_destroy(&r.lock);
    if (r.status != PM_OK && error)
        *error = r.error;
    return r.status;
}
