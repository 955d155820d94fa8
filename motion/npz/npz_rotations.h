/* SPDX-License-Identifier: MIT
 *
 * Rotations of members as quaternions x y z w.
 */
#pragma once

#include "motion/npz/npz.h"

/* What a list of quaternions has. */
typedef struct npz_lengths {
    size_t odd;       /* that are not unit within 1e-3 */
    size_t far;       /* nor within a tenth */
    size_t first_far; /* its index */
    double length;    /* of that one */
} npz_lengths;

/* The index of the first quaternion of length 0; `count` if there is none. */
size_t npz_check_quaternions(const char *data, size_t element, size_t count, npz_lengths *found);

/* Where keys are written: as float32 for element 4, float64 for element 8, `stride` bytes from
 * key to key. */
typedef struct npz_keys {
    char *data;
    size_t element, stride;
} npz_keys;

/* Converts `joints` rotations from `joint` on of `frames` rows from `frame` on. The numbers are those
 * of the rows' own type. Quaternions that are not unit are normalised; none may have length 0. */
void npz_convert_rows(const npz_rows *rows, size_t joint, size_t joints, size_t frame,
                      size_t frames, npz_keys keys);

/* Converts `count` rotations to the rows' own type where they are: `keys`, which is not before the rows'
 * data, is in the same memory. The data are lost. */
void npz_convert_in_place(const npz_rows *rows, size_t count, char *keys);
