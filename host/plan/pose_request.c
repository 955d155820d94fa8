/* SPDX-License-Identifier: MIT
 *
 * Makes requests for poses from jobs, and cuts them into pieces.
 */
#include "pose_request.h"

#include <string.h>

pm_pose_request pm_pose_request_of(const pm_crowd_data *crowd, const pm_crowd_job *job,
                                   size_t host_threads) {
    const pm_skeleton *s = crowd->skeleton;
    pm_pose_request r = {.host = crowd->host,
                         .crowd = crowd,
                         .instances = job->instances,
                         .instance_count = job->instance_count,
                         .frame = job->frame,
                         .layers = job->layers,
                         .layer_count = job->layer_count,
                         .ranges = job->ranges,
                         .poses = job->poses,
                         .indices = job->indices,
                         .index_count = job->index_count,
                         .packed = job->indices && job->packed,
                         .placements = job->placements,
                         .speeds = job->speeds,
                         .host_threads = job->host_threads ? job->host_threads : host_threads,
                         .target_count = job->output_count};
    r.pose_stride = pm_crowd_stride(s, (pm_view){PM_CROWD_LOCAL, 0}, job->pose_stride);
    for (size_t i = 0; i < job->output_count; i++) {
        const pm_crowd_target *target = &job->outputs[i];
        const pm_view view = {target->output, target->subset};
        r.targets[i] = (pm_pose_target){.view = view,
                                        .flags = target->flags,
                                        .memory = target->memory,
                                        .previous = target->previous,
                                        .stride = pm_crowd_stride(s, view, target->stride),
                                        .bytes = pm_crowd_stride(s, view, 0)};
    }
    return r;
}

size_t pm_pose_entries(const pm_pose_request *request) {
    return request->indices ? request->index_count : request->instance_count;
}

bool pm_pose_is_computed(const pm_pose_request *request, size_t target) {
    bool found = false;
    for (size_t i = 0; i < target; i++)
        found = found ||
                pm_are_computed_together(request->targets[i].view, request->targets[target].view);
    return found;
}

bool pm_pose_computes(const pm_pose_request *request, size_t index) {
    const pm_skeleton *s = request->crowd->skeleton;
    if (index >= request->instance_count || request->poses)
        return index < request->instance_count;
    const pm_u32 n = pm_level_index(request->instances[index].level, (pm_u32)s->level_count);
    return s->levels[n].update_every == 1 ||
           pm_is_update_due(request->frame, request->first + index, s->levels[n]);
}

size_t pm_pose_records(const pm_pose_request *request) {
    return request->packed ? request->index_count : request->instance_count;
}

size_t pm_pose_target_bytes(const pm_pose_request *request, const pm_pose_target *target) {
    return (pm_pose_records(request) - 1) * target->stride + target->bytes;
}

/* Writes the entries of the list that name an instance of a piece, counted from its first. */
static size_t entries_of(const pm_pose_request *request, const pm_piece *piece, uint32_t *indices) {
    size_t count = 0;
    for (size_t i = 0; i < request->index_count; i++) {
        const size_t at = request->indices[i];
        if (at >= piece->from && at - piece->from < piece->count)
            indices[count++] = (uint32_t)(at - piece->from);
    }
    return count;
}

pm_pose_request pm_pose_request_piece(const pm_pose_request *request, const pm_piece *piece,
                                      uint32_t *indices) {
    pm_pose_request part = *request;
    for (size_t i = 0; i < part.target_count; i++) {
        pm_pose_target *target = &part.targets[i];
        target->memory += piece->from * target->stride;
        if (target->previous)
            target->previous += piece->from * target->stride;
    }
    if (request->packed) {
        part.indices += piece->from;
        part.index_count = piece->count;
        return part;
    }
    part.instance_count = piece->count;
    part.first += piece->from;
    if (part.instances)
        part.instances += piece->from;
    if (part.ranges)
        part.ranges += piece->from;
    if (part.poses)
        part.poses += piece->from * part.pose_stride;
    if (part.placements)
        part.placements += piece->from;
    if (part.speeds)
        part.speeds += piece->from;
    if (request->indices) {
        part.indices = indices;
        part.index_count = entries_of(request, piece, indices);
    }
    return part;
}

void pm_pose_keep_previous(const pm_pose_request *request, const pm_piece *records) {
    for (size_t i = 0; i < request->target_count; i++) {
        const pm_pose_target *target = &request->targets[i];
        for (size_t n = 0; target->previous && n < records->count; n++) {
            const size_t at = (records->from + n) * target->stride;
            memcpy(target->previous + at, target->memory + at, target->bytes);
        }
    }
}
