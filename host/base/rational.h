/* SPDX-License-Identifier: MIT
 *
 * Exact fractions, and the exact map from uniform samples to uniform keys.
 */
#ifndef PM_HOST_RATIONAL_H
#define PM_HOST_RATIONAL_H

#include <posemill/posemill.h>

#include "kernels/pm_cursor.h"

__extension__ typedef __int128 pm_i128;
__extension__ typedef unsigned __int128 pm_u128;

/* Whether the fraction is given; 0/0 means "not given". */
bool pm_rational_given(pm_rational r);

/* den > 0 and num > 0 */
bool pm_rational_positive(pm_rational r);

double pm_rational_value(pm_rational r);

/* Sample k lies at key position (k step + start)/scale: pm_uniform_map in 128 bits. */
typedef struct pm_exact_uniform_map {
    pm_u128 step;
    pm_i128 start;
    pm_u128 scale; /* below 2^95 */
} pm_exact_uniform_map;

/* The map for samples at start + (first + k)/rate seconds and keys at i/key_rate seconds. False if
 * the numbers do not fit in 128 bits for `count` samples. */
bool pm_uniform_map_of(pm_rational key_rate, pm_rational rate, pm_rational start, uint64_t first,
                       size_t count, pm_exact_uniform_map *uniform_map);

/* Converts to the 64-bit form of kernels/pm_cursor.h. False if it cannot express `count`
 * samples. */
bool pm_uniform_map_narrow(const pm_exact_uniform_map *exact, size_t count, pm_uniform_map *narrow);

#endif
