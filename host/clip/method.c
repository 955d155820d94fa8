/* SPDX-License-Identifier: MIT
 *
 * The table of methods. A new method requires a row here, a header in kernels/ that is listed in
 * PM_ROTATION_CURVES and, if it stores more than keys, a segment builder.
 */
#include "description.h"

#include <string.h>

typedef struct method_row {
    pm_method_info info;
    pm_method_impl impl;
} method_row;

#define PM_METHOD_NAMED(id, text, curve)                                                           \
    .method = PM_METHOD_##id, .name = (text),                                                      \
    .floats_per_segment = 4 + 4 * pm_##curve##_coefficients
#define PM_GUARANTEES(is_local, is_symmetric, passes_keys)                                         \
    .local = (is_local), .symmetric = (is_symmetric), .interpolating = (passes_keys)
#define PM_ERRORS(max, rms) .max_error = (max), .rms_error = (rms)

static const method_row rows[PM_METHOD_COUNT] = {
    [PM_METHOD_SLERP] = {.info = {PM_METHOD_NAMED(SLERP, "slerp", slerp),
                                  .title = "shortest arc at constant speed", .continuity = "C0",
                                  PM_GUARANTEES(true, true, true), .keys_used = 2,
                                  PM_ERRORS(4e-7, 1e-7), .vector_method = PM_VECTOR_LINEAR,
                                  .advice = "dense keys, exact turns, mechanical motion"},
                         .impl = {.curve = PM_CURVE_slerp}},
    [PM_METHOD_STEP] = {.info = {PM_METHOD_NAMED(STEP, "step", step),
                                 .title = "holds each key until the next", .continuity = "-",
                                 PM_GUARANTEES(true, false, true), .keys_used = 1,
                                 PM_ERRORS(4e-7, 1e-7), .vector_method = PM_VECTOR_STEP,
                                 .advice = "switches and poses that must not be mixed"},
                        .impl = {.curve = PM_CURVE_step}},
    [PM_METHOD_NLERP] = {.info = {PM_METHOD_NAMED(NLERP, "nlerp", nlerp),
                                  .title = "linear mix, normalised", .continuity = "C0",
                                  PM_GUARANTEES(true, true, true), .keys_used = 2,
                                  PM_ERRORS(4e-7, 1e-7), .vector_method = PM_VECTOR_LINEAR,
                                  .advice = "what most engines do; fine when keys are close"},
                         .impl = {.curve = PM_CURVE_nlerp}},
    [PM_METHOD_STERP] = {.info = {PM_METHOD_NAMED(STERP, "sterp", sterp),
                                  .title = "swing and twist about a bone's axis, each on its own",
                                  .continuity = "C0", PM_GUARANTEES(true, true, true),
                                  .takes_axes = true, .keys_used = 2, PM_ERRORS(5e-7, 1e-7),
                                  .vector_method = PM_VECTOR_LINEAR,
                                  .advice = "limbs whose direction must travel a great arc"},
                         .impl = {.curve = PM_CURVE_sterp,
                                  .segments = PM_BUILD_sterp,
                                  .constants = pm_build_sterp_windows}},
    [PM_METHOD_SQUAD] =
        {.info = {PM_METHOD_NAMED(SQUAD, "squad", squad),
                  .title = "spherical cubic with tangents, at any key times", .continuity = "C1",
                  PM_GUARANTEES(true, true, true), .takes_tangents = true,
                  .takes_ends = true, .keys_used = 4, PM_ERRORS(4e-7, 1e-7),
                  .vector_method = PM_VECTOR_CATMULL_ROM,
                  .advice = "smooth motion from sparse keys, with control of speed"},
         .impl = {.curve = PM_CURVE_squad, .segments = PM_BUILD_squad, .user_tangents = true}},
    [PM_METHOD_CIRCULAR] = {.info = {PM_METHOD_NAMED(CIRCULAR, "circular", circular),
                                     .title = "blend of circular arcs through three keys each",
                                     .continuity = "G1", PM_GUARANTEES(true, true, true),
                                     .keys_used = 4, PM_ERRORS(4e-7, 1e-7),
                                     .vector_method = PM_VECTOR_CATMULL_ROM,
                                     .advice = "round paths that hold still between equal keys"},
                            .impl = {.curve = PM_CURVE_circular, .segments = PM_BUILD_circular}},
    [PM_METHOD_CIRCULAR_C1] = {.info = {PM_METHOD_NAMED(CIRCULAR_C1, "circular-c1", circular_c1),
                                        .title = "phased circles, blended evenly",
                                        .continuity = "C1", PM_GUARANTEES(true, true, true),
                                        .keys_used = 4, PM_ERRORS(4e-7, 1e-7),
                                        .vector_method = PM_VECTOR_CATMULL_ROM,
                                        .advice = "round, smooth, and still between equal keys"},
                               .impl = {.curve = PM_CURVE_circular_c1,
                                        .segments = PM_BUILD_phased}},
    [PM_METHOD_CIRCULAR_C2] =
        {.info = {PM_METHOD_NAMED(CIRCULAR_C2, "circular-c2", circular_c2),
                  .title = "phased circles, blended by smoothstep", .continuity = "C2",
                  PM_GUARANTEES(true, true, true), .keys_used = 4, PM_ERRORS(4e-7, 1e-7),
                  .vector_method = PM_VECTOR_PARABOLAS_C2,
                  .advice = "continuous acceleration without a solve: cameras, local edits"},
         .impl = {.curve = PM_CURVE_circular_c2, .segments = PM_BUILD_phased}},
    [PM_METHOD_CIRCULAR_C3] =
        {.info = {PM_METHOD_NAMED(CIRCULAR_C3, "circular-c3", circular_c3),
                  .title = "phased circles, blended by smootherstep", .continuity = "C3",
                  PM_GUARANTEES(true, true, true), .keys_used = 4, PM_ERRORS(4e-7, 1e-7),
                  .vector_method = PM_VECTOR_PARABOLAS_C3,
                  .advice = "continuous jerk: machines, and cameras that must not be felt"},
         .impl = {.curve = PM_CURVE_circular_c3, .segments = PM_BUILD_phased}},
    [PM_METHOD_HERMITE] =
        {.info = {PM_METHOD_NAMED(HERMITE, "hermite", hermite),
                  .title = "cubic rotation vector with tangents", .continuity = "C1",
                  PM_GUARANTEES(true, false, true), .takes_tangents = true, .takes_ends = true,
                  .keys_used = 4, PM_ERRORS(5e-7, 1.2e-7), .vector_method = PM_VECTOR_CATMULL_ROM,
                  .advice = "the cheapest smooth curve; velocities given by the user"},
         .impl = {.curve = PM_CURVE_hermite, .segments = PM_BUILD_hermite, .user_tangents = true}},
    [PM_METHOD_SPLINE] =
        {.info = {PM_METHOD_NAMED(SPLINE, "spline", hermite),
                  .title = "cubic rotation vectors solved for continuous acceleration",
                  .continuity = "C2", PM_GUARANTEES(false, false, true), .takes_ends = true,
                  .keys_used = 0, PM_ERRORS(5e-7, 1.2e-7), .vector_method = PM_VECTOR_SPLINE,
                  .advice = "least acceleration through all keys; every key moves all of it"},
         .impl = {.curve = PM_CURVE_hermite, .segments = PM_BUILD_spline}},
    [PM_METHOD_BSPLINE] =
        {.info = {PM_METHOD_NAMED(BSPLINE, "bspline", bspline),
                  .title = "cumulative uniform B-spline", .continuity = "C2",
                  PM_GUARANTEES(true, false, false), .needs_uniform_keys = true, .keys_used = 4,
                  PM_ERRORS(4e-7, 1e-7), .vector_method = PM_VECTOR_BSPLINE,
                  .advice = "smoothing noisy keys: passes near them, not through them"},
         .impl = {.curve = PM_CURVE_bspline, .segments = PM_BUILD_bspline, .uniform = true}},
    [PM_METHOD_CUBICSPLINE] =
        {.info = {PM_METHOD_NAMED(CUBICSPLINE, "cubicspline", cubicspline),
                  .title = "cubic in each component with given tangents, as in glTF",
                  .continuity = "C0", PM_GUARANTEES(true, true, true), .takes_in_out = true,
                  .keys_used = 2, PM_ERRORS(4e-7, 1e-7), .vector_method = PM_VECTOR_CUBICSPLINE,
                  .advice = "animation authored for glTF, to the letter"},
         .impl = {.curve = PM_CURVE_cubicspline,
                  .segments = PM_BUILD_cubicspline,
                  .keeps_keys = true,
                  .both_tangents = true}},
    [PM_METHOD_NCUBIC] = {.info = {PM_METHOD_NAMED(NCUBIC, "ncubic", cubicspline),
                                   .title = "cubic in each component through the keys, normalised",
                                   .continuity = "C1", PM_GUARANTEES(true, true, true),
                                   .keys_used = 4, PM_ERRORS(4e-7, 1e-7),
                                   .vector_method = PM_VECTOR_CATMULL_ROM,
                                   .advice = "must look as in an engine that smooths components"},
                          .impl = {.curve = PM_CURVE_cubicspline, .segments = PM_BUILD_ncubic}},
    [PM_METHOD_CUBIC] = {.info = {PM_METHOD_NAMED(CUBIC, "cubic", cubic),
                                  .title = "squad that stores only keys", .continuity = "C1",
                                  PM_GUARANTEES(true, true, true), .takes_ends = true,
                                  .keys_used = 4, PM_ERRORS(4e-7, 1e-7),
                                  .vector_method = PM_VECTOR_CATMULL_ROM,
                                  .advice = "smooth motion in a third of the memory of squad"},
                         .impl = {.curve = PM_CURVE_cubic}},
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

size_t pm_method_count(void) {
    return PM_METHOD_COUNT;
}

const pm_method_info *pm_method_get_info(pm_method method) {
    return (unsigned)method < PM_METHOD_COUNT ? &rows[method].info : NULL;
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

/* By what segments are built from: their own keys, one key more on either side, or all. */
size_t pm_impl_latency(const pm_method_impl *impl) {
    switch (impl->segments) {
    case PM_BUILD_spline:
    case PM_BUILD_vector_spline:
        return 0;
    case PM_BUILD_nothing:
        return pm_curves[impl->curve].four_keys ? 2 : 1;
    case PM_BUILD_sterp:
    case PM_BUILD_cubicspline:
        return 1;
    default:
        return 2;
    }
}

size_t pm_method_latency(pm_method method, pm_vector_method vector_method) {
    const pm_clip_desc desc = {.method = method, .vector_method = vector_method};
    if ((unsigned)method >= PM_METHOD_COUNT || (unsigned)vector_method >= PM_VECTOR_COUNT)
        return 0;
    const pm_method_impl rotations = pm_rotation_impl(&desc), vectors = pm_vector_impl(&desc);
    return pm_longer_latency(pm_impl_latency(&rotations), pm_impl_latency(&vectors));
}

pm_method_impl pm_channel_impl(const pm_clip_desc *desc, unsigned channel) {
    return channel == PM_ROTATIONS ? pm_rotation_impl(desc) : pm_vector_impl(desc);
}

const char *pm_channel_name(unsigned channel) {
    static const char *const names[] = {"rotations", "positions", "scales", "scalars"};
    return names[channel];
}

const pm_timeline *pm_timeline_of_track(const pm_clip_desc *desc, size_t track) {
    return &desc->timelines[desc->timeline_of ? desc->timeline_of[track] : 0];
}

pm_key_format pm_channel_format(const pm_clip_desc *desc, unsigned channel) {
    return channel == PM_ROTATIONS ? desc->key_format : PM_KEYS_FLOAT32;
}

bool pm_takes_user_tangents(const pm_clip_desc *desc) {
    return desc->tangents == PM_TANGENTS_USER && desc->rotations.data &&
           pm_rotation_impl(desc).user_tangents;
}
