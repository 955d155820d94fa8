/* SPDX-License-Identifier: MIT
 *
 * Files in memory, written by tests and by the code under test.
 */
#ifndef POSEMILL_TESTS_FILE_BYTES_H
#define POSEMILL_TESTS_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "motion/files/sink.h"

/* Bytes that grow. Zero-initialise. */
typedef struct file_bytes {
    char *data;
    size_t size, room;
} file_bytes;

void bytes_free(file_bytes *bytes);

void bytes_add(file_bytes *bytes, const void *data, size_t size);
void bytes_add_number(file_bytes *bytes, uint64_t value, unsigned width);

/* A sink that appends to file_bytes. */
motion_sink bytes_sink(file_bytes *bytes);

#endif
