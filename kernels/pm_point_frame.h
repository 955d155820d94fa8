/* SPDX-License-Identifier: MIT
 *
 * What a launch for one frame of a chain does to points in double beside the frame's own pose. One lane.
 */
#ifndef PM_POINT_FRAME_H
#define PM_POINT_FRAME_H

#include "pm_point_fields.h"
#include "pm_point_pose.h"

/* What is fixed: nothing, what is before the frames, or what follows them. */
#define PM_FIXED_NONE 0
#define PM_FIXED_BEFORE 1
#define PM_FIXED_END 2

typedef struct pm_point_frame {
    pm_dpose before;
    double scale[3], offset[3]; /* of points that are integers */
    double origin
        [3]; /* of curves: that of positions, less the shift; of arcs: the shift, which is subtracted */
    pm_u64 constant_floats;
    pm_u32 first, last; /* PM_FIXED_NONE and so on: before the frame, and behind it */
    pm_u32 inverts, directions, by_track; /* of the job */
    pm_u32 is_inverse, shifts; /* of the frame: poses of W in it; less the shift of the end */
    pm_u32 moves_along, screw, terms; /* of arcs: points and not poses are moved along them */
    pm_u32 has_rotations, has_positions, has_rests; /* of curves */
    pm_u32 integers;                                /* of points with numbers of 4 bytes */
    pm_u32 goes_on;   /* points are from the frame before: records of four doubles */
    pm_u32 is_before; /* likewise to the next frame */
} pm_point_frame;

/* A kernel's own: host code has loops for it. */
#ifdef PM_POINTS_KERNEL

#include "pm_points.h"

#ifdef PM_OPENCL
#define pm_double_of(bits) as_double(bits)
#define pm_double_bits(number) as_ulong(number)
#else
pm_fn double pm_double_of(pm_u64 bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

pm_fn pm_u64 pm_double_bits(double number) {
    pm_u64 bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
#endif

pm_fn double pm_load_coordinate(const pm_point_fields *fields, const pm_point_frame *frame,
                                pm_global const pm_u8 *at, int c) {
    pm_u32 aligned = fields->points.aligned;
    at += c * fields->points.step;
    if (fields->points.bytes == 8)
        return pm_double_of(pm_two_words_at(at, aligned));
    int word = (int)pm_word_at(at, aligned);
    return frame->integers ? frame->offset[c] + frame->scale[c] * (double)word
                           : (double)pm_real_of(word);
}

pm_fn pm_dvector pm_load_point(const pm_point_fields *fields, const pm_point_frame *frame,
                               pm_global const pm_u8 *at) {
    return pm_dvector_of(pm_load_coordinate(fields, frame, at, 0),
                         pm_load_coordinate(fields, frame, at, 1),
                         pm_load_coordinate(fields, frame, at, 2));
}

pm_fn void pm_set_two_words(pm_global pm_u8 *to, pm_u32 aligned, pm_u64 words) {
    pm_set_word(to, aligned, (pm_u32)words);
    pm_set_word(to + 4, aligned, (pm_u32)(words >> 32));
}

pm_fn void pm_store_coordinate(const pm_point_fields *fields, pm_u32 good, double x,
                               pm_global pm_u8 *to) {
    if (fields->moved.bytes == 8)
        pm_set_two_words(to, fields->moved.aligned,
                         good ? pm_double_bits(x) : (pm_u64)0x7ff80000 << 32);
    else
        pm_set_word(to, fields->moved.aligned, good ? (pm_u32)pm_bits_of((float)x) : 0x7fc00000u);
}

pm_fn void pm_store_point(const pm_point_fields *fields, const pm_point_frame *frame, pm_u32 good,
                          pm_dvector x, pm_global pm_u8 *to) {
    pm_s64 step = fields->moved.step;
    pm_store_coordinate(fields, good, x.x, to);
    pm_store_coordinate(fields, good, x.y, to + step);
    pm_store_coordinate(fields, good, x.z, to + 2 * step);
    if (frame->is_before)
        pm_set_two_words(to + 3 * step, 1, good);
}

/* A point by what is fixed. */
pm_fn pm_dvector pm_fixed_moved(const pm_point_frame *frame, pm_u32 what,
                                pm_global const pm_points_end *end, pm_dvector x) {
    if (what == PM_FIXED_NONE)
        return x;
    pm_dpose by = frame->before;
    if (what == PM_FIXED_END)
        by = end->pose;
    pm_dvector t = pm_dvector_of(by.position[0], by.position[1], by.position[2]);
    pm_dquat q = pm_dquat_of(by.rotation[0], by.rotation[1], by.rotation[2], by.rotation[3]);
    pm_u32 turns_only = frame->directions;
    if (frame->inverts && !turns_only)
        x = pm_dvector_plus(x, -1, t);
    x = pm_dquat_turned(q, frame->inverts ? -1 : 1, x);
    return frame->inverts || turns_only ? x : pm_dvector_plus(x, 1, t);
}

#endif

#endif
