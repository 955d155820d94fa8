/* SPDX-License-Identifier: MIT
 *
 * Inverse kinematics: chains change local poses so that joints come to goals (docs/crowds.md, "Inverse
 * kinematics"). Plain C computes an instance in each lane, the kernel one in each work-item. Nothing is NaN that
 * was not: numbers that are not usable leave a joint as it is.
 */
#ifndef PM_REACH_H
#define PM_REACH_H

#include "pm_instance.h"
#include "pm_slerp.h"

#if PM_LANES > 1
/* Local poses of PM_LANES instances. */
typedef struct pm_lane_locals {
    pm_quat *of; /* (joints / PM_GROUP, PM_CHANNELS, PM_GROUP) */
    pm_u8 *has;  /* (joints): bit c: channel c is there, bit 4 + c: and was stored by a chain */
    const float
        *given[PM_LANES]; /* other channels: records of PM_CROWD_LOCAL. NULL: the rest pose */
    const pm_joint *joints;
} pm_lane_locals;
#endif

/* What chains of PM_LANES instances read and write. `at` are floats from the begin. */
typedef struct pm_reaching {
    pm_global const pm_chain_row *chains;
    pm_global const pm_u32 *paths;
#if PM_LANES == 1
    pm_global float *poses; /* the records of PM_CROWD_LOCAL */
    pm_u64 pose_at[PM_LANES];
#else
    pm_lane_locals *poses;
#endif
    pm_global const float *goals;
    pm_u64 goal_at[PM_LANES];
    pm_global const float *placements;
    pm_u64 placement_at[PM_LANES];
} pm_reaching;

/* A goal in model space. Weights are in [0, 1]. */
typedef struct pm_goal {
    pm_quat position, rotation, pole;
    real weight, rotation_weight, pole_weight;
} pm_goal;

/* ---- arithmetic ------------------------------------------------------------------------ */

/* a limited to [0, 1]; 0 for NaN and below PM_LEAST_WEIGHT. */
pm_fn real pm_weight_of(real a) {
    real one = PM_REAL(1.0f);
    return pm_select(a >= PM_REAL(PM_LEAST_WEIGHT), pm_select(a < one, a, one), PM_REAL(0.0f));
}

pm_fn real pm_dot3(pm_quat a, pm_quat b) {
    return pm_fma(a.x, b.x, pm_fma(a.y, b.y, a.z * b.z));
}

/* a times its length's inverse; `other` where that has none. */
pm_fn pm_quat pm_unit_or(pm_quat a, pm_quat other) {
    real length2 = pm_quat_dot(a, a);
    pm_mask usable = (length2 >= PM_REAL(0x1p-96f)) & (length2 <= PM_REAL(0x1p96f));
    pm_quat unit = pm_quat_scaled(a, pm_exact_inverse(pm_root_of(length2)));
    return pm_quat_select(usable, unit, other);
}

/* e^-x for x in [0, 40], by powers of 2 and the Taylor series on half of ln 2; relative error 5.2e-9 before rounding. */
pm_fn real pm_decay(real x) {
    real halvings = pm_floor(pm_fma(x, PM_REAL(1.44269504f), PM_REAL(0.5f)));
    real r = pm_fma(halvings, PM_REAL(0.693147182f), -x);
    r = pm_fma(halvings, PM_REAL(-1.90465421e-09f), r);
    real high = pm_cubic(r, 0.041666667f, 0.0083333333f, 0.0013888889f, 0.00019841270f);
    real low = pm_fma(r, pm_fma(r, PM_REAL(0.16666667f), PM_REAL(0.5f)), PM_REAL(1.0f));
    real r2 = r * r;
    real sum = pm_fma(r, pm_fma(r * r2, high, low), PM_REAL(1.0f));
    pm_mask exponent =
        pm_bits_of(PM_REAL(12583039.0f) - halvings) - PM_BITS(0x4b400000); /* 1.5 2^23 + 127 */
    return sum * pm_real_of(exponent << 23);
}

/* What remains of the distance `gap` to a limit, where less than `width` remains: width e^(gap / width - 1), which
 * goes on with the same slope. */
pm_fn real pm_soft_gap(real gap, real width) {
    real one = PM_REAL(1.0f);
    if (!pm_any(gap < width))
        return gap;
    real past =
        pm_least_of(pm_most_of(one - pm_part_of(gap, width), PM_REAL(0.0f)), PM_REAL(40.0f));
    return pm_select(gap < width, width * pm_decay(past), gap);
}

