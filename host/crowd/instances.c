/* SPDX-License-Identifier: MIT
 *
 * The rules for instances on the host, by the kernels' own header (kernels/pm_instance.h), and the
 * check that no field of an instance needs correction.
 */
#include "crowd.h"

#include "base/base.h"
#include "kernels/pm_transition.h"

_Static_assert(sizeof(pm_instance) == sizeof(pm_crowd_instance), "kernels read the same bytes");
_Static_assert(sizeof(pm_layer) == sizeof(pm_crowd_layer), "kernels read the same bytes");
_Static_assert(sizeof(pm_range) == sizeof(pm_crowd_range), "kernels read the same bytes");
_Static_assert(sizeof(pm_marker) == sizeof(pm_crowd_marker), "kernels read the same bytes");
_Static_assert(sizeof(pm_placed) == sizeof(pm_placement), "kernels read the same bytes");
_Static_assert((int)PM_CROWD_ANGLE_RATE - (int)PM_CROWD_BODY_POS == PM_BODY_ANGLE_RATE,
               "both headers number states alike");
_Static_assert(sizeof(float[PM_GOAL_FLOATS]) == sizeof(pm_chain_goal) &&
                   sizeof(pm_stand_goal) == sizeof(pm_chain_goal),
               "kernels read the same bytes");
_Static_assert((int)PM_REACH_STAND == (int)PM_CHAIN_STAND &&
                   (int)PM_REACH_DIRECTION == (int)PM_CHAIN_POLE_DIRECTION,
               "both headers number chains alike");
_Static_assert(sizeof(char[PM_REACH_MOST]) == PM_CROWD_MAX_CHAINS,
               "both headers have the same limit");
_Static_assert((int)PM_LAYER_OP_MEAN == (int)PM_LAYER_MEAN, "both headers number ops alike");
_Static_assert(sizeof(char[PM_MAX_LAYERS]) == PM_CROWD_MAX_LAYERS,
               "both headers have the same limit");

size_t pm_transition_state_bytes(const pm_crowd_data *crowd) {
    const size_t joints = crowd->skeleton->joint_count;
    size_t rows = joints;
    if (crowd->channels[PM_POSITIONS].present)
        rows += crowd->kind.root_positions ? 1 : joints;
    if (crowd->channels[PM_SCALES].present)
        rows += joints;
    return (PM_TRANSITION_HEAD + rows * PM_TRANSITION_BYTES + PM_CACHE_LINE - 1) / PM_CACHE_LINE *
           PM_CACHE_LINE;
}

static const char *fault_of(const pm_crowd_data *crowd, const pm_crowd_instance *instance) {
    const unsigned flags =
        PM_CROWD_CLAMP_A | PM_CROWD_CLAMP_B | PM_CROWD_ADDITIVE | PM_CROWD_IN_PLACE;
    if (!pm_crowd_has_clip(crowd, instance->clip_a))
        return instance->clip_a < crowd->clip_count ? "clip_a was removed"
                                                    : "clip_a is not below clip_count";
    if (!pm_crowd_has_clip(crowd, instance->clip_b) && instance->weight != 0)
        return instance->clip_b < crowd->clip_count ? "clip_b was removed"
                                                    : "clip_b is not below clip_count";
    if (!(instance->weight >= 0 && instance->weight <= 1))
        return "weight is not within 0 and 1";
    if (instance->mask > crowd->skeleton->mask_count)
        return "mask is greater than mask_count";
    if (instance->level >= crowd->skeleton->level_count)
        return "level is not below level_count";
    return instance->flags & ~flags ? "flags has a bit that is no pm_crowd_flag" : NULL;
}

pm_status pm_instances_check(const pm_crowd_data *crowd, const pm_crowd_instance *instances,
                             size_t count, pm_error *error) {
    for (size_t i = 0; i < count; i++) {
        const char *fault = fault_of(crowd, &instances[i]);
        if (fault)
            return pm_fail_instance(error, PM_ERROR_ARGUMENT, i, "%s", fault);
    }
    return PM_OK;
}

static const char *fault_of_layer(const pm_crowd_data *crowd, const pm_crowd_layer *layer) {
    if (!pm_crowd_has_clip(crowd, layer->clip) && layer->weight != 0)
        return layer->clip < crowd->clip_count ? "clip was removed"
                                               : "clip is not below clip_count";
    if (!(layer->weight >= 0 && layer->weight <= 1))
        return "weight is not within 0 and 1";
    if (layer->mask > crowd->skeleton->mask_count)
        return "mask is greater than mask_count";
    if (layer->op > PM_LAYER_MEAN)
        return "op is no pm_layer_op";
    if (layer->flags & ~(unsigned)PM_LAYER_CLAMP)
        return "flags has a bit that is no pm_layer_flag";
    return layer->reserved ? "reserved is not 0" : NULL;
}

pm_status pm_layers_check(const pm_crowd_data *crowd, const pm_crowd_layer *layers, size_t count,
                          pm_error *error) {
    for (size_t i = 0; i < count; i++) {
        const char *fault = fault_of_layer(crowd, &layers[i]);
        if (fault)
            return pm_fail_instance(error, PM_ERROR_ARGUMENT, i, "%s", fault);
    }
    return PM_OK;
}
