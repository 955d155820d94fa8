/* SPDX-License-Identifier: MIT
 *
 * Records of a batch: one JSON object a line, appended when a file is done and its output is in
 * place. A line is whole or not there: it is written at once, and readers drop a torn one. Empty
 * lines have no meaning.
 */
#pragma once

#include "motion/base/json.h"
#include "motion/files/digest.h"
#include "motion/steps/steps.h"

#include <posemill/posemill.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum record_status { RECORD_DONE, RECORD_KEPT, RECORD_FAILED } record_status;

typedef struct batch_record {
    const char *name; /* of the output below its folder: identifies the file */
    const char *in, *out;
    const char *from; /* the file of records that it was read from. NULL: none */
    record_status status;
    digest input, options, output; /* of failures: "" for what is not known */
    digest shared; /* of those options that all files of a batch have. "": unknown */
    const char *version;
    pm_rational source_rate, rate; /* 0/0: none */
    uint64_t frames, joints;
    const char *method, *device;
    const char *const *warnings;
    size_t warning_count;
    bool checked, identical; /* of --check: whether all bits are those of the reference path. Not
                                read back, like max_error, in radians */
    double max_error;
    task_reduced reduced; /* not read back */
    double seconds;
    uint64_t bytes_read, bytes_written;
    int64_t output_time; /* of the output's last change, in nanoseconds since 1970 */
    int64_t time;        /* when the record was made, likewise */
    const char *error;   /* of failures; else NULL */
    int code;            /* of failures: see record_code */
} batch_record;

/* Readers drop longer lines. Writers leave out warnings that would make a line too long. */
enum { RECORD_LINE_MAX = 1 << 20 };

typedef struct record_file record_file;

/* Opens a regular file to append to, and creates it with its folders. */
pm_status record_file_open(const char *path, record_file **file, pm_error *error);

/* Appends a record in one piece, after the end of a torn line where there is one. Thread-safe, and safe
 * beside other processes of this machine. *line receives the line with its newline, malloc'ed; NULL on
 * failure: then the record is not there, but a part of its line may be, and later calls may succeed. */
pm_status record_file_append(record_file *file, const batch_record *record, char **line,
                             pm_error *error);

/* Flushes to the disk, closes, frees. *file may be NULL. */
pm_status record_file_close(record_file **file, pm_error *error);

/* What records have for a failure: numbers, which are the exit codes of the command. */
int record_code(pm_status status);
enum { RECORD_CODE_MAX = 6 };

/* Records of several files, with their texts. Within a file a later record of a name replaces an
 * earlier one. What a table gives is valid until records are added to it. */
typedef struct record_table record_table;

record_table *record_table_create(void); /* NULL: memory is exhausted */
void record_table_destroy(record_table **table);

/* Adds the records of a regular file; lines that are none are dropped and counted in *dropped, which
 * may be NULL. A file that does not exist is empty where `optional`. */
pm_status record_table_add(record_table *table, const char *path, bool optional, size_t *dropped,
                           pm_error *error);

/* Adds all files records-*.jsonl of a folder. A folder that does not exist is empty. */
pm_status record_table_add_folder(record_table *table, const char *folder, pm_error *error);

/* The records of a name, one per file that has any; the one to trust first: the latest that is not a
 * failure, else the latest. NULL: none. */
const batch_record *const *record_table_find(const record_table *table, const char *name,
                                             size_t *count);

/* All names, sorted by their bytes. NULL: memory is exhausted. */
const char *const *record_table_names(record_table *table, size_t *count);

/* The files that were added, in their order, and how many of their lines were dropped. */
const char *const *record_table_files(const record_table *table, size_t *count);
size_t record_table_dropped(const record_table *table);

/* A record as a line of JSON, and back. JSON has no bytes that are not UTF-8: a path that has some is
 * written with U+FFFD in their places, and once more as hexadecimal bytes in a member with the suffix
 * _bytes, from which it is read. */

/* The members of a record, inside an object. */
void record_members_write(json_writer *json, const batch_record *record);

/* The record between two newlines, of which *size counts both, followed by a NUL. NULL: memory is
 * exhausted. */
char *record_line_write(const batch_record *record, size_t *size);

/* Reads the record of a line, without its newline, into one block of memory, which the caller frees.
 * NULL: the line is no record, or, with *no_memory, memory is exhausted. */
batch_record *record_line_read(const char *line, size_t size, bool *no_memory);
