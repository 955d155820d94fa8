# SPDX-License-Identifier: MIT
"""1000 made motions of one skeleton, as a MotionLibrary and as the flat arrays that rivals gather from."""
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

    def library(self, engine):
        import posemill as pm

        joints = range(len(self.parents))
        skeleton = pm.Skeleton([f"joint{j}" for j in joints], self.parents, positions=self.frames.offsets)
        return pm.MotionLibrary(skeleton, {f"motion{i}": keys for i, keys in enumerate(self.keys)},
                                engine=engine)

    def times(self, count, rng):
        """Random motions, and times within them."""
        ids = rng.integers(0, MOTIONS, count).astype(np.int32)
        return ids, (rng.random(count) * self.frames.last[ids] / RATE).astype(np.float32)


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
