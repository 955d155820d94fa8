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

/* Operations for which compilers have no portable name. Lane j gets lane from[j] of v, or of a and b one after
 * the other; higher bits are ignored. */
#if PM_LANES == 16 && defined(__AVX512F__) && defined(__AVX512DQ__)
#define PM_WIDE_SHUFFLES
#define PM_OF_BOTH(a, b, from)                                                                     \
    ((real)_mm512_permutex2var_ps((__m512)(a), (__m512i)(from), (__m512)(b)))
#define PM_OF_ONE(v, from) ((real)_mm512_permutexvar_ps((__m512i)(from), (__m512)(v)))
#elif PM_LANES == 8 && defined(__AVX2__)
#define PM_OF_ONE(v, from) ((real)_mm256_permutevar8x32_ps((__m256)(v), (__m256i)(from)))
#endif

/* Lanes before `past` from the one vector, the others from the other. */
pm_fn real pm_joined(real before, real after, pm_u32 past) {
#ifdef PM_WIDE_SHUFFLES
    __mmask16 first = _mm512_cmplt_epi32_mask((__m512i)PM_NUMBERS, (__m512i)PM_BITS(past));
    return (real)_mm512_mask_blend_ps(first, (__m512)after, (__m512)before);
#elif defined(PM_OF_ONE)
    const __m256 first = (__m256)(PM_NUMBERS - PM_BITS(past));
    return (real)_mm256_blendv_ps((__m256)after, (__m256)before, first);
#else
    return pm_select(PM_NUMBERS < PM_BITS(past), before, after);
#endif
}

/* Vectors of items that begin at lane `past`: of r0 the lanes from there on, of `end` those before it, and all
 * of those between. Of 3 vectors r3 is the end. */
typedef struct pm_shifted {
    real r0, r1, r2, r3, end;
} pm_shifted;

#ifdef PM_WIDE_SHUFFLES
/* The shift is part of the transposition: its second shuffles, and those of vectors, take their lanes from
 * a table. So they are as many as without a shift. */
#define PM_EACH_OF(f, n)                                                                           \
    {                                                                                              \
        f(n, 0), f(n, 1), f(n, 2), f(n, 3), f(n, 4), f(n, 5), f(n, 6), f(n, 7), f(n, 8), f(n, 9),  \
            f(n, 10), f(n, 11), f(n, 12), f(n, 13), f(n, 14), f(n, 15)                             \
    }

/* Of the vectors with first pairs and last pairs: lanes before `past` from the end of the second. Or from the
 * end of the first, and then the begin of the second. */
#define PM_ENDS_AT(past, j)                                                                        \
    ((j) < (past) ? PM_LAST_PAIRS((j) - (past) + PM_LANES) : PM_FIRST_PAIRS((j) - (past)))
#define PM_INNER_AT(past, j) (PM_ENDS_AT(past, j) ^ 2)
#define PM_PAIRS_OF(past)                                                                          \
    { PM_EACH_OF(PM_ENDS_AT, past), PM_EACH_OF(PM_INNER_AT, past) }
static const pm_mask pm_pair_lanes[PM_LANES][2] = {PM_EACH(PM_PAIRS_OF)};

pm_fn pm_shifted pm_shifted_items(pm_quat q, pm_u32 past) {
    pm_shifted s;
    pm_mask ends = pm_pair_lanes[past][0], inner = pm_pair_lanes[past][1];
    real a = PM_SHUFFLE(q.x, q.y, PM_FIRST_TWO), b = PM_SHUFFLE(q.x, q.y, PM_LAST_TWO);
    real c = PM_SHUFFLE(q.z, q.w, PM_FIRST_TWO), d = PM_SHUFFLE(q.z, q.w, PM_LAST_TWO);
    s.r0 = PM_OF_BOTH(a, c, ends);
    s.r1 = PM_OF_BOTH(a, c, inner);
    s.end = PM_OF_BOTH(b, d, ends);
    s.r2 = pm_joined(s.r0, s.end, past);
    s.r3 = PM_OF_BOTH(b, d, inner);
    return s;
}

