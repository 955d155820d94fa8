# SPDX-License-Identifier: MIT
"""One reduction of a motion, which can be made again."""
from __future__ import annotations

import json
from collections.abc import Iterable
from numbers import Real
from typing import Any

from ._content import Content
from ._library import call, ffi, lib
from ._resampling import clip_index, count_of
from ._shared import Shared

__all__ = ["Reducing", "bound", "method_of", "options_of", "place_of"]

# PM_MOTION_AT_MESH and PM_MOTION_AT_JOINTS.
_PLACES = {"mesh": -1.0, "joints": -2.0}


def bound(value: Any, name: str) -> float:
    """A number of the caller."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}: expected a number, found {type(value).__name__}")
    return float(value)


def place_of(value: Any) -> float:
    """Where distances are measured: a word, or a length."""
    if isinstance(value, str):
        if value not in _PLACES:
            raise ValueError(f"at: {value!r} is unknown; expected mesh, joints or a length")
        return _PLACES[value]
    length = bound(value, "at")
    if not length > 0:
        raise ValueError(f"at: expected mesh, joints or a length above 0, found {length:g}")
    return length


def method_of(curve: str) -> int:
    """The number of a method by its name; which of them the library takes is its own affair."""
    found = ffi.new("pm_method *")
    if not isinstance(curve, str) or not lib.pm_method_find(curve.encode(), found):
        raise ValueError(f"curve: {curve!r} is no method")
    return int(found[0])


def options_of(bounds: dict[str, float], curve: tuple[str, bool], common: bool, threads: int = 0) -> Any:
    """A pm_motion_reduce_options of all clips. The curve is its name, and whether it is smooth."""
    return ffi.new("pm_motion_reduce_options *", {
        **{"scale_error" if name == "scale" else name: value for name, value in bounds.items()},
        "has_angle": "angle" in bounds, "has_position": "position" in bounds,
        "has_scale_error": "scale" in bounds, "common": bool(common),
        "curve": method_of(curve[0]),
        "smooth": bool(curve[1]), "threads": count_of(threads, "threads", 2**32)})


class Reducing(Shared):
    """The options of one reduction, with all that they point to.

    Attributes
    ----------
    clips : list of int or None
        Those that are reduced; None: all.
    method : str
        The curve of the result.
    numbers : dict
        Of the last run.
    """

    def __init__(self, content: Content, bounds: dict[str, float], curve: tuple[str, bool], common: bool,
                 clips: Iterable[int | str] | None, threads: int) -> None:
        if isinstance(clips, str):
            raise TypeError("clips: expected a sequence of indices or names, found one name")
        clips = None if clips is None else list(clips)
        self._given = (content, bounds, curve, common, clips, threads)
        self._content = content
        self.clips = None if clips is None else sorted({clip_index(content, clip) for clip in clips})
        self.method = curve[0]
        self.numbers: dict[str, Any] = {}
        self._options = options_of(bounds, curve, common, threads)
        if self.clips is not None:
            self._indices = ffi.new("size_t[]", self.clips or 1)
            self._options.clips, self._options.clip_count = self._indices, len(self.clips)

    def __reduce__(self) -> tuple[type[Reducing], tuple[Any, ...]]:
        return Reducing, self._given

    def run(self) -> Content:
        """The reduced motion, in memory."""
        made, found = ffi.new("pm_motion **"), ffi.new("pm_motion_reduction **")
        call(lib.pm_motion_reduce, self._content.handle, self._options, made, found)
        self.numbers = json.loads(bytes(ffi.string(lib.pm_motion_reduction_json(found[0]))).decode())
        lib.pm_motion_reduction_destroy(found)
        return Content(made[0], (Reducing.run, (self,)), sources=[self._content])
