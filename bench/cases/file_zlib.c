/* SPDX-License-Identifier: MIT
 *
 * zlib's own inflate and deflate, each member in one call, at the level that the library uses.
 */
#include "file_ceilings.h"

#include "files/progress.h"
#include "motion/npz/zip.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct opened {
    char *file;
    size_t size;
    zip_archive archive;
} opened;

struct file_zlib {
    motion_arena arena;
    opened input, output;
    zip_bytes *numbers; /* of the members of the output */
    char **owned;       /* the same, if they were inflated */
    Bytef *room;        /* for any result */
    size_t room_size;
};

static cli_exit open_archive(file_zlib *z, const char *path, opened *archive) {
    pm_error error = {0};
    const cli_exit code = cli_read_file(path, NULL, &archive->file, &archive->size);
    if (code == CLI_DONE &&
        zip_open(&z->arena, archive->file, archive->size, &archive->archive, &error) != PM_OK)
        return cli_fail_error(path, &error);
    return code;
}

static void need_room(file_zlib *z, uint64_t bytes) {
    z->room_size = bytes > z->room_size ? (size_t)bytes : z->room_size;
}

/* Extracts the members of the output, and finds the largest result. */
static cli_exit prepare(file_zlib *z) {
    const zip_archive *in = &z->input.archive, *out = &z->output.archive;
    pm_error error = {0};
    z->numbers = calloc(out->count + 1, sizeof *z->numbers);
    z->owned = calloc(out->count + 1, sizeof *z->owned);
    if (!z->numbers || !z->owned)
        return cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
    for (size_t i = 0; i < in->count; i++)
        need_room(z, in->members[i].size);
    for (size_t i = 0; i < out->count; i++) {
        if (zip_extract(&out->members[i], &z->numbers[i], &z->owned[i], &error) != PM_OK)
            return cli_fail_error("bench", &error);
        need_room(z, compressBound(z->numbers[i].size));
    }
    z->room = z->room_size <= UINT_MAX ? malloc(z->room_size) : NULL;
    return z->room
               ? CLI_DONE
               : cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
}

cli_exit file_zlib_create(const char *input, const char *output, file_zlib **zlib) {
    file_zlib *z = calloc(1, sizeof *z);
    *zlib = z;
    if (!z)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    cli_exit code = open_archive(z, input, &z->input);
    if (code == CLI_DONE)
        code = open_archive(z, output, &z->output);
    return code == CLI_DONE ? prepare(z) : code;
}

void file_zlib_destroy(file_zlib **zlib) {
    file_zlib *z = *zlib;
    if (!z)
        return;
    for (size_t i = 0; z->owned && i < z->output.archive.count; i++)
        free(z->owned[i]);
    free(z->owned);
    free(z->numbers);
    free(z->room);
    free(z->input.file);
    free(z->output.file);
    motion_arena_release(&z->arena);
    free(z);
    *zlib = NULL;
}

/* The members are smaller than 4 GiB, as prepare found. */
static bool inflate_member(file_zlib *z, const zip_member *member) {
    z_stream stream = {.next_in = (z_const Bytef *)member->packed.data,
                       .avail_in = (uInt)member->packed.size,
                       .next_out = z->room,
                       .avail_out = (uInt)z->room_size};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return false;
    const bool good =
        inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == member->size;
    inflateEnd(&stream);
    return good;
}

static bool deflate_bytes(file_zlib *z, zip_bytes bytes) {
    z_stream stream = {.next_in = (z_const Bytef *)bytes.data,
                       .avail_in = (uInt)bytes.size,
                       .next_out = z->room,
                       .avail_out = (uInt)z->room_size};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    const bool good = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&stream);
    return good;
}

cli_exit file_zlib_once(void *context, double *seconds) {
    file_zlib *z = context;
    bool good = true;
    const double begun = progress_clock();
    for (size_t i = 0; good && i < z->input.archive.count; i++)
        good = inflate_member(z, &z->input.archive.members[i]);
    for (size_t i = 0; good && i < z->output.archive.count; i++)
        good = deflate_bytes(z, z->numbers[i]);
    *seconds = progress_clock() - begun;
    return good ? CLI_DONE : cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "zlib failed");
}
