/* SPDX-License-Identifier: MIT
 *
 * Files for fuzzers of what reads and writes by name: a folder of the process's own under
 * TMPDIR, and bytes of an input taken apart.
 */
#ifndef POSEMILL_FUZZ_SCRATCH_H
#define POSEMILL_FUZZ_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRATCH_PATH = 512 };

/* The path of a file of this name in the folder. Aborts when there can be none. */
void scratch_path(const char *name, char path[SCRATCH_PATH]);

/* Writes a file, or aborts. */
void scratch_write(const char *path, const void *data, size_t size);

bool scratch_exists(const char *path);
void scratch_remove(const char *path);

/* How many entries the folder holds: nothing may be left behind. */
size_t scratch_count(void);

/* An input, consumed from its front. */
typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

/* The next byte, or 0 at the end. */
uint8_t fuzz_byte(fuzz_input *input);

/* A string that ends before the next newline, or with the input; cut to fit. */
void fuzz_line(fuzz_input *input, char *line, size_t size);

#endif
