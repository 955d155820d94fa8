# SPDX-License-Identifier: MIT
"""Loops over instances on all cores, compiled by LLVM with relaxed arithmetic.

Rotations of a frame are planar, all x before all y, so that LLVM mixes neighbouring joints in vectors; kinematics
go down the hierarchy with LANES instances in vectors. Slerp is Eberly's, which has neither acos nor sin: A fast and
accurate algorithm for computing slerp, Journal of Graphics, GPU, and Game Tools 15 (2011).
"""
import math

import numba
import numpy as np

from .scene import RATE

VERSION = numba.__version__
LANES = 16
ONE, TWO = np.float32(1), np.float32(2)
# Of the series of sin(t angle) / sin(angle) in cos(angle) - 1; the last is scaled by Eberly's mu.
MU = (1,) * 7 + (1.85298109240830,)
U = tuple(np.float32(m / (n * (2 * n + 1))) for n, m in enumerate(MU, 1))
V = tuple(np.float32(m * n / (2 * n + 1)) for n, m in enumerate(MU, 1))
# Of the series of angle / sin(angle) in 1 - cos(angle).
ARC = tuple(np.float32(n / (2 * n + 1)) for n in range(1, 11))


@numba.njit(fastmath=True)
def located(first, last, number, time):
    at = min(max(time * np.float32(RATE), np.float32(0)), np.float32(last[number]))
    before = min(int(at), last[number] - 1)
    return first[number] + before, np.float32(at - np.float32(before))


@numba.njit(fastmath=True, inline="always")
def weight(t, z):
    """sin(t angle) / sin(angle) where z is cos(angle) - 1. Without a loop, so that others are turned into vectors."""
    s = t * t
    r = ONE + (U[7] * s - V[7]) * z
    r = ONE + (U[6] * s - V[6]) * z * r
    r = ONE + (U[5] * s - V[5]) * z * r
    r = ONE + (U[4] * s - V[4]) * z * r
    r = ONE + (U[3] * s - V[3]) * z * r
    r = ONE + (U[2] * s - V[2]) * z * r
    r = ONE + (U[1] * s - V[1]) * z * r
    return t * (ONE + (U[0] * s - V[0]) * z * r)


@numba.njit(fastmath=True, inline="always")
def arc(z):
    """angle / sin(angle) where z is 1 - cos(angle)."""
    r = ONE + ARC[9] * z
    r = ONE + ARC[8] * z * r
    r = ONE + ARC[7] * z * r
    r = ONE + ARC[6] * z * r
    r = ONE + ARC[5] * z * r
    r = ONE + ARC[4] * z * r
    r = ONE + ARC[3] * z * r
    r = ONE + ARC[2] * z * r
    r = ONE + ARC[1] * z * r
    return ONE + ARC[0] * z * r


@numba.njit(fastmath=True, inline="always")
def weights(cosine, u):
    """Those of both quaternions; of unit ones, the mix has length 1."""
    z = abs(cosine) - ONE
    return weight(ONE - u, z), math.copysign(ONE, cosine) * weight(u, z)


@numba.njit(fastmath=True, inline="always")
def product(ax, ay, az, aw, bx, by, bz, bw):
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


@numba.njit(fastmath=True, inline="always")
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@numba.njit(fastmath=True, inline="always")
def turned(qx, qy, qz, qw, vx, vy, vz):
    tx, ty, tz = cross(qx, qy, qz, vx, vy, vz)
    sx, sy, sz = cross(qx, qy, qz, tx, ty, tz)
    return vx + TWO * (qw * tx + sx), vy + TWO * (qw * ty + sy), vz + TWO * (qw * tz + sz)


@numba.njit
def results(count, joints):
    return (np.empty((count, joints, 3), np.float32), np.empty((count, joints, 4), np.float32),
            np.empty((count, joints, 3), np.float32), np.empty((count, joints, 3), np.float32))


@numba.njit(fastmath=True, inline="always")
def lerp(a, b, u, to):
    for i in range(len(to)):
        to[i] = a[i] + u * (b[i] - a[i])


@numba.njit(parallel=True, fastmath=True)
def mixed(first, last, pos, rot, vel, ang, ids, times):
    """Of rows: (frames, 3 joints), and of rotations (frames, 4, joints)."""
    count, joints = len(ids), rot.shape[2]
    found = results(count, joints)
    for n in numba.prange(count):
        f, u = located(first, last, ids[n], times[n])
        lerp(pos[f], pos[f + 1], u, found[0][n].reshape(-1))
        lerp(vel[f], vel[f + 1], u, found[2][n].reshape(-1))
        lerp(ang[f], ang[f + 1], u, found[3][n].reshape(-1))
        a, b, to = rot[f], rot[f + 1], found[1][n]
        for j in range(joints):
            wa, wb = weights(a[0, j] * b[0, j] + a[1, j] * b[1, j] + a[2, j] * b[2, j] + a[3, j] * b[3, j], u)
            to[j, 0], to[j, 1] = wa * a[0, j] + wb * b[0, j], wa * a[1, j] + wb * b[1, j]
            to[j, 2], to[j, 3] = wa * a[2, j] + wb * b[2, j], wa * a[3, j] + wb * b[3, j]
    return found


