# SPDX-License-Identifier: MIT
"""Clips of motions, and their channels."""
from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from ._content import Content, refuse_pickle
from ._display import Row, table
from ._library import ffi, lib
from ._rational import text_of
from ._views import Array, address, array_of, name_of, number_type, view

__all__ = ["Channel", "Clip"]

_PATHS = {lib.PM_MOTION_ROTATION: "rotation", lib.PM_MOTION_TRANSLATION: "translation",
          lib.PM_MOTION_SCALE: "scale", lib.PM_MOTION_WEIGHTS: "weights",
          lib.PM_MOTION_SCALAR: "scalar"}
_INTERPOLATIONS = {lib.PM_MOTION_LINEAR: "linear", lib.PM_MOTION_STEP: "step",
                   lib.PM_MOTION_CUBICSPLINE: "cubicspline"}


def _times_of(owner: Any, timeline: Any) -> Array:
    count = int(timeline.key_count)
    if timeline.times != ffi.NULL:
        return view(owner, timeline.times, (count,), np.float64)
    times: Array = (np.arange(count, dtype=np.float64) * float(timeline.rate.den)
                    / float(timeline.rate.num))
    times.flags.writeable = False
    return times


class Channel:
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
    """

    def __init__(self, owner: Any, timelines: Any, channel: Any) -> None:
        self._owner = owner
        self._channel = channel
        self._timeline = timelines[channel.timeline]
        self.name = name_of(channel.name)
        self.node: int | None = int(channel.node) if channel.node >= 0 else None
        self.path = _PATHS[channel.path]
        self.interpolation = _INTERPOLATIONS[channel.interpolation]

    @cached_property
    def times(self) -> Array:
        """Key times in seconds."""
        return _times_of(self._owner, self._timeline)

    def _array(self, array: Any) -> Array | None:
        return array_of(self._owner, array, int(self._timeline.key_count),
                        int(self._channel.components))

    @property
    def keys(self) -> Array:
        """(keys, numbers), a view. Rotations are x y z w."""
        found = self._array(self._channel.keys)
        assert found is not None  # motions are read with all their keys
        return found

    @property
    def tangents(self) -> tuple[Array, Array] | None:
        """Tangents into and out of the keys, per second, of cubicspline; else None."""
        before, after = self._array(self._channel.out), self._array(getattr(self._channel, "in"))
        return None if before is None or after is None else (after, before)

    def at(self, times: Array) -> Array:
        """Keys at the times of another channel. Steps and single keys have a value at any time."""
        if self.times is times or np.array_equal(self.times, times):
            return self.keys
        if self.interpolation != "step" and len(self.times) > 1:
            raise ValueError("clip: joints have different key times; resample() gives them common "
                             "ones, and Clip.channels has the keys of each")
        found = np.searchsorted(self.times, times, side="right") - 1
        held: Array = self.keys[np.maximum(found, 0)]
        return held

    def __reduce__(self) -> NoReturn:
        refuse_pickle(self)

    def __repr__(self) -> str:
        of = f"node {self.node}" if self.node is not None else repr(self.name)
        return f"Channel({self.path} of {of}, {len(self.times)} keys, {self.interpolation})"


class Clip:
    """A named stretch of motion. Arrays are read-only and keep the motion's memory alive.

    Attributes
    ----------
    name : str
        As in the file; may be empty.
    rate : Fraction or None
        Keys per second where all are uniform from time 0.
    channels : tuple of Channel
        Everything that is animated, as authored.

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
        self.name = name_of(clip.name)
        self.rate = Fraction(clip.rate.num, clip.rate.den) if clip.rate.den else None
        self.channels = tuple(Channel(content.owner, clip.timelines, clip.channels[i])
                              for i in range(clip.channel_count))

    def _of(self, path: str) -> list[Channel]:
        """The channels of joints; of a motion without a skeleton all that have the path."""
        has_nodes = self._content.c.node_count > 0
        return [c for c in self.channels if c.path == path and (c.node is not None) == has_nodes]

    @cached_property
    def times(self) -> Array:
        """Key times in seconds: of the joint that has the most."""
        chosen = self._of("rotation") + self._of("translation") + self._of("scale")
        longest = max(chosen or self.channels, key=lambda c: int(c._timeline.key_count),
                      default=None)
        return longest.times if longest is not None else np.empty(0)

    @property
    def duration(self) -> float:
        """Seconds from the first key to the last."""
        return float(self.times[-1] - self.times[0]) if len(self.times) else 0.0

    @cached_property
    def rotations(self) -> Array:
        """(frames, joints, 4) unit quaternions x y z w relative to the parents.

        A view where the keys of all joints lie in one array, as those of BVH and most NPZ files
        do. Joints that the clip does not animate have their rest pose.
        """
        return self._gather("rotation", 4)

    @cached_property
    def positions(self) -> Array:
        """(frames, joints, 3) positions relative to the parents, in the file's unit of length.

        Without a skeleton: (frames, translations, 3).
        """
        return self._gather("translation", 3)

    @cached_property
    def scales(self) -> Array:
        """(frames, joints, 3)."""
        return self._gather("scale", 3)

    def _gather(self, path: str, width: int) -> Array:
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

    def __reduce__(self) -> NoReturn:
        refuse_pickle(self)

    def __repr__(self) -> str:
        rate = f", {text_of(self.rate)} Hz" if self.rate else ""
        return (f"Clip({self.name!r}, {len(self.times)} frames{rate}, "
                f"{len(self.channels)} channels)")

    def _repr_html_(self) -> str:
        rate = f"{text_of(self.rate)} Hz" if self.rate else "keys are not uniform"
        counts = {path: len([c for c in self.channels if c.path == path])
                  for path in _PATHS.values()}
        return table(f"Clip {self.name}", [
            Row("frames", f"{len(self.times)}, {self.duration:g} s, {rate}"),
            Row("channels", ", ".join(f"{n} {path}" for path, n in counts.items() if n))])


def _common_view(owner: Any, channels: list[Channel], columns: list[int], count: int,
                 width: int) -> Array | None:
    """One array over the keys of all joints; None where they do not lie at equal distances."""
    if len(channels) != count or columns != list(range(count)) or count == 0:
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
