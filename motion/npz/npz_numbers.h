/* SPDX-License-Identifier: MIT
 *
 * Numbers of arrays at any alignment, the change between C and Fortran order, and rotations from
 * and to axis-angle.
 */
#pragma once

#include "motion/npz/npy_header.h"

/* Whether the type is little-endian float32 or float64. */
bool npz_is_float(const char *type);

/* Whether the type is a little-endian integer of 1, 2, 4 or 8 bytes. */
bool npz_is_integer(const char *type, size_t *size, bool *is_signed);

double npz_load_integer(const char *at, size_t size, bool is_signed);

/* float32 for element 4, float64 for element 8. */
void npz_load_numbers(double *out, const char *at, size_t element, size_t count);
void npz_store_numbers(char *out, const double *values, size_t element, size_t count);

/* The index of the first number that is not finite; `count` if all are. */
size_t npz_find_not_finite(const char *at, size_t element, size_t count);

/* Copies an array from Fortran order to C order, or back. */
void npz_reorder(char *out, const char *in, const npy_header *header, size_t element,
                 bool to_fortran);

/* Converts rotation vectors (count, 3) into quaternions x y z w, (count, 4). */
void npz_from_axis_angle(const double *vectors, double *quaternions, size_t count);

/* Only those that are longer than a full turn; leaves the other quaternions as they are. */
void npz_from_long_axis_angle(const double *vectors, double *quaternions, size_t count);

/* The rotation vector of a quaternion on the branch nearest to `near`. */
void npz_to_axis_angle(const double quaternion[4], const double near[3], double vector[3]);
