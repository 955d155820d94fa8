/* SPDX-License-Identifier: MIT
 *
 * Arrays with names in one file: a stored NPZ whose numbers begin at multiples of 64 bytes. It is
 * mapped to read it, and written at any place of it from all threads. Nothing in a file is trusted.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include "motion/base/arena.h"
#include "motion/model/names.h"
#include "motion/npz/npy_header.h"

typedef struct file_array {
    pm_motion_name name; /* without `.npy` */
    npy_header header;   /* type and shape, C order */
    size_t bytes;
    const void *data; /* aligned for any number. NULL to write it later */
    size_t pieces;    /* in which it is written; 0: blocks of `data` */
} file_array;

/* Zero-initialise. */
typedef struct array_file {
    motion_arena arena;
    const char *mapped; /* NULL: the bytes of array_file_parse */
    size_t size;
    file_array *arrays;   /* in the order of the file */
    motion_named *sorted; /* by name */
    size_t count;
} array_file;

/* Maps a file and reads all arrays, whose digests are compared. Close it also on failure. */
pm_status array_file_open(const char *path, size_t threads, array_file *a, pm_error *error);
/* The same for bytes in memory. */
pm_status array_file_parse(const char *data, size_t size, size_t threads, array_file *a,
                           pm_error *error);
void array_file_close(array_file *a);

/* NULL: there is none. */
const file_array *array_file_find(const array_file *a, const char *name);

/* Any size of an axis. */
#define ARRAY_ANY SIZE_MAX

/* Refuses an array that is missing, or of another type or shape. */
pm_status array_file_want(const array_file *a, const char *name, const char *type, size_t rank,
                          const size_t *shape, const file_array **found, pm_error *error);

typedef struct array_writer array_writer;

/* Lays out a file of arrays, which are borrowed. Abandon it also on failure. */
pm_status array_writer_begin(const char *path, const file_array *arrays, size_t count,
                             array_writer **writer, pm_error *error);
/* Writes a piece of an array: `offset` bytes precede it. Thread-safe. */
pm_status array_writer_put(array_writer *writer, size_t array, size_t piece, size_t offset,
                           const void *data, size_t size, pm_error *error);
/* Writes the arrays that have data. */
pm_status array_writer_put_all(array_writer *writer, size_t threads, pm_error *error);
/* Writes the headers, and moves the file to its place. */
pm_status array_writer_end(array_writer *writer, pm_error *error);
void array_writer_abandon(array_writer **writer);

typedef struct array_work {
    pm_status (*item)(void *user, size_t index, pm_error *error); /* on any thread */
    void (*progress)(void *user, uint64_t done, uint64_t total);  /* NULL: not called */
    void *progress_user;
    void *user;
} array_work;

/* Does all items on several threads. The failure is that of the first item that fails. */
pm_status array_run(size_t threads, size_t items, const array_work *work, pm_error *error);
