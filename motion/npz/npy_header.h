/* SPDX-License-Identifier: MIT
 *
 * The header of a .npy file, versions 1 to 3: type, order and shape of any array without records.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NPY_MAX_RANK = 32,      /* the limit of NumPy */
    NPY_MAX_SIZE = 1 << 16, /* of a header; those of plain arrays need a hundredth */
    NPY_REASON_SIZE = 256   /* size of the buffer for a reason */
};

typedef struct npy_header {
    char type[32]; /* "<f4"; longer names are rejected */
    bool fortran_order;
    size_t rank;
    size_t shape[NPY_MAX_RANK];
    size_t data_at; /* bytes before the data */
} npy_header;

/* Whether the first bytes are those of a .npy file. With fewer than 6 bytes: whether they can be. */
bool npy_has_magic(const char *bytes, size_t size);

/* Reads the header at the beginning of a file, of which more than the header need not be there.
 * False with a message in reason[NPY_REASON_SIZE]. */
bool npy_read_header(const char *file, size_t size, npy_header *header, char *reason);

/* The number of elements. False if it cannot be represented. */
bool npy_count(const npy_header *header, size_t *count);

/* Bytes of the elements. False if they cannot be represented, or the type has no size. */
bool npy_bytes(const npy_header *header, size_t *bytes);

/* Whether a file of `size` bytes has the data of the header, and no more. */
bool npy_has_size(const npy_header *header, uint64_t size);

/* Bytes of an element of the type; 0 for types of unknown size, and for objects. */
size_t npy_element_size(const char *type);

/* Writes "(3, 4)" as Python does, truncated to size. */
void npy_shape_text(size_t rank, const size_t *shape, char *text, size_t size);

enum { NPY_WRITTEN_MAX = 1024 };

/* Writes a version 1 header into out[NPY_WRITTEN_MAX], padded so that the data begin at a multiple
 * of 64. Returns its length. */
size_t npy_write_any_header(const npy_header *header, char *out);
