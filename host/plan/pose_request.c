/* SPDX-License-Identifier: MIT
 *
 * What requests for poses read, and their pieces.
 */
#include "pose_request.h"

#include <string.h>

pm_pose_rows pm_pose_rows_of(const pm_pose_request *r, pm_memory input) {
    const size_t n = r->instance_count, pose = pm_pose_local_bytes(r);
    const pm_pose_rows rows[] = {
        {"instances", n, sizeof(pm_crowd_instance), sizeof(pm_crowd_instance), 8, true},
        {"layers", r->layer_count, sizeof(pm_crowd_layer), sizeof(pm_crowd_layer), 8, false},
        {"ranges", n, sizeof(pm_crowd_range), sizeof(pm_crowd_range), 8, true},
        {"indices", r->index_count, sizeof(pm_u32), sizeof(pm_u32), 8, false},
        {"counted", 1, sizeof(pm_u32), sizeof(pm_u32), 8, false},
        {"poses", n, pose, r->pose_stride, 16, true},
        {"placements", n, sizeof(pm_placement), sizeof(pm_placement), 16, true},
        {"goals", n, r->chains.count * sizeof(pm_chain_goal), r->goal_stride, 16, true},
        {"transitions", n, pm_transition_state_bytes(r->crowd), r->transition_stride, 16, true},
        {"plants", n, pm_plant_state_bytes(r->crowd->skeleton), r->plant_stride, 16, true},
        {"heights", r->grid.rows, r->grid.columns * sizeof(float), r->grid.columns * sizeof(float),
         8, false},
        {"speeds", n, sizeof(float), sizeof(float), 8, true}};
    _Static_assert(sizeof rows / sizeof *rows == PM_POSE_INPUTS, "each input has a row");
    return rows[input - PM_MEMORY_INSTANCES];
}

void pm_pose_copy_rows(const pm_pose_rows *rows, const void *from, void *to) {
    if (rows->bytes == rows->stride) {
        memcpy(to, from, rows->count * rows->bytes);
        return;
    }
    for (size_t i = 0; i < rows->count; i++)
        memcpy((char *)to + i * rows->bytes, (const char *)from + i * rows->stride, rows->bytes);
}

bool pm_pose_is_divided(const pm_pose_rows *rows, pm_memory input, bool by_entries) {
    return by_entries ? input == PM_MEMORY_LIST : rows->of_instances;
}

pm_pose_request pm_pose_before_chains(const pm_pose_request *request, pm_address local) {
    const size_t bytes = pm_pose_local_bytes(request);
    pm_pose_request before = *request;
    before.chains.count = 0;
    before.packed = pm_is_given(&request->indices);
    before.target_count = 1;
    before.targets[0] =
        (pm_pose_target){.view = {PM_CROWD_LOCAL, 0}, .to = local, .stride = bytes, .bytes = bytes};
    return before;
}

pm_pose_request pm_pose_after_chains(const pm_pose_request *request, pm_address local) {
    pm_pose_request after = *request;
    after.chains.count = 0;
    after.layers = after.ranges = after.transitions = (pm_address){0};
    after.layer_count = 0;
    after.poses = local;
    after.pose_stride = pm_pose_local_bytes(request);
    after.staged = PM_STAGED_ENTRIES | (pm_is_given(&request->instances) ? PM_STAGED_LEVELS : 0);
    return after;
}

bool pm_pose_is_empty(const pm_pose_request *request) {
    return request->instance_count == 0 || pm_pose_entries(request) == 0;
}

size_t pm_pose_entries(const pm_pose_request *request) {
    return pm_is_given(&request->indices) ? request->index_count : request->instance_count;
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
    const pm_crowd_instance *instances = request->instances.memory;
    if (index >= request->instance_count || !instances || request->poses_all)
        return index < request->instance_count;
    const pm_u32 n = pm_level_index(instances[index].level, (pm_u32)s->level_count);
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
    const uint32_t *all = request->indices.memory;
    size_t count = 0;
    for (size_t i = 0; i < request->index_count; i++)
        if (all[i] >= piece->from && all[i] - piece->from < piece->count)
            indices[count++] = (uint32_t)(all[i] - piece->from);
    return count;
}

static void move(pm_address *address, size_t bytes) {
    if (address->memory)
        address->memory = (unsigned char *)address->memory + bytes;
    address->offset += bytes;
}

pm_pose_request pm_pose_request_piece(const pm_pose_request *request, const pm_piece *piece,
                                      uint32_t *indices) {
    pm_pose_request part = *request;
    for (size_t i = 0; i < part.target_count; i++) {
        move(&part.targets[i].to, piece->from * part.targets[i].stride);
        move(&part.targets[i].previous, piece->from * part.targets[i].stride);
    }
    for (pm_memory m = PM_MEMORY_INSTANCES; m <= PM_MEMORY_SPEEDS; m++) {
        const pm_pose_rows rows = pm_pose_rows_of(request, m);
        if (pm_pose_is_divided(&rows, m, request->packed))
            move(pm_pose_input(&part, m), piece->from * rows.stride);
    }
    if (request->packed) {
        part.index_count = piece->count;
        return part;
    }
    part.instance_count = piece->count;
    part.first += piece->from;
    if (request->indices.memory) {
        part.index_count = entries_of(request, piece, indices);
        part.indices.memory = indices;
    }
    return part;
}

void pm_pose_keep_previous(const pm_pose_request *request, const pm_piece *records) {
    for (size_t i = 0; i < request->target_count; i++) {
        const pm_pose_target *target = &request->targets[i];
        for (size_t n = 0; target->previous.memory && n < records->count; n++) {
            const size_t at = (records->from + n) * target->stride;
            memcpy((unsigned char *)target->previous.memory + at,
                   (const unsigned char *)target->to.memory + at, target->bytes);
        }
    }
}
