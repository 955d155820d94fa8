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

/* Vectors and tail are set before they are read. Where rows do not join, other tracks are beside them,
 * which are stored by others: there the shared vectors are stored in the caches. */
typedef struct pm_rows {
    pm_u64 floats, ahead; /* to the next row, and to one that is stored some microseconds later */
    pm_u32 streams, joins;
    real rests[PM_WALK_BLOCK], heads[PM_WALK_BLOCK]; /* of each sample of a segment */
    pm_u32 head_count;                               /* samples whose first tracks are computed */
    pm_u32 tail_lanes;                               /* of the end of the last row; 0: nothing */
    real tail;
    pm_global float *tail_at;
} pm_rows;

typedef struct pm_row {
    pm_rows *all;
    pm_u32 k; /* among the samples of a segment */
    pm_u32 is_first;
} pm_row;

pm_fn pm_row pm_row_of(pm_rows *all, pm_u32 k, pm_u32 is_first) {
    pm_row row;
    row.all = all;
    row.k = k;
    row.is_first = is_first;
    return row;
}

#define PM_SAME(j) (j)
#ifdef PM_OPENCL
#define PM_NUMBERS ((pm_mask)(PM_EACH(PM_SAME)))
#else
#define PM_NUMBERS ((pm_mask){PM_EACH(PM_SAME)})
#endif

/* The aligned vectors that neighbours share where they lie `past` floats above an aligned address. The
 * last one has only the end of the block. */
typedef struct pm_row_parts {
    real of[5];
} pm_row_parts;

#if !defined(PM_OPENCL) && (defined(__AVX512F__) && PM_LANES == 16 || defined(__AVX2__) && PM_LANES == 8)
static inline real pm_shared_part(real a, real b, pm_u32 past) {
    const pm_mask lanes = PM_NUMBERS + (int32_t)(PM_LANES - past);
#if PM_LANES == 16
    return (real)_mm512_permutex2var_ps((__m512)a, (__m512i)lanes, (__m512)b);
#else
    const real low = (real)_mm256_permutevar8x32_ps((__m256)a, (__m256i)lanes);
    const real high = (real)_mm256_permutevar8x32_ps((__m256)b, (__m256i)lanes);
    return pm_select(lanes >= PM_LANES, high, low);
#endif
}