/* The quaternion of half an angle from its cosine and sine, of any length above 0, about a unit axis. */
pm_fn pm_quat pm_turn_about(pm_quat axis, real sine, real cosine) {
    real inverse = pm_exact_inverse(pm_root_of(pm_fma(sine, sine, cosine * cosine)));
    pm_quat q = pm_quat_scaled(axis, sine * inverse);
    q.w = cosine * inverse;
    return q;
}

/* Cosine and sine of half the angle in [-pi, pi] with the cosine x / r and the sine y / r, r = |(x, y)|, times an
 * unknown length: without cancellation. Without a direction, the angle 0. */
pm_fn pm_cos_sin pm_half_angle(real x, real y) {
    pm_cos_sin half_;
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    real r = pm_root_of(pm_fma(x, x, y * y));
    pm_mask ahead = x >= zero;
    real sum = r + pm_select(ahead, x, -x), size = pm_select(y < zero, -y, y);
    pm_mask has = sum > PM_REAL(0x1p-49f);
    half_.cosine = pm_select(has, pm_select(ahead, sum, size), one);
    half_.sine = pm_select(has, pm_select(ahead, y, pm_select(y < zero, -sum, sum)), zero);
    return half_;
}

/* The shortest turn from the unit vector a to b; where they are opposite, about an axis near `axis`. w >= 0 */
pm_fn pm_quat pm_turn_between(pm_quat a, pm_quat b, pm_quat axis) {
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    pm_quat sum = pm_quat_sum(a, b), middle = pm_unit_or(sum, a), turn = pm_cross(a, middle);
    pm_mask opposite = pm_dot3(sum, sum) < PM_REAL(1e-10f);
    turn.w = pm_dot3(a, middle);
    if (!pm_any(opposite))
        return turn;
    pm_mask along_x = (a.x > PM_REAL(0.8f)) | (a.x < PM_REAL(-0.8f));
    pm_quat any = pm_cross(
        a, pm_quat_of(pm_select(along_x, zero, one), pm_select(along_x, one, zero), zero, zero));
    pm_quat across = pm_quat_plus(axis, -pm_dot3(axis, a), a);
    pm_mask has = pm_dot3(across, across) > PM_REAL(1e-6f);
    pm_quat half_turn =
        pm_unit_or(pm_quat_select(has, across, any), pm_quat_of(one, zero, zero, zero));
    return pm_quat_select(opposite, half_turn, turn);
}

/* q with w >= 0: the same rotation, by at most half a turn. */
pm_fn pm_quat pm_short_turn(pm_quat q) {
    return pm_quat_select(q.w < PM_REAL(0.0f), pm_quat_scaled(q, PM_REAL(-1.0f)), q);
}

/* Slerp from no rotation to q, with w >= 0, by a part in [0, 1]; exactly q at 1. */
pm_fn pm_quat pm_turn_part(pm_quat q, real part) {
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    pm_mask whole = part == one;
    if (!pm_any(part != one))
        return q;
    pm_arc arc = pm_arc_between(pm_quat_of(zero, zero, zero, one), q);
    real own = pm_arc_weight(arc, part);
    pm_quat turned = pm_quat_scaled(q, own);
    turned.w = turned.w + pm_arc_weight(arc, one - part);
    return pm_quat_select(whole, q, pm_quat_renormalized(turned));
}

/* Whether a quaternion is one that a rotation can have: never of NaN. */
pm_fn pm_mask pm_is_turn(pm_quat q) {
    real length2 = pm_quat_norm2(q);
    return (length2 > PM_REAL(0.9f)) & (length2 < PM_REAL(1.1f));
}

/* ---- matrices -------------------------------------------------------------------------- */

pm_fn pm_quat pm_point_moved(pm_matrix m, pm_quat v) {
    return pm_quat_of(pm_row_at(m.x, v.x, v.y, v.z, m.x.w), pm_row_at(m.y, v.x, v.y, v.z, m.y.w),
                      pm_row_at(m.z, v.x, v.y, v.z, m.z.w), PM_REAL(0.0f));
}

/* Without the translation. */
pm_fn pm_quat pm_vector_moved(pm_matrix m, pm_quat v) {
    real none = PM_REAL(-0.0f);
    return pm_quat_of(pm_row_at(m.x, v.x, v.y, v.z, none), pm_row_at(m.y, v.x, v.y, v.z, none),
                      pm_row_at(m.z, v.x, v.y, v.z, none), PM_REAL(0.0f));
}

