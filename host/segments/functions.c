/* SPDX-License-Identifier: MIT
 *
 * The tables of this room: the curves, and the functions for each instruction set.
 */
#include "segments.h"

#include "base/base.h"

#define PM_CURVE_ROW(name) {#name, pm_##name##_coefficients, pm_##name##_constants},
const pm_curve pm_curves[PM_CURVE_COUNT] = {PM_CURVES(PM_CURVE_ROW)};

#define PM_DECLARE_SET(name) extern const pm_segment_functions pm_segment_functions_##name;
PM_INSTRUCTION_SETS(PM_DECLARE_SET)

#define PM_SET_ROW(name) &pm_segment_functions_##name,
static const pm_segment_functions *const sets[] = {PM_INSTRUCTION_SETS(PM_SET_ROW)};

const pm_segment_functions *pm_segment_functions_at(size_t instruction_set) {
    return sets[instruction_set];
}

const pm_segment_functions *pm_segment_functions_for(size_t tracks) {
    size_t best = 0;
    for (size_t i = 1; i < sizeof sets / sizeof *sets && sets[best]->lanes < tracks; i++)
        if (pm_instruction_set_is_supported(i))
            best = i;
    return sets[best];
}
