/* SPDX-License-Identifier: MIT
 *
 * Loads and stores of quaternions. In memory they lie one after another as x y z w; in lanes
 * all x share a vector. Four vectors are transposed in registers, in two levels. Stores round
 * to float32.
 */
#ifndef PM_HOST_LANE_MEMORY_H
#define PM_HOST_LANE_MEMORY_H

#include "array_view.h"
#include "base/base.h"
#include "kernels/pm_window.h"

/* PM_DOUBLES quaternions as four vectors in memory order */
typedef struct drows {
    dreal r0, r1, r2, r3;
} drows;

/* PM_LOW to PM_HIGH_PAIRS interleave numbers, or pairs of numbers, of the low or high halves of two
 * vectors. PM_EVEN to PM_ODD_PAIRS separate them again. */
#if PM_DOUBLES == 8
#define PM_LOW(a, b) PM_DOUBLE_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define PM_HIGH(a, b) PM_DOUBLE_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define PM_LOW_PAIRS(a, b) PM_DOUBLE_SHUFFLE(a, b, 0, 1, 8, 9, 2, 3, 10, 11)
#define PM_HIGH_PAIRS(a, b) PM_DOUBLE_SHUFFLE(a, b, 4, 5, 12, 13, 6, 7, 14, 15)
#define PM_EVEN(a, b) PM_DOUBLE_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define PM_ODD(a, b) PM_DOUBLE_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define PM_EVEN_PAIRS(a, b) PM_DOUBLE_SHUFFLE(a, b, 0, 1, 4, 5, 8, 9, 12, 13)
#define PM_ODD_PAIRS(a, b) PM_DOUBLE_SHUFFLE(a, b, 2, 3, 6, 7, 10, 11, 14, 15)
#elif PM_DOUBLES == 4
#define PM_LOW(a, b) PM_DOUBLE_SHUFFLE(a, b, 0, 4, 1, 5)
#define PM_HIGH(a, b) PM_DOUBLE_SHUFFLE(a, b, 2, 6, 3, 7)
#define PM_LOW_PAIRS(a, b) PM_DOUBLE_SHUFFLE(a, b, 0, 1, 4, 5)
#define PM_HIGH_PAIRS(a, b) PM_DOUBLE_SHUFFLE(a, b, 2, 3, 6, 7)
#define PM_EVEN(a, b) PM_DOUBLE_SHUFFLE(a, b, 0, 2, 4, 6)
#define PM_ODD(a, b) PM_DOUBLE_SHUFFLE(a, b, 1, 3, 5, 7)
#define PM_EVEN_PAIRS(a, b) PM_LOW_PAIRS(a, b)
#define PM_ODD_PAIRS(a, b) PM_HIGH_PAIRS(a, b)
#else
#define PM_LOW(a, b) PM_DOUBLE_SHUFFLE(a, b, 0, 2)
#define PM_HIGH(a, b) PM_DOUBLE_SHUFFLE(a, b, 1, 3)
#define PM_LOW_PAIRS(a, b) (a)
#define PM_HIGH_PAIRS(a, b) (b)
#define PM_EVEN(a, b) PM_LOW(a, b)
#define PM_ODD(a, b) PM_HIGH(a, b)
#define PM_EVEN_PAIRS(a, b) (a)
#define PM_ODD_PAIRS(a, b) (b)
#endif

static inline dquat dquat_of_rows(drows m) {
    dreal xy0 = PM_EVEN_PAIRS(m.r0, m.r1), zw0 = PM_ODD_PAIRS(m.r0, m.r1);
    dreal xy1 = PM_EVEN_PAIRS(m.r2, m.r3), zw1 = PM_ODD_PAIRS(m.r2, m.r3);
    return (dquat){PM_EVEN(xy0, xy1), PM_ODD(xy0, xy1), PM_EVEN(zw0, zw1), PM_ODD(zw0, zw1)};
}

static inline drows drows_of(dquat q) {
    dreal xy0 = PM_LOW(q.x, q.y), zw0 = PM_LOW(q.z, q.w);
    dreal xy1 = PM_HIGH(q.x, q.y), zw1 = PM_HIGH(q.z, q.w);
    return (drows){PM_LOW_PAIRS(xy0, zw0), PM_HIGH_PAIRS(xy0, zw0), PM_LOW_PAIRS(xy1, zw1),
                   PM_HIGH_PAIRS(xy1, zw1)};
}

static inline dreal dreal_load(const void *from, pm_number type) {
    dreal doubles;
    dstored floats;
    if (type == PM_FLOAT64) {
        memcpy(&doubles, from, sizeof doubles);
        return doubles;
    }
    memcpy(&floats, from, sizeof floats);
    return __builtin_convertvector(floats, dreal);
}

/* PM_DOUBLES quaternions that lie one after another. */
static inline dquat dquat_load(const void *from, pm_number type) {
    const unsigned char *at = from;
    const size_t size = PM_DOUBLES * pm_number_size(type);
    return dquat_of_rows((drows){dreal_load(at, type), dreal_load(at + size, type),
                                 dreal_load(at + 2 * size, type), dreal_load(at + 3 * size, type)});
}

static inline void dquat_set_lane(dquat *q, size_t lane, double x, double y, double z, double w) {
    q->x[lane] = x;
    q->y[lane] = y;
    q->z[lane] = z;
    q->w[lane] = w;
}

/* The first `lanes` quaternions, one after another; the lanes beyond repeat the last one. */
static inline dquat dquat_load_some(const float *from, size_t lanes) {
    dquat q = {0};
    for (size_t i = 0; i < PM_DOUBLES; i++, from += i < lanes ? 4 : 0)
        dquat_set_lane(&q, i, (double)from[0], (double)from[1], (double)from[2], (double)from[3]);
    return q;
}

/* Like pm_stored, for keys and segment coefficients. */
static inline dstored dstored_of(dreal value) {
    return __builtin_convertvector(pm_kept(value), dstored);
}

static inline void store_floats(float *to, dreal value) {
    dstored v = dstored_of(value);
    memcpy(to, &v, sizeof v);
}

/* Numbers that lie one after another: the first `lanes` of them. The lanes beyond repeat the last one. */
static inline dreal dreal_load_some(const float *from, size_t lanes) {
    dreal value = {0};
    for (size_t i = 0; i < PM_DOUBLES; i++)
        value[i] = (double)from[i < lanes ? i : lanes - 1];
    return value;
}

static inline void dreal_store_some(float *to, dreal value, size_t lanes) {
    const dstored v = dstored_of(value);
    memcpy(to, &v, lanes * sizeof *to);
}

static inline void dquat_store(float *to, dquat q) {
    drows m = drows_of(q);
    store_floats(to, m.r0);
    store_floats(to + PM_DOUBLES, m.r1);
    store_floats(to + (size_t)2 * PM_DOUBLES, m.r2);
    store_floats(to + (size_t)3 * PM_DOUBLES, m.r3);
}

/* Stores only the first `lanes`. */
static inline void dquat_store_some(float *to, dquat q, size_t lanes) {
    dstored x = dstored_of(q.x), y = dstored_of(q.y), z = dstored_of(q.z), w = dstored_of(q.w);
    for (size_t i = 0; i < lanes; i++, to += 4) {
        to[0] = x[i];
        to[1] = y[i];
        to[2] = z[i];
        to[3] = w[i];
    }
}

#endif