/* 1 / a of any sign; of 0 2^100. */
pm_fn real pm_signed_inverse(real a) {
    pm_mask below = a < PM_REAL(0.0f);
    real inverse = pm_exact_inverse(pm_limited(pm_select(below, -a, a)));
    return pm_select(below, -inverse, inverse);
}

/* A vector of a joint's parent in the joint's frame. A point is taken relative to the joint first. */
pm_fn pm_quat pm_vector_within(pm_local pose, pm_quat v) {
    real one = PM_REAL(1.0f);
    pm_quat scale = pose.scale;
    v = pm_vector_turned(pm_quat_conjugate(pose.rotation), v);
    if (!pm_any((scale.x != one) | (scale.y != one) | (scale.z != one)))
        return v;
    return pm_quat_of(v.x * pm_signed_inverse(scale.x), v.y * pm_signed_inverse(scale.y),
                      v.z * pm_signed_inverse(scale.z), PM_REAL(0.0f));
}

/* A space relative to another one. The rotation is without scales. */
typedef struct pm_space {
    pm_matrix matrix;
    pm_quat rotation;
} pm_space;

/* The space itself, with a scale. */
pm_fn pm_space pm_space_scaled(pm_quat scale) {
    pm_space s;
    real zero = PM_REAL(0.0f);
    s.matrix.x = pm_quat_of(scale.x, zero, zero, zero);
    s.matrix.y = pm_quat_of(zero, scale.y, zero, zero);
    s.matrix.z = pm_quat_of(zero, zero, scale.z, zero);
    s.rotation = pm_quat_of(zero, zero, zero, PM_REAL(1.0f));
    return s;
}

pm_fn pm_space pm_space_of_model(void) {
    real one = PM_REAL(1.0f);
    return pm_space_scaled(pm_quat_of(one, one, one, PM_REAL(0.0f)));
}

pm_fn pm_space pm_space_below(pm_space s, pm_local pose) {
    pm_matrix m = pm_matrix_scaled(pm_matrix_of(pose.rotation, pose.position), pose.scale);
    s.matrix = pm_matrix_product(s.matrix, m);
    s.rotation = pm_quat_renormalized(pm_quat_product(s.rotation, pose.rotation));
    return s;
}

pm_fn pm_quat pm_space_origin(pm_space s) {
    return pm_quat_of(s.matrix.x.w, s.matrix.y.w, s.matrix.z.w, PM_REAL(0.0f));
}

/* ---- memory ---------------------------------------------------------------------------- */

#if PM_LANES == 1
pm_fn pm_local pm_reach_pose(const pm_reaching *r, pm_u32 joint) {
    return pm_local_given(r->poses + 12 * (pm_u64)joint, r->pose_at);
}

/* Stores rotations (row 0) or positions (row 1) of a joint. */
pm_fn void pm_reach_put(const pm_reaching *r, pm_u32 joint, pm_u32 row, pm_quat value) {
    pm_store_items(r->poses + 12 * (pm_u64)joint + 4 * (pm_u64)row + r->pose_at[0], value, 1, 0);
}
#else

pm_fn pm_quat *pm_lane_locals_of(const pm_lane_locals *p, pm_u32 joint, pm_u32 c) {
    return p->of + ((pm_u64)(joint / PM_GROUP) * PM_CHANNELS + c) * PM_GROUP + joint % PM_GROUP;
}

pm_fn pm_quat pm_lane_local_at(const pm_lane_locals *p, pm_u32 joint, pm_u32 c) {
    const pm_joint *at = p->joints + joint;
    const pm_quat *own = pm_lane_locals_of(p, joint, c);
    pm_quat value;
    if (p->has[joint] >> c & 1) {
        value = pm_quat_of(own->x, own->y, own->z, own->w);
    } else if (p->given[0]) {
        const float *from[PM_LANES];
        for (int i = 0; i < PM_LANES; i++)
            from[i] = p->given[i] + 12 * (pm_u64)joint + 4 * (pm_u64)c;
        value = pm_gather_quats(from);
    } else {
        value = pm_spread(c == PM_CHANNEL_ROTATIONS ? at->rotation
                          : c == PM_CHANNEL_POSITIONS ? at->position
                                                      : at->scale);
    }
    value.w = c == PM_CHANNEL_ROTATIONS ? value.w : PM_REAL(0.0f);
    return value;
}

pm_fn pm_local pm_lane_local(const pm_lane_locals *p, pm_u32 joint) {
    pm_local pose;
    pose.rotation = pm_lane_local_at(p, joint, PM_CHANNEL_ROTATIONS);
    pose.position = pm_lane_local_at(p, joint, PM_CHANNEL_POSITIONS);
    pose.scale = pm_lane_local_at(p, joint, PM_CHANNEL_SCALES);
    return pose;
}

