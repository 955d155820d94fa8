/* SPDX-License-Identifier: MIT
 *
 * The Python dictionary in the header of a .npy file.
 */
#ifndef POSEMILL_TOOLS_NPY_HEADER_H
#define POSEMILL_TOOLS_NPY_HEADER_H

#include "npy.h"

typedef struct npy_header {
    char type[32]; /* "<f4"; longer names are rejected */
    bool fortran_order;
    size_t rank;
    size_t shape[NPY_MAX_RANK];
} npy_header;

/* Reads descr, fortran_order and shape, in any order, each exactly once. False with a message in
 * reason[NPY_REASON_SIZE]. */
bool npy_header_parse(const char *text, size_t length, npy_header *header, char *reason);

#endif
