/* SPDX-License-Identifier: MIT
 *
 * The coefficients of a segment, by the builder that PM_METHOD names, from the stored keys around it.
 */
#include "pm_build.h"
#include "pm_builders.h"

#ifndef PM_METHOD
#define PM_METHOD pm_squad
#endif

#define PM_BUILDER(what) PM_JOIN(PM_METHOD, what)

/* A window of the one segment `i`. `in` are user tangents, or tangents into keys, and `out` those out. */
pm_fn void pm_look(pm_window *w, pm_global const float *planes, pm_global const pm_u32 *in,
                   pm_global const pm_u32 *out, pm_global const double *times,
                   const pm_build_job *job, const pm_build_track *track, double wrap, pm_s64 i) {
    w->rules = job->rules;
    w->segment_count = (ptrdiff_t)track->segment_count;
    w->loop = track->loop != 0;
    w->single = pm_is_single(track);
    w->first = (ptrdiff_t)i;
    w->end = w->first + 1;
    for (int k = 0; k < 4; k++)
        if ((k > 0 || pm_window_has(w, i - 1)) && (k < 3 || pm_window_has(w, i + 1)))
            w->keys[k] = pm_key_at(planes, job, track, wrap, i - 1 + k);
    for (int k = 0; k < 3; k++) {
        if (!pm_window_has(w, i - 1 + k))
            continue;
        const pm_u64 at = (pm_u64)(i - 1 + k + w->segment_count) % (pm_u64)w->segment_count;
        w->lengths[k] = times[track->times + at + 1] - times[track->times + at];
        if (PM_BUILDER(_needs) & PM_NEEDS_LOGS)
            w->logs[k] = pm_step_log(w->keys[k], w->keys[k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        const pm_u64 key = (pm_u64)(i + k) % track->key_count;
        if (PM_BUILDER(_needs) & PM_NEEDS_USER && job->rules.tangents == PM_RULE_USER)
            w->in[k] = pm_given_key(in, job->in, track, 3, key);
        if (PM_BUILDER(_needs) & PM_NEEDS_IN_OUT) {
            w->in[k] = pm_given_key(in, job->in, track, PM_COMPONENTS, key);
            w->out[k] = pm_given_key(out, job->out, track, PM_COMPONENTS, key);
        }
    }
}

pm_fn dvec3 pm_axis_of(pm_global const pm_u32 *axes, const pm_build_job *job, pm_u32 index) {
    const pm_u64 at = index * job->axes.stride;
    dvec3 axis;
    axis.x = pm_given_number(axes, job->axes, at);
    axis.y = pm_given_number(axes, job->axes, at + 1);
    axis.z = pm_given_number(axes, job->axes, at + 2);
    return pm_unit_axis(axis);
}

/* Work size: tracks, for each segment. `failure` receives the first track whose curve does not exist. */
pm_kernel void
build_segments(pm_global float *restrict planes, pm_global const float *restrict wraps,
               pm_global const pm_u32 *restrict in, pm_global const pm_u32 *restrict out,
               pm_global const pm_u32 *restrict axes, pm_global const double *restrict times,
               pm_global const pm_build_track *restrict tracks,
               volatile pm_global pm_u32 *restrict failure, pm_build_job job) {
    pm_u32 index, segment;
    if (!pm_item_of(&job, &index, &segment) || segment >= tracks[index].segment_count ||
        tracks[index].row == 0)
        return;
    const pm_build_track track = tracks[index];
    pm_window w;
    pm_coefficients c;
    pm_look(&w, planes, in, out, times, &job, &track, job.unrolls ? (double)wraps[index] : 1.0,
            segment);
    if (PM_BUILDER(_needs) & PM_NEEDS_AXES)
        w.axis = pm_axis_of(axes, &job, index);
    c.failed = dmask_none();
    const PM_BUILDER(_knot) here = PM_BUILDER(_knot_at)(&w, w.first);
    const PM_BUILDER(_knot) next = PM_BUILDER(_knot_at)(&w, w.end);
    PM_BUILDER(_build)(&w, w.first, &here, &next, &c);
    for (pm_u32 n = 0; n < PM_BUILDER(_planes); n++)
        pm_store_plane(planes, pm_row_at(&track, segment, 1 + n), c.of[n]);
    if (dmask_any(c.failed))
        atomic_min(failure, index);
}