pm_fn pm_local pm_reach_pose(const pm_reaching *r, pm_u32 joint) {
    return pm_lane_local(r->poses, joint);
}

pm_fn void pm_reach_put(const pm_reaching *r, pm_u32 joint, pm_u32 row, pm_quat value) {
    *pm_lane_locals_of(r->poses, joint, row) = value;
    r->poses->has[joint] |= (pm_u8)(17u << row);
}
#endif

/* The space of the joints of a path from `from` up to `to`, which is left out. */
pm_fn pm_space pm_space_along(const pm_reaching *r, pm_global const pm_u32 *path, pm_u32 from,
                              pm_u32 to, pm_space s) {
    PM_NO_UNROLL
    for (pm_u32 i = from; i < to; i++)
        s = pm_space_below(s, pm_reach_pose(r, path[i]));
    return s;
}

/* The weights of a goal's pole and rotation, which are neighbours, as x and y. */
pm_fn pm_quat pm_goal_weights(pm_global const float *goal, const pm_u64 at[PM_LANES]) {
#if PM_LANES == 1
    return pm_quat_of(goal[at[0] + 11], goal[at[0] + 12], 0.0f, 0.0f);
#else
    return pm_gather_quats_at(goal + 11, at);
#endif
}

/* Goal n of the instances, in model space. The weights of a goal whose position is not finite, or not below 2^40 in
 * magnitude, are 0. Poles and rotations without weight are 0. */
pm_fn pm_goal pm_reach_goal(const pm_reaching *r, pm_u32 n, pm_u32 flags) {
    pm_goal g;
    pm_global const float *from = r->goals + PM_GOAL_FLOATS * (pm_u64)n;
    real zero = PM_REAL(0.0f), far = PM_REAL(0x1p80f);
    pm_quat none = pm_quat_of(zero, zero, zero, zero), back, origin;
    pm_quat weights = pm_goal_weights(from, r->goal_at);
    g.position = pm_gather_quats_at(from, r->goal_at);
    g.weight = pm_weight_of(g.position.w);
    g.pole_weight = pm_weight_of(weights.x);
    g.rotation_weight = pm_weight_of(weights.y);
    g.position.w = zero;
    g.pole = g.rotation = back = origin = none;
    if (flags & PM_REACH_IN_WORLD) {
        back = pm_quat_conjugate(pm_gather_quats_at(r->placements, r->placement_at));
        origin = pm_gather_quats_at(r->placements + 4, r->placement_at);
        origin.w = zero;
        g.position = pm_vector_turned(back, pm_quat_difference(g.position, origin));
    }
    g.weight = pm_select(pm_dot3(g.position, g.position) < far, g.weight, zero);
    if (pm_any(g.pole_weight > zero)) {
        g.pole = pm_gather_quats_at(from + 8, r->goal_at);
        g.pole.w = zero;
        if (flags & PM_REACH_IN_WORLD)
            g.pole = pm_vector_turned(
                back, flags & PM_REACH_DIRECTION ? g.pole : pm_quat_difference(g.pole, origin));
        g.pole_weight = pm_select(pm_dot3(g.pole, g.pole) < far, g.pole_weight, zero);
    }
    if (pm_any(g.rotation_weight > zero)) {
        g.rotation = pm_unit_or(pm_gather_quats_at(from + 4, r->goal_at), none);
        if (flags & PM_REACH_IN_WORLD)
            g.rotation = pm_quat_product(back, g.rotation);
        g.rotation_weight = pm_select(pm_is_turn(g.rotation), g.rotation_weight, zero);
    }
    return g;
}

/* Takes a goal's position and pole from the model into the frame of the last of `count` joints of a path, one after
 * another: that rounds less than composing their matrices. A pole without weight stays; with `moves` the pole is all
 * that counts. */
pm_fn void pm_goal_within(const pm_reaching *r, pm_global const pm_u32 *path, pm_u32 count,
                          pm_u32 flags, pm_u32 moves, pm_goal *g) {
    pm_u32 is_point = !(flags & PM_REACH_DIRECTION);
    pm_u32 has_pole = moves || pm_any(g->pole_weight > PM_REAL(0.0f));
    PM_NO_UNROLL
    for (pm_u32 i = 0; i < count; i++) {
        pm_local pose = pm_reach_pose(r, path[i]);
        if (!moves)
            g->position = pm_vector_within(pose, pm_quat_difference(g->position, pose.position));
        if (has_pole) {
            pm_quat pole = is_point ? pm_quat_difference(g->pole, pose.position) : g->pole;
            g->pole = pm_vector_within(pose, pole);
        }
    }
}

