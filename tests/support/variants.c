/* SPDX-License-Identifier: MIT
 *
 * The table of methods and options under test.
 */
#include "variants.h"

#include <string.h>

static const pm_windows in_turn = {0.0, 0.5, 0.5, 1.0};
static const pm_windows overlapping = {0.1, 0.75, 0.25, 0.9};

static const variant variants[] = {
    {.name = "step", .method = PM_METHOD_STEP},
    {.name = "nlerp", .method = PM_METHOD_NLERP},
    {.name = "slerp", .method = PM_METHOD_SLERP},
    {.name = "sterp", .method = PM_METHOD_STERP},
    {.name = "sterp, parent axis", .method = PM_METHOD_STERP, .frame = PM_AXIS_PARENT},
    {.name = "sterp, in turn", .method = PM_METHOD_STERP, .windows = &in_turn},
    {.name = "sterp, overlapping", .method = PM_METHOD_STERP, .windows = &overlapping},
    {.name = "squad", .method = PM_METHOD_SQUAD},
    {.name = "squad, mean", .method = PM_METHOD_SQUAD, .tangents = PM_TANGENTS_MEAN},
    {.name = "squad, hold", .method = PM_METHOD_SQUAD, .tangents = PM_TANGENTS_HOLD},
    {.name = "squad, tcb",
     .method = PM_METHOD_SQUAD,
     .tangents = PM_TANGENTS_TCB,
     .tension = 0.3,
     .continuity = -0.2,
     .bias = 0.4},
    {.name = "squad, user", .method = PM_METHOD_SQUAD, .tangents = PM_TANGENTS_USER},
    {.name = "squad, natural", .method = PM_METHOD_SQUAD, .ends = PM_ENDS_NATURAL},
    {.name = "squad, parabola", .method = PM_METHOD_SQUAD, .ends = PM_ENDS_PARABOLA},
    {.name = "squad, zero", .method = PM_METHOD_SQUAD, .ends = PM_ENDS_ZERO},
    {.name = "squad, unlimited", .method = PM_METHOD_SQUAD, .unlimited = true},
    {.name = "circular", .method = PM_METHOD_CIRCULAR},
    {.name = "circular-c1", .method = PM_METHOD_CIRCULAR_C1},
    {.name = "circular-c2", .method = PM_METHOD_CIRCULAR_C2},
    {.name = "circular-c3", .method = PM_METHOD_CIRCULAR_C3},
    {.name = "hermite", .method = PM_METHOD_HERMITE},
    {.name = "hermite, mean", .method = PM_METHOD_HERMITE, .tangents = PM_TANGENTS_MEAN},
    {.name = "hermite, hold", .method = PM_METHOD_HERMITE, .tangents = PM_TANGENTS_HOLD},
    {.name = "hermite, tcb",
     .method = PM_METHOD_HERMITE,
     .tangents = PM_TANGENTS_TCB,
     .tension = 0.3,
     .continuity = -0.2,
     .bias = 0.4},
    {.name = "hermite, user", .method = PM_METHOD_HERMITE, .tangents = PM_TANGENTS_USER},
    {.name = "hermite, natural", .method = PM_METHOD_HERMITE, .ends = PM_ENDS_NATURAL},
    {.name = "hermite, parabola", .method = PM_METHOD_HERMITE, .ends = PM_ENDS_PARABOLA},
    {.name = "hermite, zero", .method = PM_METHOD_HERMITE, .ends = PM_ENDS_ZERO},
    {.name = "spline", .method = PM_METHOD_SPLINE},
    {.name = "spline, natural", .method = PM_METHOD_SPLINE, .ends = PM_ENDS_NATURAL},
    {.name = "spline, parabola", .method = PM_METHOD_SPLINE, .ends = PM_ENDS_PARABOLA},
    {.name = "spline, zero", .method = PM_METHOD_SPLINE, .ends = PM_ENDS_ZERO},
    {.name = "bspline", .method = PM_METHOD_BSPLINE},
    {.name = "cubicspline", .method = PM_METHOD_CUBICSPLINE},
    {.name = "ncubic", .method = PM_METHOD_NCUBIC},
    {.name = "cubic", .method = PM_METHOD_CUBIC},
    {.name = "cubic, natural", .method = PM_METHOD_CUBIC, .ends = PM_ENDS_NATURAL},
    {.name = "cubic, parabola", .method = PM_METHOD_CUBIC, .ends = PM_ENDS_PARABOLA},
    {.name = "cubic, zero", .method = PM_METHOD_CUBIC, .ends = PM_ENDS_ZERO},
};

