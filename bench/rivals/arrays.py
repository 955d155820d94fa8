# SPDX-License-Identifier: MIT
"""Both ways over whole arrays; `xp` is NumPy, on one thread, or jax.numpy."""
import numpy as np

from .scene import RATE

VERSION = np.__version__


def located(xp, frames, ids, times):
    """The frame before each time, and the part of the way to the next."""
    last = frames.last[ids]
    at = xp.clip(times * RATE, 0, last)
    before = xp.minimum(at.astype(xp.int32), last - 1)
    return frames.first[ids] + before, (at - before).astype(xp.float32)


def slerp(xp, a, b, u):
    """The rotation, and the vector of the turn from a to b in the axes of a, in radians."""
    cosine = xp.sum(a * b, axis=-1, keepdims=True)
    b = xp.where(cosine < 0, -b, b)
    cosine = xp.minimum(xp.abs(cosine), 1)
    half = xp.arccos(cosine)
    sine = xp.sqrt(1 - cosine * cosine)
    is_near = sine < 1e-3
    divisor = xp.where(is_near, 1, sine)
    q = xp.where(is_near, a + u * (b - a), (xp.sin((1 - u) * half) * a + xp.sin(u * half) * b) / divisor)
    turn = product(xp, a * xp.asarray([-1, -1, -1, 1], a.dtype), b)[..., :3]
    return q / xp.sqrt(xp.sum(q * q, axis=-1, keepdims=True)), turn * xp.where(is_near, 2, 2 * half / divisor)


def product(xp, a, b):
    ax, ay, az, aw = (a[..., i] for i in range(4))
    bx, by, bz, bw = (b[..., i] for i in range(4))
    return xp.stack([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                     aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz], axis=-1)


def cross(xp, a, b):
    return xp.stack([a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
                     a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
                     a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]], axis=-1)


def turned(xp, q, v):
    twice = 2 * cross(xp, q[..., :3], v)
    return v + q[..., 3:] * twice + cross(xp, q[..., :3], twice)


def mixed(xp, frames, ids, times):
    at, u = located(xp, frames, ids, times)
    u = u[:, None, None]
    pos, rot, vel, ang = ((array[at], array[at + 1]) for array in frames.stored)
    return tuple(slerp(xp, a, b, u)[0] if a is rot[0] else a + u * (b - a) for a, b in (pos, rot, vel, ang))


def joints_of(xp, frames, ids, times):
    """Rotations of all joints relative to their parents, with angular velocities in their own axes; and the
    position of the root, with its velocity."""
    at, u = located(xp, frames, ids, times)
    local, spins = slerp(xp, frames.local_rot[at], frames.local_rot[at + 1], u[:, None, None])
    spins = spins * RATE
    before, after = frames.root_pos[at], frames.root_pos[at + 1]
    return local, spins, before + u[:, None] * (after - before), (after - before) * RATE


def body(xp, parent, offset, local, spin):
    """Position, rotation and velocities in the world from those of the parent."""
    pos, rot, vel, ang = parent
    arm, turn = turned(xp, rot, offset), product(xp, rot, local)
    return pos + arm, turn, vel + cross(xp, ang, arm), ang + turned(xp, turn, spin)


def states(xp, parents, frames, ids, times):
    """By forward kinematics."""
    local, spins, pos, vel = joints_of(xp, frames, ids, times)
    bodies = [(pos, local[:, 0], vel, turned(xp, local[:, 0], spins[:, 0]))]
    for joint, parent in enumerate(parents[1:], 1):
        bodies.append(body(xp, bodies[parent], frames.offsets[joint], local[:, joint], spins[:, joint]))
    return tuple(xp.stack(arrays, axis=1) for arrays in zip(*bodies))


def make(scene):
    return {"mixed": lambda ids, times: mixed(np, scene.frames, ids, times),
            "kinematics": lambda ids, times: states(np, scene.parents, scene.frames, ids, times)}
