/* SPDX-License-Identifier: MIT
 *
 * Rows of results past the caches, at any address: the values of a sample's tracks, PM_LANES of them at
 * a time. Only whole, aligned vectors are streamed. The vector behind the last aligned one of some tracks
 * is kept until that of the next tracks completes it. Where rows lie one after another, so are the
 * vectors that two of them share: a line that is streamed in part and stored in part is written to
 * memory several times. A row has at least PM_LANES floats.
 */
#ifndef PM_ROWS_H
#define PM_ROWS_H

#ifndef PM_LANES
#define PM_LANES 4
#endif

#include "pm_cursor.h"
#include "pm_memory.h"

#if PM_LANES > 1

/* Vectors are set before they are read. Where rows do not join, other tracks are beside them, which are
 * stored by others: there the shared vectors are stored in the caches. */
typedef struct pm_rows {
    pm_global float *begin; /* of the first row */
    pm_u64 floats, ahead;   /* to the next row, and to one that is stored some microseconds later */
    pm_u32 streams, joins;
    real rests[PM_WALK_BLOCK], heads[PM_WALK_BLOCK]; /* of each row of a segment */
    real tail;                                       /* the end of the last row */
} pm_rows;

/* Row k of a segment. All of its rows get their first tracks before the next tracks of any. */
typedef struct pm_row {
    pm_rows *all;
    pm_u32 k, is_last; /* of the segment */
    pm_u32 is_first;   /* its first tracks */
} pm_row;

pm_fn pm_row pm_row_of(pm_rows *all, pm_u32 k, pm_u32 count, pm_u32 is_first) {
    pm_row row;
    row.all = all;
    row.k = k;
    row.is_last = k + 1 == count;
    row.is_first = is_first;
    return row;
}

#define PM_SAME(j) (j)
#ifdef PM_OPENCL
#define PM_NUMBERS ((pm_mask)(PM_EACH(PM_SAME)))
#else
#define PM_NUMBERS ((pm_mask){PM_EACH(PM_SAME)})
#endif

/* Lane j gets that of lane j - past, in a circle. Where compilers have no operation for it, each shuffle is
 * constant. */
#if defined(PM_OPENCL) && PM_LANES == 16 && defined(__AVX512F__) &&                                \
    __has_builtin(__builtin_ia32_permvarsf512)
#define PM_ROTATED(v, from) __builtin_ia32_permvarsf512((v), (from))
#elif defined(PM_OPENCL) && PM_LANES == 8 && defined(__AVX2__) &&                                  \
    __has_builtin(__builtin_ia32_permvarsf256)
#define PM_ROTATED(v, from) __builtin_ia32_permvarsf256((v), (from))
#elif !defined(PM_OPENCL) && PM_LANES == 16 && defined(__AVX512F__)
#define PM_ROTATED(v, from) ((real)_mm512_permutexvar_ps((__m512i)(from), (__m512)(v)))
#elif !defined(PM_OPENCL) && PM_LANES == 8 && defined(__AVX2__)
#define PM_ROTATED(v, from) ((real)_mm256_permutevar8x32_ps((__m256)(v), (__m256i)(from)))
#endif

