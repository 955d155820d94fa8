/* SPDX-License-Identifier: MIT
 *
 * The table of segment builders: a loop over the segments of a window for each. Compiled once for each
 * instruction set.
 */
#include "builder.h"

#include "kernels/pm_builders.h"

#define PM_BUILD_WINDOW(name)                                                                      \
    static void build_##name(pm_track *track) {                                                    \
        const unsigned given = pm_##name##_needs & PM_NEEDS_GIVEN;                                 \
        const pm_window *w = track->window;                                                        \
        if (given)                                                                                 \
            pm_track_give(track, w->first, given);                                                 \
        pm_##name##_knot here = pm_##name##_knot_at(w, w->first);                                  \
        for (ptrdiff_t i = w->first; i < w->end; i++) {                                            \
            if (given)                                                                             \
                pm_track_give(track, i + 1, given);                                                \
            const pm_##name##_knot next = pm_##name##_knot_at(w, i + 1);                           \
            pm_coefficients c = {.failed = dmask_none()};                                          \
            pm_##name##_build(w, i, &here, &next, &c);                                             \
            for (unsigned n = 0; n < pm_##name##_planes; n++)                                      \
                pm_put(track, i, n, c.of[n]);                                                      \
            track->failed |= c.failed;                                                             \
            here = next;                                                                           \
        }                                                                                          \
    }
PM_BUILDERS(PM_BUILD_WINDOW)

#define PM_BUILDER_ROW(name)                                                                       \
    [PM_BUILD_##name] = {.window = build_##name, .needs = pm_##name##_needs},
#define PM_PREPARED_ROW(name, all, range)                                                          \
    [PM_BUILD_##name] = {.window = build_##name,                                                   \
                         .needs = pm_##name##_needs,                                               \
                         .prepare = (all),                                                         \
                         .prepare_range = (range)}

const pm_segment_builder pm_segment_builders[] = {
    PM_LOCAL_BUILDERS(PM_BUILDER_ROW)
        PM_PREPARED_ROW(spline, pm_prepare_spline, pm_prepare_spline_range),
    PM_PREPARED_ROW(vector_spline, pm_prepare_vector_spline, NULL)};
