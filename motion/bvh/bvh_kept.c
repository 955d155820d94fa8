/* SPDX-License-Identifier: MIT
 *
 * Copies what a BVH file says beside its rows.
 */
#include "motion/bvh/bvh_kept.h"

#include <string.h>

static void *copy_array(motion_arena *arena, const void *from, size_t count, size_t size) {
    void *copy = motion_allocate(arena, count, size);
    if (copy && count > 0)
        memcpy(copy, from, count * size);
    return copy;
}

bvh_kept *bvh_keep(const bvh *model, const double *first_row, motion_arena *arena) {
    bvh_kept *to = motion_allocate(arena, 1, sizeof *to);
    if (!to)
        return NULL;
    bvh *m = &to->model;
    *m = (bvh){.joint_count = model->joint_count,
               .site_count = model->site_count,
               .channel_count = model->channel_count,
               .line_end = model->line_end,
               .hierarchy_size = model->hierarchy_size};
    m->joints = copy_array(arena, model->joints, model->joint_count, sizeof *m->joints);
    m->sites = copy_array(arena, model->sites, model->site_count, sizeof *m->sites);
    m->channels = copy_array(arena, model->channels, model->channel_count, sizeof *m->channels);
    m->hierarchy = copy_array(arena, model->hierarchy, model->hierarchy_size, 1);
    to->first_row = copy_array(arena, first_row, model->channel_count, sizeof *first_row);
    if (!m->joints || !m->sites || !m->channels || !m->hierarchy || !to->first_row)
        return NULL;
    bvh_move_texts(m, model->hierarchy, m->hierarchy);
    return to;
}
