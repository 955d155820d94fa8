/* SPDX-License-Identifier: MIT
 *
 * The walks of all instruction sets.
 */
#include "walk.h"

#define PM_DECLARE_SET(name) extern const pm_walk_functions pm_walk_functions_##name;
PM_INSTRUCTION_SETS(PM_DECLARE_SET)

#define PM_SET_ROW(name) &pm_walk_functions_##name,
static const pm_walk_functions *const sets[] = {PM_INSTRUCTION_SETS(PM_SET_ROW)};

bool pm_walk_is_across(size_t instruction_set, size_t tracks, bool streams) {
    const size_t lanes = sets[instruction_set]->lanes;
    const bool fill = lanes <= tracks || (tracks > PM_LEAST_ACROSS && lanes < 2 * tracks);
    return lanes > 0 && fill && !(streams && tracks < PM_STREAMED_TRACKS);
}

pm_walk_function pm_walk_function_of(size_t instruction_set, pm_curve_id curve, size_t tracks,
                                     bool streams) {
    const pm_walk_functions *set = sets[instruction_set];
    return pm_walk_is_across(instruction_set, tracks, streams) ? set->of[curve]
                                                               : set->of_tracks[curve];
}

#define PM_DECLARE_CODES(name)                                                                     \
    extern const pm_walk_function pm_walk_log48_##name[PM_CURVE_COUNT];                            \
    extern const pm_walk_function pm_walk_smallest48_##name[PM_CURVE_COUNT];
PM_INSTRUCTION_SETS(PM_DECLARE_CODES)

#define PM_CODES_ROW(name) {pm_walk_log48_##name, pm_walk_smallest48_##name},
static const pm_walk_function *const codes[][2] = {PM_INSTRUCTION_SETS(PM_CODES_ROW)};

pm_walk_function pm_walk_codes_function_of(size_t instruction_set, pm_curve_id curve,
                                           pm_key_format format, size_t tracks, bool streams) {
    return pm_walk_is_across(instruction_set, tracks, streams)
               ? codes[instruction_set][format == PM_KEYS_SMALLEST48][curve]
               : NULL;
}

size_t pm_walk_instruction_set(size_t tracks, bool streams) {
    const size_t widest = pm_instruction_set_widest();
    for (size_t i = widest; i > 0; i--)
        if (pm_walk_is_across(i, tracks, streams))
            return i;
    return widest;
}