@numba.njit(fastmath=True, inline="always")
def mix_frame(a, b, u, lane, rot, spin):
    """Local rotations of a lane, and turns from a to b, per second, in the axes of a."""
    for j in range(a.shape[1]):
        ax, ay, az, aw, bx, by, bz, bw = a[0, j], a[1, j], a[2, j], a[3, j], b[0, j], b[1, j], b[2, j], b[3, j]
        cosine = ax * bx + ay * by + az * bz + aw * bw
        wa, wb = weights(cosine, u)
        rot[j, 0, lane], rot[j, 1, lane] = wa * ax + wb * bx, wa * ay + wb * by
        rot[j, 2, lane], rot[j, 3, lane] = wa * az + wb * bz, wa * aw + wb * bw
        rate = math.copysign(np.float32(2 * RATE), cosine) * arc(ONE - abs(cosine))
        spin[j, 0, lane] = (aw * bx - ax * bw - ay * bz + az * by) * rate
        spin[j, 1, lane] = (aw * by - ay * bw - az * bx + ax * bz) * rate
        spin[j, 2, lane] = (aw * bz - az * bw - ax * by + ay * bx) * rate


@numba.njit(fastmath=True, inline="always")
def pose(parents, offsets, pos, rot, vel, spin):
    """Lanes from local to the world, from parents on."""
    for j in range(len(parents)):
        k = parents[j]
        for i in range(LANES):
            x, y, z, w = rot[j, 0, i], rot[j, 1, i], rot[j, 2, i], rot[j, 3, i]
            sx = sy = sz = np.float32(0)
            if k >= 0:
                px, py, pz, pw = rot[k, 0, i], rot[k, 1, i], rot[k, 2, i], rot[k, 3, i]
                gx, gy, gz = turned(px, py, pz, pw, offsets[j, 0], offsets[j, 1], offsets[j, 2])
                sx, sy, sz = spin[k, 0, i], spin[k, 1, i], spin[k, 2, i]
                vx, vy, vz = cross(sx, sy, sz, gx, gy, gz)
                pos[j, 0, i], pos[j, 1, i], pos[j, 2, i] = pos[k, 0, i] + gx, pos[k, 1, i] + gy, pos[k, 2, i] + gz
                vel[j, 0, i], vel[j, 1, i], vel[j, 2, i] = vel[k, 0, i] + vx, vel[k, 1, i] + vy, vel[k, 2, i] + vz
                x, y, z, w = product(px, py, pz, pw, x, y, z, w)
            scale = ONE / math.sqrt(x * x + y * y + z * z + w * w)
            x, y, z, w = x * scale, y * scale, z * scale, w * scale
            rot[j, 0, i], rot[j, 1, i], rot[j, 2, i], rot[j, 3, i] = x, y, z, w
            tx, ty, tz = turned(x, y, z, w, spin[j, 0, i], spin[j, 1, i], spin[j, 2, i])
            spin[j, 0, i], spin[j, 1, i], spin[j, 2, i] = sx + tx, sy + ty, sz + tz


@numba.njit(fastmath=True, inline="always")
def put(lane, rows, to):
    for j in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            to[j, i] = rows[j, i, lane]


@numba.njit(parallel=True, fastmath=True)
def kinematics(first, last, root_pos, local_rot, offsets, parents, ids, times):
    count, joints = len(ids), len(parents)
    found = results(count, joints)
    for block in numba.prange((count + LANES - 1) // LANES):
        pos, rot = np.empty((joints, 3, LANES), np.float32), np.empty((joints, 4, LANES), np.float32)
        vel, spin = np.empty((joints, 3, LANES), np.float32), np.empty((joints, 3, LANES), np.float32)
        for i in range(LANES):
            n = min(block * LANES + i, count - 1)
            f, u = located(first, last, ids[n], times[n])
            for k in range(3):
                before, step = root_pos[f, k], root_pos[f + 1, k] - root_pos[f, k]
                pos[0, k, i], vel[0, k, i] = before + u * step, step * np.float32(RATE)
            mix_frame(local_rot[f], local_rot[f + 1], u, i, rot, spin)
        pose(parents, offsets, pos, rot, vel, spin)
        for i in range(min(LANES, count - block * LANES)):
            n = block * LANES + i
            put(i, pos, found[0][n])
            put(i, rot, found[1][n])
            put(i, vel, found[2][n])
            put(i, spin, found[3][n])
    return found


@numba.njit(parallel=True, fastmath=True)
def hinges(first, last, angles, ids, times):
    """Angles and their rates."""
    pos, vel = np.empty((len(ids), angles.shape[1]), np.float32), np.empty((len(ids), angles.shape[1]), np.float32)
    for n in numba.prange(len(ids)):
        f, u = located(first, last, ids[n], times[n])
        for d in range(angles.shape[1]):
            before, step = angles[f, d], angles[f + 1, d] - angles[f, d]
            pos[n, d], vel[n, d] = before + u * step, step * np.float32(RATE)
    return pos, vel


def make(scene):
    f, parents = scene.frames, np.array(scene.parents)
    pos, rot, vel, ang = f.stored
    rows = [np.ascontiguousarray(a).reshape(len(a), -1) for a in (pos, vel, ang)]
    planar, local = (np.ascontiguousarray(a.transpose(0, 2, 1)) for a in (rot, f.local_rot))
    return {"mixed": lambda ids, times: mixed(f.first, f.last, rows[0], planar, *rows[1:], ids, times),
            "kinematics": lambda ids, times: kinematics(f.first, f.last, f.root_pos, local, f.offsets, parents, ids,
                                                        times)}
