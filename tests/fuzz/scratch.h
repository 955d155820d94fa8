/* SPDX-License-Identifier: MIT
 *
 * Files for fuzzers of functions that read and write by name, in a folder per process under
 * TMPDIR; and a reader for the bytes of an input.
 */
#ifndef POSEMILL_FUZZ_SCRATCH_H
#define POSEMILL_FUZZ_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRATCH_PATH = 512 };

/* The path of a file with this name in the folder. Aborts on failure. */
void scratch_path(const char *name, char path[SCRATCH_PATH]);

/* Writes a file, or aborts. */
void scratch_write(const char *path, const void *data, size_t size);

bool scratch_exists(const char *path);
void scratch_remove(const char *path);

/* The number of entries in the folder. A fuzzer must leave none behind. */
size_t scratch_count(void);

/* An input, consumed from its start. */
typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

/* The next byte, or 0 at the end. */
uint8_t fuzz_byte(fuzz_input *input);

/* A string up to the next newline or the end of the input, truncated to size. */
void fuzz_line(fuzz_input *input, char *line, size_t size);

#endif
