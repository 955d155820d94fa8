/* SPDX-License-Identifier: MIT
 *
 * What is the same for a file that is reduced by itself and in a batch.
 */
#include "motion/task/task_reduce.h"

#include <math.h>

#include "motion/base/fault.h"
#include "motion/base/printable.h"
#include "motion/model/evaluate.h"
#include "motion/model/model.h"
#include "motion/model/names.h"

/* 10 cm in the unit of the file, as compare takes it: centimetres of BVH, otherwise metres. */
static double default_at(const pm_motion *motion) {
    return pm_motion_get_content(motion)->format == PM_MOTION_BVH ? 10 : 0.1;
}

pm_status task_check_reduce(pm_motion_format format, pm_method curve, pm_error *error) {
    if (format != PM_MOTION_ANY && !motion_is_gltf(format) && format != PM_MOTION_NPZ) {
        motion_report(error, PM_ERROR_ARGUMENT,
                      "%s has a row for each frame, and cannot hold keys at some times only",
                      pm_motion_format_name(format));
        motion_hint(error, "write .glb, .gltf or .npz");
        return PM_ERROR_ARGUMENT;
    }
    return format == PM_MOTION_NPZ && curve == PM_METHOD_CUBICSPLINE
               ? motion_fail(error, PM_ERROR_ARGUMENT,
                             "npz has no tangents, which cubicspline requires")
               : PM_OK;
}

/* Whether a scale is not that of the rest pose. */
static bool scales(const pm_motion_content *content, const pm_motion_channel *channel,
                   size_t keys) {
    for (size_t k = 0; k < keys; k++)
        for (uint32_t i = 0; i < 3; i++)
            if (evaluate_number(&channel->keys, 3, k, i) != content->nodes[channel->node].scale[i])
                return true;
    return false;
}

/* NPZ has slerps of rotations and lines of positions: the bounds of another curve would not hold. */
static pm_status check_lines(const pm_motion *motion, size_t index, pm_error *error) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    const pm_motion_clip *clip = &content->clips[index];
    char shown[MOTION_PRINTABLE];
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        const size_t keys = clip->timelines[channel->timeline].key_count;
        if (channel->node < 0 || channel->path > PM_MOTION_SCALE)
            continue;
        const pm_motion_name name = content->nodes[channel->node].name;
        const char *what = channel->path == PM_MOTION_SCALE && scales(content, channel, keys)
                               ? "scales"
                           : keys > 1 && channel->path != PM_MOTION_SCALE &&
                                   channel->interpolation != PM_MOTION_LINEAR
                               ? "steps or cubic splines"
                               : NULL;
        if (what)
            return motion_refuse(error, "'%s' has %s, which npz cannot hold within a bound",
                                 motion_joint_name(shown, name, channel->node), what);
    }
    return PM_OK;
}

pm_status task_reduce(const pm_motion *motion, const pm_motion_reduce_options *how,
                      pm_motion_format format, const size_t *clips, size_t clip_count,
                      pm_motion **reduced, pm_motion_reduction **reduction, pm_error *error) {
    pm_motion_reduce_options options = *how;
    const size_t first =
        clip_count > 0 ? clips[0] : motion_first_clip(pm_motion_get_content(motion));
    pm_status status = task_check_reduce(format, options.curve, error);
    if (status == PM_OK && format == PM_MOTION_NPZ &&
        first < pm_motion_get_content(motion)->clip_count)
        status = check_lines(motion, first, error);
    if (status != PM_OK)
        return status;
    options.common |= format == PM_MOTION_NPZ; /* it has one list of times */
    options.at = options.at > 0 ? options.at : default_at(motion);
    options.clips = clip_count > 0 ? clips : NULL;
    options.clip_count = clip_count;
    return pm_motion_reduce(motion, &options, reduced, reduction, error);
}

static double bound_of(const pm_motion_error_bound *bound) {
    return isnan(bound->key_time) ? (double)NAN : bound->bound;
}

task_reduced task_reduced_of(const pm_motion_reduction *reduction) {
    const pm_motion_reduction_numbers *n = pm_motion_reduction_get_numbers(reduction);
    return (task_reduced){.is_done = true,
                          .keys_before = n->keys_before,
                          .keys_after = n->keys_after,
                          .degrees = bound_of(&n->angle),
                          .distance = bound_of(&n->distance),
                          .position = bound_of(&n->position),
                          .scale = bound_of(&n->scale)};
}
