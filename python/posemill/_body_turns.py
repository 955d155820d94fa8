# SPDX-License-Identifier: MIT
"""Rotations of bodies as coordinates of a robot: balls, and up to three hinges of a body, whose angles are continuous
in time. So motions of people become those of their models in simulators.

A body's rotation R from the rest pose is exp(a1 t1) exp(a2 t2) exp(a3 t3). For axes that are at right angles, columns
of E, E^T R E is Rx(s t1) Ry(s t2) Rz(s t3) with s = det E: the usual three angles, of which there are two sets.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._keys import Keys
from ._quaternions import product
from ._skeleton import Skeleton
from ._views import Array

__all__ = ["Body", "bodies_that_turn", "exp_of", "keys_of_turns", "log_of", "multiply"]

_RIGHT_ANGLE = 1e-5  # cosine
_LOCKED = 1e-7  # of the middle angle's cosine
_LOST = 1e-3  # rad of a rotation that hinges cannot give


def multiply(a: Any, b: Any) -> Array:
    """Products of quaternions (..., 4)."""
    first, second = (np.moveaxis(np.asarray(q, np.float64), -1, 0) for q in (a, b))
    return np.stack(product(first, second), axis=-1)


def exp_of(vectors: Any) -> Array:
    """Quaternions of rotation vectors (..., 3)."""
    v = np.asarray(vectors, np.float64)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([v * (0.5 * np.sinc(angle / (2 * np.pi))), np.cos(angle / 2)], axis=-1)


def log_of(quaternions: Any) -> Array:
    """Rotation vectors of at most half a turn."""
    q = np.asarray(quaternions, np.float64)
    q = np.where(q[..., 3:] < 0, -q, q)
    length = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(length, q[..., 3:])
    vectors: Array = q[..., :3] * np.divide(angle, length, out=np.full_like(length, 2.0), where=length > 1e-12)
    return vectors


@dataclass(frozen=True)
class Body:
    """A body, the body above it or -1, and its joints that turn, from the parent on: hinges or a ball."""

    joint: int
    parent: int
    turning: tuple[int, ...]
    is_ball: bool


def bodies_that_turn(skeleton: Skeleton) -> list[Body]:
    """In the order of the skeleton's bodies."""
    places, parents = {int(j): n for n, j in enumerate(skeleton.bodies)}, skeleton.parents.tolist()
    hinges, balls = set(skeleton.hinges.tolist()), set(skeleton.balls.tolist())
    found = []
    for body in skeleton.bodies.tolist():
        chain, at = [body], parents[body]
        while at >= 0 and at not in places:
            chain, at = [at, *chain], parents[at]
        turning = tuple(joint for joint in chain if joint in hinges or joint in balls)
        found.append(Body(body, places.get(at, -1), turning, any(joint in balls for joint in turning)))
    return found


def _other(angles: Array) -> Array:
    """The other three angles of a rotation."""
    return np.stack([angles[..., 0] + np.pi, np.pi - angles[..., 1], angles[..., 2] + np.pi], axis=-1)


def _wrapped(angles: Array) -> Array:
    return angles - 2 * np.pi * np.rint(angles / (2 * np.pi))


def _nearest_path(angles: Array) -> Array:
    """Of both sets of three angles in each frame the one that is nearer to that of the frame before; it begins with the
    given one. A frame maps sets to sets: to one set whatever was before, or each to itself, or to the other."""
    both = np.stack([angles, _other(angles)])
    steps = np.abs(_wrapped(both[None, :, 1:] - both[:, None, :-1])).sum(axis=-1)  # (before, after, frames)
    after = steps[:, 1] < steps[:, 0]  # the set after each set before
    swaps = np.concatenate([[0], np.cumsum(after[0] & ~after[1])])
    is_fixed = np.concatenate([[True], after[0] == after[1]])
    to = np.concatenate([[False], after[0]])
    since = np.maximum.accumulate(np.where(is_fixed, np.arange(len(angles)), 0))
    chosen = to[since] ^ ((swaps - swaps[since]) % 2 == 1)
    path = np.where(chosen[:, None], both[1], both[0])
    found: Array = np.unwrap(path, axis=0)
    return found - 2 * np.pi * np.rint(found[:1] / (2 * np.pi))


