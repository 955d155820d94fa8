/* SPDX-License-Identifier: MIT
 *
 * The step that drops keys: what the format of the output can hold.
 */
#include <math.h>

#include "motion/base/printable.h"
#include "motion/model/evaluate.h"
#include "motion/model/names.h"
#include "motion/reduce/reduction.h"
#include "motion/steps/steps.h"

/* Whether files have one list of times. */
static bool has_rows(pm_motion_format format) {
    return format == PM_MOTION_NPZ || format == PM_MOTION_TUM || format == PM_MOTION_CSV;
}

static pm_status refuse_rows(pm_motion_format format, pm_error *error) {
    motion_report(error, PM_ERROR_ARGUMENT,
                  "%s has a row for each frame, and cannot hold keys at some times only",
                  pm_motion_format_name(format));
    motion_hint(error, "write .glb, .gltf or .npz");
    return PM_ERROR_ARGUMENT;
}

pm_status task_check_reduce(pm_motion_format format, const pm_motion_reduce_options *how,
                            pm_error *error) {
    if (format != PM_MOTION_ANY && !motion_is_gltf(format) && !has_rows(format))
        return refuse_rows(format, error);
    const pm_motion_reduce_options all = reduction_options(how);
    if (has_rows(format) && (all.quantize || all.compress))
        return motion_fail_option(error, PM_ERROR_ARGUMENT, all.quantize ? "quantize" : "compress",
                                  "is for glTF, and not for %s", pm_motion_format_name(format));
    return has_rows(format) && how->curve == PM_METHOD_CUBICSPLINE
               ? motion_fail(error, PM_ERROR_ARGUMENT,
                             "%s has no tangents, which cubicspline requires",
                             pm_motion_format_name(format))
               : PM_OK;
}

const char *task_packing(const pm_motion_batch_task *task) {
    const pm_motion_reduce_options *o = task->reduce;
    if (!o || !reduction_options(o).quantize)
        return NULL;
    return o->compress ? "compress" : o->quantize ? "quantize" : "preset";
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

static double bound_of(const pm_motion_error_bound *bound) {
    return isnan(bound->key_time) ? (double)NAN : bound->bound;
}

static task_reduced reduced_of(const pm_motion_reduction *reduction) {
    const pm_motion_reduction_numbers *n = pm_motion_reduction_get_numbers(reduction);
    return (task_reduced){.is_done = true,
                          .keys_before = n->keys_before,
                          .keys_after = n->keys_after,
                          .degrees = bound_of(&n->angle),
                          .distance = bound_of(&n->distance),
                          .position = bound_of(&n->position),
                          .scale = bound_of(&n->scale)};
}

/* Warns of the first channels with notes, and of how many there are. Files with one list of times do not say which
 * rotations keep slerp. */
static pm_status tell_notes(const task_work *w, const pm_motion *made, pm_error *error) {
    enum { SHOWN = 8 };
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    const pm_motion_reduction_numbers *n = pm_motion_reduction_get_numbers(w->reduction);
    const motion_warnings to = {.log = w->how->log, .user = w->how->log_user, .name = w->path};
    size_t count = 0;
    for (size_t i = 0; i < n->channel_count; i++) {
        const pm_motion_reduced_channel *row = &n->channels[i];
        if (!row->note || count++ >= SHOWN)
            continue;
        const pm_motion_channel *channel = &content->clips[row->clip].channels[row->channel];
        char shown[MOTION_PRINTABLE];
        motion_joint_name(shown,
                          channel->node >= 0 ? content->nodes[channel->node].name : channel->name,
                          channel->node);
        if (has_rows(w->format) && channel->path == PM_MOTION_ROTATION &&
            pm_motion_get_content(made)->clips[row->clip].channels[row->channel].always_linear)
            return motion_refuse(error, "'%s' %s, which %s cannot say; write .glb or .gltf", shown,
                                 row->note, pm_motion_format_name(w->format));
        motion_warn(&to, "clip %zu: the %s of '%s' %s", row->clip, motion_path_names[channel->path],
                    shown, row->note);
    }
    if (count > SHOWN)
        motion_warn(&to, "%zu channels more have such notes", count - SHOWN);
    return PM_OK;
}

/* ---- the step ------------------------------------------------------------------------------- */

static bool is_asked(const pm_motion_batch_task *task) {
    return task->reduce != NULL;
}

/* Keys for NPZ and trajectories are common, because they have one list of times; robots' CSV has none. A batch has a thread for each file. */
static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    pm_motion_reduce_options how =
        task->reduce ? *task->reduce : (pm_motion_reduce_options){.has_angle = false};
    const size_t first = task_first_clip(w);
    MOTION_TRY(task_check_reduce(w->format, &how, error));
    if (w->format == PM_MOTION_CSV && w->motion->content.node_count != 1)
        return refuse_rows(w->format, error);
    if (w->format == PM_MOTION_NPZ && first < w->motion->content.clip_count)
        MOTION_TRY(check_lines(w->motion, first, error));
    how.common |= has_rows(w->format);
    how.clips = w->clip_count > 0 ? w->clips : NULL;
    how.clip_count = w->clip_count;
    how.threads = w->how->is_batch ? 1 : how.threads;
    how.progress = w->how->progress;
    how.progress_user = w->how->progress_user;
    how.cancel = w->how->cancel;
    pm_motion_reduction_destroy(&w->reduction);
    MOTION_TRY(pm_motion_reduce(w->motion, &how, made, &w->reduction, error));
    w->report->reduced = reduced_of(w->reduction);
    const pm_status status = tell_notes(w, *made, error);
    if (status != PM_OK)
        pm_motion_destroy(made);
    return status;
}

const task_step step_reduce = {
    "reduce",
    "reduce",
    "preset angle position scale-error distance at curve smooth common loop additive quantize "
    "compress clip",
    STEP_KEEPS_NODES | STEP_IS_REPORTED,
    is_asked,
    make_step};
