/* SPDX-License-Identifier: MIT
 *
 * The language subset in which segments are built: double in as many lanes as a register of
 * the instruction set has, one track per lane. Code in it is compiled once for each instruction
 * set, of which the library selects one at run time, and gives the same bits with all of them:
 * it only adds, multiplies, divides and takes roots, and nothing is fused.
 */
#ifndef PM_HOST_LANES_H
#define PM_HOST_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

#if defined(__AVX512F__)
#define PM_DOUBLES 8
#elif defined(__AVX__)
#define PM_DOUBLES 4
#else
#define PM_DOUBLES 2
#endif

typedef double dreal __attribute__((vector_size(8 * PM_DOUBLES)));
typedef int64_t dmask __attribute__((vector_size(8 * PM_DOUBLES))); /* -1: true, 0: false */
typedef float dstored __attribute__((vector_size(4 * PM_DOUBLES))); /* rounded for storage */

/* Lanes of two vectors, selected by their index in the concatenation of both. */
#if defined(__clang__)
#define PM_SHUFFLE(a, b, ...) __builtin_shufflevector((a), (b), __VA_ARGS__)
#else
#define PM_SHUFFLE(a, b, ...) __builtin_shuffle((a), (b), (dmask){__VA_ARGS__})
#endif

static inline dreal dreal_of(double value) {
    return value - (dreal){0};
}

static inline dreal dreal_select(dmask mask, dreal yes, dreal no) {
    return (dreal)((mask & (dmask)yes) | (~mask & (dmask)no));
}

/* value, or 0 where the mask is not set */
static inline dreal dreal_where(dmask mask, dreal value) {
    return (dreal)(mask & (dmask)value);
}

static inline dreal dreal_min(dreal a, dreal b) {
    return dreal_select((dmask)(a < b), a, b);
}

static inline dreal dreal_max(dreal a, dreal b) {
    return dreal_select((dmask)(a > b), a, b);
}

static inline dreal dreal_abs(dreal a) {
    return (dreal)((dmask)a & INT64_MAX);
}

static inline dreal dreal_sqrt(dreal a) {
    dreal r;
    for (int i = 0; i < PM_DOUBLES; i++)
        r[i] = sqrt(a[i]);
    return r;
}

static inline bool dmask_any(dmask mask) {
#if PM_DOUBLES == 8
    mask |= PM_SHUFFLE(mask, mask, 4, 5, 6, 7, 0, 1, 2, 3);
    mask |= PM_SHUFFLE(mask, mask, 2, 3, 0, 1, 6, 7, 4, 5);
#elif PM_DOUBLES == 4
    mask |= PM_SHUFFLE(mask, mask, 2, 3, 0, 1);
#endif
    return (mask[0] | mask[1]) != 0;
}

#endif
