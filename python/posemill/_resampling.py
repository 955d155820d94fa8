# SPDX-License-Identifier: MIT
"""Options of resampling, as the C library takes them."""
from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from ._content import Content
from ._engine import Engine, checked_engine, default_engine, plain_engine
from ._library import call, ffi, lib
from ._names import methods
from ._rational import Number, rate_of, rational, seconds_of
from ._shared import Shared
from ._views import name_of

__all__ = ["Resampling", "clip_index", "count_of", "first_clip", "method_number"]

_END_RULES = {"fit": lib.PM_MOTION_END_FIT, "include": lib.PM_MOTION_END_INCLUDE}
_TANGENTS = {"bessel": lib.PM_TANGENTS_BESSEL, "mean": lib.PM_TANGENTS_MEAN,
             "hold": lib.PM_TANGENTS_HOLD}
_ENDS = {"chord": lib.PM_ENDS_CHORD, "natural": lib.PM_ENDS_NATURAL,
         "parabola": lib.PM_ENDS_PARABOLA, "zero": lib.PM_ENDS_ZERO}
_FRAMES = {"body": lib.PM_AXIS_BODY, "parent": lib.PM_AXIS_PARENT}
_GLTF = (lib.PM_MOTION_GLTF, lib.PM_MOTION_GLB)
_CURVE = ("tangents", "ends", "limit", "loop", "axis", "axis_frame", "swing", "twist")


def method_number(name: str) -> int:
    """The pm_method of a name."""
    if not isinstance(name, str):
        raise TypeError(f"method: expected a text, found {type(name).__name__}")
    found = ffi.new("pm_method *")
    if "\0" in name or not lib.pm_method_find(name.encode(), found):
        raise ValueError(f"method: {name!r} is unknown; expected one of: {' '.join(methods())}")
    return int(found[0])


def is_authored(content: Content, method: str | None) -> bool:
    """Whether each channel follows its own interpolation: by default where that may be another than slerp."""
    if method is not None:
        return method == "authored"
    clips = (content.c.clips[i] for i in range(int(content.c.clip_count)))
    return content.c.format in _GLTF or any(
        clip.channels[i].interpolation == lib.PM_MOTION_CUBICSPLINE
        for clip in clips for i in range(int(clip.channel_count)))


def first_clip(content: Content) -> int:
    """The first clip with channels; 0 if none has any."""
    return next((i for i in range(int(content.c.clip_count))
                 if content.c.clips[i].channel_count > 0), 0)


def clip_index(content: Content, clip: int | str) -> int:
    """The clip of an index, or the first with a name."""
    count = int(content.c.clip_count)
    if isinstance(clip, str):
        names = [name_of(content.c.clips[i].name) for i in range(count)]
        if clip not in names:
            raise ValueError(f"clip: none is named {clip!r}")
        return names.index(clip)
    if isinstance(clip, bool) or not hasattr(clip, "__index__"):
        raise TypeError(f"clip: expected an index or a name, found {type(clip).__name__}")
    index = clip.__index__()
    if not -count <= index < count:
        raise ValueError(f"clip: {index} is none of {count}")
    return index % count


def _word(value: Any, words: dict[str, Any], name: str) -> Any:
    if value not in words:
        raise ValueError(f"{name}: {value!r} is unknown; expected one of {', '.join(words)}")
    return words[value]


def _numbers(values: Any, count: int, name: str) -> list[float]:
    found = np.asarray(values, np.float64)
    if found.shape != (count,) or not np.isfinite(found).all():
        raise ValueError(f"{name}: expected {count} finite numbers")
    return [float(x) for x in found]