size_t variant_count(void) {
    return sizeof variants / sizeof *variants;
}

const variant *variant_at(size_t index) {
    return &variants[index];
}

const variant *variant_named(const char *name) {
    for (size_t n = 0; n < variant_count(); n++)
        if (strcmp(variants[n].name, name) == 0)
            return &variants[n];
    return NULL;
}

bool variant_interpolates(const variant *v) {
    return pm_method_get_info(v->method)->interpolating;
}

bool variant_is_circular(const variant *v) {
    return v->method == PM_METHOD_CIRCULAR || v->method == PM_METHOD_CIRCULAR_C1 ||
           v->method == PM_METHOD_CIRCULAR_C2 || v->method == PM_METHOD_CIRCULAR_C3;
}

bool variant_has_tangents(const variant *v) {
    return v->method == PM_METHOD_SQUAD || v->method == PM_METHOD_HERMITE ||
           v->method == PM_METHOD_SPLINE || v->method == PM_METHOD_CUBIC;
}

/* Tangents of `tcb` differ on both sides of a key, and squad without its limiter jumps where the
 * outer slerp's operands are antipodal. G1 is a direction, not a velocity. */
int variant_continuity(const variant *v) {
    const char *continuity = pm_method_get_info(v->method)->continuity;
    if (continuity[0] == '-')
        return -1;
    if (continuity[0] != 'C' || v->tangents == PM_TANGENTS_TCB || v->unlimited)
        return 0;
    return continuity[1] - '0';
}

int variant_vector_continuity(const variant *v) {
    switch (pm_method_get_info(v->method)->vector_method) {
    case PM_VECTOR_STEP:
        return -1;
    case PM_VECTOR_CATMULL_ROM:
        return 1;
    case PM_VECTOR_PARABOLAS_C2:
    case PM_VECTOR_SPLINE:
    case PM_VECTOR_BSPLINE:
        return 2;
    case PM_VECTOR_PARABOLAS_C3:
        return 3;
    case PM_VECTOR_AUTO:
    case PM_VECTOR_LINEAR:
    case PM_VECTOR_CUBICSPLINE:
    default:
        return 0;
    }
}

bool variant_repeats_kernels(const variant *v) {
    return v->ends != PM_ENDS_CHORD || v->frame != PM_AXIS_BODY ||
           (v->tangents != PM_TANGENTS_BESSEL && v->tangents != PM_TANGENTS_USER);
}

void variant_prepare(const variant *v, track_set *set) {
    if (v->method == PM_METHOD_BSPLINE)
        set_make_uniform(set);
}

pm_clip_desc variant_describe(const variant *v, track_set *set) {
    pm_clip_desc desc = set_describe(set);
    desc.method = v->method;
    desc.tangents = v->tangents;
    desc.ends = v->ends;
    desc.unlimited = v->unlimited;
    desc.tension = v->tension;
    desc.continuity = v->continuity;
    desc.bias = v->bias;
    desc.axis_frame = v->frame;
    desc.windows = v->windows;
    desc.window_count = v->windows ? 1 : 0;
    if (v->tangents == PM_TANGENTS_USER)
        desc.user_tangents = (pm_array){set->tangents, PM_FLOAT64, 0};
    if (v->method == PM_METHOD_CUBICSPLINE)
        set_give_tangents(set, &desc);
    return desc;
}
