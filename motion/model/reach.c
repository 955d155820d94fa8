/* SPDX-License-Identifier: MIT
 *
 * How far nodes reach: the vertices of a format's meshes, or the next joints.
 */
#include "motion/model/reach.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "motion/model/pose.h"

/* ---- reach --------------------------------------------------------------------------------- */

static void add_joint(pm_motion_reach *to, const double position[3]) {
    to->reach = fmax(to->reach, vector_length(position));
}

/* The farthest child of each node, or its tail. */
static void reach_children(const pm_motion_content *content, pm_motion_reach *nodes) {
    for (size_t n = 0; n < content->node_count; n++) {
        const pm_motion_node *node = &content->nodes[n];
        if (node->parent >= 0)
            add_joint(&nodes[node->parent], node->position);
        if (node->has_tail)
            add_joint(&nodes[n], node->tail);
    }
}

/* The file has lengths of its own. A negative scale turns the box over. */
static void scale_reach(pm_motion_reach *r, double scale) {
    for (int i = 0; i < 3; i++) {
        const double low = r->low[i] * scale, high = r->high[i] * scale;
        r->low[i] = fmin(low, high);
        r->high[i] = fmax(low, high);
    }
    r->farthest *= fabs(scale);
    r->reach *= fabs(scale);
}

pm_status pm_motion_find_reach(const pm_motion *motion, pm_motion_reach *nodes, bool *has_mesh,
                               pm_error *error) {
    MOTION_REQUIRE(error, motion, nodes);
    const size_t count = motion->content.node_count;
    const pm_motion *form = motion_form_of(motion);
    pm_status status = PM_OK;
    bool found = false;
    memset(nodes, 0, count * sizeof *nodes);
    if (form && form->format->find_reach && form->content.node_count == count)
        status = form->format->find_reach(form, nodes, error);
    for (size_t n = 0; status == PM_OK && n < count; n++) {
        found = found || nodes[n].has_vertices;
        if (form && form != motion)
            scale_reach(&nodes[n],
                        motion->form_scale * (motion->node_scales ? motion->node_scales[n] : 1));
    }
    if (status == PM_OK && !found)
        reach_children(&motion->content, nodes);
    if (has_mesh)
        *has_mesh = found;
    return status;
}

/* ---- points -------------------------------------------------------------------------------- */

static void add_point(reach_points *to, double x, double y, double z) {
    const double point[3] = {x, y, z};
    memcpy(to->at[to->count++], point, sizeof point);
    to->radius = fmax(to->radius, vector_length(point));
}

static void add_corners(const pm_motion_reach *box, reach_points *to) {
    for (int corner = 0; box->has_vertices && corner < 8; corner++)
        add_point(to, corner & 1 ? box->high[0] : box->low[0],
                  corner & 2 ? box->high[1] : box->low[1], corner & 4 ? box->high[2] : box->low[2]);
}

/* The largest of each number of a scale in the first keys of a channel, at most `count`. */
static void largest_scale(const pm_motion_clip *clip, const pm_motion_channel *channel,
                          size_t count, double scale[3]) {
    const size_t keys = clip->timelines[channel->timeline].key_count;
    for (int i = 0; i < 3; i++)
        scale[i] = 0;
    for (size_t k = 0; k < keys && k < count; k++)
        for (uint32_t i = 0; i < 3; i++)
            scale[i] = fmax(scale[i], fabs(evaluate_number(&channel->keys, 3, k, i)));
}

/* An axis of length 0 has no point. */
static void add_axes(const double lengths[3], double at, reach_points *to) {
    for (int i = 0; i < 3; i++) {
        const double along = at / lengths[i];
        if (lengths[i] > 0 && isfinite(along))
            add_point(to, i == 0 ? along : 0, i == 1 ? along : 0, i == 2 ? along : 0);
    }
}

double *reach_find_growth(const pm_motion_content *content, const pm_motion_clip *clip,
                          motion_arena *arena) {
    const size_t count = content->node_count;
    const node_channels *channels = pose_find_channels(arena, clip, count);
    uint32_t *order = motion_allocate(arena, count, sizeof *order);
    double *growth = motion_allocate(arena, count, sizeof *growth);
    if (!channels || !order || !growth || !pose_order(content, order))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const pm_motion_node *node = &content->nodes[order[i]];
        double scale[3] = {fabs(node->scale[0]), fabs(node->scale[1]), fabs(node->scale[2])};
        if (channels[order[i]].of[PM_MOTION_SCALE])
            largest_scale(clip, channels[order[i]].of[PM_MOTION_SCALE], SIZE_MAX, scale);
        growth[order[i]] = fmax(scale[0], fmax(scale[1], scale[2])) *
                           (node->parent >= 0 ? growth[node->parent] : 1);
    }
    return growth;
}

/* The lengths of the axes of all nodes in the rest pose, with the largest scales of some first keys of a clip. NULL:
 * memory is exhausted. */
static double (*find_lengths(const pm_motion_content *content, const pm_motion_clip *clip,
                             size_t keys, motion_arena *arena))[3] {
    const size_t count = content->node_count;
    const node_channels *channels = pose_find_channels(arena, clip, count);
    uint32_t *order = motion_allocate(arena, count, sizeof *order);
    placed *joints = motion_allocate(arena, count, sizeof *joints);
    double(*lengths)[3] = motion_allocate(arena, count, sizeof *lengths);
    if (!channels || !order || !joints || !lengths || !pose_order(content, order))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t n = order[i];
        const pm_motion_node *node = &content->nodes[n];
        double scale[3] = {node->scale[0], node->scale[1], node->scale[2]};
        if (channels[n].of[PM_MOTION_SCALE])
            largest_scale(clip, channels[n].of[PM_MOTION_SCALE], keys, scale);
        pose_place(node->rotation, node->position, scale,
                   node->parent >= 0 ? &joints[node->parent] : NULL, &joints[n]);
        for (int axis = 0; axis < 3; axis++)
            lengths[n][axis] = vector_length(joints[n].axes[axis]);
    }
    return lengths;
}