/* The rotation of the frame of the last of `count` joints of a path. */
pm_fn pm_quat pm_rotation_along(const pm_reaching *r, pm_global const pm_u32 *path, pm_u32 count) {
    real zero = PM_REAL(0.0f);
    pm_quat rotation = pm_quat_of(zero, zero, zero, PM_REAL(1.0f));
    PM_NO_UNROLL
    for (pm_u32 i = 0; i < count; i++)
        rotation =
            pm_quat_renormalized(pm_quat_product(rotation, pm_reach_pose(r, path[i]).rotation));
    return rotation;
}

/* A joint's rotation after part of a turn relative to its parent; unchanged where that is not usable. */
pm_fn pm_quat pm_reach_turned(pm_quat rotation, pm_quat turn, real part) {
    pm_quat after =
        pm_quat_renormalized(pm_quat_product(pm_turn_part(pm_short_turn(turn), part), rotation));
    pm_mask changes = (part > PM_REAL(0.0f)) & pm_is_turn(after);
    return pm_quat_select(changes, after, rotation);
}

/* The turn about the unit vector `line` that brings the vector `from` onto the side of `to`. Where one of them lies
 * on the line, none: to 1e-4 of its length. */
pm_fn pm_quat pm_turn_to_side(pm_quat line, pm_quat from, pm_quat to) {
    real zero = PM_REAL(0.0f);
    pm_quat a = pm_cross(line, from), b = pm_cross(line, to);
    real part = PM_REAL(1e-8f);
    pm_mask has = pm_dot3(a, a) > part * pm_dot3(from, from);
    pm_mask has_to = pm_dot3(b, b) > part * pm_dot3(to, to);
    has = has & has_to;
    pm_quat none = pm_quat_of(zero, zero, zero, zero);
    a = pm_unit_or(a, none);
    b = pm_unit_or(b, none);
    pm_cos_sin half_ = pm_half_angle(pm_dot3(a, b), pm_dot3(line, pm_cross(a, b)));
    return pm_turn_about(line, pm_select(has, half_.sine, zero),
                         pm_select(has, half_.cosine, PM_REAL(1.0f)));
}

/* ---- two bones ------------------------------------------------------------------------- */

/* The vectors of two bones, relative to the upper's rotation. */
typedef struct pm_bones {
    pm_quat a, b; /* from the upper to the lower, and from there to the end */
    real length_a, length_b;
    pm_quat axis;          /* of the bend: a unit vector */
    real along_a, along_b; /* parts of a and b along the axis */
    real x, y,
        r; /* across it: the cosine and sine of the bend times r, the product of their lengths */
} pm_bones;

/* The axis is the normal of the bones' own plane, and `fixed` where they are bent by less than 2 degrees: smoothly in
 * between, up to 8. */
pm_fn pm_bones pm_bones_of(pm_quat a, pm_quat b, pm_quat fixed) {
    pm_bones o;
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    o.a = a;
    o.b = b;
    o.length_a = pm_root_of(pm_dot3(a, a));
    o.length_b = pm_root_of(pm_dot3(b, b));
    real product = o.length_a * o.length_b;
    pm_quat normal = pm_cross(a, b);
    real sine = pm_part_of(pm_root_of(pm_dot3(normal, normal)), product);
    real t = (sine - PM_REAL(0.0348994967f)) * PM_REAL(9.59015477f); /* 1 / (sin 8 - sin 2) */
    t = pm_select(t > zero, pm_least_of(t, one), zero);
    real own = t * t * pm_fma(PM_REAL(-2.0f), t, PM_REAL(3.0f));
    pm_mask is_own = own == one;
    pm_quat mixed = pm_quat_blend(one - own, fixed, own, pm_unit_or(normal, fixed));
    o.axis = pm_unit_or(mixed, fixed);
    o.along_a = pm_select(is_own, zero, pm_dot3(a, o.axis));
    o.along_b = pm_select(is_own, zero, pm_dot3(b, o.axis));
    o.x = pm_fma(-o.along_a, o.along_b, pm_dot3(a, b));
    o.y = pm_dot3(o.axis, normal);
    o.r = pm_root_of(pm_fma(o.x, o.x, o.y * o.y));
    return o;
}

/* The bend at which the end is a distance from the upper: half its angle. Squares of its cosine and sine are in the
 * ratio of d^2 - (a - b)^2 and (a + b)^2 - d^2, whose factors a limb that is nearly straight or folded has exactly. */
