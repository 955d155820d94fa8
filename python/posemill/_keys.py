# SPDX-License-Identifier: MIT
"""Clips of crowds from arrays."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, lib
from ._rational import Number, rate_of, rational, seconds_of, text_of
from ._views import Array

__all__ = ["Keys"]


class Keys:
    """A clip of a crowd from arrays. Joints are in the order of the skeleton.

    Parameters
    ----------
    rotations : array
        (frames, joints, 4) unit quaternions x y z w.
    positions, scales : array, optional
        (frames, joints, 3). Default: those of the rest pose.
    rate : number, optional
        Frames per second, from time 0.
    times : array, optional
        Key times in seconds instead of a rate, strictly increasing.
    loop : number, optional
        Length of the loop in seconds. Default: the clip is open.

    Examples
    --------
    >>> import numpy as np, posemill as pm
    >>> still = pm.Keys(np.tile([0.0, 0, 0, 1], (2, 1, 1)), rate=30)
    >>> pm.Crowd(pm.Skeleton(["root"], [-1]), [still])
    Crowd(1 joint, 1 clip, slerp)
    """

    def __init__(self, rotations: npt.ArrayLike, positions: npt.ArrayLike | None = None,
                 scales: npt.ArrayLike | None = None, *, rate: Number | None = None,
                 times: npt.ArrayLike | None = None, loop: Number | None = None) -> None:
        if (rate is None) == (times is None):
            raise ValueError("rate: expected a rate or times")
        self.rotations = _keys(rotations, "rotations", 4)
        frames, joints = self.rotations.shape[:2]
        self.positions = None if positions is None else _keys(positions, "positions", 3)
        self.scales = None if scales is None else _keys(scales, "scales", 3)
        for name, keys in (("positions", self.positions), ("scales", self.scales)):
            if keys is not None and keys.shape[:2] != (frames, joints):
                raise ValueError(f"{name}: expected shape {(frames, joints, 3)}, "
                                 f"found {keys.shape}")
        self.rate = None if rate is None else rate_of(rate)
        self.times = None if times is None else np.array(times, np.float64)
        if self.times is not None and self.times.shape != (frames,):
            raise ValueError(f"times: expected {frames}, found shape {self.times.shape}")
        self.loop = None if loop is None else seconds_of(loop, "loop")

    def __repr__(self) -> str:
        frames, joints = self.rotations.shape[:2]
        rate = f"{text_of(self.rate)} Hz" if self.rate else "times of their own"
        return f"Keys({frames} frames, {joints} joints, {rate})"

    def _describe(self, joints: int, keep: list[Any]) -> Any:
        """A pm_clip_desc; `keep` receives what it points to."""
        frames, own = self.rotations.shape[:2]
        if own != joints:
            raise ValueError(f"clips: expected {joints} joints, found {own}")
        timeline = ffi.new("pm_timeline *", {"key_count": frames, "rate": rational(self.rate)})
        if self.times is not None:
            timeline.times = ffi.cast("double *", self.times.ctypes.data)
        desc = ffi.new("pm_clip_desc *", {"track_count": joints, "timelines": timeline,
                                          "loop_period": float(self.loop or 0)})
        for field in ("rotations", "positions", "scales"):
            keys = getattr(self, field)
            if keys is not None:
                array = getattr(desc, field)
                array.data = ffi.cast("void *", keys.ctypes.data)
                array.type = lib.PM_FLOAT64 if keys.dtype == np.float64 else lib.PM_FLOAT32
        keep += [self, timeline, desc]
        return desc[0]


def _keys(values: npt.ArrayLike, name: str, width: int) -> Array:
    keys = np.asarray(values)
    if keys.dtype != np.float32:
        keys = keys.astype(np.float64)
    if keys.ndim != 3 or keys.shape[2] != width or 0 in keys.shape:
        raise ValueError(f"{name}: expected shape (frames, joints, {width}), found {keys.shape}")
    return np.array(keys, order="C")
