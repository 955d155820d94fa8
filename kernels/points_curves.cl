/* SPDX-License-Identifier: MIT
 *
 * Points in double that one frame of a chain moves, one per work-item: a launch for each frame, between which points are
 * records of four doubles, x y z and whether they are valid. With what is fixed on both sides, for devices that have
 * double. points_arcs.cl includes this file.
 */
#ifndef PM_POINTS_KERNEL
#define PM_POINTS_KERNEL points_curves
#define PM_OF_ARCS 0
#endif

#include "pm_key_data.h"
#include "pm_point_frame.h"
#include "pm_points.h"

/* The keys of a frame, and where a point is among them. */
typedef struct pm_frame_tables {
    pm_global const pm_stored_key *rotations;
    pm_global const float *constants;
    pm_global const pm_track_layout *layout;
    pm_global const float *positions;
    pm_global const float *rests;
    pm_global const pm_track_layout *vector_layout;
} pm_frame_tables;

typedef struct pm_point_pose {
    pm_dquat q;
    pm_dvector t;
} pm_point_pose;

#if PM_OF_ARCS

/* The arc of a point, with positions relative to the shift; at the next key that which begins there. */
pm_fn pm_rigid_arc pm_rigid_arc_of(const pm_frame_tables *tables, const pm_point_frame *frame,
                                   const pm_located_point *point, double *u) {
    pm_u32 is_next = *u >= 1;
    pm_u64 number = point->own.first_arc + point->place.segment + is_next;
    pm_rigid_arc arc = ((pm_global const pm_rigid_arc *)tables->rotations)[number];
    pm_u32 moves = !(frame->moves_along && frame->directions);
    *u = is_next ? 0 : *u;
    for (int c = 0; c < 3; c++) {
        arc.t[c] = moves ? arc.t[c] - frame->origin[c] : 0;
        arc.way[c] = moves ? arc.way[c] : 0;
    }
    arc.along = moves ? arc.along : 0;
    return arc;
}

/* Moves a point along an arc. */
pm_fn pm_dvector pm_moved_along(const pm_rigid_arc *arc, const pm_point_frame *frame, double u,
                                pm_dvector x) {
    return pm_arc_moved(arc, (int)frame->screw, (int)frame->terms, u, x);
}

pm_fn pm_point_pose pm_pose_of(const pm_frame_tables *tables, const pm_point_frame *frame,
                               const pm_located_point *point, double u) {
    pm_rigid_arc arc = pm_rigid_arc_of(tables, frame, point, &u);
    pm_point_pose pose;
    pose.t = pm_moved_along(&arc, frame, u, pm_dvector_of(0, 0, 0));
    pose.q = pm_arc_rotation(&arc, u);
    return pose;
}

#else

/* Adds a channel of vectors: the key that is nearest before, and the way from there. */
pm_fn pm_dvector pm_vector_added(pm_global const float *keys, pm_key_address at, pm_dvector to) {
    pm_segment_data data = pm_vector_key_data(keys, at);
    pm_quat base = pm_vector_relative(&data, at.u, PM_VECTOR_OF(coefficients));
    pm_quat way = pm_numbers_value(&data, at.u, 1);
    to = pm_dvector_plus(to, 1, pm_dvector_of((double)base.x, (double)base.y, (double)base.z));
    return pm_dvector_plus(to, 1, pm_dvector_of((double)way.x, (double)way.y, (double)way.z));
}

pm_fn pm_point_pose pm_pose_of(const pm_frame_tables *tables, const pm_point_frame *frame,
                               const pm_located_point *point, double u) {
    pm_point_pose pose;
    pm_u32 track = point->track, segment = point->place.segment;
    float rounded = (float)u;
    rounded = u < 1 && rounded >= 1 ? PM_CURSOR_BELOW_ONE : rounded;
    pose.t = pm_dvector_of(frame->origin[0], frame->origin[1], frame->origin[2]);
    pose.q = pm_dquat_of(0, 0, 0, 1);
    if (frame->has_positions) {
        pm_key_address at = pm_track_address(tables->vector_layout[track], segment, rounded);
        pose.t = pm_vector_added(tables->positions, at, pose.t);
        if (frame->has_rests)
            pose.t = pm_vector_added(tables->rests, at, pose.t);
    }
    if (frame->has_rotations) {
        pm_key_address at = pm_track_address(tables->layout[track], segment, rounded);
        pm_segment_data data = pm_key_data(tables->rotations, tables->constants, at,
                                           4 * (pm_u64)track, frame->constant_floats);
        real basis[PM_BASIS_SIZE];
        PM_OF(basis)(at.u, basis);
        pm_quat q = pm_rotation_value(&data, at.u, 1, basis);
        pose.q = pm_dquat_of((double)q.x, (double)q.y, (double)q.z, (double)q.w);
    }
    return pose;
}