pm_fn pm_row_parts pm_row_parts_of(real rest, pm_quat_block m, pm_u32 past) {
    pm_row_parts parts = {{pm_shared_part(rest, m.r0, past), pm_shared_part(m.r0, m.r1, past),
                           pm_shared_part(m.r1, m.r2, past), pm_shared_part(m.r2, m.r3, past),
                           pm_shared_part(m.r3, m.r3, past)}};
    return parts;
}
#else
/* Each shuffle is constant, and takes one operation or two: compilers do not know others. */
#define PM_PAST_1(j) (PM_LANES - 1 + (j))
#define PM_PAST_2(j) (PM_LANES - 2 + (j))
#define PM_PAST_3(j) (PM_LANES - 3 + (j))
#define PM_PAST_4(j) (PM_LANES - 4 + (j))
#define PM_PAST_5(j) (PM_LANES - 5 + (j))
#define PM_PAST_6(j) (PM_LANES - 6 + (j))
#define PM_PAST_7(j) (PM_LANES - 7 + (j))
#define PM_PAST_8(j) (PM_LANES - 8 + (j))
#define PM_PAST_9(j) (PM_LANES - 9 + (j))
#define PM_PAST_10(j) (PM_LANES - 10 + (j))
#define PM_PAST_11(j) (PM_LANES - 11 + (j))
#define PM_PAST_12(j) (PM_LANES - 12 + (j))
#define PM_PAST_13(j) (PM_LANES - 13 + (j))
#define PM_PAST_14(j) (PM_LANES - 14 + (j))
#define PM_PAST_15(j) (PM_LANES - 15 + (j))
#define PM_PARTS_PAST(n)                                                                           \
    case n:                                                                                        \
        parts.of[0] = PM_SHUFFLE(rest, m.r0, PM_PAST_##n);                                         \
        parts.of[1] = PM_SHUFFLE(m.r0, m.r1, PM_PAST_##n);                                         \
        parts.of[2] = PM_SHUFFLE(m.r1, m.r2, PM_PAST_##n);                                         \
        parts.of[3] = PM_SHUFFLE(m.r2, m.r3, PM_PAST_##n);                                         \
        parts.of[4] = PM_SHUFFLE(m.r3, m.r3, PM_PAST_##n);                                         \
        break;

pm_fn pm_row_parts pm_row_parts_of(real rest, pm_quat_block m, pm_u32 past) {
    pm_row_parts parts;
    switch (past) {
        PM_PARTS_PAST(1)
        PM_PARTS_PAST(2)
        PM_PARTS_PAST(3)
#if PM_LANES > 4
        PM_PARTS_PAST(4)
        PM_PARTS_PAST(5)
        PM_PARTS_PAST(6)
        PM_PARTS_PAST(7)
#endif
#if PM_LANES > 8
        PM_PARTS_PAST(8)
        PM_PARTS_PAST(9)
        PM_PARTS_PAST(10)
        PM_PARTS_PAST(11)
        PM_PARTS_PAST(12)
        PM_PARTS_PAST(13)
        PM_PARTS_PAST(14)
        PM_PARTS_PAST(15)
#endif
    default:
        parts.of[0] = m.r0;
        parts.of[1] = m.r1;
        parts.of[2] = m.r2;
        parts.of[3] = m.r3;
        parts.of[4] = m.r3;
        break;
    }
    return parts;
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
pm_rare_fn void pm_store_lanes(pm_global float *to, real v, pm_u32 begin, pm_u32 end) {
    float lanes[PM_LANES];
    pm_set_reals(lanes, v);
    for (pm_u32 i = begin; i < end; i++)
        to[i] = lanes[i];
}
#endif

pm_fn real pm_joined_part(real before, real after, pm_u32 past) {
    return pm_select(PM_NUMBERS < PM_BITS(past), before, after);
}

/* The first vector of a row, of which lanes before `past` belong to the row before. */
pm_fn void pm_store_first(pm_global float *at, real part, pm_u32 past, pm_row r) {
    pm_rows *all = r.all;
    if (past == 0) {
        PM_STREAM(part, at);
    } else if (all->tail_lanes > 0) {
        PM_STREAM(pm_joined_part(all->tail, part, past), at);
        all->tail_lanes = 0;
    } else if (all->joins && r.k > 0) {
        all->heads[r.k] = part;
    } else {
        pm_prefetch(at + past + all->ahead, PM_CACHE_LINE);
        pm_store_lanes(at, part, past, PM_LANES);
    }
}

/* The last vector of a row, whose first `lanes` lanes are set. */
pm_fn void pm_store_end(pm_global float *at, real part, pm_u32 lanes, pm_row r) {
    pm_rows *all = r.all;
    if (lanes == PM_LANES) {
        PM_STREAM(part, at);
    } else if (!all->joins) {
        pm_store_lanes(at, part, 0, lanes);
    } else if (r.k + 1 < all->head_count) {
        PM_STREAM(pm_joined_part(part, all->heads[r.k + 1], lanes), at);
    } else {
        all->tail = part;
        all->tail_at = at;
        all->tail_lanes = lanes;
    }
}

/* The values of a row's last tracks, at most PM_LANES: `floats` of them, at least one. */
pm_rare_fn void pm_store_last(pm_global float *to, const pm_quat_block *m, pm_u32 floats,
                              pm_row r) {
    pm_u32 past = pm_past_of(to);
    pm_row_parts parts = pm_row_parts_of(r.all->rests[r.k], *m, past);
    pm_u32 end = past + floats, last = (end - 1) / PM_LANES;
    to -= past;
    for (pm_u32 v = 0; v < last; v++)
        if (v == 0 && r.is_first)
            pm_store_first(to, parts.of[0], past, r);
        else
            PM_STREAM(parts.of[v], PM_VECTOR(to, v));
    pm_store_end(PM_VECTOR(to, last), parts.of[last], end - last * PM_LANES, r);
}

/* The values of PM_LANES tracks, the last ones if so, where no vector is aligned. */
pm_fn void pm_store_apart(pm_global float *to, pm_quat_block m, int size, pm_u32 is_last,
                          pm_row r) {
    pm_u32 past = pm_past_of(to);
    pm_row_parts parts = pm_row_parts_of(r.all->rests[r.k], m, past);
    to -= past;
    if (r.is_first)
        pm_store_first(to, parts.of[0], past, r);
    else
        PM_STREAM(parts.of[0], to);
    PM_STREAM(parts.of[1], PM_VECTOR(to, 1));
    PM_STREAM(parts.of[2], PM_VECTOR(to, 2));
    if (size == 4)
        PM_STREAM(parts.of[3], PM_VECTOR(to, 3));
    if (is_last)
        pm_store_end(PM_VECTOR(to, size), parts.of[size], past, r);
    else
        r.all->rests[r.k] = size == 4 ? m.r3 : m.r2;
}

/* The values of the next tracks of a row, of which `count` remain: `size` vectors, 4 or 3. */
pm_fn void pm_store_row(pm_global float *to, pm_quat_block m, int size, pm_u32 count, pm_row r) {
    if (r.is_first)
        r.all->head_count = r.k + 1;
    if (count < PM_LANES)
        pm_store_last(to, &m, (pm_u32)size * count, r);
    else if (pm_past_of(to) == 0)
        pm_stream_block(to, m, size);
    else
        pm_store_apart(to, m, size, count == PM_LANES, r);
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

/* `floats` from row to row, of which the first `width` are values of the rows' tracks. */
pm_fn void pm_rows_begin(pm_rows *rows, pm_u64 floats, pm_u64 width, pm_u32 streams) {
    const pm_u64 ahead = 3000; /* floats: some microseconds */
    rows->floats = floats;
    rows->streams = streams;
    rows->joins = floats == width;
    rows->ahead = (ahead / floats + 1) * floats;
    rows->head_count = 0;
    rows->tail_lanes = 0;
}

pm_fn void pm_rows_end(const pm_rows *rows) {
    if (rows->tail_lanes > 0)
        pm_store_lanes(rows->tail_at, rows->tail, 0, rows->tail_lanes);
}

#endif
#endif
