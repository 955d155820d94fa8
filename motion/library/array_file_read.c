/* SPDX-License-Identifier: MIT
 *
 * Reads a file of arrays: the directory, the header of each member, and all digests, on several threads.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "motion/base/os.h"
#include "motion/files/input.h"
#include "motion/library/array_file.h"
#include "motion/model/names.h"
#include "motion/npz/npz.h"

enum { BLOCK = 1 << 22, ALIGNMENT = 8 };

typedef struct block {
    zip_bytes bytes;
    uint32_t crc;
} block;

static pm_status digest(void *user, size_t index, pm_error *error) {
    block *b = (block *)user + index;
    (void)error;
    b->crc = zip_checksum(b->bytes);
    return PM_OK;
}

static pm_status refuse(const zip_member *m, pm_error *error, const char *problem) {
    return motion_refuse(error, "%s: %s", NPZ_SHOWN(m), problem);
}

static size_t cut(const zip_archive *zip, block *blocks) {
    size_t count = 0;
    for (size_t i = 0; i < zip->count; i++)
        for (size_t at = 0; at < zip->members[i].packed.size; at += BLOCK, count++)
            if (blocks) {
                const zip_bytes all = zip->members[i].packed;
                const size_t rest = all.size - at;
                blocks[count] = (block){.bytes = {all.data + at, rest < BLOCK ? rest : BLOCK}};
            }
    return count;
}

/* The digest of a member is that of its blocks, which follow each other. */
static pm_status compare_digests(const zip_archive *zip, const block *blocks, pm_error *error) {
    for (size_t i = 0; i < zip->count; i++) {
        uLong crc = 0;
        for (size_t at = 0; at < zip->members[i].packed.size; at += BLOCK, blocks++)
            crc = crc32_combine(crc, blocks->crc, (z_off_t)blocks->bytes.size);
        if (crc != zip->members[i].crc)
            return refuse(&zip->members[i], error, "is damaged: its digest is another");
    }
    return PM_OK;
}

static pm_status check_digests(const zip_archive *zip, size_t threads, pm_error *error) {
    for (size_t i = 0; i < zip->count; i++) {
        const zip_member *m = &zip->members[i];
        if (m->method != ZIP_STORED || (m->flags & ZIP_ENCRYPTED) || m->size != m->packed.size)
            return refuse(m, error, "is compressed or encrypted");
    }
    const size_t count = cut(zip, NULL);
    FREED block *blocks = calloc(count + 1, sizeof *blocks);
    if (!blocks)
        return motion_refuse_memory(error);
    cut(zip, blocks);
    MOTION_TRY(array_run(threads, count, &(array_work){.item = digest, .user = blocks}, error));
    return compare_digests(zip, blocks, error);
}

/* Numbers that are not aligned, as other writers leave them, are copied. */
static pm_status place(array_file *a, const zip_member *m, file_array *array, pm_error *error) {
    const char *data = m->packed.data + array->header.data_at;
    if ((uintptr_t)data % ALIGNMENT == 0) {
        array->data = data;
        return PM_OK;
    }
    char *copy = motion_allocate(&a->arena, array->bytes, 1);
    if (!copy)
        return motion_refuse_memory(error);
    memcpy(copy, data, array->bytes);
    array->data = copy;
    return PM_OK;
}

static pm_status read_array(array_file *a, const zip_member *m, file_array *array,
                            pm_error *error) {
    char reason[NPY_REASON_SIZE];
    if (m->name.size < 5 || memcmp(m->name.data + m->name.size - 4, ".npy", 4) != 0)
        return refuse(m, error, "is no array");
    array->name = (pm_motion_name){motion_copy_text(&a->arena, m->name.data, m->name.size - 4),
                                   m->name.size - 4};
    if (!array->name.text)
        return motion_refuse_memory(error);
    if (!npy_read_header(m->packed.data, m->packed.size, &array->header, reason))
        return refuse(m, error, "is damaged: its header is none of NumPy");
    if (array->header.fortran_order || !npy_has_size(&array->header, m->packed.size))
        return refuse(m, error, "is damaged: it has another size than its header");
    array->bytes = m->packed.size - array->header.data_at;
    return place(a, m, array, error);
}

