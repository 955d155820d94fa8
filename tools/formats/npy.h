/* SPDX-License-Identifier: MIT
 *
 * NumPy's .npy files, versions 1 to 3, of little-endian float32 or float64 in C order.
 * Everything else is refused with the reason; nothing in a file is trusted.
 */
#ifndef POSEMILL_TOOLS_NPY_H
#define POSEMILL_TOOLS_NPY_H

#include "commands/cli.h"

enum {
    NPY_MAX_RANK = 32,     /* NumPy's own limit */
    NPY_REASON_SIZE = 256, /* size of the buffer for a reason */
    NPY_HEADER_MAX = 256   /* bytes of a header that npy_write_header makes */
};

typedef struct npy_array {
    pm_number type;
    size_t rank;
    size_t shape[NPY_MAX_RANK];
    size_t count; /* numbers: the product of the shape */
    size_t bytes;
    const void *data; /* `bytes` bytes, aligned for the type after npy_read */
    char *owned;      /* what npy_release frees; NULL after npy_parse */
} npy_array;

/* Reads the header of a file held in memory; `data` then points into the file and may
 * be unaligned. False with a sentence in why[NPY_REASON_SIZE]. */
bool npy_parse(const char *file, size_t size, npy_array *array, char *reason);

/* By the magic bytes. */
extern const cli_kind npy_kind;

/* Reads a file, or stdin for "-". On failure prints and returns the code. */
cli_exit npy_read(const char *path, npy_array *array);

/* Frees and zeroes; takes a zeroed array. */
void npy_release(npy_array *array);

/* Fails with CLI_BAD_INPUT unless the array has this shape; SIZE_MAX is any size. What the
 * shape is called, such as "(n, tracks, 4)", goes into the message. */
cli_exit npy_expect(const npy_array *array, const char *path, const char *shape_name, size_t rank,
                    const size_t *shape);

/* "(3, 4)" as Python writes it, cut to fit. */
void npy_shape_text(size_t rank, const size_t *shape, char *text, size_t size);

/* Writes a version 1 header, padded so that the data begin at a multiple of 64, into
 * header[NPY_HEADER_MAX]; returns its length. Rank at most 4. */
size_t npy_write_header(pm_number type, size_t rank, const size_t *shape, char *header);

#endif
