/* SPDX-License-Identifier: MIT
 *
 * Exact fractions, and how uniform samples fall on uniform keys.
 */
#ifndef PM_HOST_RATIONAL_H
#define PM_HOST_RATIONAL_H

#include <posemill/posemill.h>

#include "kernels/pm_cursor.h"

__extension__ typedef __int128 pm_i128;
__extension__ typedef unsigned __int128 pm_u128;

/* Whether the fraction is given; 0/0 is "not given". */
bool pm_rational_given(pm_rational r);

/* den > 0 and num > 0 */
bool pm_rational_positive(pm_rational r);

double pm_rational_value(pm_rational r);

/* Sample k lies at key position (k step + start)/scale: pm_uniform_map without its limits. */
typedef struct pm_exact_uniform_map {
    pm_u128 step;
    pm_i128 start;
    pm_u128 scale; /* below 2^95 */
} pm_exact_uniform_map;

/* Samples at start + (first + k)/rate seconds on keys at i/key_rate seconds. False when
 * the numbers do not fit 128 bits for `count` samples. */
bool pm_uniform_map_of(pm_rational key_rate, pm_rational rate, pm_rational start, uint64_t first,
                       size_t count, pm_exact_uniform_map *uniform_map);

/* Whether the 64-bit form of kernels/pm_cursor.h can express it for `count` samples. */
bool pm_uniform_map_narrow(const pm_exact_uniform_map *exact, size_t count, pm_uniform_map *narrow);

#endif
