/* SPDX-License-Identifier: MIT
 *
 * The table of methods. A new one is a row here, a header in kernels/ named in its
 * PM_CURVES, and, where it stores more than keys, a segment builder.
 */
#include <string.h>

#include "curve.h"

#define PM_CURVE_ROW(name) {#name, pm_##name##_extras, pm_##name##_statics},
const pm_curve pm_curves[PM_CURVE_COUNT] = {PM_CURVES(PM_CURVE_ROW)};

typedef struct method_row {
    pm_method_info info;
    pm_recipe recipe;
    pm_curve_id unlimited; /* the curve when the limiter is off, where that matters */
} method_row;

#define PM_FLOATS(name) (4 + 4 * pm_##name##_extras)

static const method_row rows[PM_METHOD_COUNT] = {
    [PM_METHOD_SLERP] = {.info = {.method = PM_METHOD_SLERP,
                                  .name = "slerp",
                                  .title = "shortest arc at constant speed",
                                  .continuity = "C0",
                                  .local = true,
                                  .symmetric = true,
                                  .interpolating = true,
                                  .keys_used = 2,
                                  .floats_per_segment = PM_FLOATS(slerp),
                                  .max_error = 4e-7,
                                  .rms_error = 1e-7,
                                  .vector_method = PM_VECTOR_LINEAR,
                                  .advice = "dense keys, exact turns, mechanical motion"},
                         .recipe = {PM_CURVE_slerp, NULL, NULL},
                         .unlimited = PM_CURVE_slerp},
    [PM_METHOD_STEP] = {.info = {.method = PM_METHOD_STEP,
                                 .name = "step",
                                 .title = "holds each key until the next",
                                 .continuity = "-",
                                 .local = true,
                                 .interpolating = true,
                                 .keys_used = 1,
                                 .floats_per_segment = PM_FLOATS(step),
                                 .max_error = 4e-7,
                                 .rms_error = 1e-7,
                                 .vector_method = PM_VECTOR_STEP,
                                 .advice = "switches and poses that must not be mixed"},
                        .recipe = {PM_CURVE_step, NULL, NULL},
                        .unlimited = PM_CURVE_step},
    [PM_METHOD_NLERP] = {.info = {.method = PM_METHOD_NLERP,
                                  .name = "nlerp",
                                  .title = "straight mix, normalised",
                                  .continuity = "C0",
                                  .local = true,
                                  .symmetric = true,
                                  .interpolating = true,
                                  .keys_used = 2,
                                  .floats_per_segment = PM_FLOATS(nlerp),
                                  .max_error = 4e-7,
                                  .rms_error = 1e-7,
                                  .vector_method = PM_VECTOR_LINEAR,
                                  .advice = "what most engines do; fine when keys are close"},
                         .recipe = {PM_CURVE_nlerp, NULL, NULL},
                         .unlimited = PM_CURVE_nlerp},
    [PM_METHOD_STERP] = {.info = {.method = PM_METHOD_STERP,
                                  .name = "sterp",
                                  .title = "swing and twist about a bone's axis, each on its own",
                                  .continuity = "C0",
                                  .local = true,
                                  .symmetric = true,
                                  .interpolating = true,
                                  .keys_used = 2,
                                  .floats_per_segment = PM_FLOATS(sterp),
                                  .max_error = 4e-7,
                                  .rms_error = 1e-7,
                                  .vector_method = PM_VECTOR_LINEAR,
                                  .advice = "limbs whose direction must travel a great arc"},
                         .recipe = {PM_CURVE_sterp, pm_build_sterp, pm_build_sterp_windows},
                         .unlimited = PM_CURVE_sterp},
    [PM_METHOD_SQUAD] = {.info = {.method = PM_METHOD_SQUAD,
                                  .name = "squad",
                                  .title = "spherical cubic with tangents, at any key times",
                                  .continuity = "C1",
                                  .local = true,
                                  .symmetric = true,
                                  .interpolating = true,
                                  .keys_used = 4,
                                  .floats_per_segment = PM_FLOATS(squad),
                                  .max_error = 4e-7,
                                  .rms_error = 1e-7,
                                  .vector_method = PM_VECTOR_CATMULL_ROM,
                                  .advice =
                                      "smooth motion from sparse keys, with control of speed"},
                         .recipe = {PM_CURVE_squad, pm_build_squad, NULL},
                         .unlimited = PM_CURVE_squad_unlimited},
    [PM_METHOD_CIRCULAR] = {.info = {.method = PM_METHOD_CIRCULAR,
                                     .name = "circular",
                                     .title = "blend of circular arcs through three keys each",
                                     .continuity = "G1",
                                     .local = true,
                                     .symmetric = true,
                                     .interpolating = true,
                                     .keys_used = 4,
                                     .floats_per_segment = PM_FLOATS(circular),
                                     .max_error = 4e-7,
                                     .rms_error = 1e-7,
                                     .vector_method = PM_VECTOR_CATMULL_ROM,
                                     .advice = "round paths that hold still between equal keys"},
                            .recipe = {PM_CURVE_circular, pm_build_circular, NULL},
                            .unlimited = PM_CURVE_circular},
};

static const pm_recipe vector_recipes[PM_VECTOR_COUNT] = {
    [PM_VECTOR_STEP] = {PM_CURVE_vector_step, NULL, NULL},
    [PM_VECTOR_LINEAR] = {PM_CURVE_vector_linear, NULL, NULL},
    [PM_VECTOR_CATMULL_ROM] = {PM_CURVE_vector_cubic, pm_build_vector_cubic, NULL},
};

static bool is_method(pm_method method) {
    return (unsigned)method < PM_METHOD_COUNT;
}

const pm_method_info *pm_method_describe(pm_method method) {
    return is_method(method) ? &rows[method].info : NULL;
}

bool pm_method_find(const char *name, pm_method *method) {
    for (unsigned i = 0; name && i < PM_METHOD_COUNT; i++)
        if (strcmp(rows[i].info.name, name) == 0) {
            *method = (pm_method)i;
            return true;
        }
    return false;
}

pm_recipe pm_rotation_recipe(const pm_clip_desc *desc) {
    pm_recipe recipe = rows[desc->method].recipe;
    if (desc->unlimited)
        recipe.curve = rows[desc->method].unlimited;
    return recipe;
}

pm_recipe pm_vector_recipe(const pm_clip_desc *desc) {
    pm_vector_method method = desc->vector_method;
    if (method == PM_VECTOR_AUTO)
        method = rows[desc->method].info.vector_method;
    return vector_recipes[method];
}
