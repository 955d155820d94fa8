/* SPDX-License-Identifier: MIT
 *
 * The kernels' walk as C for keys of 48 bits, those of PM_KEYS, in lanes of tracks: of the curves that have no
 * coefficients. Compiled once for each instruction set; the baseline, which may have no fused multiply-add, gets an
 * empty table.
 */
#if defined(__AVX512F__)
#define PM_LANES 16
#elif defined(__AVX__)
#define PM_LANES 8
#endif

#include "walk.h"

#if PM_KEYS == 1
#define pm_walk_codes PM_SET_NAME(pm_walk_log48)
#else
#define pm_walk_codes PM_SET_NAME(pm_walk_smallest48)
#endif
extern const pm_walk_function pm_walk_codes[PM_CURVE_COUNT];

#ifdef __FMA__
#include "kernels/pm_rows.h"

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
#define PM_METHOD pm_cubic
#include "kernels/pm_walk.h"
#undef PM_METHOD

#define PM_CURVES_OF_CODES(of) of(slerp) of(step) of(nlerp) of(cubic)

#define PM_WALK(name)                                                                              \
    PM_FLAT static void walk_##name(const pm_walk *w, pm_u32 begin, pm_u32 end) {                  \
        float *to = w->to + begin * w->row_floats;                                                 \
        pm_rows rows;                                                                              \
        pm_rows_begin(&rows, to, w->row_floats, 4 * (size_t)w->track_count, w->streams);           \
        pm_##name##_walk_run((const pm_s16 *)(const void *)w->keys, w->constants, w->wraps,        \
                             w->cursors, to, w->plane_floats, w->track_count, 0, w->track_count,   \
                             begin, end, &rows, w->map);                                           \
        pm_rows_end(&rows, w->to + end * w->row_floats);                                           \
        _mm_sfence();                                                                              \
    }
PM_CURVES_OF_CODES(PM_WALK)

#define PM_WALK_ROW(name) [PM_CURVE_##name] = walk_##name,
const pm_walk_function pm_walk_codes[PM_CURVE_COUNT] = {PM_CURVES_OF_CODES(PM_WALK_ROW)};
#else
const pm_walk_function pm_walk_codes[PM_CURVE_COUNT] = {NULL};
#endif
