/* SPDX-License-Identifier: MIT
 *
 * The kernels' walk as C, for every curve. Compiled once for each instruction set; the baseline, which
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
#include "kernels/pm_memory.h"

/* Past the caches to any address: only whole, aligned vectors are streamed. The vector behind the last
 * aligned one of a sample's tracks is kept until that of the next tracks completes it. What two samples
 * share is stored in the caches; it is prefetched, because a store that waits for its line stops those
 * behind it. */
typedef struct results {
    size_t row_floats; /* from sample to sample */
    bool streams;
    size_t ahead;              /* floats from a sample to one that begins some microseconds later */
    real rests[PM_WALK_BLOCK]; /* of each sample of a segment */
} results;

typedef struct row_store {
    real *rest; /* NULL: stored in the caches */
    size_t ahead;
    bool is_first;
} row_store;

#if PM_LANES == 16
#define PM_NUMBERS ((pm_mask){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
#else
#define PM_NUMBERS ((pm_mask){0, 1, 2, 3, 4, 5, 6, 7})
#endif

/* Where a and b lie `past` floats above an aligned address: the aligned vector that they share. */
static inline real shared(real a, real b, size_t past) {
    const pm_mask lanes = PM_NUMBERS + (int32_t)(PM_LANES - past);
#if PM_LANES == 16
    return (real)_mm512_permutex2var_ps((__m512)a, (__m512i)lanes, (__m512)b);
#else
    const real low = (real)_mm256_permutevar8x32_ps((__m256)a, (__m256i)lanes);
    const real high = (real)_mm256_permutevar8x32_ps((__m256)b, (__m256i)lanes);
    return pm_select(lanes >= PM_LANES, high, low);
#endif
}

/* Stores the lanes from `begin` to `end`. */
static inline void store_lanes(float *to, real v, size_t begin, size_t end) {
#if PM_LANES == 16
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << end) - (1u << begin)), (__m512)v);
#else
    const pm_mask within = (PM_NUMBERS >= (int32_t)begin) & (PM_NUMBERS < (int32_t)end);
    _mm256_maskstore_ps(to, (__m256i)within, (__m256)v);
#endif
}

/* The values of a sample's last tracks: `floats` of them, at most those of all vectors. */
__attribute__((noinline)) static void store_last(float *to, const pm_quat_block *m, size_t floats,
                                                 row_store r) {
    const size_t past = (uintptr_t)to / sizeof *to % PM_LANES, end = past + floats;
    const real parts[] = {shared(*r.rest, m->r0, past), shared(m->r0, m->r1, past),
                          shared(m->r1, m->r2, past), shared(m->r2, m->r3, past),
                          shared(m->r3, m->r3, past)};
    size_t from = r.is_first ? past : 0;
    for (size_t v = 0; v * PM_LANES < end; v++, from = 0) {
        const size_t left = end - v * PM_LANES;
        if (from == 0 && left >= PM_LANES)
            PM_STREAM(parts[v], PM_VECTOR(to - past, v));
        else
            store_lanes(PM_VECTOR(to - past, v), parts[v], from, left < PM_LANES ? left : PM_LANES);
    }
}

/* The values of PM_LANES tracks. Others follow. */
static inline void store_full(float *to, pm_quat_block m, size_t components, row_store r) {
    const size_t past = (uintptr_t)to / sizeof *to % PM_LANES;
    const real part = shared(*r.rest, m.r0, past);
    float *at = to - past;
    if (r.is_first && past > 0) {
        __builtin_prefetch(to + r.ahead, 1);
        store_lanes(at, part, past, PM_LANES);
    } else {
        PM_STREAM(part, at);
    }
    PM_STREAM(shared(m.r0, m.r1, past), PM_VECTOR(at, 1));
    PM_STREAM(shared(m.r1, m.r2, past), PM_VECTOR(at, 2));
    if (components == 4)
        PM_STREAM(shared(m.r2, m.r3, past), PM_VECTOR(at, 3));
    *r.rest = components == 4 ? m.r3 : m.r2;
}

static inline void store_row(float *to, pm_quat_block m, size_t components, pm_u32 count,
                             row_store r) {
    const bool is_aligned = (uintptr_t)to % sizeof(real) == 0;
    if (count > PM_LANES || (count == PM_LANES && is_aligned))
        store_full(to, m, components, r);
    else
        store_last(to, &m, components * count, r);
}

#define pm_walk_streams results *
#define pm_walk_row row_store
#define pm_walk_row_floats(to, track_count) ((to)->row_floats)
#define pm_walk_row_of(to, k, is_first)                                                            \
    ((row_store){(to)->streams ? (to)->rests + (k) : NULL, (to)->ahead, (is_first)})

static inline void pm_walk_store_items(float *to, pm_quat q, pm_u32 count, row_store r) {
    if (r.rest)
        store_row(to, pm_block_of(q), 4, count, r);
    else
        pm_store_items(to, q, count, 0);
}

static inline void pm_walk_store_vector_items(float *to, pm_quat q, pm_u32 count, row_store r) {
    if (r.rest)
        store_row(to, pm_vector_block_of(q), 3, count, r);
    else
        pm_store_vector_items(to, q, count, 0);
}

#define PM_COMPONENTS 4
#define PM_METHOD pm_slerp
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_step
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_nlerp
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_sterp
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_squad
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_circular
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_circular_c1
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_circular_c2
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_circular_c3
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_hermite
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_bspline
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_cubicspline
#include "kernels/pm_walk.h"
#undef PM_METHOD
#undef PM_COMPONENTS
#define PM_COMPONENTS 3
#define PM_METHOD pm_vector_step
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_linear
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_cubic
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_parabolas_c2
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_parabolas_c3
#include "kernels/pm_walk.h"
#undef PM_METHOD
#define PM_METHOD pm_vector_bspline
#include "kernels/pm_walk.h"
#undef PM_METHOD

enum { AHEAD = 3000 }; /* floats */

#define PM_WALK(name)                                                                              \
    PM_FLAT static void walk_##name(const pm_walk *w, pm_u32 begin, pm_u32 end) {                  \
        const size_t floats = w->row_floats;                                                       \
        results to = {                                                                             \
            .row_floats = floats, .streams = w->streams, .ahead = (AHEAD / floats + 1) * floats};  \
        pm_##name##_walk_run(w->keys, w->constants, w->wraps, w->cursors, w->to + begin * floats,  \
                             w->plane_floats, w->track_count, 0, w->track_count, begin, end, &to,  \
                             w->map);                                                              \
        _mm_sfence();                                                                              \
    }
PM_CURVES(PM_WALK)

#define PM_WALK_ROW(name) [PM_CURVE_##name] = walk_##name,
const pm_walk_functions PM_SET_NAME(pm_walk_functions) = {PM_LANES, {PM_CURVES(PM_WALK_ROW)}};
#else
const pm_walk_functions PM_SET_NAME(pm_walk_functions) = {0};
#endif
