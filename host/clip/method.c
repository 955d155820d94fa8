/* SPDX-License-Identifier: MIT
 *
 * The table of methods. A new method requires a row here, a header in kernels/ that is listed in
 * PM_ROTATION_CURVES and, if it stores more than keys, a segment builder.
 */
#include "method.h"
#include "base/counts.h"

#include <string.h>

typedef struct method_row {
    pm_method_info info;
    pm_method_impl impl;
} method_row;

#define PM_FLOATS(name) (4 + 4 * pm_##name##_coefficients)

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
                         .impl = {.curve = PM_CURVE_slerp}},
    [PM_METHOD_STEP] = {.info = {.method = PM_METHOD_STEP,
                                 .name = "step",
                                 .title = "holds each key until the next",
                                 .continuity = "-",
                                 .local = true,
                                 .symmetric = false,
                                 .interpolating = true,
                                 .keys_used = 1,
                                 .floats_per_segment = PM_FLOATS(step),
                                 .max_error = 4e-7,
                                 .rms_error = 1e-7,
                                 .vector_method = PM_VECTOR_STEP,
                                 .advice = "switches and poses that must not be mixed"},
                        .impl = {.curve = PM_CURVE_step}},
    [PM_METHOD_NLERP] = {.info = {.method = PM_METHOD_NLERP,
                                  .name = "nlerp",
                                  .title = "linear mix, normalised",
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
                         .impl = {.curve = PM_CURVE_nlerp}},
    [PM_METHOD_STERP] = {.info = {.method = PM_METHOD_STERP,
                                  .name = "sterp",
                                  .title = "swing and twist about a bone's axis, each on its own",
                                  .continuity = "C0",
                                  .local = true,
                                  .symmetric = true,
                                  .interpolating = true,
                                  .takes_axes = true,
                                  .keys_used = 2,
                                  .floats_per_segment = PM_FLOATS(sterp),
                                  .max_error = 4e-7,
                                  .rms_error = 1e-7,
                                  .vector_method = PM_VECTOR_LINEAR,
                                  .advice = "limbs whose direction must travel a great arc"},
                         .impl = {.curve = PM_CURVE_sterp,
                                  .segments = PM_BUILD_sterp,
                                  .constants = pm_build_sterp_windows}},
    [PM_METHOD_SQUAD] =
        {.info = {.method = PM_METHOD_SQUAD,
                  .name = "squad",
                  .title = "spherical cubic with tangents, at any key times",
                  .continuity = "C1",
                  .local = true,
                  .symmetric = true,
                  .interpolating = true,
                  .takes_tangents = true,
                  .takes_ends = true,
                  .keys_used = 4,
                  .floats_per_segment = PM_FLOATS(squad),
                  .max_error = 4e-7,
                  .rms_error = 1e-7,
                  .vector_method = PM_VECTOR_CATMULL_ROM,
                  .advice = "smooth motion from sparse keys, with control of speed"},
         .impl = {.curve = PM_CURVE_squad, .segments = PM_BUILD_squad, .user_tangents = true}},
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
                            .impl = {.curve = PM_CURVE_circular, .segments = PM_BUILD_circular}},
    [PM_METHOD_CIRCULAR_C1] = {.info = {.method = PM_METHOD_CIRCULAR_C1,
                                        .name = "circular-c1",
                                        .title = "phased circles, blended evenly",
                                        .continuity = "C1",
                                        .local = true,
                                        .symmetric = true,
                                        .interpolating = true,
                                        .keys_used = 4,
                                        .floats_per_segment = PM_FLOATS(circular_c1),
                                        .max_error = 4e-7,
                                        .rms_error = 1e-7,
                                        .vector_method = PM_VECTOR_CATMULL_ROM,
                                        .advice = "round, smooth, and still between equal keys"},
                               .impl = {.curve = PM_CURVE_circular_c1,
                                        .segments = PM_BUILD_phased}},
    [PM_METHOD_CIRCULAR_C2] =
        {.info = {.method = PM_METHOD_CIRCULAR_C2,
                  .name = "circular-c2",
                  .title = "phased circles, blended by smoothstep",
                  .continuity = "C2",
                  .local = true,
                  .symmetric = true,
                  .interpolating = true,
                  .keys_used = 4,
                  .floats_per_segment = PM_FLOATS(circular_c2),
                  .max_error = 4e-7,
                  .rms_error = 1e-7,
                  .vector_method = PM_VECTOR_PARABOLAS_C2,
                  .advice = "continuous acceleration without a solve: cameras, local edits"},
         .impl = {.curve = PM_CURVE_circular_c2, .segments = PM_BUILD_phased}},
    [PM_METHOD_CIRCULAR_C3] =
        {.info = {.method = PM_METHOD_CIRCULAR_C3,
                  .name = "circular-c3",
                  .title = "phased circles, blended by smootherstep",
                  .continuity = "C3",
                  .local = true,
                  .symmetric = true,
                  .interpolating = true,
                  .keys_used = 4,
                  .floats_per_segment = PM_FLOATS(circular_c3),
                  .max_error = 4e-7,
                  .rms_error = 1e-7,
                  .vector_method = PM_VECTOR_PARABOLAS_C3,
                  .advice = "continuous jerk: machines, and cameras that must not be felt"},
         .impl = {.curve = PM_CURVE_circular_c3, .segments = PM_BUILD_phased}},
    [PM_METHOD_HERMITE] = {.info = {.method = PM_METHOD_HERMITE,
                                    .name = "hermite",
                                    .title = "cubic rotation vector with tangents",
                                    .continuity = "C1",
                                    .local = true,
                                    .symmetric = false,
                                    .interpolating = true,
                                    .takes_tangents = true,
                                    .takes_ends = true,
                                    .keys_used = 4,
                                    .floats_per_segment = PM_FLOATS(hermite),
                                    .max_error = 5e-7,
                                    .rms_error = 1.2e-7,
                                    .vector_method = PM_VECTOR_CATMULL_ROM,
                                    .advice =
                                        "the cheapest smooth curve; velocities given by the user"},
                           .impl = {.curve = PM_CURVE_hermite,
                                    .segments = PM_BUILD_hermite,
                                    .user_tangents = true}},
    [PM_METHOD_SPLINE] =
        {.info = {.method = PM_METHOD_SPLINE,
                  .name = "spline",
                  .title = "cubic rotation vectors solved for continuous acceleration",
                  .continuity = "C2",
                  .local = false,
                  .symmetric = false,
                  .interpolating = true,
                  .takes_ends = true,
                  .keys_used = 0,
                  .floats_per_segment = PM_FLOATS(hermite),
                  .max_error = 5e-7,
                  .rms_error = 1.2e-7,
                  .vector_method = PM_VECTOR_SPLINE,
                  .advice = "least acceleration through all keys; every key moves all of it"},
         .impl = {.curve = PM_CURVE_hermite, .segments = PM_BUILD_spline}},
    [PM_METHOD_BSPLINE] = {.info = {.method = PM_METHOD_BSPLINE,
                                    .name = "bspline",
                                    .title = "cumulative uniform B-spline",
                                    .continuity = "C2",
                                    .local = true,
                                    .symmetric = false,
                                    .interpolating = false,
                                    .needs_uniform_keys = true,
                                    .keys_used = 4,
                                    .floats_per_segment = PM_FLOATS(bspline),
                                    .max_error = 4e-7,
                                    .rms_error = 1e-7,
                                    .vector_method = PM_VECTOR_BSPLINE,
                                    .advice =
                                        "smoothing noisy keys: passes near them, not through them"},
                           .impl = {.curve = PM_CURVE_bspline,
                                    .segments = PM_BUILD_bspline,
                                    .uniform = true}},
    [PM_METHOD_CUBICSPLINE] =
        {.info = {.method = PM_METHOD_CUBICSPLINE,
                  .name = "cubicspline",
                  .title = "cubic in each component with given tangents, as in glTF",
                  .continuity = "C0",
                  .local = true,
                  .symmetric = true,
                  .interpolating = true,
                  .takes_in_out = true,
                  .keys_used = 2,
                  .floats_per_segment = PM_FLOATS(cubicspline),
                  .max_error = 4e-7,
                  .rms_error = 1e-7,
                  .vector_method = PM_VECTOR_CUBICSPLINE,
                  .advice = "animation authored for glTF, to the letter"},
         .impl = {.curve = PM_CURVE_cubicspline,
                  .segments = PM_BUILD_cubicspline,
                  .keeps_keys = true,
                  .both_tangents = true}},
    [PM_METHOD_NCUBIC] = {.info = {.method = PM_METHOD_NCUBIC,
                                   .name = "ncubic",
                                   .title = "cubic in each component through the keys, normalised",
                                   .continuity = "C1",
                                   .local = true,
                                   .symmetric = true,
                                   .interpolating = true,
                                   .keys_used = 4,
                                   .floats_per_segment = PM_FLOATS(cubicspline),
                                   .max_error = 4e-7,
                                   .rms_error = 1e-7,
                                   .vector_method = PM_VECTOR_CATMULL_ROM,
                                   .advice = "must look as in an engine that smooths components"},
                          .impl = {.curve = PM_CURVE_cubicspline, .segments = PM_BUILD_ncubic}},
};

