/* SPDX-License-Identifier: MIT
 *
 * What this room compiles once: the tables of curves and of the functions for each instruction set, and
 * the track constants of sterp.
 */
#include "segments.h"

#include <math.h>

#include "base/base.h"

#define PM_CURVE_ROW(name)                                                                         \
    {#name, pm_##name##_coefficients, pm_##name##_constants, pm_##name##_four_keys,                \
     pm_##name##_passes != 0},
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

_Static_assert((int)PM_TANGENTS_BESSEL == PM_RULE_BESSEL && (int)PM_TANGENTS_MEAN == PM_RULE_MEAN &&
                   (int)PM_TANGENTS_HOLD == PM_RULE_HOLD && (int)PM_TANGENTS_TCB == PM_RULE_TCB &&
                   (int)PM_TANGENTS_USER == PM_RULE_USER &&
                   (int)PM_ENDS_NATURAL == PM_RULE_ENDS_NATURAL &&
                   (int)PM_ENDS_PARABOLA == PM_RULE_ENDS_PARABOLA &&
                   (int)PM_ENDS_ZERO == PM_RULE_ENDS_ZERO,
               "rules have the numbers of the public header");

pm_build_rules pm_build_rules_of(const pm_clip_desc *desc) {
    return (pm_build_rules){.tension = desc->tension,
                            .continuity = desc->continuity,
                            .bias = desc->bias,
                            .tangents = desc->tangents,
                            .ends = desc->ends,
                            .unlimited = desc->unlimited,
                            .parent_axes = desc->axis_frame == PM_AXIS_PARENT};
}

/* The windows of swing and twist (docs/methods.md, "sterp"): the smallest float that is not less than a window's end. 2, which exceeds every u, where the
 * window ends with the segment. */
static float left_at(double end) {
    float nearest = (float)end;
    if (end >= 1)
        return 2;
    return (double)nearest < end ? nextafterf(nearest, 1) : nearest;
}

static void put_window(double begin, double end, float *to) {
    to[0] = pm_stored(begin);
    to[1] = pm_stored(begin - (double)to[0]);
    to[2] = pm_stored(1 / (end - begin));
    to[3] = left_at(end);
}

void pm_build_sterp_windows(const pm_clip_desc *desc, size_t track, float *constants,
                            size_t plane) {
    pm_windows w = {0, 1, 0, 1};
    if (desc->windows)
        w = desc->windows[desc->window_count > 1 ? track : 0];
    if (w.swing_begin == 0 && w.swing_end == 0 && w.twist_begin == 0 && w.twist_end == 0)
        w = (pm_windows){0, 1, 0, 1};
    put_window(w.swing_begin, w.swing_end, constants);
    put_window(w.twist_begin, w.twist_end, constants + plane);
}
