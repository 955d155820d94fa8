# SPDX-License-Identifier: MIT
"""A clip at any times: rotations, positions, scales and their velocities."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import as_seconds
from ._curve import RotationCurve
from ._engine import Engine
from ._names import Doubles, Frame, Singles, VectorChannel
from ._shared import Shared

if TYPE_CHECKING:
    from ._clip import Channel

__all__ = ["Poses", "Track", "Tracks"]

_METHODS = {"linear": "slerp", "step": "step", "cubicspline": "cubicspline"}


class Track(NamedTuple):
    """A channel, and its place among the joints."""

    column: int
    channel: Channel


class Tracks(Shared):
    """The curves of one property of all joints.

    Parameters
    ----------
    path : str
        ``"rotation"``, ``"translation"`` or ``"scale"``.
    rest : array
        (joints, numbers): of joints without a curve.
    """

    def __init__(self, path: str, tracks: Sequence[Track], rest: Doubles,
                 method: str | None, engine: Engine | None) -> None:
        self._rest, self._is_rotation = rest.astype(np.float32), path == "rotation"
        self._kind: VectorChannel = "rotations" if path == "rotation" else "positions"
        groups: dict[tuple[int, str], list[Track]] = {}
        for track in tracks:
            authored = track.channel.interpolation
            used = _METHODS[authored] if method is None or authored == "step" else method
            groups.setdefault((track.channel.timeline, used), []).append(track)
        self._groups = [([t.column for t in found], self._curve(found, used, engine))
                        for (_, used), found in groups.items()]

    def _curve(self, tracks: list[Track], method: str, engine: Engine | None) -> RotationCurve[Any]:
        keeps_keys = method == "cubicspline"
        arrays: dict[str, Any] = {self._kind: _stacked(
            [t.channel.keys if keeps_keys else t.channel.values for t in tracks])}
        if keeps_keys:
            for side, name in enumerate(("in", "out")):
                tangents = [t.channel.tangents for t in tracks]
                if any(t is None for t in tangents):
                    raise ValueError("method: 'cubicspline' requires tangents, which a channel of "
                                     "the clip does not have")
                key = f"tangents_{name}" if self._is_rotation else f"positions_{name}"
                arrays[key] = _stacked([t[side] for t in tangents if t is not None])
        rotations = arrays.pop("rotations", None)
        make: Callable[..., RotationCurve[Any]] = RotationCurve
        return make(tracks[0].channel.times, rotations, method, engine=engine, **arrays)

    def at(self, seconds: Doubles, order: Literal[0, 1, 2], frame: Frame) -> Singles:
        """(*times, joints, numbers)."""
        numbers = self._rest.shape[1] if order == 0 else 3
        found = np.zeros((*seconds.shape, len(self._rest), numbers), np.float32)
        if order == 0:
            found[:] = self._rest
        for columns, curve in self._groups:
            found[..., columns, :] = curve(seconds, order, frame=frame, channel=self._kind)
        return found


def _stacked(keys: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.stack(keys, axis=1)


class Poses:
    """A clip at some times, made by ``Clip.at`` and ``Motion.at``. What is asked for is computed once.

    Attributes
    ----------
    times : array
        Seconds, as given.

    Examples
    --------
    >>> import posemill as pm
    >>> poses = pm.load("walk.bvh").at([0.0, 0.51, 1.3])
    >>> poses.rotations.shape, poses.positions.shape, poses.velocities.shape
    ((3, 21, 4), (3, 21, 3), (3, 21, 3))
    """

    def __init__(self, times: npt.ArrayLike, tracks: Callable[[str], Tracks], frame: Frame) -> None:
        self.times = as_seconds(times, "times")
        self._tracks, self._frame = tracks, frame

    def _of(self, path: str, order: Literal[0, 1]) -> Singles:
        return self._tracks(path).at(self.times, order, self._frame)

    @cached_property
    def rotations(self) -> Singles:
        """(*times, joints, 4) unit quaternions x y z w relative to the parents."""
        return self._of("rotation", 0)

    @cached_property
    def positions(self) -> Singles:
        """(*times, joints, 3) relative to the parents, in the file's unit of length."""
        return self._of("translation", 0)

    @cached_property
    def scales(self) -> Singles:
        """(*times, joints, 3)."""
        return self._of("scale", 0)

    @cached_property
    def angular_velocities(self) -> Singles:
        """(*times, joints, 3) in rad/s, relative to the parents, in the frame that was asked for."""
        return self._of("rotation", 1)

    @cached_property
    def velocities(self) -> Singles:
        """(*times, joints, 3): of the positions, in units of length per second."""
        return self._of("translation", 1)

    def __repr__(self) -> str:
        return f"Poses({self.times.size} time{'' if self.times.size == 1 else 's'})"