/* Element e of vectors x y z: a lane of x and y, or, where it is below 0, of z. */
#define PM_XYZ_AT(e)                                                                               \
    ((e) % 3 == 2 ? PM_LANE_OF((e) / 3) - PM_LANES : (e) % 3 * PM_LANES + PM_LANE_OF((e) / 3))
#define PM_XYZ_0(past, j) PM_XYZ_AT(((j) - (past) + 3 * PM_LANES) % (3 * PM_LANES))
#define PM_XYZ_1(past, j) PM_XYZ_AT((j) - (past) + PM_LANES)
#define PM_XYZ_2(past, j) PM_XYZ_AT((j) - (past) + 2 * PM_LANES)
#define PM_XYZ_OF(past)                                                                            \
    { PM_EACH_OF(PM_XYZ_0, past), PM_EACH_OF(PM_XYZ_1, past), PM_EACH_OF(PM_XYZ_2, past) }
static const pm_mask pm_xyz_lanes[PM_LANES][3] = {PM_EACH(PM_XYZ_OF)};

pm_fn real pm_xyz(pm_quat v, pm_mask from) {
    real xy = PM_OF_BOTH(v.x, v.y, from);
    return (real)_mm512_mask_permutexvar_ps((__m512)xy, _mm512_movepi32_mask((__m512i)from),
                                            (__m512i)from, (__m512)v.z);
}

pm_fn pm_shifted pm_shifted_vectors(pm_quat v, pm_u32 past) {
    pm_shifted s;
    s.r0 = s.r3 = s.end = pm_xyz(v, pm_xyz_lanes[past][0]);
    s.r1 = pm_xyz(v, pm_xyz_lanes[past][1]);
    s.r2 = pm_xyz(v, pm_xyz_lanes[past][2]);
    return s;
}
#else
/* Lane j gets that of lane j - past, in a circle. */
pm_fn real pm_rotated(real v, pm_u32 past) {
#ifdef PM_OF_ONE
    pm_mask from = PM_NUMBERS - PM_BITS(past);
    return PM_OF_ONE(v, from);
#else
    float twice[2 * PM_LANES];
    pm_set_reals(twice, v);
    pm_set_reals(twice + PM_LANES, v);
    return pm_reals_of(twice + PM_LANES - past);
#endif
}

pm_fn pm_shifted pm_shifted_block(pm_quat_block m, int size, pm_u32 past) {
    pm_shifted s;
    real second = pm_rotated(m.r1, past), third = pm_rotated(m.r2, past);
    s.r0 = pm_rotated(m.r0, past);
    s.end = size == 4 ? pm_rotated(m.r3, past) : third;
    s.r1 = pm_joined(s.r0, second, past);
    s.r2 = pm_joined(second, third, past);
    s.r3 = pm_joined(third, s.end, past);
    return s;
}

pm_fn pm_shifted pm_shifted_items(pm_quat q, pm_u32 past) {
    return pm_shifted_block(pm_block_of(q), 4, past);
}

pm_fn pm_shifted pm_shifted_vectors(pm_quat v, pm_u32 past) {
    return pm_shifted_block(pm_vector_block_of(v), 3, past);
}
#endif

/* Stores the lanes from `begin` to `end`. In one operation: what a loop over lanes needs is computed ahead of
 * it, for each row that has none. */