pm_fn pm_cos_sin pm_bend_at(const pm_bones *o, real distance, real limit) {
    real zero = PM_REAL(0.0f), half_ = PM_REAL(0.5f);
    real sum = o->length_a + o->length_b, least = o->length_a - o->length_b;
    least = pm_select(least < zero, -least, least);
    real shorter = pm_least_of(o->length_a, o->length_b), range = PM_REAL(2.0f) * shorter;
    real far_by = pm_least_of((PM_REAL(1.0f) - limit) * sum, shorter), outer = sum - distance;
    real near_by = pm_least_of(PM_REAL(0.03f) * sum, shorter), inner = distance - least;
    pm_mask is_near = inner < near_by, is_far = outer < far_by;
    real outer_soft = pm_soft_gap(outer, far_by), inner_soft = pm_soft_gap(inner, near_by);
    outer = pm_select(is_near, range - inner_soft, outer_soft);
    inner = pm_select(is_near, inner_soft, pm_select(is_far, range - outer_soft, inner));
    /* r lacks these to the product of the lengths, less or plus that of the parts along the axis */
    real across = pm_fma(o->length_a, o->along_b, -(o->length_b * o->along_a));
    real aligned = pm_fma(o->length_a, o->along_b, o->length_b * o->along_a);
    real d = sum - outer, along = o->along_a * o->along_b;
    real whole = pm_fma(o->length_a, o->length_b, o->r);
    real p = pm_fma(half_ * outer, sum + d, -pm_part_of(across * across, whole - along));
    real m = pm_fma(half_ * inner, d + least, -pm_part_of(aligned * aligned, whole + along));
    pm_cos_sin bend;
    bend.cosine = pm_root_of(pm_most_of(m, zero));
    bend.sine = pm_root_of(pm_most_of(p, zero));
    real inverse =
        pm_exact_inverse(pm_root_of(pm_fma(bend.sine, bend.sine, bend.cosine * bend.cosine)));
    bend.cosine = bend.cosine * inverse;
    bend.sine = bend.sine * inverse;
    return bend;
}

/* A vector across the plane of the bent bones: a x b / r, without cancellation where they are nearly straight. */
pm_fn pm_quat pm_bones_normal(const pm_bones *o, pm_cos_sin bend) {
    real sine = PM_REAL(2.0f) * bend.sine * bend.cosine;
    real cosine = pm_fma(bend.cosine, bend.cosine, -(bend.sine * bend.sine));
    pm_quat across = pm_quat_plus(o->a, -o->along_a, o->axis);
    real slope = pm_part_of(o->along_a, pm_dot3(across, across));
    pm_quat n = pm_quat_scaled(o->axis, sine);
    n = pm_quat_plus(n, pm_fma(slope, cosine, -pm_part_of(o->along_b, o->r)),
                     pm_cross(o->axis, o->a));
    return pm_unit_or(pm_quat_plus(n, -(slope * sine), across), o->axis);
}

/* With `moves` the end moves by the goal's pole, with PM_REACH_DIRECTION, in place of coming to its position: which
 * rounds less. Then goals are reached exactly as far as the pose reaches, where that is further than the limit. */
