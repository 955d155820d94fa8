/* SPDX-License-Identifier: MIT
 *
 * Points in float32 that the arcs of a trajectory move, one per work-item. `moved` may be the same memory as `points`,
 * where both are the same field.
 */
#include "pm_points.h"

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
    pm_located_point point = pm_point_find(fields, table, keys, stamps, tracks, k);
    pm_u32 is_next = 1;
    float u = point.place.since < point.place.length
                  ? pm_point_fraction(point.place.since, point.place.length, &is_next)
                  : 0.0f;
    u = is_next ? 0.0f : u;
    pm_u64 number = (point.own.first_arc + point.place.segment + is_next) * fields.parts;
    number += pm_point_part(fields.parts, &u);
    pm_global const pm_u8 *at = from + (fields.points.offset + k * fields.points.stride);
    pm_u32 aligned = fields.points.aligned;
    real x = pm_real_of((int)pm_word_at(at, aligned));
    real y = pm_real_of((int)pm_word_at(at + fields.points.step, aligned));
    real z = pm_real_of((int)pm_word_at(at + 2 * fields.points.step, aligned));
    pm_point_arc arc = pm_load_arc(arcs + PM_POINT_ARC_FLOATS * number);
    pm_quat p = pm_point_moved_by(arc, (int)fields.screw, u, pm_quat_of(x, y, z, PM_REAL(0.0f)));
    pm_u32 good = point.place.valid && (pm_bits_of(p.x) & 0x7fffffff) <= 0x7f800000;
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