#if PM_LANES == 16 && defined(PM_OF_ONE)
pm_fn void pm_store_lanes(pm_global float *to, real v, pm_u32 begin, pm_u32 end) {
    pm_u32 lanes = (1u << end) - (1u << begin);
    _mm512_mask_storeu_ps(to, (__mmask16)lanes, (__m512)v);
}
#elif PM_LANES == 8 && defined(PM_OF_ONE)
pm_fn void pm_store_lanes(pm_global float *to, real v, pm_u32 begin, pm_u32 end) {
    pm_mask within = (PM_NUMBERS >= PM_BITS(begin)) & (PM_NUMBERS < PM_BITS(end));
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

#define PM_RARELY(condition) __builtin_expect((condition), 0)

/* The first vector of a row. Its lanes before `past` are the end of the row before, which is there or
 * follows. */
pm_fn void pm_store_first(pm_global float *at, real part, pm_u32 past, pm_u32 follows, pm_row r) {
    pm_rows *all = r.all;
    if (PM_RARELY(!all->joins || at + past == all->begin)) {
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
    if (PM_RARELY(!all->joins))
        pm_store_lanes(at, part, 0, lanes);
    else if (r.is_first || r.is_last)
        all->tail = part;
    else if (lanes > 0)
        PM_STREAM(pm_joined(part, all->heads[r.k + 1], lanes), at);
}

/* The last tracks of a row, fewer than PM_LANES: `floats` floats from the begin of the first vector on. */
pm_fn void pm_store_last(pm_global float *to, pm_shifted s, pm_u32 past, pm_u32 floats, pm_row r) {
    pm_u32 whole = floats / PM_LANES; /* vectors */
    real first = r.is_first ? s.r0 : pm_joined(r.all->rests[r.k], s.r0, past);
    real end = whole == 0 ? first : whole == 1 ? s.r1 : whole == 2 ? s.r2 : s.r3;
    if (r.is_first)
        pm_store_first(to, first, past, 0, r);
    else if (whole > 0)
        PM_STREAM(first, to);
    if (whole > 1)
        PM_STREAM(s.r1, PM_VECTOR(to, 1));
    if (whole > 2)
        PM_STREAM(s.r2, PM_VECTOR(to, 2));
    if (whole > 3) {
        PM_STREAM(s.r3, PM_VECTOR(to, 3));
        end = s.end;
    }
    pm_store_end(PM_VECTOR(to, whole), end, floats % PM_LANES, r);
}

/* The values of the next tracks of a row, of which `count` remain: `size` vectors, 4 or 3. In one piece,
 * without a call: it would keep all that a curve needs out of the registers. */
pm_fn void pm_store_row(pm_global float *to, pm_shifted s, int size, pm_u32 count, pm_row r) {
    pm_u32 past = pm_past_of(to);
    to -= past;
    if (PM_RARELY(count < PM_LANES)) {
        pm_store_last(to, s, past, past + (pm_u32)size * count, r);
        return;
    }
    if (r.is_first)
        pm_store_first(to, s.r0, past, r.k > 0 && count > PM_LANES, r);
    else
        PM_STREAM(pm_joined(r.all->rests[r.k], s.r0, past), to);
    PM_STREAM(s.r1, PM_VECTOR(to, 1));
    PM_STREAM(s.r2, PM_VECTOR(to, 2));
    if (size == 4)
        PM_STREAM(s.r3, PM_VECTOR(to, 3));
    if (count > PM_LANES)
        r.all->rests[r.k] = s.end;
    else
        pm_store_end(PM_VECTOR(to, size), s.end, past, r);
}

/* Values of the next tracks of a row, which goes past the caches where all rows do. */
pm_fn void pm_store_row_items(pm_global float *to, pm_quat q, pm_u32 count, pm_row r) {
    pm_u32 past = pm_past_of(to);
    if (!r.all->streams)
        pm_store_items(to, q, count, 0);
    else if (past == 0 && count >= PM_LANES)
        pm_stream_block(to, pm_block_of(q), 4);
    else
        pm_store_row(to, pm_shifted_items(q, past), 4, count, r);
}

pm_fn void pm_store_row_vector_items(pm_global float *to, pm_quat v, pm_u32 count, pm_row r) {
    pm_u32 past = pm_past_of(to);
    if (!r.all->streams)
        pm_store_vector_items(to, v, count, 0);
    else if (past == 0 && count >= PM_LANES)
        pm_stream_block(to, pm_vector_block_of(v), 3);
    else
        pm_store_row(to, pm_shifted_vectors(v, past), 3, count, r);
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
