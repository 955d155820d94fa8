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
    local_rot: np.ndarray  # (frames, joints, 4), or of hinges (frames, 1, 4) of the root alone
    angles: np.ndarray  # (frames, hinges)
    offsets: np.ndarray  # (joints, 3): of a joint's origin in its parent's frame
    axes: np.ndarray  # (joints, 3); 0: a ball joint
    stored: tuple  # positions, rotations and both velocities at each frame: what `mixed` gathers


class Scene(NamedTuple):
    name: str
    parents: tuple  # which come first
    frames: Frames
    keys: list  # a pm.Keys each motion

    def library(self, engine):
        import posemill as pm

        joints = range(len(self.parents))
        hinges = self.frames.axes if self.frames.angles.size else None
        skeleton = pm.Skeleton([f"joint{j}" for j in joints], self.parents, positions=self.frames.offsets,
                               axes=hinges)
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


def make(name, joints, is_hinged):
    """`ball`: every joint turns freely. `hinge`: those below the root turn about one axis."""
    import posemill as pm

    from . import arrays

    rng = np.random.default_rng(7)
    parents = (-1, *(int(rng.integers(0, min(j, 6))) if j % 6 == 0 else j - 1 for j in range(1, joints)))
    offsets = rng.uniform(-0.15, 0.15, (joints, 3)).astype(np.float32)
    offsets[0] = 0
    axes = np.zeros((joints, 3), np.float32)
    axes[np.arange(1, joints), rng.integers(0, 3, joints - 1)] = is_hinged
    counts = rng.integers(2 * RATE, 8 * RATE, MOTIONS)
    keys = []
    for frames in counts:
        rotations = _rotations(rng, frames, 1 if is_hinged else joints)
        places = _walk(rng, frames, 3, 0.3).astype(np.float32)
        angles = _walk(rng, frames, joints - 1, 0.3).astype(np.float32) if is_hinged else None
        keys.append(pm.Keys(rotations[:, 0] if is_hinged else rotations, places, rate=RATE, angles=angles))
    ends = np.cumsum(counts)
    turns = np.concatenate([np.asarray(k.rotations).reshape(len(k.rotations), -1, 4) for k in keys])
    frames = Frames((ends - counts).astype(np.int32), (counts - 1).astype(np.int32),
                    np.concatenate([k.positions for k in keys]), turns,
                    np.concatenate([k.angles for k in keys]) if is_hinged else np.zeros((0, 0), np.float32),
                    offsets, axes, ())
    stored = arrays.states(np, parents, frames, np.repeat(np.arange(MOTIONS), counts),
                           (np.arange(ends[-1]) - np.repeat(ends - counts, counts)) / np.float32(RATE))
    return Scene(name, parents, frames._replace(stored=stored), keys)
