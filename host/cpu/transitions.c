/* SPDX-License-Identifier: MIT
 *
 * Begins transitions on the host: poses what is before a change and after it, and captures the difference.
 */
#include "cpu.h"

#include "lane_batch.h"

/* Bytes of local poses that are made at a time, at most, but for one run. */
static const size_t most_bytes = (size_t)16 << 20;

/* Instances of a work item: a vector of the widest instruction set. */
enum { RUN = PM_MOST_LANES };

static void capture_runs(void *context, pm_items *items) {
    const pm_capture *all = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(all->count, RUN, item);
        pm_capture run = *all;
        for (size_t n = 0; n < 2; n++) {
            run.before[n] += piece.from * all->pose;
            run.after[n] += piece.from * all->pose;
        }
        run.index = run.index ? run.index + piece.from : NULL;
        run.first = piece.from;
        run.count = piece.count;
        pm_cpu_capture(&run);
    }
}

pm_status pm_cpu_capture_states(const pm_pose_request *r, pm_error *error) {
    const size_t apart = r->capture.apart / sizeof(float);
    const float *poses = r->poses.memory;
    pm_capture capture = {.crowd = r->crowd,
                          .before = {poses, poses + apart},
                          .after = {poses + 2 * apart, poses + 3 * apart},
                          .pose = pm_pose_local_bytes(r) / sizeof(float),
                          .states = r->transitions.memory,
                          .stride = r->transition_stride,
                          .head = {.time = r->transition_time, .duration = r->capture.duration},
                          .rate = r->capture.rate,
                          .index = r->indices.memory,
                          .instance_count = r->instance_count,
                          .count = pm_pose_entries(r)};
    return pm_run_pieces(r->host, r->host_threads, pm_piece_count(capture.count, RUN), capture_runs,
                         &capture, error);
}

/* Some entries of the list. */
static pm_status begin_some(const pm_pose_request requests[4], const pm_piece *piece,
                            pm_pose_request *capture, float *poses, pm_error *error) {
    const uint32_t *list = requests[0].indices.memory;
    pm_status status = PM_OK;
    capture->poses = pm_in_memory(poses);
    capture->capture.apart = piece->count * pm_pose_local_bytes(capture);
    capture->indices = pm_in_memory(list + piece->from);
    capture->index_count = piece->count;
    for (size_t n = 0; status == PM_OK && n < 4; n++) {
        pm_pose_request part = pm_pose_before_chains(
            &requests[n], pm_in_memory((char *)poses + n * capture->capture.apart));
        part.indices = capture->indices;
        part.index_count = piece->count;
        status = pm_cpu_pose(&part, error);
    }
    return status == PM_OK ? pm_cpu_capture_states(capture, error) : status;
}

pm_status pm_cpu_begin_transitions(const pm_pose_request requests[4],
                                   const pm_crowd_transition *change, pm_error *error) {
    const size_t bytes = pm_pose_local_bytes(&requests[0]), total = requests[0].index_count;
    const size_t fitting = most_bytes / (4 * bytes),
                 size = fitting > RUN ? fitting / RUN * RUN : RUN;
    const size_t room = total < size ? total : size;
    pm_pose_request capture = {.host = requests[0].host,
                               .crowd = requests[0].crowd,
                               .transitions = pm_in_memory(change->states),
                               .instance_count = requests[0].instance_count,
                               .transition_stride = change->stride,
                               .transition_time = change->time,
                               .capture = pm_capture_rule_of(change->step, change->duration),
                               .host_threads = requests[0].host_threads};
    float *poses = pm_allocate(requests[0].host, 4 * room * bytes);
    pm_status status = poses ? PM_OK : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < pm_piece_count(total, size); i++) {
        const pm_piece piece = pm_piece_at(total, size, i);
        status = begin_some(requests, &piece, &capture, poses, error);
    }
    pm_release(poses);
    return status;
}
