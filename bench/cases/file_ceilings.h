/* SPDX-License-Identifier: MIT
 *
 * What cases that measure files are compared with: moving the same bytes without looking at them, and
 * zlib's own functions on the same bytes. All on one core, with the input in the page cache.
 */
#ifndef POSEMILL_BENCH_FILE_CEILINGS_H
#define POSEMILL_BENCH_FILE_CEILINGS_H

#include "runner/scratch.h"

enum { FILE_BLOCK = 1 << 17 }; /* bytes per read and write, as in cat */

/* Reads a file and writes it to a pipe that a thread drains, as `cat FILE | cat >/dev/null` does. */
typedef struct file_cat {
    const char *path;
    size_t bytes; /* of the file */
} file_cat;

/* Measures one file_cat. */
cli_exit file_cat_once(void *context, double *seconds);

/* Reads a file, and stores a file of another size as the library does: writes it under another name,
 * flushes it to the storage (fsync) and renames it. */
typedef struct file_storage {
    const char *input, *part, *output;
    size_t bytes_read, bytes_written;
} file_storage;

/* Measures one file_storage. */
cli_exit file_storage_once(void *context, double *seconds);

/* Inflates the members of an NPZ file and deflates those of another, in memory. */
typedef struct file_zlib file_zlib;

/* Reads both files, which may be the same. Free with file_zlib_destroy, also on failure. */
cli_exit file_zlib_create(const char *input, const char *output, file_zlib **zlib);
void file_zlib_destroy(file_zlib **zlib);

/* Measures one file_zlib. */
cli_exit file_zlib_once(void *context, double *seconds);

#endif
