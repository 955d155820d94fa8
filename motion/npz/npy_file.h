/* SPDX-License-Identifier: MIT
 *
 * NumPy's .npy files, versions 1 to 3, with little-endian float32 or float64 in C order.
 * Everything else is rejected with the reason; nothing in a file is trusted.
 */
#pragma once

#include <posemill/posemill.h>

#include "motion/files/input.h"
#include "motion/npz/npy_header.h"

/* Maximum size of a header made by npy_write_header. */
enum { NPY_HEADER_MAX = NPY_WRITTEN_MAX };

typedef struct npy_array {
    pm_number type;
    size_t rank;
    size_t shape[NPY_MAX_RANK];
    size_t count; /* number of elements: the product of the shape */
    size_t bytes;
    const void *data; /* `bytes` bytes, aligned for the type after npy_read */
    char *owned;      /* memory for npy_release to free; NULL after npy_parse */
} npy_array;

/* Parses the header of a file in memory. `data` then points into the file and may be unaligned.
 * False with a message in reason[NPY_REASON_SIZE]. */
bool npy_parse(const char *file, size_t size, npy_array *array, char *reason);

/* Recognised by the magic bytes. */
extern const input_kind npy_kind;

/* Reads a file, or stdin for "-". */
pm_status npy_read(const char *path, npy_array *array, pm_error *error);

/* The same for a file that an option names: see input_read_beside. */
pm_status npy_read_beside(const char *path, npy_array *array, pm_error *error);

/* Frees and zeroes the array, which may already be zeroed. */
void npy_release(npy_array *array);

/* Refuses an array that does not have this shape; SIZE_MAX stands for any size. shape_name, such as
 * "(n, tracks, 4)", describes the shape in the message. */
pm_status npy_expect(const npy_array *array, const char *path, const char *shape_name, size_t rank,
                     const size_t *shape, pm_error *error);

/* Writes a version 1 header into header[NPY_HEADER_MAX], padded so that the data begin at a
 * multiple of 64. Returns its length. Rank at most 4. */
size_t npy_write_header(pm_number type, size_t rank, const size_t *shape, char *header);
