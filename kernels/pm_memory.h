/* SPDX-License-Identifier: MIT
 *
 * Loads and stores of quaternions. In memory they lie one after another as x y z w; in lanes
 * all x share a vector. Whole vectors are transposed in registers, in two levels; the
 * compilers of CPU devices turn each level into one shuffle.
 *
 * PM_LANES items that lie one after another are not in the order of the lanes: item i is in lane
 * PM_LANE_OF(i), and lane j has item PM_ITEM_OF(j). They are transposed within parts of four lanes
 * alone. Such shuffles take less time than those across a vector, and no vector of indices.
 */
#ifndef PM_MEMORY_H
#define PM_MEMORY_H

#include "pm_quat.h"

#ifndef PM_OPENCL
#include <string.h>
#endif

#define PM_CACHE_LINE 64 /* bytes */

/* Neighbouring keys that are gathered together: as many as a cache line has in float32. */
#define PM_GROUP (PM_CACHE_LINE / 16)

/* Prefetches bytes that will be loaded soon, where the compiler has a builtin for it. Devices with
 * one lane hide the latency behind other work-items. */
pm_fn void pm_prefetch(pm_global const void *from, pm_u32 size) {
#if PM_LANES > 1 && __has_builtin(__builtin_prefetch)
    PM_UNROLL
    for (pm_u32 i = 0; i < size; i += PM_CACHE_LINE)
        __builtin_prefetch((const void *)((size_t)from + i));
#else
    (void)from;
    (void)size;
#endif
}

#if PM_LANES == 1

/* Quaternions are aligned to 16 bytes, which vload4 and vstore4 do not assume. */
pm_fn pm_quat pm_load_quats(pm_global const float *from) {
#ifdef PM_OPENCL
    float4 q = *(pm_global const float4 *)from;
    return pm_quat_of(q.x, q.y, q.z, q.w);
#else
    return pm_quat_of(from[0], from[1], from[2], from[3]);
#endif
}

#define PM_ITEM_OF(j) (j)
#define PM_IN_LANES(v) (v)
#define pm_load_items pm_load_quats

pm_fn pm_quat pm_gather_quats(pm_global const float *const from[PM_LANES]) {
    return pm_load_quats(from[0]);
}

pm_fn void pm_store_items(pm_global float *to, pm_quat q, pm_u32 count, pm_u32 streams) {
    (void)count;
    (void)streams;
#ifdef PM_OPENCL
    *(pm_global float4 *)to = (float4)(q.x, q.y, q.z, q.w);
#else
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
#endif
}

pm_fn void pm_store_vector_items(pm_global float *to, pm_quat v, pm_u32 count, pm_u32 streams) {
    (void)count;
    (void)streams;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

pm_fn real pm_load_reals(pm_global const float *from) {
    return from[0];
}

pm_fn real pm_reals_of(const float *from) {
    return from[0];
}

pm_fn void pm_set_reals(float *to, real numbers) {
    to[0] = numbers;
}

pm_fn pm_mask pm_numbers_of(const int *from) {
    return from[0];
}

#else

/* The number of neighbouring quaternions that fill a vector. */
#define PM_NEIGHBOURS (PM_LANES / 4)

/* Lane j of PM_SHUFFLE(a, b, f) is element f(j) of the concatenation of a and b. Compilers keep a
 * shuffle that is a single operation. They split one that is made of swizzles into loads of two
 * floats each, many times as many instructions. */
#if PM_LANES == 16
#define PM_EACH(f)                                                                                 \
    f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), \
        f(15)
#elif PM_LANES == 8
#define PM_EACH(f) f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)
#else
#define PM_EACH(f) f(0), f(1), f(2), f(3)
#endif
#ifndef __clang__
#define PM_SHUFFLE(a, b, f) __builtin_shuffle((a), (b), (pm_mask){PM_EACH(f)})
#else
#define PM_SHUFFLE(a, b, f) __builtin_shufflevector((a), (b), PM_EACH(f))
#endif

