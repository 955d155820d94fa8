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
        run.index += piece.from;
        run.count = piece.count;
        pm_cpu_capture(&run);
    }
}

/* Some entries of the list. */
static pm_status begin_some(const pm_pose_request requests[4], const pm_piece *piece,
                            pm_capture *capture, float *poses, pm_error *error) {
    pm_status status = PM_OK;
    float *const local[4] = {poses, poses + capture->pose * piece->count,
                             poses + 2 * capture->pose * piece->count,
                             poses + 3 * capture->pose * piece->count};
    for (size_t n = 0; status == PM_OK && n < 4; n++) {
        pm_pose_request part =
            pm_pose_before_chains(&requests[n], (pm_address){.memory = local[n]});
        part.indices = pm_in_memory((const uint32_t *)requests[n].indices.memory + piece->from);
        part.index_count = piece->count;
        status = pm_cpu_pose(&part, error);
    }
    capture->count = piece->count;
    capture->index = (const uint32_t *)requests[0].indices.memory + piece->from;
    for (size_t n = 0; n < 2; n++) {
        capture->before[n] = local[n];
        capture->after[n] = local[2 + n];
    }
    return status == PM_OK
               ? pm_run_pieces(requests[0].host, requests[0].host_threads,
                               pm_piece_count(piece->count, RUN), capture_runs, capture, error)
               : status;
}

pm_status pm_cpu_begin_transitions(const pm_pose_request requests[4],
                                   const pm_crowd_transition *change, pm_error *error) {
    const size_t bytes = pm_pose_local_bytes(&requests[0]), total = requests[0].index_count;
    const size_t fitting = most_bytes / (4 * bytes),
                 size = fitting > RUN ? fitting / RUN * RUN : RUN;
    const size_t room = total < size ? total : size;
    pm_capture capture = {.crowd = requests[0].crowd,
                          .pose = bytes / sizeof(float),
                          .states = change->states,
                          .stride = change->stride,
                          .head = {.time = change->time, .duration = change->duration},
                          .rate = (float)(PM_TICKS_PER_SECOND / (double)change->step),
                          .instance_count = requests[0].instance_count};
    float *poses = pm_allocate(requests[0].host, 4 * room * bytes);
    pm_status status = poses ? PM_OK : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < pm_piece_count(total, size); i++) {
        const pm_piece piece = pm_piece_at(total, size, i);
        status = begin_some(requests, &piece, &capture, poses, error);
    }
    pm_release(poses);
    return status;
}