def _one_by_one(first: Array, middle: Array, last: Array, locked: Array, sine: Array, cosine: Array) -> Array:
    """The same where the middle angle is a right one in some frames: only the sum of the others is known, so one
    stays."""
    found = np.empty((len(first), 3))
    before = np.zeros(3)
    for k in range(len(found)):
        own = np.array([first[k], middle[k], last[k]])
        options = np.stack([own, _other(own)])
        if cosine[k] < _LOCKED:
            options = np.array([[np.sign(sine[k]) * (locked[k] - before[2]), middle[k], before[2]]])
        options += 2 * np.pi * np.rint((before - options) / (2 * np.pi))
        before = found[k] = options[np.argmin(np.abs(options - before).sum(axis=1))]
    return found


def _angles_of(axes: Array, references: Array, turns: Array, name: str) -> Array:
    """(frames, hinges) angles about `axes` that give the rotations `turns` (frames, 4)."""
    given = len(axes)
    while len(axes) < 3:  # about the others nothing turns
        other = np.cross(axes[0], axes[1] if len(axes) == 2 else np.eye(3)[np.argmin(np.abs(axes[0]))])
        axes = np.vstack([axes, other / np.linalg.norm(other)])
    if given > 3 or np.abs(axes @ axes.T - np.eye(3)).max() > _RIGHT_ANGLE:
        raise ValueError(f"body {name!r}: its {given} hinges are not up to three at right angles")
    sign = np.sign(np.linalg.det(axes))
    u = turns[:, :3] @ axes.T * sign  # the turn's axis in the basis of the axes
    x, y, z, w = u[:, 0], u[:, 1], u[:, 2], turns[:, 3]
    sine = np.clip(2 * (x * z + w * y), -1, 1)
    cosine = np.hypot(1 - 2 * (y * y + z * z), 2 * (x * y - w * z))
    middle = np.arctan2(sine, cosine)
    first = np.arctan2(2 * (w * x - y * z), 1 - 2 * (x * x + y * y))
    last = np.arctan2(2 * (w * z - x * y), 1 - 2 * (y * y + z * z))
    locked = np.arctan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z))  # last +- first
    if (cosine < _LOCKED).any():
        found = _one_by_one(first, middle, last, locked, sine, cosine)
    else:
        found = _nearest_path(np.stack([first, middle, last], axis=1))
    if given < 3 and np.abs(found[:, given:]).max(initial=0) > _LOST:
        frame = int(np.abs(found[:, given:]).max(axis=1).argmax())
        raise ValueError(f"body {name!r}: its {given} hinge{'s' * (given > 1)} cannot turn as frame {frame} does, by "
                         f"{np.degrees(np.abs(found[frame, given:]).max()):.3g} degrees")
    angles: Array = found[:, :given] * sign + references
    return angles


def keys_of_turns(skeleton: Skeleton, turns: Array, places: Array, rate: Any, notes: list[str],
                  fixed: Sequence[int] = ()) -> Keys:
    """A motion of a robot: `turns` (frames, bodies, 4) are rotations from the rest pose relative to the parents; those
    of the body of the root are in the world, and `places` (frames, 3) where it is. What bodies without joints turn is
    refused, but of those in `fixed`, whose names a note has."""
    bodies, frames = bodies_that_turn(skeleton), len(turns)
    angles, balls = np.zeros((frames, len(skeleton.hinges))), np.zeros((frames, len(skeleton.balls), 4))
    at = {int(j): n for joints in (skeleton.hinges, skeleton.balls) for n, j in enumerate(joints)}
    left = []
    for n, body in enumerate(bodies):
        if body.joint == skeleton.root:
            continue
        name = skeleton.names[body.joint]
        if body.is_ball and len(body.turning) == 1:
            balls[:, at[body.turning[0]]] = turns[:, n]
        elif body.is_ball:
            raise ValueError(f"body {name!r}: has a ball beside other joints")
        elif body.turning:
            joints = list(body.turning)
            references = np.zeros(len(joints)) if skeleton.references is None else skeleton.references[joints]
            axes = np.asarray(skeleton.axes)[joints]
            angles[:, [at[j] for j in joints]] = _angles_of(axes, references, turns[:, n], name)
        elif np.linalg.norm(log_of(turns[:, n]), axis=-1).max(initial=0) > _LOST:
            left.append((n, name))
    wrong = [name for n, name in left if n not in fixed]
    if wrong:
        raise ValueError(f"body {wrong[0]!r}: turns in the motion, and has no joint")
    if left:
        notes.append(f"{', '.join(name for _, name in left)}: turn in the motion, and have no joint")
    root = next((n for n, body in enumerate(bodies) if body.joint == skeleton.root), None)
    if root is None:
        raise ValueError("the robot's root is no body that moves freely")
    return Keys(turns[:, root], places, rate=rate, angles=angles if len(skeleton.hinges) else None,
                balls=balls if len(skeleton.balls) else None)
