# SPDX-License-Identifier: MIT
"""The description that a clip of the library is built from."""
from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ._arrays import (Array, address, as_floats, as_seconds, fill_rows, is_rotation,
                      with_scalar_last)
from ._library import ffi, lib, text
from ._rates import Rate, Span, rate_of

__all__ = ["KEY_FORMATS", "Description", "FRAMES", "METHODS", "word"]

METHODS = {text(lib.pm_method_get_info(m).name): m for m in range(lib.pm_method_count())}
FRAMES = {"body": lib.PM_AXIS_BODY, "parent": lib.PM_AXIS_PARENT}
_VECTOR_METHODS = {"auto": lib.PM_VECTOR_AUTO, "step": lib.PM_VECTOR_STEP,
                   "linear": lib.PM_VECTOR_LINEAR, "catmull-rom": lib.PM_VECTOR_CATMULL_ROM,
                   "parabolas-c2": lib.PM_VECTOR_PARABOLAS_C2,
                   "parabolas-c3": lib.PM_VECTOR_PARABOLAS_C3, "spline": lib.PM_VECTOR_SPLINE,
                   "bspline": lib.PM_VECTOR_BSPLINE, "cubicspline": lib.PM_VECTOR_CUBICSPLINE}
_TANGENTS = {"bessel": lib.PM_TANGENTS_BESSEL, "mean": lib.PM_TANGENTS_MEAN,
             "hold": lib.PM_TANGENTS_HOLD, "tcb": lib.PM_TANGENTS_TCB}
_ENDS = {"chord": lib.PM_ENDS_CHORD, "natural": lib.PM_ENDS_NATURAL,
         "parabola": lib.PM_ENDS_PARABOLA, "zero": lib.PM_ENDS_ZERO}
KEY_FORMATS = {"float32": lib.PM_KEYS_FLOAT32, "log48": lib.PM_KEYS_LOG48,
                "smallest48": lib.PM_KEYS_SMALLEST48}


def vector_method_name(method: str, given: str) -> str:
    """The method of positions and scales: the given one, or the one that matches."""
    number = (lib.pm_method_get_info(METHODS[method]).vector_method if given == "auto" else
              _VECTOR_METHODS[given])
    return next(name for name, found in _VECTOR_METHODS.items() if found == number)


