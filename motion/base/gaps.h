/* SPDX-License-Identifier: MIT
 *
 * Values that are not finite, in files that are only looked at: they are counted, and filled so that
 * the rest can be read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. */
typedef struct motion_gaps {
    size_t count;
    char first[192]; /* where the first one is */
    bool keeps_nan;  /* they become NaN instead of being filled */
} motion_gaps;

/* Counts one, with its place. */
void motion_add_gap(motion_gaps *gaps, const char *place, ...)
    __attribute__((format(printf, 2, 3)));

/* Gives numbers of an array (rows, width) of float32 or float64 that are not finite the value of the row
 * before; at the beginning that of the first row that has one, and 0 without any. Returns the index of
 * the first one, and adds their number to *count. */
size_t motion_fill_gaps(void *data, size_t element, size_t rows, size_t width, size_t *count);