#ifdef PM_ROTATED
pm_fn pm_quat_block pm_rotated(pm_quat_block m, pm_u32 past) {
    pm_mask from = (PM_NUMBERS - PM_BITS(past)) & PM_BITS(PM_LANES - 1);
    return pm_rows_of(PM_ROTATED(m.r0, from), PM_ROTATED(m.r1, from), PM_ROTATED(m.r2, from),
                      PM_ROTATED(m.r3, from));
}
#else
#define PM_PAST_1(j) (((j) + PM_LANES - 1) % PM_LANES)
#define PM_PAST_2(j) (((j) + PM_LANES - 2) % PM_LANES)
#define PM_PAST_3(j) (((j) + PM_LANES - 3) % PM_LANES)
#define PM_PAST_4(j) (((j) + PM_LANES - 4) % PM_LANES)
#define PM_PAST_5(j) (((j) + PM_LANES - 5) % PM_LANES)
#define PM_PAST_6(j) (((j) + PM_LANES - 6) % PM_LANES)
#define PM_PAST_7(j) (((j) + PM_LANES - 7) % PM_LANES)
#define PM_PAST_8(j) (((j) + PM_LANES - 8) % PM_LANES)
#define PM_PAST_9(j) (((j) + PM_LANES - 9) % PM_LANES)
#define PM_PAST_10(j) (((j) + PM_LANES - 10) % PM_LANES)
#define PM_PAST_11(j) (((j) + PM_LANES - 11) % PM_LANES)
#define PM_PAST_12(j) (((j) + PM_LANES - 12) % PM_LANES)
#define PM_PAST_13(j) (((j) + PM_LANES - 13) % PM_LANES)
#define PM_PAST_14(j) (((j) + PM_LANES - 14) % PM_LANES)
#define PM_PAST_15(j) (((j) + PM_LANES - 15) % PM_LANES)
#define PM_IF_PAST(n)                                                                              \
    case n:                                                                                        \
        m = pm_rows_of(PM_SHUFFLE(m.r0, m.r0, PM_PAST_##n), PM_SHUFFLE(m.r1, m.r1, PM_PAST_##n),   \
                       PM_SHUFFLE(m.r2, m.r2, PM_PAST_##n), PM_SHUFFLE(m.r3, m.r3, PM_PAST_##n));  \
        break;

pm_fn pm_quat_block pm_rotated(pm_quat_block m, pm_u32 past) {
    switch (past) {
        PM_IF_PAST(1)
        PM_IF_PAST(2)
        PM_IF_PAST(3)
#if PM_LANES > 4
        PM_IF_PAST(4)
        PM_IF_PAST(5)
        PM_IF_PAST(6)
        PM_IF_PAST(7)
#endif
#if PM_LANES > 8
        PM_IF_PAST(8)
        PM_IF_PAST(9)
        PM_IF_PAST(10)
        PM_IF_PAST(11)
        PM_IF_PAST(12)
        PM_IF_PAST(13)
        PM_IF_PAST(14)
        PM_IF_PAST(15)
#endif
    default:
        break;
    }
    return m;
}
#endif

/* Stores the lanes from `begin` to `end`. */
#if !defined(PM_OPENCL) && defined(__AVX512F__) && PM_LANES == 16
pm_fn void pm_store_lanes(float *to, real v, pm_u32 begin, pm_u32 end) {
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << end) - (1u << begin)), (__m512)v);
}
#elif !defined(PM_OPENCL) && defined(__AVX__) && PM_LANES == 8
pm_fn void pm_store_lanes(float *to, real v, pm_u32 begin, pm_u32 end) {
    const pm_mask within = (PM_NUMBERS >= (int32_t)begin) & (PM_NUMBERS < (int32_t)end);
    _mm256_maskstore_ps(to, (__m256i)within, (__m256)v);
}
#else
pm_fn void pm_store_lanes(pm_global float *to, real v, pm_u32 begin, pm_u32 end) {
    float lanes[PM_LANES];
    pm_set_reals(lanes, v);
    for (pm_u32 i = begin; i < end; i++)
        to[i] = lanes[i];
}
#endif

/* Lanes before `past` from the one vector, the others from the other. */
pm_fn real pm_joined(real before, real after, pm_u32 past) {
    return pm_select(PM_NUMBERS < PM_BITS(past), before, after);
}

/* The first vector of a row. Its lanes before `past` are the end of the row before, which is there or
 * follows. */
pm_fn void pm_store_first(pm_global float *at, real part, pm_u32 past, pm_u32 follows, pm_row r) {
    pm_rows *all = r.all;
    if (past == 0) {
        PM_STREAM(part, at);
    } else if (!all->joins || at + past == all->begin) {
        pm_prefetch(at + past + all->ahead, PM_CACHE_LINE);
        pm_store_lanes(at, part, past, PM_LANES);
    } else if (follows) {
        all->heads[r.k] = part;
    } else {
        PM_STREAM(pm_joined(all->tail, part, past), at);
    }
}

