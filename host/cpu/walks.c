/* SPDX-License-Identifier: MIT
 *
 * The walks of all instruction sets.
 */
#include "walk.h"

#define PM_DECLARE_SET(name) extern const pm_walk_functions pm_walk_functions_##name;
PM_INSTRUCTION_SETS(PM_DECLARE_SET)

#define PM_SET_ROW(name) &pm_walk_functions_##name,
static const pm_walk_functions *const sets[] = {PM_INSTRUCTION_SETS(PM_SET_ROW)};

static bool is_in_lanes_of_tracks(const pm_walk_functions *set, size_t tracks, bool streams) {
    return set->lanes <= tracks && !(streams && tracks < PM_STREAMED_TRACKS);
}

pm_walk_function pm_walk_function_of(size_t instruction_set, pm_curve_id curve, size_t tracks,
                                     bool streams) {
    const pm_walk_functions *set = sets[instruction_set];
    return is_in_lanes_of_tracks(set, tracks, streams) ? set->of[curve] : set->of_tracks[curve];
}

size_t pm_walk_instruction_set(size_t tracks, bool streams) {
    const size_t widest = pm_instruction_set_widest();
    for (size_t i = widest; i > 0; i--)
        if (is_in_lanes_of_tracks(sets[i], tracks, streams))
            return i;
    return widest;
}