#endif

/* A point by the frame alone. */
pm_fn pm_dvector pm_frame_moved(const pm_frame_tables *tables, const pm_point_frame *frame,
                                pm_global const pm_points_end *end, const pm_located_point *point,
                                double u, pm_dvector x) {
#if PM_OF_ARCS
    if (frame->moves_along) {
        pm_rigid_arc arc = pm_rigid_arc_of(tables, frame, point, &u);
        return pm_moved_along(&arc, frame, u, x);
    }
#endif
    pm_point_pose pose = pm_pose_of(tables, frame, point, u);
    if (frame->is_inverse) {
        pose.t = pm_dquat_turned(pose.q, -1, pose.t);
        pose.t = pm_dvector_of(-pose.t.x, -pose.t.y, -pose.t.z);
        pose.q = pm_dquat_of(-pose.q.x, -pose.q.y, -pose.q.z, pose.q.w);
    }
    if (frame->shifts)
        pose.t =
            pm_dvector_plus(pose.t, -1, pm_dvector_of(end->shift[0], end->shift[1], end->shift[2]));
    if (frame->inverts && !frame->directions)
        x = pm_dvector_plus(x, -1, pose.t);
    x = pm_dquat_turned(pose.q, frame->inverts ? -1 : 1, x);
    return frame->inverts || frame->directions ? x : pm_dvector_plus(x, 1, pose.t);
}

/* Work size: points. */
pm_kernel void PM_POINTS_KERNEL(
    pm_global const pm_s64 *restrict keys, pm_global const pm_stored_key *restrict rotations,
    pm_global const float *restrict constants, pm_global const pm_track_layout *restrict layout,
    pm_global const float *restrict positions, pm_global const float *restrict rests,
    pm_global const pm_track_layout *restrict vector_layout,
    pm_global const pm_point_track *restrict table, pm_global const pm_points_end *restrict ends,
    pm_global const pm_u8 *stamps, pm_global const pm_u8 *from, pm_global const pm_u8 *tracks,
    pm_global pm_u8 *moved, pm_global pm_u8 *valid, pm_point_fields fields, pm_point_frame frame,
    pm_u32 count) {
    pm_s64 k = pm_global_id(0);
    if (k >= count)
        return;
    pm_frame_tables tables = {rotations, constants, layout, positions, rests, vector_layout};
    pm_located_point point = pm_point_find(fields, table, keys, stamps, tracks, k);
    pm_global const pm_u8 *at = from + (fields.points.offset + k * fields.points.stride);
    pm_global const pm_points_end *end = ends + (frame.by_track ? point.track : 0);
    pm_dvector x = pm_load_point(&fields, &frame, at);
    pm_u32 good =
        point.place.valid && (frame.goes_on ? pm_two_words_at(at + 3 * fields.points.step, 1) != 0
                                            : x.x * 0 + x.y * 0 + x.z * 0 == 0);
    double u = (double)point.place.since / (double)point.place.length;
    x = pm_fixed_moved(&frame, frame.first, end, x);
    x = pm_frame_moved(&tables, &frame, end, &point, u, x);
    x = pm_fixed_moved(&frame, frame.last, end, x);
    if (fields.moved.bytes)
        pm_store_point(&fields, &frame, good, x,
                       moved + (fields.moved.offset + k * fields.moved.stride));
    if (fields.valid.bytes)
        valid[fields.valid.offset + k * fields.valid.stride] = (pm_u8)good;
}