def word(value: str, words: dict[str, int], name: str) -> int:
    """The number of a word."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, found {type(value).__name__}")
    if value not in words:
        raise ValueError(f"{name}: {value!r} is unknown; expected one of: {' '.join(words)}")
    return words[value]


def _numbers(value: Any, count: int, name: str) -> list[float]:
    found = as_seconds(value, name)
    if found.shape != (count,):
        raise ValueError(f"{name}: expected {count} numbers, found shape {found.shape}")
    return [float(number) for number in found]


class Description:
    """A ``pm_clip_desc``, and the arrays that it points to."""

    def __init__(self) -> None:
        self.desc: Any = ffi.new("pm_clip_desc *")
        self.track_shape: tuple[int, ...] = ()
        self.key_count = 0
        self.first_time = 0.0
        self.span = Span(0.0)
        self._kept: list[Any] = []
        self._several: list[int] = []  # keys of each track, where tracks have their own times

    def set_times(self, times: Any, rate: Rate | None, rotations: Any) -> None:
        """Times of the keys; of each track, where they are a list of arrays."""
        if (times is None) == (rate is None):
            raise TypeError("times: expected times or a rate" if times is None else
                            "rate: both times and a rate are given")
        if rate is not None:
            self._set_rate(rate_of(rate, "rate"), rotations)
            return
        several = isinstance(times, (list, tuple)) and len(times) > 0 and np.ndim(times[0]) == 1
        listed = [as_seconds(t, "times") for t in (times if several else [times])]
        for array in listed:
            if array.ndim != 1:
                raise ValueError(f"times: expected 1 dimension, found shape {array.shape}")
            if len(array) == 0:
                raise ValueError("times: is empty")
        timelines = ffi.new("pm_timeline[]", len(listed))
        for timeline, array in zip(timelines, listed):
            timeline.key_count, timeline.times = len(array), ffi.cast("double *", address(array))
        self.first_time = float(listed[0][0])
        self.span = Span(max(float(array[-1] - array[0]) for array in listed))
        self._set_timelines(timelines, listed)
        if several:
            self._several = [len(array) for array in listed]

    def _set_rate(self, rate: Fraction, rotations: Any) -> None:
        if rotations is None:
            raise TypeError("rotations: None")
        count = len(rotations)
        timelines = ffi.new("pm_timeline[]", 1)
        timelines[0].key_count = count
        timelines[0].rate = (rate.numerator, rate.denominator)
        self.span = Span(Fraction(max(count - 1, 0)) / rate)
        self._set_timelines(timelines, [])
        self.key_count = count

    def _set_timelines(self, timelines: Any, arrays: list[Array]) -> None:
        self.desc.timelines, self.desc.timeline_count = timelines, len(timelines)
        self.key_count = sum(timeline.key_count for timeline in timelines)
        self._kept += [timelines, arrays]

    def set_keys(self, channel: str, value: Any, *, scalar_first: bool = False,
                 components: int = 3, name: str = "") -> None:
        """An array of one value per key and track. The first one decides the shape of tracks."""
        name = name or channel
        if is_rotation(value):
            value = value.as_quat()
        array = self._joined(value, components, name) if self._several else as_floats(value, name)
        self._check_shape(array, components, name)
        if scalar_first and components == 4:
            array = with_scalar_last(array)
        target = getattr(self.desc, channel)
        self._kept.append(fill_rows(target, array))
        if self._several:
            target.stride = 0

    def _joined(self, value: Any, components: int, name: str) -> Array:
        """Keys of tracks with their own times, one track after another."""
        if not isinstance(value, (list, tuple)) or len(value) != len(self._several):
            raise ValueError(f"{name}: expected a list of {len(self._several)} arrays, as times")
        arrays = [as_floats(track, name) for track in value]
        for i, (track, count) in enumerate(zip(arrays, self._several)):
            if track.shape != (count, components):
                raise ValueError(f"{name}: expected shape {(count, components)} of track {i}, "
                                 f"found {track.shape}")
        return np.concatenate(arrays)

    def _check_shape(self, array: Array, components: int, name: str) -> None:
        if array.ndim < 2 or array.shape[-1] != components:
            raise ValueError(f"{name}: expected shape (keys, ..., {components}), found "
                             f"{array.shape}")
        if len(array) != self.key_count:
            raise ValueError(f"{name}: expected {self.key_count} keys, as many as times, found "
                             f"{len(array)}")
        if array.size == 0:
            raise ValueError(f"{name}: has no {'key' if len(array) == 0 else 'track'}")
        tracks = (len(self._several),) if self._several else array.shape[1:-1]
        if self.desc.track_count == 0:
            self.track_shape, self.desc.track_count = tracks, int(np.prod(tracks, dtype=int))
        if tracks != self.track_shape:
            raise ValueError(f"{name}: expected tracks of shape {self.track_shape}, found {tracks}")
        if self._several and self.desc.timeline_of == ffi.NULL:
            timeline_of = ffi.new("uint32_t[]", list(range(len(self._several))))
            self.desc.timeline_of = timeline_of
            self._kept.append(timeline_of)

    def set_method(self, method: str, vector_method: str, key_format: str) -> None:
        """The curve, and how its keys are stored."""
        self.desc.method = word(method, METHODS, "method")
        self.desc.vector_method = word(vector_method, _VECTOR_METHODS, "vector_method")
        self.desc.key_format = word(key_format, KEY_FORMATS, "key_format")

    def set_loop(self, loop: float | None) -> None:
        """The period of a closed track."""
        if loop is None:
            return
        period = _numbers([loop], 1, "loop")[0]
        if not period > 0 or not np.isfinite(period):
            raise ValueError(f"loop: expected a finite number above 0, found {loop!r}")
        self.desc.loop = period
        span = float(self.span.seconds)
        # As the library decides: within 1e-9, the last key repeats the first.
        self.span = Span(self.span.seconds, period, abs(period - span) <= 1e-9 * span)

    def set_velocities(self, tangents: Any, tcb: Sequence[float], ends: str, unlimited: bool) -> None:
        """Velocities at keys."""
        if isinstance(tangents, str):
            self.desc.tangents = word(tangents, _TANGENTS, "tangents")
        else:
            self.set_keys("user_tangents", tangents, name="tangents")
            self.desc.tangents = lib.PM_TANGENTS_USER
        values = _numbers(tcb, 3, "tcb")
        if not all(-1 <= number <= 1 for number in values):
            raise ValueError(f"tcb: expected numbers within -1 and 1, found {values}")
        self.desc.tension, self.desc.continuity, self.desc.bias = values
        self.desc.ends = word(ends, _ENDS, "ends")
        self.desc.unlimited = unlimited

    def set_axis(self, axis: Any, axis_frame: str, swing: Any, twist: Any) -> None:
        """Twist axis and windows of sterp."""
        self.desc.axis_frame = word(axis_frame, FRAMES, "axis_frame")
        windows = ffi.new("pm_windows *", (*_numbers(swing, 2, "swing"),
                                           *_numbers(twist, 2, "twist")))
        self.desc.windows = windows
        self._kept.append(windows)
        if axis is None:
            return
        array = np.array(as_seconds(axis, "axis"))
        if array.shape not in ((3,), (*self.track_shape, 3)):
            raise ValueError(f"axis: expected shape (3,) or {(*self.track_shape, 3)}, found "
                             f"{array.shape}")
        self.desc.axis_count = array.size // 3
        self._kept.append(fill_rows(self.desc.axes, array.reshape(-1, 3)))
