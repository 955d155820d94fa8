/* SPDX-License-Identifier: MIT
 *
 * Poses and points in double, one at a time: arcs, and what poses do to points. Nothing is fused, so that all that have
 * double give the same bits. In OpenCL C the file that includes it is for devices that have double.
 */
#ifndef PM_POINT_POSE_H
#define PM_POINT_POSE_H

#include "pm_lang.h"

#ifdef PM_OPENCL
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define PM_CONSTANT_TABLE __constant
#define PM_UNROLL_TERMS PM_NO_UNROLL /* a table in constant memory, and little code */
#else
#define PM_CONSTANT_TABLE static const
#define PM_UNROLL_TERMS PM_UNROLL
#endif

typedef struct pm_dvector {
    double x, y, z;
} pm_dvector;

typedef struct pm_dquat {
    double x, y, z, w;
} pm_dquat;

/* p' = R p + T; the rotation is x y z w. */
typedef struct pm_dpose {
    double rotation[4], position[3];
} pm_dpose;

/* What follows the frames: `shift` is subtracted from the positions of frame 0, exactly where both are near each
 * other, then the pose is applied. */
typedef struct pm_points_end {
    double shift[3];
    pm_dpose pose;
} pm_points_end;

/* The pose at a key, and the motion of constant speed to the next: of a slerp with linear positions, or of a screw. In
 * double: float32 keys alone are off by 6e-8 rad, which is 6e-6 m at 100 m. */
typedef struct pm_rigid_arc {
    double q[4], t[3];
    double v[3];   /* the rotation vector in the outer frame */
    double way[3]; /* of the frame's origin; of a screw its velocity at the key, per segment */
    double along, angle2; /* of a screw v . way, else 0; |v|^2 */
    double rate;          /* 1/seconds of the segment */
} pm_rigid_arc;

pm_fn pm_dvector pm_dvector_of(double x, double y, double z) {
    pm_dvector v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

pm_fn pm_dquat pm_dquat_of(double x, double y, double z, double w) {
    pm_dquat q;
    q.x = x;
    q.y = y;
    q.z = z;
    q.w = w;
    return q;
}

/* a + sign b */
pm_fn pm_dvector pm_dvector_plus(pm_dvector a, double sign, pm_dvector b) {
    return pm_dvector_of(a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z);
}

pm_fn pm_dquat pm_dquat_product(pm_dquat a, pm_dquat b) {
    return pm_dquat_of(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                       a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                       a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

/* Turns a vector by a quaternion of any length. `sign` is -1 for the inverse. */
pm_fn pm_dvector pm_dquat_turned(pm_dquat q, double sign, pm_dvector v) {
    double x = sign * q.x, y = sign * q.y, z = sign * q.z, w = q.w;
    double twice = 2 / (x * x + y * y + z * z + w * w);
    double a = y * v.z - z * v.y, b = z * v.x - x * v.z, c = x * v.y - y * v.x;
    return pm_dvector_of(v.x + twice * (w * a + y * c - z * b),
                         v.y + twice * (w * b + z * a - x * c),
                         v.z + twice * (w * c + x * b - y * a));
}

/* ---- arcs ----------------------------------------------------------------------------------------------- */

/* 1/n! */
/* clang-format off */
PM_CONSTANT_TABLE double pm_inverse_factorials[] = {
    1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
    1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200, 1.0 / 1307674368e3,
    1.0 / 20922789888e3, 1.0 / 355687428096e3, 1.0 / 6402373705728e3, 1.0 / 121645100408832e3,
    1.0 / 2432902008176640e3, 1.0 / 51090942171709440e3, 1.0 / 1124000727777607680e3,
    1.0 / 25852016738884976640e3, 1.0 / 620448401733239439360e3, 1.0 / 15511210043330985984e6,
    1.0 / 403291461126605635584e6, 1.0 / 10888869450418352160768e6, 1.0 / 304888344611713860501504e6,
    1.0 / 8841761993739701954543616e6};
/* clang-format on */

/* 1/n! - x2/(n + 2)! + x2^2/(n + 4)! - ...: from sin(x) = x series(1), 1 - cos(x) = x^2 series(2) and so on. Few
 * terms are within 1e-13 of it up to PM_LITTLE_TURN2, all within a unit of double up to half a turn. */
#define PM_ALL_TERMS 14
#define PM_FEW_TERMS 6

pm_fn double pm_turn_series(double x2, int n, int terms) {
    double r = pm_inverse_factorials[n + 2 * (terms - 1)];
    PM_UNROLL_TERMS
    for (int k = terms - 2; k >= 0; k--)
        r = pm_inverse_factorials[n + 2 * k] - r * x2;
    return r;
}

/* The point that an arc moves: with a = R p, y = v x a (+ way) and x = u |v|,
 *   T + a + u sin(x)/x y + u^2 (1 - cos x)/x^2 v x y + u way, or of a screw + u^3 (x - sin x)/x^3 (v . way) v.
 * `screw` and `terms` are compile-time constants, or the same in all work-items. */
pm_fn pm_dvector pm_arc_moved(const pm_rigid_arc *arc, int screw, int terms, double u,
                              pm_dvector p) {
    double x = arc->q[0], y = arc->q[1], z = arc->q[2], w = arc->q[3];
    double x2 = x + x, y2 = y + y, z2 = z + z;
    double ax = (1 - (y2 * y + z2 * z)) * p.x + (x2 * y - z2 * w) * p.y + (x2 * z + y2 * w) * p.z;
    double ay = (x2 * y + z2 * w) * p.x + (1 - (x2 * x + z2 * z)) * p.y + (y2 * z - x2 * w) * p.z;
    double az = (x2 * z - y2 * w) * p.x + (y2 * z + x2 * w) * p.y + (1 - (x2 * x + y2 * y)) * p.z;
    double vx = arc->v[0], vy = arc->v[1], vz = arc->v[2];
    double wx = arc->way[0], wy = arc->way[1], wz = arc->way[2];
    double bx = vy * az - vz * ay + (screw ? wx : 0);
    double by = vz * ax - vx * az + (screw ? wy : 0);
    double bz = vx * ay - vy * ax + (screw ? wz : 0);
    double u2 = u * u, angle2 = u2 * arc->angle2;
    double s = u * pm_turn_series(angle2, 1, terms), c = u2 * pm_turn_series(angle2, 2, terms);
    double d = screw ? u * u2 * pm_turn_series(angle2, 3, terms) * arc->along : u;
    return pm_dvector_of(
        arc->t[0] + (ax + s * bx + c * (vy * bz - vz * by) + d * (screw ? vx : wx)),
        arc->t[1] + (ay + s * by + c * (vz * bx - vx * bz) + d * (screw ? vy : wy)),
        arc->t[2] + (az + s * bz + c * (vx * by - vy * bx) + d * (screw ? vz : wz)));
}

/* The rotation of an arc. */
pm_fn pm_dquat pm_arc_rotation(const pm_rigid_arc *arc, double u) {
    double half2 = u * u * arc->angle2 / 4;
    double sine = u / 2 * pm_turn_series(half2, 1, PM_ALL_TERMS);
    double w = 1 - half2 * pm_turn_series(half2, 2, PM_ALL_TERMS);
    pm_dquat q = pm_dquat_of(arc->q[0], arc->q[1], arc->q[2], arc->q[3]);
    return pm_dquat_product(pm_dquat_of(sine * arc->v[0], sine * arc->v[1], sine * arc->v[2], w),
                            q);
}

#endif
