/* SPDX-License-Identifier: MIT
 *
 * The kernels' walk as C, for every curve, and the samples of single tracks in lanes. Compiled once for each instruction set; the baseline, which
 * may have no fused multiply-add, gets an empty table.
 */
#if defined(__AVX512F__)
#define PM_LANES 16
#elif defined(__AVX__)
#define PM_LANES 8
#endif

#include "walk.h"

#include <stdint.h>
#include <string.h>

extern const pm_walk_functions PM_SET_NAME(pm_walk_functions);

#ifdef __FMA__
#include "kernels/pm_rows.h"

/* ---- samples of a track in lanes ---- */

/* The cursors of PM_LANES samples. */
typedef struct lane_cursors {
    real u;
    pm_mask odd;
    pm_mask segments;                      /* in the order of the samples */
    bool any_odd, any_on_key, any_on_next; /* samples in odd laps, at u 0 or 1, at u 1 */
    bool any_between;                      /* samples at another u */
} lane_cursors;

/* The cursors of samples: in arrays of one type, which compilers turn into vectors. */
typedef struct sample_block {
    pm_u32 segments[PM_WALK_BLOCK]; /* with the bits of a cursor */
    float u[PM_WALK_BLOCK];
} sample_block;

enum { LANE_BLOCKS = PM_WALK_BLOCK / PM_LANES };

/* PM_STRIDE samples from the places on, which move on to the next. */
static inline void locate_stride(pm_uniform_map map, pm_places *restrict places,
                                 pm_u32 *restrict segments, float *restrict u) {
    for (pm_u32 i = 0; i < PM_STRIDE; i++) {
        const pm_place place = pm_place_at(places, i);
        const pm_cursor cursor = pm_cursor_of(map, place);
        segments[i] = cursor.segment;
        u[i] = cursor.u;
        pm_set_place(places, i, pm_place_sum(map, place, places->stride));
    }
}

/* Whether PM_STRIDE samples span whole segments, and no sample of a block is at an end. */
static inline bool repeats(pm_uniform_map map, const pm_places *places) {
    const pm_u64 block = PM_WALK_BLOCK / PM_STRIDE * places->stride.units;
    pm_u64 highest = 0;
    for (pm_u32 i = 0; i < PM_STRIDE; i++)
        highest = highest > places->units[i] ? highest : places->units[i];
    return (pm_u32)places->stride.units == 0 && places->stride.rest == 0 &&
           places->stride.odd_lap == 0 && highest + block < pm_units_of(map.segment_count);
}

/* Moves on by a block that repeats, and returns by how many segments. */
static inline pm_u32 move_places(pm_places *places) {
    const pm_u64 units = PM_WALK_BLOCK / PM_STRIDE * places->stride.units;
    for (pm_u32 i = 0; i < PM_STRIDE; i++)
        places->units[i] += units;
    return (pm_u32)(units >> 32);
}

/* PM_WALK_BLOCK samples from the places on, which move on to the next. `same`: they repeat. */
__attribute__((noinline)) static void locate_block(pm_uniform_map map, bool same,
                                                   pm_places *restrict places,
                                                   sample_block *restrict block) {
    const pm_u32 step = (pm_u32)(places->stride.units >> 32);
    pm_places at = *places;
    locate_stride(map, &at, block->segments, block->u);
    for (pm_u32 k = PM_STRIDE; k < PM_WALK_BLOCK; k += PM_STRIDE) {
        if (!same) {
            locate_stride(map, &at, block->segments + k, block->u + k);
            continue;
        }
        memcpy(block->u + k, block->u, PM_STRIDE * sizeof *block->u);
        for (pm_u32 i = 0; i < PM_STRIDE; i++)
            block->segments[k + i] = block->segments[i] + k / PM_STRIDE * step;
    }
    if (same)
        move_places(places);
    else
        *places = at;
}

/* `count` samples, and the last one again until lanes are full. */
static inline void read_block(const pm_cursor *cursors, pm_u32 count, sample_block *block) {
#define PM_EVEN(j) (2 * (j))
#define PM_ODD(j) (2 * (j) + 1)
    for (pm_u32 k = 0; k < count; k += PM_LANES) {
        pm_cursor padded[PM_LANES];
        const pm_cursor *from = cursors + k;
        if (count - k < PM_LANES) {
            for (pm_u32 i = 0; i < PM_LANES; i++)
                padded[i] = from[i < count - k ? i : count - k - 1];
            from = padded;
        }
        const real low = pm_load_reals((const float *)(const void *)from);
        const real high = pm_load_reals((const float *)(const void *)(from + PM_LANES / 2));
        const real segments = PM_SHUFFLE(low, high, PM_EVEN);
        memcpy(block->segments + k, &segments, sizeof segments);
        pm_set_reals(block->u + k, PM_SHUFFLE(low, high, PM_ODD));
    }
}

