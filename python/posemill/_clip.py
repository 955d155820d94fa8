# SPDX-License-Identifier: MIT
"""Clips of motions, and their channels."""
from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from ._content import Content
from ._display import Row, table
from ._engine import Engine, checked_engine
from ._library import ffi, lib, text
from ._names import AuthoredMethod, Doubles, Floats, Frame
from ._poses import Poses, Track, Tracks
from ._rational import text_of
from ._resampling import is_authored, method_number
from ._shared import Shared
from ._views import Array, address, array_of, name_of, number_type, view

__all__ = ["Channel", "Clip", "ClipList"]

_PATHS = {lib.PM_MOTION_ROTATION: "rotation", lib.PM_MOTION_POSITION: "translation",
          lib.PM_MOTION_SCALE: "scale", lib.PM_MOTION_WEIGHTS: "weights",
          lib.PM_MOTION_SCALAR: "scalar"}
_INTERPOLATIONS = {lib.PM_MOTION_LINEAR: "linear", lib.PM_MOTION_STEP: "step",
                   lib.PM_MOTION_CUBICSPLINE: "cubicspline"}


def _times_of(owner: Any, timeline: Any) -> Doubles:
    count = int(timeline.key_count)
    if timeline.times != ffi.NULL:
        return view(owner, timeline.times, (count,), np.float64)
    times: Array = (np.arange(count, dtype=np.float64) * float(timeline.rate.den)
                    / float(timeline.rate.num))
    times.flags.writeable = False
    return times


class Channel(Shared):
    """One property of a node that a clip animates.

    Attributes
    ----------
    name : str
        Of channels that belong to no node, such as ``"trans"``; else empty.
    node : int or None
        Index into ``Motion.names``.
    path : str
        ``"rotation"``, ``"translation"``, ``"scale"``, ``"weights"`` or ``"scalar"``.
    interpolation : str
        As authored: ``"linear"``, ``"step"`` or ``"cubicspline"``.
    has_any_length : bool
        Whether keys are rotations of cubicspline, which need not be unit quaternions.
    timeline : int
        Channels of a clip with the same number have the same key times.

    Examples
    --------
    >>> import posemill as pm
    >>> channel = pm.load("walk.bvh").clips[0].channels[0]
    >>> channel.node, channel.path, len(channel.times)
    (0, 'rotation', 61)
    """

    def __init__(self, content: Content, clip: int, index: int) -> None:
        channel = content.c.clips[clip].channels[index]
        self._given = (content, clip, index)
        self._owner = content.owner
        self._channel = channel
        self.timeline = int(channel.timeline)
        self._timeline = content.c.clips[clip].timelines[self.timeline]
        self.name = name_of(channel.name)
        self.node: int | None = int(channel.node) if channel.node >= 0 else None
        self.path = _PATHS[channel.path]
        self.interpolation = _INTERPOLATIONS[channel.interpolation]
        self.has_any_length = self.path == "rotation" and self.interpolation == "cubicspline"

    @cached_property
    def times(self) -> Doubles:
        """Key times in seconds."""
        return _times_of(self._owner, self._timeline)

    def _array(self, array: Any) -> Array | None:
        return array_of(self._owner, array, int(self._timeline.key_count),
                        int(self._channel.components))

    @property
    def keys(self) -> Floats:
        """(keys, numbers), a view. Rotations are x y z w, of cubicspline of any length."""
        found = self._array(self._channel.keys)
        assert found is not None  # motions are read with all their keys
        return found

    @property
    def values(self) -> Floats:
        """As ``keys``, with rotations that are unit quaternions: a copy of those of cubicspline."""
        keys = self.keys
        if not self.has_any_length:
            return keys
        length = np.linalg.norm(keys, axis=1, keepdims=True)
        found: Array = keys / np.where(np.abs(length - 1) > 1e-3, length, 1)
        return found

    @property
    def tangents(self) -> tuple[Floats, Floats] | None:
        """Tangents into and out of the keys, per second, of cubicspline; else None."""
        before, after = self._array(self._channel.out), self._array(getattr(self._channel, "in"))
        return None if before is None or after is None else (after, before)

    def at(self, times: Array) -> Array:
        """Keys at the times of another channel. Steps and single keys have a value at any time.

        Examples
        --------
        >>> import posemill as pm
        >>> first, second = pm.load("walk.bvh").clips[0].channels[:2]
        >>> first.at(second.times).shape
        (61, 4)
        """
        if self.times is times or np.array_equal(self.times, times):
            return self.values
        if self.interpolation != "step" and len(self.times) > 1:
            raise ValueError("clip: joints have different key times; resample() gives them common "
                             "ones, and Clip.channels has the keys of each")
        found = np.searchsorted(self.times, times, side="right") - 1
        held: Array = self.values[np.maximum(found, 0)]
        return held

    def __reduce__(self) -> tuple[type[Channel], tuple[Content, int, int]]:
        return Channel, self._given

    def __repr__(self) -> str:
        of = f"node {self.node}" if self.node is not None else repr(self.name)
        return f"Channel({self.path} of {of}, {len(self.times)} keys, {self.interpolation})"


