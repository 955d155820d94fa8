/* SPDX-License-Identifier: MIT
 *
 * Points in float32 that the arcs of a trajectory move, one per work-item. `moved` may be the same memory as `points`,
 * where both are the same field.
 */
#include "pm_points.h"

/* The number of a point's track. */
pm_fn pm_u32 pm_point_track_of(pm_point_fields fields, pm_global const pm_u8 *tracks, pm_s64 k) {
    pm_global const pm_u8 *at = tracks + (fields.tracks.offset + k * fields.tracks.stride);
    return fields.tracks.bytes == 1   ? *at
           : fields.tracks.bytes == 2 ? pm_half_word_at(at)
                                      : pm_word_at(at, fields.tracks.aligned);
}

pm_fn pm_point_arc pm_load_arc(pm_global const float *from) {
    pm_point_arc arc;
    arc.rows[0] = pm_load_quats(from);
    arc.rows[1] = pm_load_quats(from + 4);
    arc.rows[2] = pm_load_quats(from + 8);
    arc.v = pm_load_quats(from + 12);
    arc.way = pm_load_quats(from + 16);
    arc.t = pm_load_quats(from + 20);
    return arc;
}

/* Work size: points. */
pm_kernel void points(pm_global const float *restrict arcs, pm_global const pm_s64 *restrict keys,
                      pm_global const pm_point_track *restrict table, pm_global const pm_u8 *stamps,
                      pm_global const pm_u8 *from, pm_global const pm_u8 *tracks,
                      pm_global pm_u8 *moved, pm_global pm_u8 *valid, pm_point_fields fields,
                      pm_u32 count) {
    pm_s64 k = pm_global_id(0);
    if (k >= count)
        return;
    pm_u32 track = fields.tracks.bytes ? pm_point_track_of(fields, tracks, k) : fields.track;
    pm_u32 is_track = track < fields.track_count;
    pm_point_track own = table[is_track ? track : 0];
    pm_s64 stamp =
        pm_point_stamp(fields, stamps + (fields.stamps.offset + k * fields.stamps.stride));
    pm_point_place place = pm_point_locate(fields, keys + own.first_stamp, own.key_count, stamp);
    pm_global const pm_u8 *at = from + (fields.points.offset + k * fields.points.stride);
    pm_u32 aligned = fields.points.aligned;
    real x = pm_real_of((int)pm_word_at(at, aligned));
    real y = pm_real_of((int)pm_word_at(at + fields.points.step, aligned));
    real z = pm_real_of((int)pm_word_at(at + 2 * fields.points.step, aligned));
    pm_point_arc arc = pm_load_arc(arcs + PM_POINT_ARC_FLOATS * (own.first_arc + place.key));
    pm_quat p =
        pm_point_moved_by(arc, (int)fields.screw, place.u, pm_quat_of(x, y, z, PM_REAL(0.0f)));
    pm_u32 good = is_track && place.valid && (pm_bits_of(p.x) & 0x7fffffff) <= 0x7f800000;
    if (fields.moved.bytes) {
        pm_global pm_u8 *to = moved + (fields.moved.offset + k * fields.moved.stride);
        pm_set_word(to, fields.moved.aligned, good ? (pm_u32)pm_bits_of(p.x) : 0x7fc00000u);
        to += fields.moved.step;
        pm_set_word(to, fields.moved.aligned, good ? (pm_u32)pm_bits_of(p.y) : 0x7fc00000u);
        to += fields.moved.step;
        pm_set_word(to, fields.moved.aligned, good ? (pm_u32)pm_bits_of(p.z) : 0x7fc00000u);
    }
    if (fields.valid.bytes)
        valid[fields.valid.offset + k * fields.valid.stride] = (pm_u8)good;
}