/* PM_LANES samples from `sample` on. */
static inline lane_cursors lane_cursors_of(const sample_block *block, pm_u32 sample) {
    lane_cursors at;
    pm_mask words;
    memcpy(&words, block->segments + sample, sizeof words);
    at.segments = words & (int32_t)PM_CURSOR_SEGMENT;
    at.u = PM_IN_LANES(pm_load_reals(block->u + sample));
    at.odd = PM_IN_LANES(words < 0);
    at.any_odd = pm_any(at.odd) != 0;
    at.any_on_key = pm_any_on_key(at.u) != 0;
    at.any_on_next = pm_any(at.u == PM_REAL(1.0f)) != 0;
    at.any_between = pm_any((at.u != PM_REAL(0.0f)) & (at.u != PM_REAL(1.0f))) != 0;
    return at;
}

/* Segments of PM_LANES items, in their order. */
typedef struct item_segments {
    pm_u32 of[PM_LANES];
} item_segments;

static inline item_segments segments_of(pm_mask segments) {
    item_segments items;
    memcpy(items.of, &segments, sizeof items.of);
    return items;
}

/* Whether all segments are among PM_LANES, from `first` on. */
static inline bool are_near(pm_mask segments, int32_t first) {
    return !pm_any((segments - first) & ~(PM_LANES - 1));
}

static inline pm_mask higher(pm_mask a, pm_mask b) {
    return pm_bits_select(a > b, a, b);
}

static inline int32_t highest_of(pm_mask segments) {
#if PM_LANES == 16
    return _mm512_reduce_max_epi32((__m512i)segments);
#else
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128((__m256i)segments),
                              _mm256_extracti128_si256((__m256i)segments, 1));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
    return _mm_cvtsi128_si32(_mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1)));
#endif
}

/* Lane j gets the value in lane from[j]. */
static inline real spread(real v, pm_mask from) {
#if PM_LANES == 16
    return (real)_mm512_permutexvar_ps((__m512i)from, (__m512)v);
#else
    return (real)_mm256_permutevar8x32_ps((__m256)v, (__m256i)from);
#endif
}

static inline pm_quat spread_quat(pm_quat q, pm_mask from) {
    return pm_quat_of(spread(q.x, from), spread(q.y, from), spread(q.z, from), spread(q.w, from));
}

/* Vector k has the quaternions of a part of the lanes: PM_NEIGHBOURS samples one after another. */
static inline real row_of(const float *keys, size_t row, const pm_u32 *segments) {
#if PM_LANES == 16
    __m512 all = _mm512_castps128_ps512(_mm_loadu_ps(keys + segments[0] * row));
    all = _mm512_insertf32x4(all, _mm_loadu_ps(keys + segments[1] * row), 1);
    all = _mm512_insertf32x4(all, _mm_loadu_ps(keys + segments[2] * row), 2);
    return (real)_mm512_insertf32x4(all, _mm_loadu_ps(keys + segments[3] * row), 3);
#else
    const __m256 all = _mm256_castps128_ps256(_mm_loadu_ps(keys + segments[0] * row));
    return (real)_mm256_insertf128_ps(all, _mm_loadu_ps(keys + segments[1] * row), 1);
#endif
}

/* A quaternion of the segment of each item; segments are `row` floats apart. */
static inline pm_quat gather_items(const float *keys, size_t row, const item_segments *at) {
    const pm_u32 *segments = at->of;
    return pm_lanes_of(pm_rows_of(row_of(keys, row, segments),
                                  row_of(keys, row, segments + PM_NEIGHBOURS),
                                  row_of(keys, row, segments + 2 * (size_t)PM_NEIGHBOURS),
                                  row_of(keys, row, segments + 3 * (size_t)PM_NEIGHBOURS)));
}

/* The spacing of the segment of each item. */
static inline void gather_spacing(const float *spacings, const item_segments *at,
                                  pm_segment_data *data) {
    float before[PM_LANES], after[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++) {
        before[i] = spacings[PM_SPACING_FLOATS * (size_t)at->of[i]];
        after[i] = spacings[PM_SPACING_FLOATS * (size_t)at->of[i] + 1];
    }
    const real b = pm_load_reals(before), a = pm_load_reals(after);
    pm_set_spacing(data, PM_IN_LANES(b), PM_IN_LANES(a));
}

