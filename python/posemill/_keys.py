# SPDX-License-Identifier: MIT
"""Clips of crowds from arrays."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, lib
from ._quaternions import product
from ._rational import Number, rate_of, rational, seconds_of, text_of
from ._skeleton import Skeleton
from ._views import Array

__all__ = ["Keys", "are_still"]


def are_still(positions: Array, skeleton: Skeleton, joints: npt.NDArray[np.bool_]) -> bool:
    """Whether the joints have the rest position in all frames of (frames, joints, 3)."""
    rest = np.asarray(skeleton.positions, np.float32)[joints]
    return bool(np.all(positions[:, joints].astype(np.float32) == rest))


class Keys:
    """A clip of a crowd from arrays. Joints are in the order of the skeleton.

    Parameters
    ----------
    rotations : array
        (frames, joints, 4) unit quaternions x y z w, or with `angles` or `balls` (frames, 4) of the first
        root.
    positions, scales : array, optional
        (frames, joints, 3), or positions (frames, 3) of the first root. Default: those of the rest
        pose.
    rate : number, optional
        Frames per second, from time 0.
    times : array, optional
        Key times in seconds instead of a rate, strictly increasing.
    loop : number, optional
        Length of the loop in seconds. Default: the clip is open.
    angles : array, optional
        (frames, hinges) radians of a skeleton's hinges, in the order of ``Skeleton.hinges``.
        Required for skeletons that have hinges.
    balls : array, optional
        (frames, balls, 4) rotations of a robot's ball joints from the rest pose, as in MuJoCo's ``qpos`` but
        x y z w, in the order of ``Skeleton.balls``. Required for skeletons that have both.

    Examples
    --------
    >>> import numpy as np, posemill as pm
    >>> still = pm.Keys(np.tile([0.0, 0, 0, 1], (2, 1, 1)), rate=30)
    >>> pm.Crowd(pm.Skeleton(["root"], [-1]), [still])
    Crowd(1 joint, 1 clip, slerp)
    """

    def __init__(self, rotations: npt.ArrayLike, positions: npt.ArrayLike | None = None,
                 scales: npt.ArrayLike | None = None, *, rate: Number | None = None,
                 times: npt.ArrayLike | None = None, loop: Number | None = None,
                 angles: npt.ArrayLike | None = None, balls: npt.ArrayLike | None = None) -> None:
        if (rate is None) == (times is None):
            raise ValueError("rate: expected a rate or times")
        self.angles = None if angles is None else _packed(angles)
        self.balls = None if balls is None else _keys(balls, "balls", 4, False)
        of_root = angles is not None or balls is not None
        self.rotations = _keys(rotations, "rotations", 4, of_root)
        shape = self.rotations.shape[:-1]
        frames = shape[0]
        is_flat = positions is not None and np.ndim(positions) == 2
        self.positions = (None if positions is None else
                          _keys(positions, "positions", 3, of_root or is_flat))
        self.scales = None if scales is None else _keys(scales, "scales", 3, of_root)
        for name, keys in (("positions", self.positions), ("scales", self.scales)):
            wanted = (frames,) if keys is not None and keys.ndim == 2 else shape
            if keys is not None and keys.shape[:-1] != wanted:
                raise ValueError(f"{name}: expected shape {(*wanted, 3)}, found {keys.shape}")
        if self.angles is not None and (self.angles.ndim != 2 or len(self.angles) != frames):
            raise ValueError(f"angles: expected shape ({frames}, hinges), found {self.angles.shape}")
        if self.balls is not None and len(self.balls) != frames:
            raise ValueError(f"balls: expected shape ({frames}, balls, 4), found {self.balls.shape}")
        if of_root and scales is not None:
            raise ValueError("scales: robots have none")
        self.rate = None if rate is None else rate_of(rate)
        self.times = None if times is None else np.array(times, np.float64)
        if self.times is not None and self.times.shape != (frames,):
            raise ValueError(f"times: expected {frames}, found shape {self.times.shape}")
        self.loop = None if loop is None else seconds_of(loop, "loop")

    def __repr__(self) -> str:
        frames = len(self.rotations)
        parts = [(self.angles, "hinges"), (self.balls, "balls")]
        of = (f"{self.rotations.shape[1]} joints" if self.rotations.ndim == 3 else
              " and ".join(f"{rows.shape[1]} {name}" for rows, name in parts if rows is not None))
        rate = f"{text_of(self.rate)} Hz" if self.rate else "times of their own"
        return f"Keys({frames} frames, {of}, {rate})"

    def seamless(self, skeleton: Skeleton, seconds: float, up: str | None = None) -> Keys:
        """The clip bent before its end, so that the end is the start moved on the ground: with ``wrap="continue"`` of
        :meth:`MotionLibrary.sample` nothing jumps then.

        What the end differs by from the start is taken away by a part that grows smoothly (3 s^2 - 2 s^3) from 0 to all
        in the last seconds. The root keeps its way on the ground and its heading; its tilt and height meet those of the
        start, as all other joints do.

        Parameters
        ----------
        skeleton : Skeleton
        seconds : float
            Before the end, at most the clip's length.
        up : str, optional
            ``"y"`` or ``"z"``: which axis is vertical. Default: z for skeletons with hinges; others require it.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> arm = pm.Skeleton(["root", "arm"], [-1, 0])
        >>> turns, half = np.zeros((31, 2, 4)), np.linspace(0, 1, 31)[:, None]
        >>> turns[..., 2], turns[..., 3] = np.sin(half), np.cos(half)
        >>> walk = pm.Keys(turns, rate=30).seamless(arm, 0.5, up="z")
        >>> bool(np.allclose(walk.rotations[-1, 1], turns[0, 1])), bool(np.allclose(walk.rotations[-1, 0], turns[-1, 0]))
        (True, True)
        """
        self._check(skeleton)
        if self.loop or len(self.rotations) < 2:
            raise ValueError("seamless: the clip is a loop or has one frame")
        vertical = {"y": 1, "z": 2}.get(up or ("z" if len(skeleton.hinges) else ""))
        if vertical is None:
            raise ValueError(f"up: expected 'y' or 'z', found {up!r}")
        times = np.arange(len(self.rotations)) / float(self.rate) if self.rate else np.asarray(self.times)
        if not 0 < seconds <= times[-1] - times[0]:
            raise ValueError(f"seconds: expected up to {times[-1] - times[0]:.6g} above 0, found {seconds!r}")
        s = np.clip((times - times[-1]) / seconds + 1, 0, 1)
        part, root = s * s * (3 - 2 * s), skeleton.root
        turns, places = self.rotations.astype(np.float64), self.positions
        whole = turns[:, None] if self._is_of_root else turns
        at = 0 if self._is_of_root else root
        targets = whole[0].copy()
        about = np.zeros(4)
        lap = np.array(product(whole[-1, at], whole[0, at] * [-1, -1, -1, 1]))
        about[[vertical, 3]] = lap[[vertical, 3]]
        if np.any(about):
            targets[at] = product(about / np.linalg.norm(about), targets[at])
        made = _bent_turns(whole, targets, part).reshape(turns.shape)
        if places is not None:
            gaps = places[0] - places[-1]
            of_root = gaps if places.ndim == 2 else gaps[root]
            of_root[[n for n in range(3) if n != vertical]] = 0
            places = places + part.reshape(-1, *[1] * gaps.ndim) * gaps
        angles = self.angles
        if angles is not None:
            gap = angles[0].astype(np.float64) - angles[-1]
            turning = np.asarray(skeleton.continuous, bool)
            angles = angles + part[:, None] * np.where(turning, np.remainder(gap + np.pi, 2 * np.pi) - np.pi, gap)
        balls = None if self.balls is None else _bent_turns(self.balls.astype(np.float64), self.balls[0], part)
        scales = self.scales
        if scales is not None:
            scales = scales + part[:, None, None] * (scales[0] - scales[-1])
        return Keys(made, places, scales, rate=self.rate, times=self.times, angles=angles, balls=balls)

    @property
    def _is_of_root(self) -> bool:
        """Whether rotations are those of the first root."""
        return self.rotations.ndim == 2

    def _has_root_alone(self, skeleton: Skeleton) -> bool:
        """Whether there are positions, and no joint but the first root leaves that of the rest pose: so with
        angles."""
        if self.angles is not None:
            return True
        if self.positions is None:
            return False
        others = np.arange(len(skeleton)) != skeleton.root
        return self.positions.ndim == 2 or (self.positions.shape[1] == len(skeleton)
                                            and are_still(self.positions, skeleton, others))

    def _check(self, skeleton: Skeleton) -> None:
        joints, hinges = len(skeleton), len(skeleton.hinges)
        if hinges and (self.angles is None or self.angles.shape[1] != hinges):
            found = "none" if self.angles is None else str(self.angles.shape[1])
            raise ValueError(f"clips: expected angles of {hinges} hinges, found {found}")
        if not hinges and self.angles is not None:
            raise ValueError("clips: the skeleton has no hinges, but a clip has angles")
        if self.rotations.ndim == 3 and self.rotations.shape[1] != joints:
            raise ValueError(f"clips: expected {joints} joints, found {self.rotations.shape[1]}")
        balls = 0 if self.balls is None else self.balls.shape[1]
        if self._is_of_root and balls != len(skeleton.balls):
            raise ValueError(f"clips: expected rotations of {len(skeleton.balls)} balls, found {balls or 'none'}")

    def _turns(self, skeleton: Skeleton) -> Array:
        """Rotations of the first root, or of all joints: where balls turn, too, others have that of the rest
        pose."""
        if self.balls is None:
            return self.rotations
        rest = np.asarray(skeleton.rotations)
        whole = np.tile(rest, (len(self.rotations), 1, 1))
        whole[:, skeleton.root] = self.rotations
        components = product(rest[skeleton.balls].T, np.moveaxis(self.balls, -1, 0))
        whole[:, skeleton.balls] = np.stack(components, axis=-1)
        return whole

    def _whole(self, skeleton: Skeleton, root_alone: bool = False) -> dict[str, Array | None]:
        """Rotations, positions and scales of all joints. Rotations with angles are those of the first root, unless
        balls turn, too, and so are positions with `root_alone`."""
        self._check(skeleton)
        whole: dict[str, Array | None] = {"rotations": self._turns(skeleton), "positions": self.positions,
                                          "scales": self.scales}
        frames, root = len(self.rotations), skeleton.root
        rest = np.asarray(skeleton.positions, np.float32)
        if self.positions is None and self.angles is not None:
            whole["positions"] = np.tile(rest[root], (frames, 1))
        elif self.positions is not None and root_alone:
            whole["positions"] = np.ascontiguousarray(
                self.positions if self.positions.ndim == 2 else self.positions[:, root])
        elif self.positions is not None and self.positions.ndim == 2:
            positions = np.tile(rest, (frames, 1, 1))
            positions[:, root] = self.positions
            whole["positions"] = positions
        return whole

    def _describe(self, skeleton: Skeleton, keep: list[Any], root_alone: bool) -> Any:
        """A pm_clip_desc; `keep` receives what it points to. With `root_alone` it has the positions of the
        first root alone."""
        frames, joints = len(self.rotations), len(skeleton)
        whole = self._whole(skeleton, root_alone)
        assert whole["rotations"] is not None
        timeline = ffi.new("pm_timeline *", {"key_count": frames, "rate": rational(self.rate)})
        if self.times is not None:
            timeline.times = ffi.cast("double *", self.times.ctypes.data)
        desc = ffi.new("pm_clip_desc *", {"track_count": joints, "timelines": timeline,
                                          "loop": float(self.loop or 0),
                                          "root_positions": root_alone,
                                          "root_rotations": whole["rotations"].ndim == 2})
        keep += [self, whole, timeline, desc]
        if self.angles is not None:
            desc.scalars = scalars = ffi.new("pm_scalars *", {"count": len(skeleton.hinges)})
            _point(scalars.keys, self.angles)
            keep.append(scalars)
        for field, keys in whole.items():
            if keys is not None:
                _point(getattr(desc, field), keys)
        return desc[0]


def _bent_turns(turns: Array, targets: Array, part: Array) -> Array:
    """Rotations (frames, n, 4), turned in their own axes by a part of what the last ones miss the targets by."""
    missing = np.stack(product(turns[-1].T * np.array([[-1], [-1], [-1], [1]]), targets.T), axis=-1)
    missing *= np.where(missing[:, 3:] < 0, -1, 1)
    length = np.linalg.norm(missing[:, :3], axis=-1, keepdims=True)
    angle = np.arctan2(length, missing[:, 3:]) * part[:, None, None]  # half of the turn
    axis = missing[:, :3] / np.where(length > 0, length, 1)
    steps = np.concatenate([axis * np.sin(angle), np.cos(angle)], axis=-1)
    return np.stack(product(np.moveaxis(turns, -1, 0), np.moveaxis(steps, -1, 0)), axis=-1)


def _point(array: Any, keys: Array) -> None:
    array.data = ffi.cast("void *", keys.ctypes.data)
    array.type = lib.PM_FLOAT64 if keys.dtype == np.float64 else lib.PM_FLOAT32


def _packed(values: npt.ArrayLike) -> Array:
    keys = np.asarray(values)
    return np.array(keys if keys.dtype == np.float32 else keys.astype(np.float64), order="C")


def _keys(values: npt.ArrayLike, name: str, width: int, of_root: bool) -> Array:
    keys = _packed(values)
    if keys.ndim != (2 if of_root else 3) or keys.shape[-1] != width or 0 in keys.shape:
        shape = f"(frames, {width})" if of_root else f"(frames, joints, {width})"
        raise ValueError(f"{name}: expected shape {shape}, found {keys.shape}")
    return keys