static bool find_axes(const pm_motion_content *content, const pm_motion_clip *clip, double at,
                      motion_arena *arena, reach_points *points) {
    double(*lengths)[3] = find_lengths(content, clip, SIZE_MAX, arena);
    for (size_t n = 0; lengths && n < content->node_count; n++)
        add_axes(lengths[n], at, &points[n]);
    return lengths != NULL;
}

/* By which lengths of a joint become those of another that has lost a scale, or has one more. Scales that differ by
 * less are differences. */
static double factor_of(double from, double to) {
    const double factor = from / to;
    return isfinite(factor) && factor > 0 && (factor < 0.5 || factor > 2) ? factor : 1;
}

static reach_points stretched(const reach_points *points, const double from[3],
                              const double to[3]) {
    reach_points made = {.count = points->count};
    for (size_t p = 0; p < points->count; p++) {
        for (int i = 0; i < 3; i++)
            made.at[p][i] = points->at[p][i] * factor_of(from[i], to[i]);
        made.radius = fmax(made.radius, vector_length(made.at[p]));
    }
    return made;
}

bool reach_pair(const reach_points *points, const pm_motion_content *const sides[2],
                const pm_motion_clip *const clips[2], const size_t (*pairs)[2], size_t pair_count,
                motion_arena *arena, reach_points *made[2]) {
    double(*from)[3] = find_lengths(sides[0], clips[0], 1, arena);
    double(*to)[3] = find_lengths(sides[1], clips[1], 1, arena);
    for (int side = 0; side < 2; side++)
        made[side] = motion_allocate(arena, pair_count, sizeof *made[side]);
    if (!from || !to || !made[0] || !made[1])
        return false;
    for (size_t p = 0; p < pair_count; p++) {
        made[0][p] = points[pairs[p][0]];
        made[1][p] = stretched(&made[0][p], from[pairs[p][0]], to[pairs[p][1]]);
    }
    return true;
}

const reach_points *reach_of_clip(const reach_set *set, const pm_motion_content *content,
                                  const pm_motion_clip *clip, motion_arena *arena) {
    if (set->at == PM_MOTION_AT_MESH)
        return set->corners;
    reach_points *points = motion_allocate(arena, content->node_count, sizeof *points);
    return points && (set->at < 0 || find_axes(content, clip, set->at, arena, points)) ? points
                                                                                       : NULL;
}

/* Boxes of vertices; *is_found false: there are none. */
static pm_status find_corners(const pm_motion *motion, motion_arena *arena, reach_set *found,
                              bool *is_found, pm_error *error) {
    const size_t count = motion->content.node_count;
    pm_motion_reach *nodes = motion_allocate(arena, count, sizeof *nodes);
    found->corners = motion_allocate(arena, count, sizeof *found->corners);
    MOTION_TRY_MEMORY(nodes && found->corners, error);
    MOTION_TRY(pm_motion_find_reach(motion, nodes, is_found, error));
    for (size_t n = 0; n < count; n++)
        add_corners(&nodes[n], &found->corners[n]);
    return PM_OK;
}

pm_status reach_find(const pm_motion *motion, double at, double at_otherwise, motion_arena *arena,
                     reach_set *found, pm_error *error) {
    pm_error fault = {.status = PM_OK};
    bool has_mesh = false;
    *found = (reach_set){.at = at};
    if (at != 0 && at != PM_MOTION_AT_MESH)
        return PM_OK;
    const pm_status status = find_corners(motion, arena, found, &has_mesh, &fault);
    found->at = has_mesh || at != 0 ? PM_MOTION_AT_MESH : at_otherwise;
    if (status == PM_ERROR_FILE && at == 0) {
        found->unread = motion_copy_text(arena, fault.message, strlen(fault.message));
        return found->unread ? PM_OK : motion_refuse_memory(error);
    }
    if (status != PM_OK && error)
        *error = fault;
    return status != PM_OK || has_mesh || at == 0
               ? status
               : motion_fail_option(error, PM_ERROR_FILE, "at",
                                    "mesh: the motion has no vertices that joints move");
}

static void point_of(const reach_points *points, size_t p, const placed *joint, double out[3]) {
    const double *at = points->at[p];
    for (int j = 0; j < 3; j++)
        out[j] = joint->origin[j] + joint->axes[0][j] * at[0] + joint->axes[1][j] * at[1] +
                 joint->axes[2][j] * at[2];
}

static double square_distance(const double a[3], const double b[3]) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

double reach_apart(const reach_points *points_a, const placed *a, const reach_points *points_b,
                   const placed *b) {
    double all = square_distance(a->origin, b->origin);
    for (size_t p = 0; p < points_a->count; p++) {
        double of_a[3], of_b[3];
        point_of(points_a, p, a, of_a);
        point_of(points_b, p, b, of_b);
        const double one = square_distance(of_a, of_b);
        all = one > all ? one : all;
    }
    return sqrt(all);
}

void reach_write_at(json_writer *json, double at) {
    if (at < 0)
        json_write_string(json, "at", at == PM_MOTION_AT_MESH ? "mesh" : "joints");
    else
        json_write_number(json, "at", at > 0 ? at : (double)NAN);
}

pm_status reach_check_at(double at, pm_error *error) {
    return at == PM_MOTION_AT_MESH || at == PM_MOTION_AT_JOINTS || (isfinite(at) && at >= 0)
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT, "at is %g, expected a length from 0 on", at);
}