#define PM_LANE_OF(i) ((i) % PM_NEIGHBOURS * 4 + (i) / PM_NEIGHBOURS)
#define PM_ITEM_OF(j) ((j) % 4 * PM_NEIGHBOURS + (j) / 4)
#define PM_SAME(j) (j)
#define PM_ITEM_NUMBERS ((pm_mask){PM_EACH(PM_ITEM_OF)})
#define PM_NUMBERS ((pm_mask){PM_EACH(PM_SAME)})

/* A vector with numbers of items in memory order, in the order of the lanes. */
#define PM_IN_LANES(v) PM_SHUFFLE(v, v, PM_ITEM_OF)
/* The inverse. */
#define PM_IN_ORDER(v) PM_SHUFFLE(v, v, PM_LANE_OF)

#define PM_HALF (PM_LANES / 2)
#define PM_LOWER(j) ((j) < PM_HALF ? (j) : PM_HALF + (j)) /* the lower halves of a and b */
#define PM_UPPER(j) (PM_LOWER(j) + PM_HALF)

/* Of each part of four lanes: the first two of a and of b, alternately or one pair after the other,
 * and the last two. */
#define PM_FIRST_TWO(j) ((j) / 4 * 4 + (j) % 4 / 2 + (j) % 2 * PM_LANES)
#define PM_LAST_TWO(j) (PM_FIRST_TWO(j) + 2)
#define PM_FIRST_PAIRS(j) ((j) / 4 * 4 + (j) % 2 + (j) % 4 / 2 * PM_LANES)
#define PM_LAST_PAIRS(j) (PM_FIRST_PAIRS(j) + 2)

/* PM_LANES quaternions as 4 vectors, a quaternion in each part: part p of vector k is that of lane
 * 4 p + k. */
typedef struct pm_quat_block {
    real r0, r1, r2, r3;
} pm_quat_block;

pm_fn pm_quat_block pm_rows_of(real r0, real r1, real r2, real r3) {
    pm_quat_block m;
    m.r0 = r0;
    m.r1 = r1;
    m.r2 = r2;
    m.r3 = r3;
    return m;
}

/* Transposed within parts, which is its own inverse. */
pm_fn pm_quat_block pm_transposed(pm_quat_block m) {
    real a = PM_SHUFFLE(m.r0, m.r1, PM_FIRST_TWO), b = PM_SHUFFLE(m.r0, m.r1, PM_LAST_TWO);
    real c = PM_SHUFFLE(m.r2, m.r3, PM_FIRST_TWO), d = PM_SHUFFLE(m.r2, m.r3, PM_LAST_TWO);
    return pm_rows_of(PM_SHUFFLE(a, c, PM_FIRST_PAIRS), PM_SHUFFLE(a, c, PM_LAST_PAIRS),
                      PM_SHUFFLE(b, d, PM_FIRST_PAIRS), PM_SHUFFLE(b, d, PM_LAST_PAIRS));
}

pm_fn pm_quat pm_lanes_of(pm_quat_block m) {
    pm_quat_block t = pm_transposed(m);
    return pm_quat_of(t.r0, t.r1, t.r2, t.r3);
}

pm_fn pm_quat_block pm_block_of(pm_quat q) {
    return pm_transposed(pm_rows_of(q.x, q.y, q.z, q.w));
}

#if PM_LANES == 16
/* Part i of each vector goes to vector i. */
#define PM_EVEN_PARTS(j) ((j) / 4 * 8 + (j) % 4)
#define PM_ODD_PARTS(j) (PM_EVEN_PARTS(j) + 4)

pm_fn pm_quat_block pm_parts_transposed(pm_quat_block m) {
    real a = PM_SHUFFLE(m.r0, m.r1, PM_LOWER), b = PM_SHUFFLE(m.r2, m.r3, PM_LOWER);
    real c = PM_SHUFFLE(m.r0, m.r1, PM_UPPER), d = PM_SHUFFLE(m.r2, m.r3, PM_UPPER);
    return pm_rows_of(PM_SHUFFLE(a, b, PM_EVEN_PARTS), PM_SHUFFLE(a, b, PM_ODD_PARTS),
                      PM_SHUFFLE(c, d, PM_EVEN_PARTS), PM_SHUFFLE(c, d, PM_ODD_PARTS));
}
#endif