class Clip(Shared):
    """A named piece of motion. Arrays are read-only and keep the motion's memory alive.

    Attributes
    ----------
    name : str
        As in the file; may be empty.
    rate : Fraction or None
        Keys per second where all are uniform.
    start : Fraction or None
        With a rate, the time of the first key in seconds, exact.
    channels : tuple of Channel
        Everything that is animated, as authored.
    fault : str or None
        Why a clip of glTF has no channels: what in the file is wrong with its keys.

    Examples
    --------
    >>> import posemill as pm
    >>> clip = pm.load("walk.bvh").clips[0]
    >>> clip.rate, clip.rotations.shape
    (Fraction(30, 1), (61, 21, 4))
    """

    def __init__(self, content: Content, index: int) -> None:
        clip = content.c.clips[index]
        self._content = content
        self._index = index
        self._curves: dict[tuple[str, str | None, Engine | None], Tracks] = {}
        self.name = name_of(clip.name)
        self.fault = None if clip.fault == ffi.NULL else text(clip.fault)
        self.rate = Fraction(clip.rate.num, clip.rate.den) if clip.rate.den else None
        self.start = Fraction(clip.first_time.num, clip.first_time.den) if clip.first_time.den else None
        self.channels = tuple(Channel(content, index, i) for i in range(clip.channel_count))

    def _of(self, path: str) -> list[Channel]:
        """The channels of joints; of a motion without a skeleton all that have the path."""
        has_nodes = self._content.c.node_count > 0
        return [c for c in self.channels if c.path == path and (c.node is not None) == has_nodes]

    @cached_property
    def times(self) -> Doubles:
        """Key times in seconds, of the joint that has the most."""
        chosen = self._of("rotation") + self._of("translation") + self._of("scale")
        longest = max(chosen or self.channels, key=lambda c: int(c._timeline.key_count),
                      default=None)
        return longest.times if longest is not None else np.empty(0)

    @property
    def duration(self) -> float:
        """Seconds from the first key to the last."""
        return float(self.times[-1] - self.times[0]) if len(self.times) else 0.0

    def at(self, times: npt.ArrayLike, method: AuthoredMethod | None = None, *,
           frame: Frame = "body", engine: Engine | None = None) -> Poses:
        """Sample the clip at any times: rotations, positions, scales and velocities.

        Parameters
        ----------
        times : array_like
            Seconds on the scale of :attr:`times`, in any order and of any shape. Before the first
            key and after the last one the clip holds still.
        method : str, optional
            For rotations; positions and scales take the vector method of the same class, and steps
            remain steps. ``"authored"``: each channel by its own interpolation. Default: authored
            for glTF and splines, else slerp.
        frame : str
            Of angular velocities: ``"body"`` or ``"parent"``.
        engine : Engine, optional
            As of ``RotationCurve``.

        Returns
        -------
        Poses
            Its arrays are float32, of shape (*times, joints, numbers).

        Examples
        --------
        >>> import posemill as pm
        >>> clip = pm.load("walk.bvh").clips[0]
        >>> clip.at(0.75, "squad").rotations.shape
        (21, 4)
        """
        if self.fault is not None:
            raise ValueError(f"clip: {self.name!r} has no keys: {self.fault}")
        if method is not None and method != "authored":
            method_number(method)
        if frame not in ("body", "parent"):
            raise ValueError(f"frame: {frame!r} is unknown; expected 'body' or 'parent'")
        used = None if is_authored(self._content, method) else method or "slerp"
        checked_engine(engine)
        return Poses(times, lambda path: self._tracks(path, used, engine), frame)

    def _tracks(self, path: str, method: str | None, engine: Engine | None) -> Tracks:
        """Curves of a path. They are kept: the next times cost nothing to prepare."""
        key = (path, method, engine)
        found = self._curves.get(key)
        if found is not None:
            return found
        channels = self._of(path)
        count = int(self._content.c.node_count) or len(channels)
        width = 4 if path == "rotation" else 3
        rest = (self._content.rest(path) if self._content.c.node_count else
                np.zeros((count, width)))
        tracks = [Track(c.node if c.node is not None else i, c) for i, c in enumerate(channels)]
        return self._curves.setdefault(key, Tracks(path, tracks, rest, method, engine))

    @cached_property
    def rotations(self) -> Floats:
        """(frames, joints, 4) unit quaternions x y z w relative to the parents.

        A view where the keys of all joints lie in one array, as those of BVH and most NPZ files
        do. Joints that the clip does not animate have their rest pose.
        """
        return self._gather("rotation", 4)

    @cached_property
    def positions(self) -> Floats:
        """(frames, joints, 3) positions relative to the parents, in the file's unit of length.

        Without a skeleton: (frames, translations, 3).
        """
        return self._gather("translation", 3)

    @cached_property
    def scales(self) -> Floats:
        """(frames, joints, 3)."""
        return self._gather("scale", 3)

    def _gather(self, path: str, width: int) -> Floats:
        channels = self._of(path)
        nodes = int(self._content.c.node_count)
        columns = [c.node if c.node is not None else i for i, c in enumerate(channels)]
        count = nodes or len(channels)
        found = _common_view(self._content.owner, channels, columns, count, width)
        if found is not None:
            return found
        is_double = not channels or any(c._channel.keys.type == lib.PM_FLOAT64 for c in channels)
        made: Array = np.empty((len(self.times), count, width),
                               np.float64 if is_double else np.float32)
        if nodes:
            made[:] = self._content.rest(path)
        for column, channel in zip(columns, channels, strict=True):
            made[:, column] = channel.at(self.times)
        made.flags.writeable = False
        return made

    def __reduce__(self) -> tuple[type[Clip], tuple[Content, int]]:
        return Clip, (self._content, self._index)

    def __repr__(self) -> str:
        return f"Clip({self.name!r}, {len(self.times)} frames, {self.extent}, " \
               f"{len(self.channels)} channels)"

    @property
    def extent(self) -> str:
        """For people: rate and duration."""
        return f"{f'{text_of(self.rate)} Hz, ' if self.rate else ''}{self.duration:.6g} s"

    def _repr_html_(self) -> str:
        rate = f"{text_of(self.rate)} Hz" if self.rate else "keys are not uniform"
        counts = {path: len([c for c in self.channels if c.path == path])
                  for path in _PATHS.values()}
        return table(f"Clip {self.name}", [
            Row("frames", f"{len(self.times)}, {self.duration:g} s, {rate}"),
            Row("channels", ", ".join(f"{n} {path}" for path, n in counts.items() if n))])


