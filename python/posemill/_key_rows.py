# SPDX-License-Identifier: MIT
"""The keys of many clips of one skeleton in common arrays, as files of libraries have them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._keys import Keys, are_still
from ._library import ffi
from ._skeleton import Skeleton
from ._views import Array

__all__ = ["KeyRows", "columns"]


def columns(struct: str, fields: dict[str, tuple[str, ...]], kind: Any) -> np.dtype[Any]:
    """Some fields of a struct of C as a structured type."""
    return np.dtype({"names": list(fields), "formats": [kind] * len(fields),
                     "offsets": [ffi.offsetof(struct, *path) for path in fields.values()],
                     "itemsize": ffi.sizeof(struct)})


class KeyRows:
    """Keys of clips with rates: clip i has the rows ``first[i]`` to ``first[i] + frames[i] - 1``.

    Rotations, positions and angles are as those of :class:`Keys`, in float32; rotations of int16 are rows of
    codes, as files have them. Those of balls are among the rotations, which are then of all joints. Arrays are not
    copied.
    """

    def __init__(self, rotations: Array, positions: Array | None, angles: Array | None,
                 first: npt.NDArray[np.int64], frames: npt.NDArray[np.int64],
                 rates: npt.NDArray[np.int64], loops: npt.NDArray[np.float64]) -> None:
        self.rotations, self.positions, self.angles = rotations, positions, angles
        self.first, self.frames = first, frames
        self.rates = rates  # (clips, 2): numerators and denominators
        self.loops = loops  # seconds; 0: open

    @property
    def is_coded(self) -> bool:
        """Whether rotations are codes of a key format."""
        return bool(self.rotations.dtype == np.int16)

    @property
    def _is_of_root(self) -> bool:
        return self.rotations.ndim == 2 and not self.is_coded

    @classmethod
    def of(cls, skeleton: Skeleton, clips: Sequence[Keys]) -> KeyRows:
        """Copies the keys. Positions are those of the first root, unless other joints move."""
        frames = np.array([len(clip.rotations) for clip in clips], np.int64)
        first = np.cumsum(frames) - frames
        rest = np.asarray(skeleton.positions, np.float32)
        for clip in clips:
            clip._check(skeleton)
        total, is_robot = int(frames.sum()), len(skeleton.hinges) > 0
        root = skeleton.root
        others = np.arange(len(rest)) != root
        moves = not is_robot and any(clip.positions is not None and clip.positions.ndim == 3 and
                                     not are_still(clip.positions, skeleton, others) for clip in clips)
        of_root = is_robot and not len(skeleton.balls)
        rotations = np.empty((total, 4) if of_root else (total, len(rest), 4), np.float32)
        positions = (np.empty((total, *rest.shape) if moves else (total, 3), np.float32)
                     if any(clip.positions is not None for clip in clips) else None)
        angles = np.empty((total, len(skeleton.hinges)), np.float32) if is_robot else None
        for clip, begin, count in zip(clips, first.tolist(), frames.tolist(), strict=True):
            rows = slice(begin, begin + count)
            rotations[rows] = clip._turns(skeleton)
            if positions is not None:
                positions[rows] = _places(clip, root, rest, moves)
            if angles is not None:
                angles[rows] = clip.angles
        rates = np.array([(clip.rate.numerator, clip.rate.denominator) for clip in clips if clip.rate], np.int64)
        loops = np.array([float(clip.loop or 0) for clip in clips])
        return cls(rotations, positions, angles, first, frames, rates, loops)

    def moves_root(self, skeleton: Skeleton) -> bool:
        """Whether the first root leaves its rest pose; not of codes."""
        if self.is_coded:
            return False
        root, places = skeleton.root, self.positions
        turn, place = (np.asarray(rest, np.float32)[root] for rest in (skeleton.rotations, skeleton.positions))
        turns = self.rotations if self._is_of_root else self.rotations[:, root]
        if places is not None and places.ndim == 3:
            places = places[:, root]
        return bool(np.abs(turns @ turn).min() < 1 - 1e-6 or
                    (places is not None and np.abs(places - place).max() > 1e-6 * (1 + np.abs(place).max())))


def _places(clip: Keys, root: int, rest: Array, whole: bool) -> Array:
    """Positions of all joints or of the first root, for each frame or for all."""
    if clip.positions is None:
        return rest if whole else rest[root]
    if not whole:
        return clip.positions if clip.positions.ndim == 2 else clip.positions[:, root]
    if clip.positions.ndim == 3:
        return clip.positions
    places = np.tile(rest, (len(clip.positions), 1, 1))
    places[:, root] = clip.positions
    return places
