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

/* Sets what is given for the keys of segment i. `in` are user tangents, rates, or tangents into keys, and `out`
 * those out. */
pm_fn void pm_give(pm_window *w, pm_global const pm_u32 *in, pm_global const pm_u32 *out,
                   const pm_build_job *job, const pm_build_track *track, pm_s64 i) {
    const bool of_user = PM_BUILDER(_needs) & PM_NEEDS_USER && job->rules.tangents == PM_RULE_USER;
    for (int k = 0; k < 2; k++) {
        const pm_u64 key = (pm_u64)(i + k) % track->key_count;
        if (of_user || PM_BUILDER(_needs) & PM_NEEDS_RATES)
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

/* Work size: tracks, for each segment. `failure`: some curve does not exist. */
pm_kernel void
build_segments(pm_global float *restrict planes, pm_global const float *restrict wraps,
               pm_global const pm_u32 *restrict in, pm_global const pm_u32 *restrict out,
               pm_global const pm_u32 *restrict axes, pm_global const double *restrict times,
               pm_global const pm_build_track *restrict tracks, pm_global pm_u32 *restrict failure,
               pm_build_job job) {
    pm_u32 index, segment;
    pm_build_track track;
    if (!pm_item_of(&job, tracks, &segment, &track, &index) || segment >= track.segment_count)
        return;
    pm_window w;
    pm_coefficients c;
    pm_look(&w, planes, times, &job, &track, job.unrolls ? (double)wraps[index] : 1.0, segment,
            PM_BUILDER(_needs));
    pm_give(&w, in, out, &job, &track, segment);
    if (PM_BUILDER(_needs) & PM_NEEDS_AXES)
        w.axis = pm_axis_of(axes, &job, index);
    c.failed = dmask_none();
    const PM_BUILDER(_knot) here = PM_BUILDER(_knot_at)(&w, w.first);
    const PM_BUILDER(_knot) next = PM_BUILDER(_knot_at)(&w, w.end);
    PM_BUILDER(_build)(&w, w.first, &here, &next, &c);
    for (pm_u32 n = 0; n < PM_BUILDER(_planes); n++)
        pm_store_plane(planes, pm_built_row(&track, segment, 1 + n), c.of[n]);
    if (dmask_any(c.failed))
        *failure = 1;
}