pm_fn void pm_reach_two_bones(const pm_reaching *r, pm_global const pm_chain_row *c,
                              const pm_goal *g, pm_u32 flags, pm_u32 moves) {
    pm_global const pm_u32 *path = r->paths + c->path;
    pm_u32 upper_at = c->places[0], lower_at = c->places[1], end_at = c->length - 1;
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    pm_goal goal = *g;
    pm_goal_within(r, path, upper_at, flags, moves, &goal);
    pm_local upper = pm_reach_pose(r, path[upper_at]), lower = pm_reach_pose(r, path[lower_at]);
    pm_local end = pm_reach_pose(r, path[end_at]);
    pm_space between =
        pm_space_along(r, path, upper_at + 1, lower_at, pm_space_scaled(upper.scale));
    pm_space below = pm_space_along(r, path, lower_at + 1, end_at, pm_space_scaled(lower.scale));
    pm_quat b = pm_vector_moved(
        between.matrix,
        pm_vector_turned(lower.rotation, pm_point_moved(below.matrix, end.position)));
    pm_bones o = pm_bones_of(pm_point_moved(between.matrix, lower.position), b,
                             pm_vector_turned(between.rotation, pm_spread(c->axis)));

    pm_quat to = pm_quat_difference(goal.position, upper.position);
    real limit = PM_REAL(c->limit);
    if (moves) {
        pm_quat reach = pm_quat_sum(o.a, o.b);
        real part = pm_part_of(pm_root_of(pm_dot3(reach, reach)), o.length_a + o.length_b);
        limit = pm_least_of(pm_most_of(limit, part), one);
        to = pm_quat_sum(pm_vector_turned(upper.rotation, reach), goal.pole);
    }
    real distance = pm_root_of(pm_dot3(to, to));
    pm_cos_sin bend = pm_bend_at(&o, distance, limit), was = pm_half_angle(o.x, o.y);
    pm_quat turn = pm_turn_about(o.axis, pm_fma(bend.sine, was.cosine, -(bend.cosine * was.sine)),
                                 pm_fma(bend.cosine, was.cosine, bend.sine * was.sine));
    pm_quat line = pm_vector_turned(upper.rotation, pm_quat_sum(o.a, pm_vector_turned(turn, o.b)));
    line = pm_unit_or(line, pm_quat_of(one, zero, zero, zero));
    to = pm_unit_or(to, line);
    pm_quat swing = pm_turn_between(line, to, pm_vector_turned(upper.rotation, o.axis));
    if (pm_any(g->pole_weight > zero)) {
        pm_quat normal = pm_vector_turned(upper.rotation, pm_bones_normal(&o, bend));
        normal = pm_vector_turned(swing, normal);
        pm_quat pole = goal.pole;
        if (!(flags & PM_REACH_DIRECTION))
            pole = pm_quat_difference(pole, upper.position);
        pm_quat side = pm_turn_to_side(to, pm_cross(to, normal), pole);
        side = pm_turn_part(pm_short_turn(side), g->pole_weight);
        swing = pm_quat_product(
            pm_quat_select(g->pole_weight > zero, side, pm_quat_of(zero, zero, zero, one)), swing);
    }
    pm_mask usable = (pm_dot3(to, to) > PM_REAL(0.9f)) & pm_is_turn(turn) & pm_is_turn(swing) &
                     (o.length_a > PM_REAL(0x1p-40f)) & (o.length_b > PM_REAL(0x1p-40f)) &
                     (o.length_a < PM_REAL(0x1p40f)) & (o.length_b < PM_REAL(0x1p40f)) &
                     (distance < PM_REAL(0x1p40f));
    real weight = pm_select(usable, g->weight, zero);
    /* relative to the lower's parent */
    pm_quat axis = pm_vector_turned(pm_quat_conjugate(between.rotation), turn);
    axis.w = turn.w;
    upper.rotation = pm_reach_turned(upper.rotation, swing, weight);
    lower.rotation = pm_reach_turned(lower.rotation, axis, weight);
    pm_reach_put(r, path[upper_at], 0, upper.rotation);
    pm_reach_put(r, path[lower_at], 0, lower.rotation);
    if (!pm_any(g->rotation_weight > zero))
        return;
    pm_quat parent = pm_quat_product(pm_rotation_along(r, path, upper_at), upper.rotation);
    parent = pm_quat_product(parent, between.rotation);
    parent = pm_quat_product(pm_quat_product(parent, lower.rotation), below.rotation);
    pm_quat own = pm_quat_product(pm_quat_conjugate(parent), g->rotation);
    own = pm_quat_renormalized(pm_quat_product(own, pm_quat_conjugate(end.rotation)));
    pm_reach_put(r, path[end_at], 0, pm_reach_turned(end.rotation, own, g->rotation_weight));
}

/* ---- aims ------------------------------------------------------------------------------ */

/* The part of a turn within a cone, of which the last 3 % are approached softly. */
pm_fn pm_quat pm_turn_in_cone(pm_quat turn, float cone) {
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    if (cone == 0.0f)
        return turn;
    real angle =
        PM_REAL(2.0f) * pm_root_of(pm_arc_between(pm_quat_of(zero, zero, zero, one), turn).angle2);
    real gap = PM_REAL(cone) - angle, width = PM_REAL(0.03f * cone);
    real within = PM_REAL(cone) - pm_soft_gap(gap, width);
    return pm_turn_part(turn, pm_select(gap < width, pm_part_of(within, angle), one));
}

