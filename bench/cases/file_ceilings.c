/* SPDX-License-Identifier: MIT
 *
 * Moves the bytes of files: as cat does, and to the storage. On one core.
 */
#define _POSIX_C_SOURCE 200809L

#include "files.h"

#include "files/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BLOCK = 1 << 17 }; /* bytes per read and write, as in cat */

static cli_exit fail(cli_exit code, const char *path) {
    return cli_fail(code, path, NULL, "%s", strerror(errno));
}

static bool write_all(int file, const char *data, size_t size) {
    while (size > 0) {
        const ssize_t done = write(file, data, size);
        if (done < 0 && errno != EINTR)
            return false;
        data += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static ssize_t read_some(int file, char *data, size_t size) {
    ssize_t done;
    do {
        done = read(file, data, size);
    } while (done < 0 && errno == EINTR);
    return done;
}

/* Reads a file to its end, and writes it to `to` unless that is -1. The bytes read are in *size. */
static bool read_file(const char *path, int to, char block[FILE_BLOCK], size_t *size) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t done = file < 0 ? -1 : 1;
    *size = 0;
    while (done > 0) {
        done = read_some(file, block, FILE_BLOCK);
        *size += done > 0 ? (size_t)done : 0;
        if (done > 0 && to >= 0 && !write_all(to, block, (size_t)done))
            done = -1;
    }
    if (file >= 0)
        close(file);
    return done == 0;
}

cli_exit file_cat_once(void *context, double *seconds) {
    const file_source *source = context;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    char *block = malloc(FILE_BLOCK);
    size_t size = 0;
    const double begun = progress_clock();
    const bool moved = nowhere >= 0 && block && read_file(source->path, nowhere, block, &size);
    *seconds = progress_clock() - begun;
    free(block);
    if (nowhere >= 0)
        close(nowhere);
    return moved && size == source->bytes ? CLI_DONE : fail(CLI_BAD_INPUT, source->path);
}

/* ---- the storage --------------------------------------------------------------- */

/* The block is what was read last, so that the storage has something to store. */
static bool store(const file_storage *s, const char *block) {
    const int file = open(s->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t left = s->bytes_written;
    bool good = file >= 0;
    while (good && left > 0) {
        const size_t step = left < FILE_BLOCK ? left : FILE_BLOCK;
        good = write_all(file, block, step);
        left -= step;
    }
    good = good && fsync(file) == 0;
    good = file >= 0 && close(file) == 0 && good;
    return good && rename(s->part, s->output) == 0;
}

cli_exit file_storage_once(void *context, double *seconds) {
    const file_storage *s = context;
    size_t size = 0;
    char *block = calloc(1, FILE_BLOCK);
    if (!block)
        return bench_out_of_memory();
    const double begun = progress_clock();
    bool good = read_file(s->input, -1, block, &size) && size == s->bytes_read;
    good = good && store(s, block);
    *seconds = progress_clock() - begun;
    free(block);
    return good ? CLI_DONE : fail(CLI_CANNOT_WRITE, s->output);
}
