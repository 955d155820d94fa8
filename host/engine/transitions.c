/* SPDX-License-Identifier: MIT
 *
 * Beginning transitions: a change becomes four requests for local poses, which are checked here.
 */
#include "engine.h"

#include "cpu/cpu.h"
#include "kernels/pm_transition.h"

size_t pm_crowd_transition_bytes(const pm_crowd *crowd) {
    if (!crowd)
        return 0;
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const size_t bytes = pm_transition_state_bytes(held.data);
    pm_crowd_let(&held);
    return bytes;
}

static pm_status refuse(const char *what, pm_error *error) {
    return pm_fail(error, PM_ERROR_ARGUMENT, "%s", what);
}

pm_status pm_transition_check_times(int64_t step, float duration, pm_error *error) {
    const int64_t least = 1 << 12, most = (int64_t)1 << 42;
    if (!(step >= least && step <= most))
        return refuse("step: expected at least 2^-20 s, and at most 2^10 s, in ticks", error);
    return duration >= PM_TRANSITION_LEAST && duration <= PM_TRANSITION_MOST
               ? PM_OK
               : refuse("duration: expected 2^-20 to 65536 seconds", error);
}

/* Resolves the stride. */
static pm_status check_change(const pm_crowd_data *crowd, pm_crowd_transition *c, pm_error *error) {
    const size_t bytes = pm_transition_state_bytes(crowd);
    size_t all;
    pm_status status = PM_CHECK_NEXT(pm_crowd_transition, c, error);
    c->stride = c->stride ? c->stride : bytes;
    if (status != PM_OK)
        return status;
    for (size_t n = 0; n < 2; n++)
        if (!c->before[n] || !c->after[n])
            return refuse("before, after: expected two jobs each", error);
    status = pm_transition_check_times(c->step, c->duration, error);
    if (status != PM_OK)
        return status;
    if (!c->states || c->stride < bytes)
        return refuse(c->states ? "stride: expected at least pm_crowd_transition_bytes"
                                : "states is NULL",
                      error);
    if (!c->indices && c->index_count)
        return refuse("indices are counted, but indices is NULL", error);
    if (c->index_count > UINT32_MAX || c->before[1]->instance_count > UINT32_MAX ||
        !pm_multiply(c->before[1]->instance_count, c->stride, &all))
        return pm_fail(error, PM_ERROR_SIZE, "there are more than 2^32 - 1 instances or indices");
    status = pm_check_multiple("states", "address", (uintptr_t)c->states, sizeof(float), error);
    return status == PM_OK ? pm_check_multiple("states", "stride", c->stride, sizeof(float), error)
                           : status;
}

/* What a job of a change poses, of the entries of a list. */
static pm_status find_request(const pm_crowd_data *crowd, const pm_crowd_transition *change,
                              const pm_crowd_job *job, size_t threads, pm_pose_request *request,
                              pm_error *error) {
    float nothing; /* pieces are written */
    const pm_crowd_target target = {.output = PM_CROWD_LOCAL, .memory = &nothing};
    const pm_crowd_job own = {.instances = job->instances,
                              .instance_count = job->instance_count,
                              .outputs = &target,
                              .output_count = 1,
                              .host_threads = job->host_threads,
                              .packed = true,
                              .layers = job->layers,
                              .layer_count = job->layer_count,
                              .ranges = job->ranges,
                              .poses = job->poses,
                              .pose_stride = job->pose_stride,
                              .indices = change->indices,
                              .index_count = change->index_count,
                              .transitions = job->transitions,
                              .transition_stride = job->transition_stride,
                              .transition_time = job->transition_time,
                              .next = job->next};
    if (job->instance_count != change->before[1]->instance_count)
        return refuse("before, after: the numbers of instances differ", error);
    const pm_status status = pm_pose_request_of(crowd, &own, threads, request, error);
    request->poses_all = true;
    return status;
}

/* How the roots of the list move in the step before the change, by both of its jobs; where poses come from outside, not
 * at all. */
static void find_roots(const pm_crowd *crowd, const pm_crowd_data *data,
                       const pm_crowd_transition *c, const pm_crowd_job *const jobs[2],
                       pm_root_motion *motions) {
    const pm_crowd_job *old = jobs[1];
    for (size_t i = 0; i < c->index_count; i++)
        motions[i] = (pm_root_motion){.rotation = {0, 0, 0, 1}};
    if (jobs[0]->instances && old->instances)
        pm_root_motions_find(
            &(pm_root_job){.crowd = data,
                           .root_pose = pm_cpu_root_pose,
                           .before = jobs[0]->instances,
                           .after = old->instances,
                           .instance_count = old->instance_count,
                           .count = c->index_count,
                           .indices = c->indices,
                           .states = old->transitions,
                           .stride = old->transition_stride ? old->transition_stride
                                                            : pm_transition_state_bytes(data),
                           .times = {jobs[0]->transition_time, old->transition_time},
                           .motions = motions},
            crowd->engine->host_threads);
}

/* `roots` has room for two motions of each entry of the list: states that transitions run by are read before they are
 * written. */
static pm_status write_states(const pm_crowd *crowd, const pm_crowd_data *data,
                              const pm_crowd_transition *c, const pm_pose_request requests[4],
                              pm_root_motion *roots, pm_error *error) {
    pm_root_motion *after = roots + c->index_count;
    find_roots(crowd, data, c, c->before, roots);
    find_roots(crowd, data, c, c->after, after);
    const pm_status status = pm_cpu_begin_transitions(requests, c, error);
    for (size_t i = 0; status == PM_OK && i < c->index_count; i++)
        if (c->indices[i] < c->before[1]->instance_count)
            pm_root_put_rates(&roots[i], &after[i], (double)c->step / PM_TICKS_PER_SECOND,
                              (unsigned char *)c->states + c->indices[i] * c->stride);
    return status;
}

static pm_status begin(const pm_crowd *crowd, const pm_crowd_data *data, pm_crowd_transition *c,
                       pm_error *error) {
    const pm_crowd_job *const jobs[4] = {c->before[0], c->before[1], c->after[0], c->after[1]};
    pm_pose_request requests[4];
    uint32_t *all = NULL;
    pm_status status = check_change(data, c, error);
    if (status == PM_OK && (jobs[2]->transitions || jobs[3]->transitions))
        status = refuse("after: expected no transitions: they are what begins", error);
    if (status == PM_OK && !c->indices) {
        c->index_count = jobs[1]->instance_count;
        c->indices = all = pm_allocate(data->host, (c->index_count + 1) * sizeof *all);
        status = all ? PM_OK : pm_fail_memory(error);
        for (size_t i = 0; all && i < c->index_count; i++)
            all[i] = (uint32_t)i;
    }
    for (size_t n = 0; status == PM_OK && n < 4; n++)
        status = find_request(data, c, jobs[n], crowd->engine->host_threads, &requests[n], error);
    if (status == PM_OK && !pm_pose_is_empty(&requests[0])) {
        pm_root_motion *roots = pm_allocate_zeroed(data->host, 2 * c->index_count, sizeof *roots);
        status =
            roots ? write_states(crowd, data, c, requests, roots, error) : pm_fail_memory(error);
        pm_release(roots);
    }
    pm_release(all);
    return status;
}

pm_status pm_crowd_begin_transitions(const pm_crowd *crowd, const pm_crowd_transition *change,
                                     pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !change)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "change" : "crowd");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    pm_crowd_transition own = *change;
    const pm_status status = begin(crowd, held.data, &own, error);
    pm_crowd_let(&held);
    return status;
}
