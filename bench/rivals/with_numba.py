# SPDX-License-Identifier: MIT
"""Loops over instances on all cores, compiled by LLVM with relaxed arithmetic."""
import math

import numba
import numpy as np

from .scene import RATE

VERSION = numba.__version__


@numba.njit(fastmath=True)
def located(first, last, number, time):
    at = min(max(time * np.float32(RATE), np.float32(0)), np.float32(last[number]))
    before = min(int(at), last[number] - 1)
    return first[number] + before, np.float32(at - np.float32(before))


@numba.njit(fastmath=True)
def weights(a, b, u):
    """Those of both quaternions, and the angle over the sine of half of it."""
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = np.float32(-1) if cosine < 0 else np.float32(1)
    cosine = min(abs(cosine), np.float32(1))
    sine = math.sqrt(np.float32(1) - cosine * cosine)
    if sine < np.float32(1e-3):
        return np.float32(1) - u, sign * u, sign * np.float32(2)
    half = math.acos(cosine)
    inverse = np.float32(1) / sine
    return (math.sin((np.float32(1) - u) * half) * inverse, sign * math.sin(u * half) * inverse,
            sign * np.float32(2) * half * inverse)


@numba.njit(fastmath=True)
def slerp(a, b, u):
    wa, wb, _ = weights(a, b, u)
    x, y, z, w = wa * a[0] + wb * b[0], wa * a[1] + wb * b[1], wa * a[2] + wb * b[2], wa * a[3] + wb * b[3]
    scale = np.float32(1) / math.sqrt(x * x + y * y + z * z + w * w)
    return x * scale, y * scale, z * scale, w * scale


@numba.njit(fastmath=True)
def spin(a, b):
    """The turn from a to b, per second, in the axes of a."""
    _, _, rate = weights(a, b, np.float32(0))
    rate = rate * np.float32(RATE)
    return ((a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1]) * rate,
            (a[3] * b[1] - a[1] * b[3] - a[2] * b[0] + a[0] * b[2]) * rate,
            (a[3] * b[2] - a[2] * b[3] - a[0] * b[1] + a[1] * b[0]) * rate)


@numba.njit(fastmath=True)
def product(a, b):
    return (a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2])


@numba.njit(fastmath=True)
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@numba.njit(fastmath=True)
def turned(q, v):
    t = cross(q, v)
    s = cross(q, t)
    two = np.float32(2)
    return (v[0] + two * (q[3] * t[0] + s[0]), v[1] + two * (q[3] * t[1] + s[1]),
            v[2] + two * (q[3] * t[2] + s[2]))


@numba.njit
def results(count, joints):
    return (np.empty((count, joints, 3), np.float32), np.empty((count, joints, 4), np.float32),
            np.empty((count, joints, 3), np.float32), np.empty((count, joints, 3), np.float32))


@numba.njit(parallel=True, fastmath=True)
def mixed(first, last, pos, rot, vel, ang, ids, times):
    found = results(len(ids), pos.shape[1])
    for n in numba.prange(len(ids)):
        f, u = located(first, last, ids[n], times[n])
        for j in range(pos.shape[1]):
            for i in range(3):
                found[0][n, j, i] = pos[f, j, i] + u * (pos[f + 1, j, i] - pos[f, j, i])
                found[2][n, j, i] = vel[f, j, i] + u * (vel[f + 1, j, i] - vel[f, j, i])
                found[3][n, j, i] = ang[f, j, i] + u * (ang[f + 1, j, i] - ang[f, j, i])
            q = slerp(rot[f, j], rot[f + 1, j], u)
            for i in range(4):
                found[1][n, j, i] = q[i]
    return found


@numba.njit(parallel=True, fastmath=True)
def kinematics(first, last, root_pos, local_rot, offsets, parents, ids, times):
    found = results(len(ids), len(parents))
    pos, rot, vel, ang = found
    for n in numba.prange(len(ids)):
        f, u = located(first, last, ids[n], times[n])
        for j in range(len(parents)):
            a, b = local_rot[f, j], local_rot[f + 1, j]
            own, turn = slerp(a, b, u), spin(a, b)
            p = parents[j]
            if p < 0:
                q, w = own, turned(own, turn)
                for i in range(3):
                    before, after = root_pos[f, i], root_pos[f + 1, i]
                    pos[n, j, i] = before + u * (after - before)
                    vel[n, j, i] = (after - before) * np.float32(RATE)
                    ang[n, j, i] = w[i]
            else:
                arm = turned(rot[n, p], offsets[j])
                swing = cross(ang[n, p], arm)
                q = product(rot[n, p], own)
                w = turned(q, turn)
                for i in range(3):
                    pos[n, j, i] = pos[n, p, i] + arm[i]
                    vel[n, j, i] = vel[n, p, i] + swing[i]
                    ang[n, j, i] = ang[n, p, i] + w[i]
            for i in range(4):
                rot[n, j, i] = q[i]
    return found


def make(scene):
    f, parents = scene.frames, np.array(scene.parents)
    return {"mixed": lambda ids, times: mixed(f.first, f.last, *f.stored, ids, times),
            "kinematics": lambda ids, times: kinematics(f.first, f.last, f.root_pos, f.local_rot, f.offsets,
                                                        parents, ids, times)}