/* Vector k of those that lie one after another. */
#define PM_VECTOR(from, k) ((from) + (pm_u64)(k)*PM_LANES)

pm_fn real pm_load_reals(const float *from) {
    real r;
    memcpy(&r, from, sizeof r);
    return r;
}

pm_fn real pm_reals_of(const float *from) {
    return pm_load_reals(from);
}

pm_fn void pm_set_reals(float *to, real numbers) {
    memcpy(to, &numbers, sizeof numbers);
}

/* Part p of row k is the quaternion of lane 4 p + k. Intrinsics, because compilers put vectors together from
 * parts through the stack. */
static inline real pm_parts_of(const float *const *from, pm_u64 at) {
#if PM_LANES == 16 && defined(__AVX512F__)
    __m512 row = _mm512_castps128_ps512(_mm_loadu_ps(from[0] + at));
    row = _mm512_insertf32x4(row, _mm_loadu_ps(from[4] + at), 1);
    row = _mm512_insertf32x4(row, _mm_loadu_ps(from[8] + at), 2);
    return (real)_mm512_insertf32x4(row, _mm_loadu_ps(from[12] + at), 3);
#elif PM_LANES == 8 && defined(__AVX__)
    const __m256 row = _mm256_castps128_ps256(_mm_loadu_ps(from[0] + at));
    return (real)_mm256_insertf128_ps(row, _mm_loadu_ps(from[4] + at), 1);
#else
    float row[PM_LANES];
    for (int p = 0; p < PM_LANES; p += 4)
        memcpy(row + p, from[p] + at, 4 * sizeof *row);
    return pm_load_reals(row);
#endif
}

/* `at` floats behind each pointer: an array of sums is computed in vectors, and taken apart again. */
pm_fn pm_quat pm_gather_quats_behind(const float *const from[PM_LANES], pm_u64 at) {
    return pm_lanes_of(pm_rows_of(pm_parts_of(from, at), pm_parts_of(from + 1, at),
                                  pm_parts_of(from + 2, at), pm_parts_of(from + 3, at)));
}

pm_fn pm_quat pm_gather_quats(const float *const from[PM_LANES]) {
    return pm_gather_quats_behind(from, 0);
}

/* Vector by vector, because GCC copies a whole struct through the stack, in parts of 16 bytes. */
pm_fn pm_quat pm_load_items(const float *from) {
    return pm_lanes_of(pm_rows_of(pm_load_reals(from), pm_load_reals(PM_VECTOR(from, 1)),
                                  pm_load_reals(PM_VECTOR(from, 2)),
                                  pm_load_reals(PM_VECTOR(from, 3))));
}

pm_fn pm_mask pm_numbers_of(const int *from) {
    pm_mask m;
    memcpy(&m, from, sizeof m);
    return m;
}

/* A non-temporal store, where the compiler has one, to an address aligned to the size of the vector. */
#if __has_builtin(__builtin_nontemporal_store)
#define PM_STREAM(value, to) __builtin_nontemporal_store((value), (pm_global real *)(to))
#elif PM_LANES == 16 && defined(__AVX512F__)
#define PM_STREAM(value, to) _mm512_stream_ps((to), (__m512)(value))
#elif PM_LANES == 8 && defined(__AVX__)
#define PM_STREAM(value, to) _mm256_stream_ps((to), (__m256)(value))
#else
#define PM_STREAM(value, to) pm_store_reals((to), (value))
#endif

/* The first `count` items, of `size` floats each, of vectors in private memory. */
#define pm_store_reals pm_set_reals
#define PM_STORE_TAIL(size, tail, count, to) memcpy((to), (tail), (size) * sizeof(float) * (count))

/* Floats from an aligned address up to this one. */
pm_fn pm_u32 pm_past_of(pm_global const float *at) {
    return (pm_u32)((size_t)at / sizeof(float) % PM_LANES);
}