pm_fn void pm_reach_aim(const pm_reaching *r, pm_global const pm_chain_row *c, const pm_goal *g,
                        pm_u32 flags) {
    pm_global const pm_u32 *path = r->paths + c->path;
    pm_goal goal = *g;
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f);
    pm_quat none = pm_quat_of(zero, zero, zero, one);
    pm_u32 next = c->places[0]; /* in the frame of the first joint's parent */
    pm_goal_within(r, path, next, flags, 0, &goal);
    pm_space last = pm_space_along(r, path, next, c->length, pm_space_of_model()),
             s = pm_space_of_model();
    pm_quat eye = pm_space_origin(last), up = pm_vector_turned(last.rotation, pm_spread(c->axis));
    pm_quat before = pm_vector_turned(last.rotation, pm_spread(c->forward)), forward = before;
    PM_NO_UNROLL
    for (pm_u32 k = 0; k < c->count; k++) {
        pm_u32 at = c->places[k];
        s = pm_space_along(r, path, next, at, s);
        pm_local pose = pm_reach_pose(r, path[at]);
        pm_quat origin = pm_point_moved(s.matrix, pose.position);
        pm_quat to = pm_unit_or(pm_quat_difference(goal.position, eye), forward);
        pm_quat whole = pm_turn_in_cone(pm_turn_between(before, to, up), c->limit);
        pm_quat turn = pm_turn_between(forward, pm_vector_turned(whole, before), up);
        turn = pm_turn_part(turn, PM_REAL(c->shares[k]));
        forward = pm_vector_turned(turn, forward);
        up = pm_vector_turned(turn, up);
        eye = pm_quat_sum(origin, pm_vector_turned(turn, pm_quat_difference(eye, origin)));
        if (k + 1 == c->count && pm_any(g->pole_weight > zero)) {
            pm_quat pole =
                flags & PM_REACH_DIRECTION ? goal.pole : pm_quat_difference(goal.pole, eye);
            pm_quat roll = pm_short_turn(pm_turn_to_side(forward, up, pole));
            roll = pm_quat_select(g->pole_weight > zero, pm_turn_part(roll, g->pole_weight), none);
            turn = pm_quat_product(roll, turn);
        }
        pm_quat own =
            pm_quat_product(pm_quat_product(pm_quat_conjugate(s.rotation), turn), s.rotation);
        pm_quat old = pose.rotation;
        pose.rotation = pm_reach_turned(old, own, one);
        pm_reach_put(r, path[at], 0,
                     pm_any(g->weight != one) ? pm_reach_turned(old, own, g->weight)
                                              : pose.rotation);
        s = pm_space_below(s, pose);
        next = at + 1;
    }
}

/* ---- pins ------------------------------------------------------------------------------ */

pm_fn void pm_reach_pin(const pm_reaching *r, pm_global const pm_chain_row *c, const pm_goal *g) {
    pm_global const pm_u32 *path = r->paths + c->path;
    real zero = PM_REAL(0.0f);
    pm_space s = pm_space_along(r, path, 0, c->length, pm_space_of_model());
    pm_local root = pm_reach_pose(r, path[0]);
    pm_quat turn = pm_quat_product(g->rotation, pm_quat_conjugate(s.rotation));
    pm_quat rotation = pm_reach_turned(root.rotation, turn, g->rotation_weight);
    /* the turn that the root made */
    turn = pm_quat_renormalized(pm_quat_product(rotation, pm_quat_conjugate(root.rotation)));
    pm_quat from = pm_quat_difference(pm_space_origin(s), root.position);
    pm_mask turns = (g->rotation_weight > zero) & pm_is_turn(turn);
    pm_quat at =
        pm_quat_sum(root.position, pm_quat_select(turns, pm_vector_turned(turn, from), from));
    pm_quat position = pm_quat_plus(root.position, g->weight, pm_quat_difference(g->position, at));
    pm_mask moves = (g->weight > zero) & (pm_dot3(position, position) < PM_REAL(0x1p80f));
    pm_reach_put(r, path[0], 0, rotation);
    pm_reach_put(r, path[0], 1, pm_quat_select(moves, position, root.position));
}

/* ---- chains ---------------------------------------------------------------------------- */

/* Chain number `chain` comes to goal number `goal` of each instance. */
pm_fn void pm_reach_chain(const pm_reaching *r, pm_u32 chain, pm_u32 flags, pm_u32 goal) {
    pm_global const pm_chain_row *c = r->chains + chain;
    pm_goal g = pm_reach_goal(r, goal, flags);
    if (!pm_any((g.weight > PM_REAL(0.0f)) | (g.rotation_weight > PM_REAL(0.0f))))
        return;
    if (c->kind == PM_REACH_TWO_BONES)
        pm_reach_two_bones(r, c, &g, flags, 0);
    else if (c->kind == PM_REACH_AIM)
        pm_reach_aim(r, c, &g, flags);
    else
        pm_reach_pin(r, c, &g);
}

#endif
