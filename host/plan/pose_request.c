/* SPDX-License-Identifier: MIT
 *
 * Makes requests for poses from jobs, and cuts them into pieces.
 */
#include "pose_request.h"

#include <string.h>

pm_pose_request pm_pose_request_of(const pm_crowd_data *crowd, const pm_crowd_job *job,
                                   size_t host_threads) {
    pm_pose_request r = {.crowd = crowd,
                         .instances = job->instances,
                         .instance_count = job->instance_count,
                         .frame = job->frame,
                         .host_threads = job->host_threads ? job->host_threads : host_threads};
    for (size_t i = 0; i < job->output_count; i++) {
        const pm_crowd_target *target = &job->outputs[i];
        const pm_crowd_output output = target->output;
        r.targets[output] =
            (pm_pose_target){.memory = target->memory,
                             .previous = target->previous,
                             .stride = pm_crowd_stride(crowd->skeleton, output, target->stride),
                             .bytes = pm_crowd_stride(crowd->skeleton, output, 0)};
    }
    return r;
}

static unsigned char *moved(unsigned char *memory, size_t bytes) {
    return memory ? memory + bytes : NULL;
}

pm_pose_request pm_pose_request_piece(const pm_pose_request *request, const pm_piece *piece) {
    pm_pose_request part = *request;
    part.instances += piece->from;
    part.instance_count = piece->count;
    part.first += piece->from;
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++) {
        pm_pose_target *target = &part.targets[o];
        target->memory = moved(target->memory, piece->from * target->stride);
        target->previous = moved(target->previous, piece->from * target->stride);
    }
    return part;
}

void pm_pose_keep_previous(const pm_pose_request *request, unsigned output, size_t instance) {
    const pm_pose_target *target = &request->targets[output];
    const size_t at = instance * target->stride;
    if (target->memory && target->previous)
        memcpy(target->previous + at, target->memory + at, target->bytes);
}
