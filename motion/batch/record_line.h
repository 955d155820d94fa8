/* SPDX-License-Identifier: MIT
 *
 * A record as a line of JSON, and back. JSON has no bytes that are not UTF-8: a path that has some is
 * written with U+FFFD in their places, and once more as hexadecimal bytes in a member with the suffix
 * _bytes, from which it is read.
 */
#ifndef POSEMILL_MOTION_RECORD_LINE_H
#define POSEMILL_MOTION_RECORD_LINE_H

#include "motion/batch/record.h"

#include "motion/base/json.h"

/* The members of a record, inside an object. */
void record_members_write(json_writer *json, const batch_record *record);

/* The record between two newlines, of which *size counts both, followed by a NUL. NULL: memory is
 * exhausted. */
char *record_line_write(const batch_record *record, size_t *size);

/* Reads the record of a line, without its newline, into one block of memory, which the caller frees.
 * NULL: the line is no record, or, with *no_memory, memory is exhausted. */
batch_record *record_line_read(const char *line, size_t size, bool *no_memory);

#endif
