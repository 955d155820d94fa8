/* SPDX-License-Identifier: MIT
 *
 * Quaternions between memory, where they lie one after another as x y z w, and
 * lanes, where all x share a vector. Whole vectors are transposed in registers, in
 * two levels; the compilers of CPU devices turn each level into one shuffle.
 */
#ifndef PM_MEMORY_H
#define PM_MEMORY_H

#include "pm_quat.h"

#if PM_LANES == 1

pm_fn pm_quat pm_load_quats(pm_global const float *from) {
    return pm_quat_of(from[0], from[1], from[2], from[3]);
}

pm_fn pm_quat pm_gather_quats(pm_global const float *const from[PM_LANES]) {
    return pm_load_quats(from[0]);
}

pm_fn void pm_store_quats(pm_global float *to, pm_quat q, pm_u32 count) {
    (void)count;
#ifdef PM_OPENCL
    vstore4((float4)(q.x, q.y, q.z, q.w), 0, to);
#else
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
#endif
}

pm_fn void pm_store_vectors(pm_global float *to, pm_quat v, pm_u32 count) {
    (void)count;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

pm_fn real pm_load_reals(pm_global const float *from) {
    return from[0];
}

pm_fn real pm_reals_of(const float *from) {
    return from[0];
}

#else

#ifdef PM_OPENCL

/* r holds PM_LANES quaternions as 4 vectors of memory order */
typedef struct pm_block {
    real r0, r1, r2, r3;
} pm_block;

#if PM_LANES == 16

pm_fn pm_quat pm_lanes_of(pm_block m) {
    float16 xy0 = (float16)(m.r0.s048c, m.r1.s048c, m.r0.s159d, m.r1.s159d);
    float16 xy1 = (float16)(m.r2.s048c, m.r3.s048c, m.r2.s159d, m.r3.s159d);
    float16 zw0 = (float16)(m.r0.s26ae, m.r1.s26ae, m.r0.s37bf, m.r1.s37bf);
    float16 zw1 = (float16)(m.r2.s26ae, m.r3.s26ae, m.r2.s37bf, m.r3.s37bf);
    return pm_quat_of((float16)(xy0.lo, xy1.lo), (float16)(xy0.hi, xy1.hi),
                      (float16)(zw0.lo, zw1.lo), (float16)(zw0.hi, zw1.hi));
}

pm_fn float16 pm_interleave(float16 xz, float16 yw) {
    return (float16)(xz.s0, yw.s0, xz.s8, yw.s8, xz.s1, yw.s1, xz.s9, yw.s9, xz.s2, yw.s2, xz.sa,
                     yw.sa, xz.s3, yw.s3, xz.sb, yw.sb);
}

pm_fn float16 pm_interleave_high(float16 xz, float16 yw) {
    return (float16)(xz.s4, yw.s4, xz.sc, yw.sc, xz.s5, yw.s5, xz.sd, yw.sd, xz.s6, yw.s6, xz.se,
                     yw.se, xz.s7, yw.s7, xz.sf, yw.sf);
}

pm_fn pm_block pm_block_of(pm_quat q) {
    pm_block m;
    float16 xz0 = (float16)(q.x.lo, q.z.lo);
    float16 xz1 = (float16)(q.x.hi, q.z.hi);
    float16 yw0 = (float16)(q.y.lo, q.w.lo);
    float16 yw1 = (float16)(q.y.hi, q.w.hi);
    m.r0 = pm_interleave(xz0, yw0);
    m.r1 = pm_interleave_high(xz0, yw0);
    m.r2 = pm_interleave(xz1, yw1);
    m.r3 = pm_interleave_high(xz1, yw1);
    return m;
}

#elif PM_LANES == 8

pm_fn pm_quat pm_lanes_of(pm_block m) {
    float16 a = (float16)(m.r0, m.r1);
    float16 b = (float16)(m.r2, m.r3);
    return pm_quat_of((float8)(a.s048c, b.s048c), (float8)(a.s159d, b.s159d),
                      (float8)(a.s26ae, b.s26ae), (float8)(a.s37bf, b.s37bf));
}

pm_fn pm_block pm_block_of(pm_quat q) {
    pm_block m;
    m.r0 = (float8)(q.x.s0, q.y.s0, q.z.s0, q.w.s0, q.x.s1, q.y.s1, q.z.s1, q.w.s1);
    m.r1 = (float8)(q.x.s2, q.y.s2, q.z.s2, q.w.s2, q.x.s3, q.y.s3, q.z.s3, q.w.s3);
    m.r2 = (float8)(q.x.s4, q.y.s4, q.z.s4, q.w.s4, q.x.s5, q.y.s5, q.z.s5, q.w.s5);
    m.r3 = (float8)(q.x.s6, q.y.s6, q.z.s6, q.w.s6, q.x.s7, q.y.s7, q.z.s7, q.w.s7);
    return m;
}

#else

pm_fn pm_quat pm_lanes_of(pm_block m) {
    float16 a = (float16)(m.r0, m.r1, m.r2, m.r3);
    return pm_quat_of(a.s048c, a.s159d, a.s26ae, a.s37bf);
}

pm_fn pm_block pm_block_of(pm_quat q) {
    pm_block m;
    m.r0 = (float4)(q.x.s0, q.y.s0, q.z.s0, q.w.s0);
    m.r1 = (float4)(q.x.s1, q.y.s1, q.z.s1, q.w.s1);
    m.r2 = (float4)(q.x.s2, q.y.s2, q.z.s2, q.w.s2);
    m.r3 = (float4)(q.x.s3, q.y.s3, q.z.s3, q.w.s3);
    return m;
}

#endif

#define PM_VLOAD PM_JOIN(vload, PM_LANES)
#define PM_VSTORE PM_JOIN(vstore, PM_LANES)

/* PM_LANES quaternions that lie one after another */
pm_fn pm_quat pm_load_quats(pm_global const float *from) {
    pm_block m;
    m.r0 = PM_VLOAD(0, from);
    m.r1 = PM_VLOAD(1, from);
    m.r2 = PM_VLOAD(2, from);
    m.r3 = PM_VLOAD(3, from);
    return pm_lanes_of(m);
}

/* PM_LANES quaternions that lie anywhere */
pm_fn pm_quat pm_gather_quats(pm_global const float *const from[PM_LANES]) {
    pm_block m;
#if PM_LANES == 16
    m.r0 =
        (float16)(vload4(0, from[0]), vload4(0, from[1]), vload4(0, from[2]), vload4(0, from[3]));
    m.r1 =
        (float16)(vload4(0, from[4]), vload4(0, from[5]), vload4(0, from[6]), vload4(0, from[7]));
    m.r2 =
        (float16)(vload4(0, from[8]), vload4(0, from[9]), vload4(0, from[10]), vload4(0, from[11]));
    m.r3 = (float16)(vload4(0, from[12]), vload4(0, from[13]), vload4(0, from[14]),
                     vload4(0, from[15]));
#elif PM_LANES == 8
    m.r0 = (float8)(vload4(0, from[0]), vload4(0, from[1]));
    m.r1 = (float8)(vload4(0, from[2]), vload4(0, from[3]));
    m.r2 = (float8)(vload4(0, from[4]), vload4(0, from[5]));
    m.r3 = (float8)(vload4(0, from[6]), vload4(0, from[7]));
#else
    m.r0 = vload4(0, from[0]);
    m.r1 = vload4(0, from[1]);
    m.r2 = vload4(0, from[2]);
    m.r3 = vload4(0, from[3]);
#endif
    return pm_lanes_of(m);
}

/* Stores the first `count` lanes; all of them is the fast case. */
pm_fn void pm_store_quats(pm_global float *to, pm_quat q, pm_u32 count) {
    pm_block m = pm_block_of(q);
    if (count >= PM_LANES) {
        PM_VSTORE(m.r0, 0, to);
        PM_VSTORE(m.r1, 1, to);
        PM_VSTORE(m.r2, 2, to);
        PM_VSTORE(m.r3, 3, to);
        return;
    }
    float tail[4 * PM_LANES];
    PM_VSTORE(m.r0, 0, tail);
    PM_VSTORE(m.r1, 1, tail);
    PM_VSTORE(m.r2, 2, tail);
    PM_VSTORE(m.r3, 3, tail);
    for (pm_u32 i = 0; i < count; i++)
        vstore4(vload4(i, tail), i, to);
}

pm_fn void pm_store_vectors(pm_global float *to, pm_quat v, pm_u32 count) {
    float x[PM_LANES], y[PM_LANES], z[PM_LANES];
    PM_VSTORE(v.x, 0, x);
    PM_VSTORE(v.y, 0, y);
    PM_VSTORE(v.z, 0, z);
    pm_u32 end = count < PM_LANES ? count : PM_LANES;
    for (pm_u32 i = 0; i < end; i++)
        vstore3((float3)(x[i], y[i], z[i]), i, to);
}

pm_fn real pm_load_reals(pm_global const float *from) {
    return PM_VLOAD(0, from);
}

/* from private memory, of which the host makes no difference */
pm_fn real pm_reals_of(const float *from) {
    return PM_VLOAD(0, from);
}

#else /* C11 */

pm_fn pm_quat pm_gather_quats(const float *const from[PM_LANES]) {
    pm_quat q;
    for (int i = 0; i < PM_LANES; i++) {
        q.x[i] = from[i][0];
        q.y[i] = from[i][1];
        q.z[i] = from[i][2];
        q.w[i] = from[i][3];
    }
    return q;
}

pm_fn pm_quat pm_load_quats(const float *from) {
    const float *each[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        each[i] = from + 4 * i;
    return pm_gather_quats(each);
}

pm_fn void pm_store_quats(float *to, pm_quat q, pm_u32 count) {
    for (pm_u32 i = 0; i < count && i < PM_LANES; i++) {
        to[4 * i] = q.x[i];
        to[4 * i + 1] = q.y[i];
        to[4 * i + 2] = q.z[i];
        to[4 * i + 3] = q.w[i];
    }
}

pm_fn void pm_store_vectors(float *to, pm_quat v, pm_u32 count) {
    for (pm_u32 i = 0; i < count && i < PM_LANES; i++) {
        to[3 * i] = v.x[i];
        to[3 * i + 1] = v.y[i];
        to[3 * i + 2] = v.z[i];
    }
}

pm_fn real pm_load_reals(const float *from) {
    real r;
    for (int i = 0; i < PM_LANES; i++)
        r[i] = from[i];
    return r;
}

pm_fn real pm_reals_of(const float *from) {
    return pm_load_reals(from);
}

#endif
#endif
#endif