/* `size` vectors past the caches, to an aligned address. */
pm_fn void pm_stream_block(pm_global float *to, pm_quat_block m, int size) {
    PM_STREAM(m.r0, to);
    PM_STREAM(m.r1, PM_VECTOR(to, 1));
    PM_STREAM(m.r2, PM_VECTOR(to, 2));
    if (size == 4)
        PM_STREAM(m.r3, PM_VECTOR(to, 3));
}

/* Stores the first `count` items of `size` vectors, 4 or 3; all of them are the fast case. `streams`
 * requests non-temporal stores, for results that will have left the caches before they are read: a cached
 * store would first read every line from memory, only to overwrite it. Elsewhere than at an aligned address
 * they are stored in the caches: pm_rows.h streams there. */
pm_fn void pm_store_block(pm_global float *to, pm_quat_block m, int size, pm_u32 count,
                          pm_u32 streams) {
    if (count >= PM_LANES && streams && pm_past_of(to) == 0) {
        pm_stream_block(to, m, size);
        return;
    }
    if (count >= PM_LANES) {
        pm_store_reals(to, m.r0);
        pm_store_reals(PM_VECTOR(to, 1), m.r1);
        pm_store_reals(PM_VECTOR(to, 2), m.r2);
        if (size == 4)
            pm_store_reals(PM_VECTOR(to, 3), m.r3);
        return;
    }
    /* Vectors, not floats: LLVM aligns the stack for an aligned variable, but not for spills alone,
     * which would then cross cache lines. */
    real tail[4] = {m.r0, m.r1, m.r2, m.r3};
    if (size == 4)
        PM_STORE_TAIL(4, tail, count, to);
    else
        PM_STORE_TAIL(3, tail, count, to);
}

pm_fn void pm_store_items(pm_global float *to, pm_quat q, pm_u32 count, pm_u32 streams) {
    pm_store_block(to, pm_block_of(q), 4, count, streams);
}

/* Element e of 3 vectors in memory order x y z: PM_XY_AT picks it from x and y, PM_Z_AT then adds
 * those of z. */
#define PM_XY_AT(e) ((e) % 3 < 2 ? (e) % 3 * PM_LANES + PM_LANE_OF((e) / 3) : 0)
#define PM_Z_AT(e) ((e) % 3 == 2 ? PM_LANES + PM_LANE_OF((e) / 3) : (e) % PM_LANES)
#define PM_XY_0(j) PM_XY_AT(j)
#define PM_XY_1(j) PM_XY_AT((j) + PM_LANES)
#define PM_XY_2(j) PM_XY_AT((j) + 2 * PM_LANES)
#define PM_Z_0(j) PM_Z_AT(j)
#define PM_Z_1(j) PM_Z_AT((j) + PM_LANES)
#define PM_Z_2(j) PM_Z_AT((j) + 2 * PM_LANES)

/* 3 vectors; the fourth is unused. */
pm_fn pm_quat_block pm_vector_block_of(pm_quat v) {
    return pm_rows_of(PM_SHUFFLE(PM_SHUFFLE(v.x, v.y, PM_XY_0), v.z, PM_Z_0),
                      PM_SHUFFLE(PM_SHUFFLE(v.x, v.y, PM_XY_1), v.z, PM_Z_1),
                      PM_SHUFFLE(PM_SHUFFLE(v.x, v.y, PM_XY_2), v.z, PM_Z_2), PM_REAL(0.0f));
}

pm_fn void pm_store_vector_items(pm_global float *to, pm_quat v, pm_u32 count, pm_u32 streams) {
    pm_store_block(to, pm_vector_block_of(v), 3, count, streams);
}
#endif

/* The same quaternion in all lanes; it is aligned to 16 bytes. */
pm_fn pm_quat pm_spread(pm_global const float *from) {
#if PM_LANES == 1
    return pm_load_quats(from);
#else
    return pm_quat_of(PM_REAL(from[0]), PM_REAL(from[1]), PM_REAL(from[2]), PM_REAL(from[3]));
#endif
}

/* PM_LANES quaternions, `at` floats further on */
pm_fn pm_quat pm_gather_quats_at(pm_global const float *from, const pm_u64 at[PM_LANES]) {
    pm_global const float *address[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        address[i] = from + at[i];
    return pm_gather_quats(address);
}
#endif