/* The last vector of a row, whose first `lanes` lanes are set. The others are the begin of the next row,
 * which is there or follows. */
pm_fn void pm_store_end(pm_global float *at, real part, pm_u32 lanes, pm_row r) {
    pm_rows *all = r.all;
    if (lanes == PM_LANES)
        PM_STREAM(part, at);
    else if (!all->joins)
        pm_store_lanes(at, part, 0, lanes);
    else if (r.is_first || r.is_last)
        all->tail = part;
    else
        PM_STREAM(pm_joined(part, all->heads[r.k + 1], lanes), at);
}

/* The values of the next tracks of a row, of which `count` remain: `size` vectors, 4 or 3. In one piece,
 * without a call: it would keep all that a curve needs out of the registers. */
pm_fn void pm_store_row(pm_global float *to, pm_quat_block m, int size, pm_u32 count, pm_row r) {
    pm_u32 past = pm_past_of(to), is_last = count <= PM_LANES;
    if (past == 0 && count >= PM_LANES) {
        pm_stream_block(to, m, size);
        return;
    }
    m = pm_rotated(m, past);
    real first = r.is_first ? m.r0 : pm_joined(r.all->rests[r.k], m.r0, past);
    real second = pm_joined(m.r0, m.r1, past), third = pm_joined(m.r1, m.r2, past);
    real fourth = size == 4 ? pm_joined(m.r2, m.r3, past) : m.r2;
    real end = size == 4 ? m.r3 : m.r2;
    pm_u32 floats = past + (pm_u32)size * count; /* of the last tracks */
    pm_u32 whole = (pm_u32)size;                 /* vectors */
    if (count < PM_LANES) {
        whole = (floats - 1) / PM_LANES;
        end = whole == 0 ? first : whole == 1 ? second : whole == 2 ? third : fourth;
        if (whole > 3)
            end = m.r3;
    }
    to -= past;
    if (whole > 0 && r.is_first)
        pm_store_first(to, first, past, r.k > 0 && !is_last, r);
    else if (whole > 0)
        PM_STREAM(first, to);
    if (whole > 1)
        PM_STREAM(second, PM_VECTOR(to, 1));
    if (whole > 2)
        PM_STREAM(third, PM_VECTOR(to, 2));
    if (whole > 3)
        PM_STREAM(fourth, PM_VECTOR(to, 3));
    if (is_last)
        pm_store_end(PM_VECTOR(to, whole), end, floats - whole * PM_LANES, r);
    else
        r.all->rests[r.k] = end;
}

/* Values of the next tracks of a row, which goes past the caches where all rows do. */
pm_fn void pm_store_row_items(pm_global float *to, pm_quat q, pm_u32 count, pm_row r) {
    if (r.all->streams)
        pm_store_row(to, pm_block_of(q), 4, count, r);
    else
        pm_store_items(to, q, count, 0);
}

pm_fn void pm_store_row_vector_items(pm_global float *to, pm_quat v, pm_u32 count, pm_row r) {
    if (r.all->streams)
        pm_store_row(to, pm_vector_block_of(v), 3, count, r);
    else
        pm_store_vector_items(to, v, count, 0);
}

/* Rows from `begin` on, `floats` floats apart, of which the first `width` are values of the rows' tracks. */
pm_fn void pm_rows_begin(pm_rows *rows, pm_global float *begin, pm_u64 floats, pm_u64 width,
                         pm_u32 streams) {
    const pm_u64 ahead = 3000; /* floats: some microseconds */
    rows->begin = begin;
    rows->floats = floats;
    rows->ahead = (ahead / floats + 1) * floats;
    rows->streams = streams;
    rows->joins = floats == width;
}

/* `end`: of the last row */
pm_fn void pm_rows_end(const pm_rows *rows, pm_global float *end) {
    pm_u32 lanes = pm_past_of(end);
    if (rows->streams && rows->joins && lanes > 0)
        pm_store_lanes(end - lanes, rows->tail, 0, lanes);
}

#endif
#endif