def count_of(value: int, name: str, end: int = 2**63) -> int:
    """An integer from 0 up to, but not including, `end`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected an integer, found {type(value).__name__}")
    if not 0 <= value.__index__() < end:
        raise ValueError(f"{name}: {value} is below 0, or too large")
    return value.__index__()


def _set_tangents(desc: Any, tangents: Any) -> None:
    if isinstance(tangents, str):
        desc.tangents = _word(tangents, _TANGENTS, "tangents")
        return
    desc.tangents = lib.PM_TANGENTS_TCB
    desc.tension, desc.continuity, desc.bias = _numbers(tangents, 3, "tangents")


def _unread(method: int, given: dict[str, Any]) -> list[str]:
    """The parameters that a method does not use."""
    info = lib.pm_method_get_info(method)
    takes = {"tangents": info.takes_tangents, "ends": info.takes_ends,
             "limit": method == lib.PM_METHOD_SQUAD, "loop": True}
    return [name for name in given if not takes.get(name, info.takes_axes)]


def _curve(method: int, given: dict[str, Any], keep: list[Any]) -> Any:
    """A pm_clip_desc with the parameters of a method; `keep` receives what it points to."""
    unknown = [name for name in given if name not in _CURVE]
    if unknown:
        raise TypeError(f"resample() got an unexpected keyword argument {unknown[0]!r}")
    desc = ffi.new("pm_clip_desc *", {"method": method})
    _set_tangents(desc, given.get("tangents", "bessel"))
    desc.ends = _word(given.get("ends", "chord"), _ENDS, "ends")
    desc.unlimited = not given.get("limit", True)
    desc.loop = float(seconds_of(given.get("loop") or 0, "loop"))
    desc.axis_frame = _word(given.get("axis_frame", "body"), _FRAMES, "axis_frame")
    # Without an axis the library twists about the bones.
    if given.get("axis") is not None and method == lib.PM_METHOD_STERP:
        axis = ffi.new("double[3]", _numbers(given["axis"], 3, "axis"))
        keep.append(axis)
        desc.axes.data, desc.axes.type, desc.axis_count = axis, lib.PM_FLOAT64, 1
    if "swing" in given or "twist" in given:
        windows = ffi.new("pm_windows *", [*_numbers(given.get("swing", (0, 1)), 2, "swing"),
                                           *_numbers(given.get("twist", (0, 1)), 2, "twist")])
        keep.append(windows)
        desc.windows, desc.window_count = windows, 1
    return desc


def lowpass_of(value: float | str | None) -> float:
    """A cut-off in Hz as the library takes it."""
    if value is None or value == "auto":
        return 0.0 if value is None else -1.0
    if isinstance(value, str):
        raise ValueError(f"lowpass: {value!r} is no cut-off; expected \"auto\" or a number of Hz above 0")
    if not 0.0 < float(value) < float("inf"):
        raise ValueError(f"lowpass: expected \"auto\" or a number of Hz above 0, found {value}")
    return float(value)


class Resampling(Shared):
    """The options of one resampling, checked, with all that they point to.

    Attributes
    ----------
    clips : list of int or None
        Those that are resampled; None: all.
    options : cdata
        A pm_motion_resample_options.
    method : str
    """

    def __init__(self, content: Content, rate: Number, method: str | None,
                 clips: Iterable[int | str] | None, start: Number | None, end: Number | None,
                 end_rule: str, trim_start: int, keep_time: bool, max_samples: int,
                 lowpass: float | str | None, engine: Engine | None, curve: dict[str, Any]) -> None:
        keep: list[Any] = []
        if isinstance(clips, str):
            raise TypeError("clips: expected a sequence of indices or names, found one name")
        clips = None if clips is None else list(clips)
        self._given = (content, rate, method, clips, start, end, end_rule, trim_start, keep_time,
                       max_samples, lowpass, engine, curve)
        self._content = content
        self.clips = (None if clips is None else
                      sorted({clip_index(content, clip) for clip in clips}))
        self._is_gltf = content.c.format in _GLTF
        authored = is_authored(content, method)
        if authored and curve:
            raise TypeError(f"{next(iter(curve))}: has no effect on what is authored; "
                            "give a method")
        number = 0 if authored else method_number(method or "slerp")
        desc = _curve(number, curve, keep)
        self._unread = [] if authored else _unread(number, curve)
        self._end_cut = 0.0
        self.method = "authored" if authored else method or "slerp"
        self._engine = checked_engine(engine)
        self.options = ffi.new("pm_motion_resample_options *", {
            "rate": rational(rate_of(rate, "rate", _first_rate(content))),
            "start_after_first_key": rational(None if start is None else seconds_of(start, "start")),
            "end_after_first_key": rational(None if end is None else seconds_of(end, "end")),
            "end_rule": _word(end_rule, _END_RULES, "end_rule"),
            "trim_start": count_of(trim_start, "trim_start"), "keep_time": bool(keep_time),
            "max_samples": count_of(max_samples, "max_samples"),
            "lowpass": lowpass_of(lowpass), "authored": authored, "curve": desc})
        if self.clips is not None:
            indices = ffi.new("size_t[]", self.clips or 1)
            keep.append(indices)
            self.options.clips, self.options.clip_count = indices, len(self.clips)
        self._keep = (keep, desc)

    @property
    def engine(self) -> Any:
        """The engine that was given, or the one for so many samples."""
        if self._engine is not None:
            return self._engine.handle
        repays = lib.pm_motion_repays_device(self._content.handle, self.options)
        return (default_engine() if repays else plain_engine()).handle

    def __reduce__(self) -> tuple[type[Resampling], tuple[Any, ...]]:
        return Resampling, self._given

    def run(self) -> Content:
        """The resampled motion, in memory."""
        made = ffi.new("pm_motion **")
        report = ffi.new("pm_motion_resample_report *")
        call(lib.pm_motion_resample_copy, self._content.handle, self.engine, self.options, made, report)
        self._end_cut = report.end_cut
        return Content(made[0], (Resampling.run, (self,)), sources=[self._content])

    def warnings(self) -> list[str]:
        """What has no effect, and what the last run left out."""
        found = [f"{name}: has no effect on {self.method}" for name in self._unread]
        if self._end_cut > 0.0:
            found.append(f"the last {self._end_cut:.3g} s are left out; end_rule=\"include\" adds a sample "
                         "at the end")
        return found

    def save(self, path: bytes, format: int, decimals: int,
             make_folders: bool) -> bool:
        """Resamples from the source's file once more; False where another format is wanted."""
        source = self._content
        same = format == source.c.format or (self._is_gltf and format in _GLTF)
        if source.is_copy or not same:
            return False
        options = ffi.new("pm_motion_resample_options *", self.options[0])
        options.format, options.decimals, options.make_folders = format, decimals, make_folders
        call(lib.pm_motion_resample, source.handle, self.engine, options, path, ffi.NULL)
        return True


def _first_rate(content: Content) -> Fraction | None:
    if content.c.clip_count == 0:
        return None
    rate = content.c.clips[first_clip(content)].rate
    if rate.den == 0:
        return None
    return Fraction(int(rate.num), int(rate.den))
