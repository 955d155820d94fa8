/* SPDX-License-Identifier: MIT
 *
 * Exact division of 64-bit integers by divisors that the host knows in advance. A GPU has no
 * instruction for it: a division takes about 150 instructions, these functions about 25.
 */
#ifndef PM_DIVIDE_H
#define PM_DIVIDE_H

#include "pm_lang.h"

/* The host's part: floor((2^64 - 1)/value), for a value of at least 1. */
#define PM_RECIPROCAL(value) (~(pm_u64)0 / (value))

typedef struct pm_divided {
    pm_u64 quotient, rest;
} pm_divided;

/* x divided by `divisor`. The estimate of the quotient is at most 1 too small: with
 * reciprocal = (2^64 - e)/divisor and 1 <= e <= divisor, x/divisor - x reciprocal/2^64 is
 * x e/(2^64 divisor), which is below 1. */
pm_fn pm_divided pm_divide(pm_u64 x, pm_u64 divisor, pm_u64 reciprocal) {
    pm_divided d;
    d.quotient = pm_high_product(x, reciprocal);
    d.rest = x - d.quotient * divisor;
    if (d.rest >= divisor) {
        d.quotient++;
        d.rest -= divisor;
    }
    return d;
}

#endif
