/* SPDX-License-Identifier: MIT
 *
 * The C2 spline of positions and scales: see pm_spline_rows.h. The matrix depends only on the
 * key times, so only the right sides, which become the rates, have lanes. They are `stride` apart.
 */
#ifndef PM_VECTOR_SPLINE_RATES_H
#define PM_VECTOR_SPLINE_RATES_H

#include "pm_spline_rows.h"

/* A key's row after its elimination: its rate is what is stored - upper (the next rate), and in a loop
 * + last (the last key's rate). */
typedef struct pm_spline_factors {
    double upper, last;
} pm_spline_factors;

/* Eliminates the lower element of key k's row, of `count` without a loop's last. */
pm_fn void pm_vector_eliminate(const pm_spline_row *row, size_t k, size_t count, bool loop,
                               pm_global pm_spline_factors *factors, pm_global dvec3 *rates,
                               size_t stride) {
    const double lower = k > 0 ? row->by.lower : 0;
    pm_spline_factors before = {0, 0}, own;
    dvec3 right = dvec3_none();
    if (k > 0) {
        before = factors[k - 1];
        right = rates[(k - 1) * stride];
    }
    const double inverse = 1 / (row->by.diagonal - lower * before.upper);
    own.upper = row->by.upper * inverse;
    own.last = -lower * before.last * inverse;
    if (loop && k == 0)
        own.last -= row->by.lower / row->by.diagonal;
    if (loop && k + 1 == count)
        own.last -= own.upper;
    factors[k] = own;
    rates[k * stride] = dvec3_blend(inverse, row->right, -lower * inverse, right);
}

/* Solves the last key of a loop from its own row, then the other keys from its rate. */
pm_fn void pm_vector_close_loop(const pm_spline_row *own, pm_global pm_spline_factors *factors,
                                pm_global dvec3 *rates, size_t stride, size_t last) {
    const dvec3 before = rates[(last - 1) * stride], after = rates[0];
    const double diagonal =
        own->by.diagonal + own->by.lower * factors[last - 1].last + own->by.upper * factors[0].last;
    const dvec3 rest = dvec3_blend(own->by.lower, before, own->by.upper, after);
    const dvec3 rate = dvec3_times(dvec3_difference(own->right, rest), 1 / diagonal);
    rates[last * stride] = rate;
    for (size_t k = 0; k < last; k++)
        rates[k * stride] = dvec3_blend(1, rates[k * stride], factors[k].last, rate);
}

/* Finds the rates of all keys from their eliminated rows. `own` is the row of the last key. */
pm_fn void pm_vector_substitute(const pm_spline_row *own, size_t key_count, bool loop,
                                pm_global pm_spline_factors *factors, pm_global dvec3 *rates,
                                size_t stride) {
    const size_t count = loop ? key_count - 1 : key_count;
    for (size_t k = count - 1; k-- > 0;) {
        const double upper = factors[k].upper;
        rates[k * stride] = dvec3_blend(1, rates[k * stride], -upper, rates[(k + 1) * stride]);
        factors[k].last -= upper * factors[k + 1].last;
    }
    if (loop)
        pm_vector_close_loop(own, factors, rates, stride, count);
}

#endif