static pm_status read_arrays(array_file *a, const zip_archive *zip, pm_error *error) {
    a->arrays = motion_allocate(&a->arena, zip->count, sizeof *a->arrays);
    a->sorted = motion_allocate(&a->arena, zip->count, sizeof *a->sorted);
    if (!a->arrays || !a->sorted)
        return motion_refuse_memory(error);
    for (; a->count < zip->count; a->count++)
        MOTION_TRY(read_array(a, &zip->members[a->count], &a->arrays[a->count], error));
    for (size_t i = 0; i < a->count; i++)
        a->sorted[i] = (motion_named){a->arrays[i].name, (uint32_t)i};
    motion_sort_named(a->sorted, a->count);
    for (size_t i = 1; i < a->count; i++)
        if (motion_compare_names(a->sorted[i - 1].name, a->sorted[i].name) == 0) {
            const pm_motion_name name = a->sorted[i].name;
            return motion_refuse(error, "%s: there are two of this name",
                                 MOTION_SHOWN(name.text, name.size));
        }
    return PM_OK;
}

pm_status array_file_parse(const char *data, size_t size, size_t threads, array_file *a,
                           pm_error *error) {
    zip_archive zip = {0};
    MOTION_TRY(zip_open(&a->arena, data, size, &zip, error));
    MOTION_TRY(check_digests(&zip, threads, error));
    return read_arrays(a, &zip, error);
}

static pm_status map(int file, array_file *a, pm_error *error) {
    os_info info;
    if (!os_look_at_open(file, &info) || info.size == 0 || info.size > SIZE_MAX)
        return motion_refuse(error, "ZIP archive is cut short: it has no end record");
    const void *mapped = os_map(file, (size_t)info.size);
    if (!mapped)
        return motion_refuse(error, "cannot be mapped into memory");
    a->mapped = mapped;
    a->size = (size_t)info.size;
    return PM_OK;
}

pm_status array_file_open(const char *path, size_t threads, array_file *a, pm_error *error) {
    char reason[INPUT_REASON_SIZE];
    const int file = input_open(path, INPUT_REGULAR, reason);
    if (file < 0)
        return motion_refuse(error, "%s", reason);
    pm_status status = map(file, a, error);
    close(file);
    return status == PM_OK ? array_file_parse(a->mapped, a->size, threads, a, error) : status;
}

void array_file_close(array_file *a) {
    if (a->mapped)
        os_unmap(a->mapped, a->size);
    motion_arena_release(&a->arena);
    memset(a, 0, sizeof *a);
}

const file_array *array_file_find(const array_file *a, const char *name) {
    const uint32_t found =
        motion_find_named(a->sorted, a->count, (pm_motion_name){name, strlen(name)});
    return found != PM_NO_INDEX32 ? &a->arrays[found] : NULL;
}

pm_status array_file_want(const array_file *a, const char *name, const char *type, size_t rank,
                          const size_t *shape, const file_array **found, pm_error *error) {
    const file_array *array = array_file_find(a, name);
    char has[96];
    if (!array)
        return motion_refuse(error, "%s: is missing", name);
    bool fits = strcmp(array->header.type, type) == 0 && array->header.rank == rank;
    for (size_t i = 0; i < rank && fits; i++)
        fits = shape[i] == ARRAY_ANY || array->header.shape[i] == shape[i];
    *found = array;
    if (fits)
        return PM_OK;
    npy_header wanted = {.rank = rank};
    char wants[96], shown[MOTION_PRINTABLE];
    memcpy(wanted.shape, shape, rank * sizeof *shape);
    for (size_t i = 0; i < rank; i++)
        wanted.shape[i] = shape[i] == ARRAY_ANY ? array->header.shape[i] : shape[i];
    npy_shape_text(array->header.rank, array->header.shape, has, sizeof has);
    npy_shape_text(rank, wanted.shape, wants, sizeof wants);
    return motion_refuse(error, "%s: found %s of shape %s, expected %s of shape %s", name,
                         motion_printable(shown, array->header.type, strlen(array->header.type)),
                         has, type, wants);
}
