/* SPDX-License-Identifier: MIT
 *
 * What options of curves mean for a file: they become a pm_clip_desc. A method is named here only where an
 * option applies to it.
 */
#include "motion/steps/curve.h"

#include <stdio.h>

#include "motion/base/fault.h"

/* ---- warnings ------------------------------------------------------------------------------ */

/* Warns of an option that is given and not read. */
static void warn(const motion_warnings *to, bool given, const char *option, const char *what) {
    if (given)
        motion_warn_about(to, (motion_about){.option = option}, "has no effect on %s", what);
}

static void warn_unread(const pm_motion_curve *curve, const motion_warnings *to) {
    const pm_method_info *info = pm_method_get_info(curve->method);
    warn(to, curve->tangents_given && !info->takes_tangents, "tangents", info->name);
    warn(to, curve->ends_given && !info->takes_ends, "ends", info->name);
    if (curve->unlimited && curve->method != PM_METHOD_SQUAD)
        motion_warn_about(to, (motion_about){.option = "unlimited"},
                          "has no effect on %s; only squad uses it", info->name);
    const char *unread = curve->axis_given         ? "axis"
                         : curve->axis_frame_given ? "axis-frame"
                         : curve->swing_given      ? "swing"
                         : curve->twist_given      ? "twist"
                                                   : NULL;
    warn(to, unread && !info->takes_axes, unread, info->name);
}

/* What is authored has a curve of its own in each channel. */
static void warn_of_authored(const pm_motion_curve *curve, const motion_warnings *to) {
    const struct {
        bool given;
        const char *name;
    } all[] = {{curve->tangents_given, "tangents"}, {curve->ends_given, "ends"},
               {curve->unlimited, "unlimited"},     {curve->loop > 0.0, "loop"},
               {curve->axis_given, "axis"},         {curve->axis_frame_given, "axis-frame"},
               {curve->swing_given, "swing"},       {curve->twist_given, "twist"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].given)
            motion_warn_about(to,
                              (motion_about){.option = all[i].name,
                                             .cure = "method",
                                             .hint = "replaces what is authored"},
                              "has no effect on the authored interpolation");
}

void task_curve_warn(const pm_motion_curve *curve, bool authored, task_curve *state,
                     pm_motion_log_function log, void *user) {
    const motion_warnings to = {.log = log, .user = user};
    bool *is_warned = authored ? &state->is_warned_of_authored : &state->is_warned;
    if (!*is_warned && authored)
        warn_of_authored(curve, &to);
    else if (!*is_warned)
        warn_unread(curve, &to);
    *is_warned = true;
}

/* ---- the description ----------------------------------------------------------------------- */

/* In place of the array before, which was of another file. */
static pm_status read_array(const char *path, const char *shape_name, size_t rank,
                            const size_t *shape, npy_array *array, pm_error *error) {
    npy_release(array);
    MOTION_TRY(npy_read_beside(path, array, error));
    return npy_expect(array, path, shape_name, rank, shape, error);
}

static pm_status apply_tangents(const pm_motion_curve *curve, size_t key_count, size_t track_count,
                                task_curve *state, pm_clip_desc *desc, pm_error *error) {
    desc->tangents = curve->tangents;
    desc->tension = curve->tcb[0];
    desc->continuity = curve->tcb[1];
    desc->bias = curve->tcb[2];
    if (curve->tangents != PM_TANGENTS_USER || !pm_method_get_info(curve->method)->takes_tangents) {
        desc->tangents = curve->tangents == PM_TANGENTS_USER ? 0 : curve->tangents;
        return PM_OK;
    }
    const size_t shape[] = {key_count, track_count, 3};
    char shape_name[96];
    snprintf(shape_name, sizeof shape_name, "(n, tracks, 3), here (%zu, %zu, 3)", key_count,
             track_count);
    const pm_status status =
        read_array(curve->tangents_file, shape_name, 3, shape, &state->tangents, error);
    desc->user_tangents.data = state->tangents.data;
    desc->user_tangents.type = state->tangents.type;
    return status;
}

static pm_status apply_axis(const pm_motion_curve *curve, size_t track_count, task_curve *state,
                            pm_clip_desc *desc, pm_error *error) {
    if (!curve->axis_given || curve->method != PM_METHOD_STERP)
        return PM_OK;
    if (!curve->axis_file) {
        desc->axes.data = curve->axis;
        desc->axes.type = PM_FLOAT64;
        desc->axis_count = 1;
        return PM_OK;
    }
    const size_t shape[] = {track_count, 3};
    char shape_name[96];
    snprintf(shape_name, sizeof shape_name, "(tracks, 3), here (%zu, 3)", track_count);
    const pm_status status =
        read_array(curve->axis_file, shape_name, 2, shape, &state->axes, error);
    desc->axes.data = state->axes.data;
    desc->axes.type = state->axes.type;
    desc->axis_count = track_count;
    return status;
}

/* If only one window is given, the other one is the whole segment. */
static void apply_windows(const pm_motion_curve *curve, task_curve *state, pm_clip_desc *desc) {
    if (curve->method != PM_METHOD_STERP || (!curve->swing_given && !curve->twist_given))
        return;
    state->windows = (pm_windows){0.0, 1.0, 0.0, 1.0};
    if (curve->swing_given) {
        state->windows.swing_begin = curve->swing[0];
        state->windows.swing_end = curve->swing[1];
    }
    if (curve->twist_given) {
        state->windows.twist_begin = curve->twist[0];
        state->windows.twist_end = curve->twist[1];
    }
    desc->windows = &state->windows;
    desc->window_count = 1;
}

pm_status task_curve_apply(const pm_motion_curve *curve, size_t key_count, size_t track_count,
                           task_curve *state, pm_clip_desc *desc, pm_error *error) {
    desc->method = curve->method;
    desc->ends = curve->ends;
    desc->unlimited = curve->unlimited;
    desc->loop = curve->loop;
    desc->axis_frame = curve->axis_frame;
    apply_windows(curve, state, desc);
    MOTION_TRY(apply_tangents(curve, key_count, track_count, state, desc, error));
    return apply_axis(curve, track_count, state, desc, error);
}

void task_curve_release(task_curve *state) {
    npy_release(&state->tangents);
    npy_release(&state->axes);
}