/* One quaternion in all lanes. */
static inline pm_quat same_items(const float *from) {
    return pm_quat_of(PM_REAL(from[0]), PM_REAL(from[1]), PM_REAL(from[2]), PM_REAL(from[3]));
}

/* Stores the first `count` items, `stride` floats apart. */
static inline void store_apart(float *to, pm_quat value, size_t components, pm_u32 count,
                               size_t stride) {
    const pm_quat_block m = pm_block_of(value);
    const real rows[] = {m.r0, m.r1, m.r2, m.r3};
    const float *items = (const float *)rows;
    if (stride == 4 && components == 4 && count >= PM_LANES)
        pm_store_block(to, m, 4, PM_LANES, 0);
    else
        for (pm_u32 i = 0; i < PM_LANES && i < count; i++)
            memcpy(to + i * stride, items + 4 * (size_t)i, components * sizeof *to);
}

enum { LINE = PM_CACHE_LINE / sizeof(float) };

/* Values on their way past the caches. Whole lines are streamed; the begin of the next one waits until
 * later values complete it. */
typedef struct line_stream {
    float *line;          /* the next one */
    size_t before, first; /* values that wait, and where they begin */
    _Alignas(PM_CACHE_LINE) float values[LINE + PM_WALK_BLOCK * 4 * PM_STREAMED_TRACKS];
} line_stream;

static inline void stream_begin(float *to, line_stream *stream) {
    stream->before = stream->first = (uintptr_t)to / sizeof *to % LINE;
    stream->line = to - stream->first;
}

/* `count` more values, which lie behind those that wait. */
static inline void stream_values(line_stream *stream, size_t count) {
    const size_t end = stream->before + count;
    size_t i = 0;
    if (stream->first > 0 && end >= LINE) { /* a line of which others have a part */
        memcpy(stream->line + stream->first, stream->values + stream->first,
               (LINE - stream->first) * sizeof *stream->values);
        stream->first = 0;
        i = LINE;
    }
    for (; i + LINE <= end; i += LINE)
        for (size_t k = i; k < i + LINE; k += PM_LANES)
            PM_STREAM(pm_load_reals(stream->values + k), stream->line + k);
    memmove(stream->values, stream->values + i, (end - i) * sizeof *stream->values);
    stream->line += i;
    stream->before = end - i;
}

static inline void stream_end(const line_stream *stream) {
    memcpy(stream->line + stream->first, stream->values + stream->first,
           (stream->before - stream->first) * sizeof *stream->values);
}

#define PM_COMPONENTS 4
#define PM_METHOD pm_slerp
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_step
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_nlerp
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_sterp
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_squad
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_circular
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_circular_c1
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_circular_c2
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_circular_c3
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_hermite
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_bspline
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_cubicspline
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_cubic
#include "walk_curve.h"
#undef PM_METHOD
#undef PM_COMPONENTS
#define PM_COMPONENTS 3
#define PM_METHOD pm_vector_step
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_linear
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_cubic
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_parabolas_c2
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_parabolas_c3
#include "walk_curve.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_bspline
#include "walk_curve.h"
#undef PM_METHOD

#define PM_WALK(name)                                                                              \
    PM_FLAT static void walk_##name(const pm_walk *w, pm_u32 begin, pm_u32 end) {                  \
        const size_t width = pm_##name##_walk_components * (size_t)w->track_count;                 \
        float *to = w->to + begin * w->row_floats;                                                 \
        pm_rows rows;                                                                              \
        pm_rows_begin(&rows, to, w->row_floats, width, w->streams);                                \
        pm_##name##_walk_run(w->keys, w->constants, w->wraps, w->cursors, to, w->plane_floats,     \
                             w->track_count, 0, w->track_count, begin, end, &rows, w->map);        \
        pm_rows_end(&rows, w->to + end * w->row_floats);                                           \
        _mm_sfence();                                                                              \
    }                                                                                              \
    PM_FLAT static void walk_tracks_##name(const pm_walk *w, pm_u32 begin, pm_u32 end) {           \
        pm_##name##_walk_tracks(w, begin, end);                                                    \
        _mm_sfence();                                                                              \
    }
PM_CURVES(PM_WALK)

#define PM_WALK_ROW(name) [PM_CURVE_##name] = walk_##name,
#define PM_WALK_TRACKS_ROW(name) [PM_CURVE_##name] = walk_tracks_##name,
const pm_walk_functions PM_SET_NAME(pm_walk_functions) = {
    PM_LANES, {PM_CURVES(PM_WALK_ROW)}, {PM_CURVES(PM_WALK_TRACKS_ROW)}};
#else
const pm_walk_functions PM_SET_NAME(pm_walk_functions) = {0};
#endif
