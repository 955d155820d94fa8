# SPDX-License-Identifier: MIT
"""1000 made motions of one skeleton, as a MotionLibrary and as the flat arrays that rivals gather from."""
import os
import tempfile
from typing import NamedTuple

import numpy as np

MOTIONS, RATE = 1000, 30
FIELDS = ("body_pos", "body_rot", "body_vel", "body_ang_vel")


class Frames(NamedTuple):
    """Of all motions, one after another. Motion m has the frames from first[m] to first[m] + last[m]."""

    first: np.ndarray
    last: np.ndarray
    root_pos: np.ndarray  # (frames, 3)
    local_rot: np.ndarray  # (frames, joints, 4)
    offsets: np.ndarray  # (joints, 3): of a joint's origin in its parent's frame
    stored: tuple  # positions, rotations and both velocities at each frame: what `mixed` gathers


class Scene(NamedTuple):
    parents: tuple  # which come first
    frames: Frames
    keys: list  # a pm.Keys each motion

    def library(self, engine, method="slerp"):
        import posemill as pm

        joints = range(len(self.parents))
        skeleton = pm.Skeleton([f"joint{j}" for j in joints], self.parents, positions=self.frames.offsets)
        return _library(skeleton, self.keys, engine, method)

    def times(self, count, rng):
        return random_times(self.frames.last, count, rng)


class Hinges(NamedTuple):
    """Of a robot, as Frames and Scene."""

    first: np.ndarray
    last: np.ndarray
    angles: np.ndarray  # (frames, hinges)
    library: object


def random_times(last, count, rng):
    """Random motions, and times within them."""
    ids = rng.integers(0, MOTIONS, count).astype(np.int32)
    return ids, (rng.random(count) * last[ids] / RATE).astype(np.float32)


def _library(skeleton, motions, engine, method="slerp"):
    import posemill as pm

    return pm.MotionLibrary(skeleton, {f"motion{i}": keys for i, keys in enumerate(motions)}, engine=engine,
                            method=method)


def _walk(rng, frames, width, step):
    """Smooth random numbers: a sum of three waves."""
    at = np.arange(frames)[:, None] / RATE
    return sum(rng.normal(size=width) * step * np.sin(rng.uniform(0.5, 4, width) * at +
                                                      rng.uniform(0, 6, width)) for _ in range(3))


def _rotations(rng, frames, joints):
    vectors = _walk(rng, frames, joints * 3, 0.15).reshape(frames, joints, 3)
    whole = np.concatenate([vectors, np.ones((frames, joints, 1))], axis=-1)
    return (whole / np.linalg.norm(whole, axis=-1, keepdims=True)).astype(np.float32)


def make(joints):
    import posemill as pm

    from . import arrays

    rng = np.random.default_rng(7)
    parents = (-1, *(int(rng.integers(0, min(j, 6))) if j % 6 == 0 else j - 1 for j in range(1, joints)))
    offsets = rng.uniform(-0.15, 0.15, (joints, 3)).astype(np.float32)
    offsets[0] = 0
    counts = rng.integers(2 * RATE, 8 * RATE, MOTIONS)
    keys = [pm.Keys(_rotations(rng, frames, joints), _walk(rng, frames, 3, 0.3).astype(np.float32), rate=RATE)
            for frames in counts]
    ends = np.cumsum(counts)
    frames = Frames((ends - counts).astype(np.int32), (counts - 1).astype(np.int32),
                    np.concatenate([k.positions for k in keys]), np.concatenate([k.rotations for k in keys]),
                    offsets, ())
    stored = arrays.states(np, parents, frames, np.repeat(np.arange(MOTIONS), counts),
                           (np.arange(ends[-1]) - np.repeat(ends - counts, counts)) / np.float32(RATE))
    return Scene(parents, frames._replace(stored=stored), keys)


def make_hinges(count, engine):
    """A robot's root with chains of six hinges."""
    import posemill as pm

    rng = np.random.default_rng(8)
    axes = ("1 0 0", "0 1 0", "0 0 1")
    links = "".join(f'<body name="b{n}" pos="0 0 .1"><joint name="h{n}" axis="{axes[n % 3]}"/><geom size=".05"/>' +
                    "</body>" * (6 if n % 6 == 5 else count % 6 if n == count - 1 else 0) for n in range(count))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "robot.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<mujoco><worldbody><body name="root"><freejoint/><geom size=".1"/>{links}</body></worldbody>'
                       '</mujoco>')
        skeleton = pm.Skeleton.from_mjcf(path)
    counts = rng.integers(2 * RATE, 8 * RATE, MOTIONS)
    angles = [_walk(rng, frames, count, 0.3).astype(np.float32) for frames in counts]
    keys = [pm.Keys(np.tile([0.0, 0, 0, 1], (len(a), 1)), _walk(rng, len(a), 3, 0.3), rate=RATE, angles=a)
            for a in angles]
    ends = np.cumsum(counts)
    return Hinges((ends - counts).astype(np.int32), (counts - 1).astype(np.int32), np.concatenate(angles),
                  _library(skeleton, keys, engine))