class ClipList(tuple[Clip, ...]):
    """The clips of a motion, by their index or their name.

    Examples
    --------
    >>> import posemill as pm
    >>> clips = pm.load("walk.bvh").clips
    >>> clips[clips[0].name] is clips[0]
    True
    """

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Clip: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Clip, ...]: ...

    def __getitem__(self, key: SupportsIndex | str | slice) -> Clip | tuple[Clip, ...]:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for clip in self:
            if clip.name == key:
                return clip
        raise KeyError(f"no clip is named {key!r}; there are: "
                       f"{', '.join(repr(clip.name) for clip in self[:20]) or 'none'}")

    def __contains__(self, key: object) -> bool:
        return any(clip.name == key for clip in self) if isinstance(key, str) else \
            super().__contains__(key)


def _common_view(owner: Any, channels: list[Channel], columns: list[int], count: int,
                 width: int) -> Array | None:
    """One array over the keys of all joints; None where they do not lie at equal distances."""
    if len(channels) != count or columns != list(range(count)) or count == 0:
        return None
    if any(c.has_any_length for c in channels):
        return None
    first = channels[0]._channel.keys
    size = number_type(first).itemsize
    stride = int(first.stride) or width * size
    start = address(first.data)
    step = address(channels[1]._channel.keys.data) - start if count > 1 else width * size
    for i, channel in enumerate(channels):
        keys = channel._channel.keys
        if (channel._channel.timeline != channels[0]._channel.timeline or keys.type != first.type
                or (int(keys.stride) or width * size) != stride
                or address(keys.data) != start + i * step):
            return None
    frames = int(channels[0]._timeline.key_count)
    return view(owner, first.data, (frames, count, width), number_type(first),
                (stride, step, size))
