# SPDX-License-Identifier: MIT
"""The keys of many clips of one skeleton in common arrays, from which a crowd is built at once."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._keys import Keys, are_still
from ._library import ffi, lib
from ._skeleton import Skeleton
from ._views import Array

__all__ = ["KeyRows", "columns"]


def columns(struct: str, fields: dict[str, tuple[str, ...]], kind: Any) -> np.dtype[Any]:
    """Some fields of a struct of C as a structured type."""
    return np.dtype({"names": list(fields), "formats": [kind] * len(fields),
                     "offsets": [ffi.offsetof(struct, *path) for path in fields.values()],
                     "itemsize": ffi.sizeof(struct)})


# All of them have 8 bytes, but flags.
_timeline = columns("pm_timeline", {"key_count": ("key_count",), "num": ("rate", "num"),
                                     "den": ("rate", "den")}, np.uint64)
_scalars = columns("pm_scalars", {"count": ("count",), "keys": ("keys", "data")}, np.uint64)
_desc = columns("pm_clip_desc", {name: (name,) for name in ("track_count", "timelines", "scalars")} |
                 {name: (name, "data") for name in ("rotations", "positions")}, np.uint64)
_flags = columns("pm_clip_desc", {name: (name,) for name in ("root_positions", "root_rotations")}, np.bool_)
_types = columns("pm_clip_desc", {"rotations": ("rotations", "type")}, np.int32)


class KeyRows(Keys):
    """Keys of clips with rates: clip i has the rows ``first[i]`` to ``first[i] + frames[i] - 1``.

    Rotations, positions and angles are as those of :class:`Keys`, in float32; rotations of int16 are rows of
    codes, as files have them. Those of balls are among the rotations, which are then of all joints. Arrays are not
    copied.
    """

    def __init__(self, rotations: Array, positions: Array | None, angles: Array | None,
                 first: npt.NDArray[np.int64], frames: npt.NDArray[np.int64],
                 rates: npt.NDArray[np.int64], loops: npt.NDArray[np.float64]) -> None:
        self.rotations, self.positions, self.angles = rotations, positions, angles
        self.scales = self.times = self.rate = self.loop = self.balls = None
        self.count = len(frames)
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

    def _describe_all(self, skeleton: Skeleton, keep: list[Any], root_alone: bool) -> Any:
        """A pm_clip_desc of each clip; `keep` receives what they point to. With `root_alone` they have the
        positions of the first root alone."""
        timelines, descs = np.zeros(self.count, _timeline), np.zeros(self.count, _desc)
        timelines["key_count"] = self.frames
        timelines["num"], timelines["den"] = self.rates.T
        descs["track_count"] = len(skeleton)
        descs["timelines"] = timelines.ctypes.data + np.arange(self.count) * _timeline.itemsize
        descs.view(_flags)["root_positions"] = root_alone
        descs.view(_flags)["root_rotations"] = self._is_of_root
        descs.view(_types)["rotations"] = lib.PM_CODED if self.is_coded else lib.PM_FLOAT32
        whole = self._whole(skeleton, root_alone)
        for field, keys in whole.items():
            if keys is not None:
                descs[field] = keys.ctypes.data + self.first * keys.strides[0]
        if self.angles is not None:
            scalars = np.zeros(self.count, _scalars)
            scalars["count"] = len(skeleton.hinges)
            scalars["keys"] = self.angles.ctypes.data + self.first * self.angles.strides[0]
            descs["scalars"] = scalars.ctypes.data + np.arange(self.count) * _scalars.itemsize
            keep.append(scalars)
        made = ffi.cast("pm_clip_desc *", descs.ctypes.data)
        for i in np.flatnonzero(self.loops):
            made[int(i)].loop = self.loops[i]
        keep += [self, whole, timelines, descs]
        return made


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