static const pm_method_impl vector_impls[PM_VECTOR_COUNT] = {
    [PM_VECTOR_STEP] = {.curve = PM_CURVE_vector_step},
    [PM_VECTOR_LINEAR] = {.curve = PM_CURVE_vector_linear},
    [PM_VECTOR_CATMULL_ROM] = {.curve = PM_CURVE_vector_cubic, .segments = PM_BUILD_vector_cubic},
    [PM_VECTOR_PARABOLAS_C2] = {.curve = PM_CURVE_vector_parabolas_c2,
                                .segments = PM_BUILD_vector_parabolas},
    [PM_VECTOR_PARABOLAS_C3] = {.curve = PM_CURVE_vector_parabolas_c3,
                                .segments = PM_BUILD_vector_parabolas},
    [PM_VECTOR_SPLINE] = {.curve = PM_CURVE_vector_cubic, .segments = PM_BUILD_vector_spline},
    [PM_VECTOR_BSPLINE] = {.curve = PM_CURVE_vector_bspline,
                           .segments = PM_BUILD_vector_bspline,
                           .uniform = true},
    [PM_VECTOR_CUBICSPLINE] = {.curve = PM_CURVE_vector_cubic,
                               .segments = PM_BUILD_cubicspline,
                               .both_tangents = true},
};

static bool is_method(pm_method method) {
    return (unsigned)method < PM_METHOD_COUNT;
}

const pm_method_info *pm_method_describe(pm_method method) {
    return is_method(method) ? &rows[method].info : NULL;
}

bool pm_method_find(const char *name, pm_method *method) {
    for (unsigned i = 0; name && method && i < PM_METHOD_COUNT; i++)
        if (strcmp(rows[i].info.name, name) == 0) {
            *method = (pm_method)i;
            return true;
        }
    return false;
}

pm_method_impl pm_rotation_impl(const pm_clip_desc *desc) {
    return rows[desc->method].impl;
}

pm_method_impl pm_vector_impl(const pm_clip_desc *desc) {
    pm_vector_method method = desc->vector_method;
    if (method == PM_VECTOR_AUTO)
        method = rows[desc->method].info.vector_method;
    return vector_impls[method];
}

pm_method_impl pm_channel_impl(const pm_clip_desc *desc, unsigned channel) {
    return channel == PM_ROTATIONS ? pm_rotation_impl(desc) : pm_vector_impl(desc);
}
