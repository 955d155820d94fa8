# SPDX-License-Identifier: MIT
"""Keyword arguments of a batch as the C library takes them."""
from __future__ import annotations

import os
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import numpy as np

from ._edit import fill_options
from ._library import ffi, lib
from ._motion import format_number
from ._names import EULER_ORDERS
from ._rational import rate_of, rational, seconds_of
from ._reducing import bound, options_of, place_of
from ._resampling import _END_RULES, _ENDS, _FRAMES, _TANGENTS, _numbers, _word, count_of, lowpass_of, method_number
from ._root import axes_of

__all__ = ["OF_DEVICES", "absolute_paths", "flag_of", "make_options"]

OF_DEVICES = ("device", "reference")
_FILES = ("layout", "skeleton", "rates", "tangents", "axis")
# Part and field of the struct, and the value for which the field is true.
_FLAGS = {"strict": ("read", "strict", True), "literal_rate": ("read", "literal_rate", True),
          "unlimited": ("curve", "unlimited", True), "keep_time": ("", "keep_time", True),
          "check": ("", "check", True), "keep_heading": ("root", "keep_heading", True),
          "keep_position": ("root", "keep_position", True)}
_OF_ROOT = ("root_node", "root_name", "root_axes", "keep_heading", "keep_position")
_UPS = {"y": lib.PM_MOTION_UP_Y, "z": lib.PM_MOTION_UP_Z}
_LENGTHS = {"mm": 1.0, "cm": 10.0, "dm": 100.0, "m": 1000.0, "in": 25.4, "ft": 304.8}  # in millimetres
_UNITS = {"K": 10, "M": 20, "G": 30, "T": 40}


def absolute_paths(options: dict[str, Any]) -> dict[str, Any]:
    """The options, with files for workers that may have another working folder."""
    return {name: os.path.abspath(os.fspath(value)) if name in _FILES and isinstance(
        value, (str, os.PathLike)) and os.path.exists(value) else value
        for name, value in options.items()}


def flag_of(value: Any, name: str) -> bool:
    """True or False, of Python or NumPy: a text such as "no" would be true."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected True or False, found {type(value).__name__}")
    return bool(value)


def _nearest(name: str) -> str:
    """What may be meant."""
    known = [*_FLAGS, *_SETTERS, *OF_DEVICES, "fill", "fill_max"]
    found = get_close_matches(name, [one for one in known if one != "reduce"], 1)
    return f"; did you mean {found[0]}?" if found else ""


def _text(value: Any, name: str) -> bytes:
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}: expected a text, found {type(value).__name__}")
    found = os.fsencode(value)
    if not found or b"\0" in found:
        raise ValueError(f"{name}: {value!r} is empty, or has a NUL byte")
    return found


def _count(value: Any, name: str, end: int = 2**63) -> int:
    return count_of(int(value) if isinstance(value, str) and value.isdigit() else value, name, end)


def _list(value: Any, count: int, name: str) -> list[float]:
    return _numbers(value.split(",") if isinstance(value, str) else value, count, name)


def _bytes(value: Any) -> int:
    shift = _UNITS.get(value[-1:], 0) if isinstance(value, str) else 0
    return _count(value[:-1] if shift else value, "memory", 2**63 >> shift) << shift


class _Made:
    """The struct, and what it points to."""

    def __init__(self) -> None:
        self.options = ffi.new("pm_motion_batch_options *")
        self.keep: list[Any] = []
        self.task = self.options.task
        self.parts = {"": self.task, "read": self.task.read, "curve": self.task.curve,
                      "root": self.task.root}

    def text(self, value: Any, name: str) -> Any:
        """A C string."""
        self.keep.append(ffi.new("char[]", _text(value, name)))
        return self.keep[-1]

    def set_method(self, value: Any) -> None:
        curve = self.task.curve
        curve.method_given, curve.authored = True, value == "authored"
        curve.method = 0 if curve.authored else method_number(value)

    def set_tangents(self, value: Any) -> None:
        curve = self.task.curve
        curve.tangents_given = True
        if isinstance(value, str) and value in _TANGENTS:
            curve.tangents = _TANGENTS[value]
        elif isinstance(value, (str, os.PathLike)) and os.fspath(value).endswith(".npy"):
            curve.tangents, curve.tangents_file = lib.PM_TANGENTS_USER, self.text(value, "tangents")
        elif isinstance(value, str) and not value.startswith("tcb:"):
            _word(value, {**_TANGENTS, "tcb:T,C,B": 0, "FILE.npy": 0}, "tangents")
        else:
            numbers = _list(value[4:] if isinstance(value, str) else value, 3, "tangents")
            if not all(-1 <= number <= 1 for number in numbers):
                raise ValueError(f"tangents: expected numbers from -1 to 1, found {numbers}")
            curve.tangents, curve.tcb = lib.PM_TANGENTS_TCB, numbers

    def set_axis(self, value: Any) -> None:
        curve = self.task.curve
        curve.axis_given = True
        if isinstance(value, (str, os.PathLike)) and os.fspath(value).endswith(".npy"):
            curve.axis_file = self.text(value, "axis")
            return
        curve.axis = _list(value, 3, "axis")
        if not any(curve.axis):
            raise ValueError("axis: has zero length; expected a direction")

    def set_window(self, name: str, value: Any) -> None:
        begin, end = _list(value, 2, name)
        if not 0 <= begin < end <= 1:
            raise ValueError(f"{name}: expected a, b with 0 <= a < b <= 1, found {value!r}")
        setattr(self.task.curve, name, [begin, end])
        setattr(self.task.curve, f"{name}_given", True)

    def set_given(self, part: Any, name: str, value: int) -> None:
        """A word that may be left out."""
        setattr(part, name, value)
        setattr(part, f"{name}_given", True)

    def set_up(self, value: Any) -> None:
        self.task.up = self.task.root.up = _word(value, _UPS, "up")

    def set_root_name(self, value: Any) -> None:
        self.task.root.new_name = self.text(value, "root_name")

    def set_unit(self, name: str, value: Any) -> None:
        unit = 0.0 if value == "keep" and name == "to_unit" else (
            _word(value, _LENGTHS, name) if isinstance(value, str) else float(rate_of(value, name)))
        setattr(self.task, f"{name}_mm", unit)

    def set_scale(self, value: Any) -> None:
        self.task.scale = float(rate_of(value, "scale"))

    def set_decimals(self, value: Any) -> None:
        self.task.decimals = _count(value, "decimals", 10)
        if self.task.decimals == 0:
            raise ValueError("decimals: 0 is below 1")

    def set_root(self, value: Any) -> None:
        self.task.extracts_root = True
        if value != "auto":
            self.task.root.joint = self.text(value, "extract_root")

    def set_root_node(self, value: Any) -> None:
        self.task.root.add = value == "new"
        if value != "new":
            self.task.root.root = self.text(value, "root_node")

    def set_reduce(self, value: dict[str, Any]) -> None:
        """The arguments of a reduction; None: those of the library."""
        bounds = {name: bound(value[name], name) for name in ("angle", "distance", "position", "scale")
                  if value[name] is not None}
        if value["at"] is not None:
            bounds["at"] = place_of(value["at"])
        self.keep.append(options_of(bounds, (value["curve"], value["smooth"]), value["common"]))
        self.task.reduce = self.keep[-1]

    def set_fill(self, value: Any, longest: Any) -> None:
        self.keep.append(fill_options(value, longest))
        self.task.fill, self.task.read.keep_nan = self.keep[-1], True

    def set_clips(self, value: Any) -> None:
        names = [self.text(str(one) if isinstance(one, int) and not isinstance(one, bool) else one, "clip")
                 for one in (value if isinstance(value, (list, tuple)) else [value])]
        self.keep.append(ffi.new("char *[]", names or 1))
        self.task.clips, self.task.clip_count = self.keep[-1], len(names)


def _to_read(name: str, field: str) -> Callable[[_Made, Any], None]:
    return lambda made, value: setattr(made.task.read, field, made.text(value, name))


_SETTERS: dict[str, Callable[[_Made, Any], None]] = {
    "method": _Made.set_method, "tangents": _Made.set_tangents, "axis": _Made.set_axis,
    "swing": lambda made, value: made.set_window("swing", value),
    "twist": lambda made, value: made.set_window("twist", value),
    "ends": lambda made, value: made.set_given(made.task.curve, "ends", _word(value, _ENDS, "ends")),
    "axis_frame": lambda made, value: made.set_given(made.task.curve, "axis_frame",
                                                     _word(value, _FRAMES, "axis_frame")),
    "loop": lambda made, value: setattr(made.task.curve, "loop", float(rate_of(value, "loop"))),
    "euler": lambda made, value: made.set_given(made.task, "euler", _word(value, EULER_ORDERS, "euler")),
    "end_rule": lambda made, value: made.set_given(made.task, "end_rule",
                                                   _word(value, _END_RULES, "end_rule")),
    "up": _Made.set_up, "root_name": _Made.set_root_name,
    "to_up": lambda made, value: setattr(made.task, "to_up", _word(value, {**_UPS, "keep": 0}, "to_up")),
    "unit": lambda made, value: made.set_unit("unit", value),
    "to_unit": lambda made, value: made.set_unit("to_unit", value),
    "reduce": _Made.set_reduce,
    "scale": _Made.set_scale, "decimals": _Made.set_decimals, "clip": _Made.set_clips,
    "extract_root": _Made.set_root, "root_node": _Made.set_root_node,
    "root_axes": lambda made, value: setattr(made.task.root, "axes", axes_of(value, "root_axes")),
    "to": lambda made, value: setattr(made.task, "format", format_number(value)),
    "start": lambda made, value: setattr(made.task, "start_after_first_key", rational(seconds_of(value, "start"))),
    "end": lambda made, value: setattr(made.task, "end_after_first_key", rational(seconds_of(value, "end"))),
    "lowpass": lambda made, value: setattr(made.task, "lowpass", lowpass_of(value)),
    "max_frames": lambda made, value: setattr(made.task, "max_samples", _count(value, "max_frames")),
    "trim_start": lambda made, value: setattr(made.task, "trim_start", _count(value, "trim_start")),
    "format": lambda made, value: setattr(made.task.read, "format", format_number(value)),
    "source_rate": lambda made, value: setattr(made.task.read, "source_rate",
                                               rational(rate_of(value, "source_rate"))),
    "layout": _to_read("layout", "layout"), "skeleton": _to_read("skeleton", "skeleton"),
    "rates": _to_read("rates", "rates_file"),
    "nan": lambda made, value: setattr(made.task.read, "hold_nan", _word(value, {"hold": 1}, "nan")),
    "bvh_position": lambda made, value: setattr(
        made.task.read, "bvh_adds_offset", _word(value, {"replace": 0, "add": 1}, "bvh_position")),
    "memory": lambda made, value: setattr(made.options, "memory", _bytes(value)),
}


def make_options(options: dict[str, Any]) -> tuple[Any, list[Any]]:
    """A pm_motion_batch_options with what is done to each file, and what it points to. Options of devices
    are left out.
    """
    device = options.get("device")
    if device is not None and not isinstance(device, str):
        raise TypeError(f"device: expected a text, found {type(device).__name__}")
    if flag_of(options.get("reference", False), "reference") and device not in (None, "none"):
        raise ValueError(f"reference: cannot be combined with device={device!r}")
    for name in _OF_ROOT:
        if options.get(name) and options.get("extract_root") is None:
            raise ValueError(f"{name}: requires extract_root")
    if options.get("fill_max") is not None and not options.get("fill"):
        raise ValueError("fill_max: requires fill")
    made = _Made()
    for name, value in options.items():
        if name in (*OF_DEVICES, "fill_max") or value is None:
            continue
        if name == "fill":
            if value:
                made.set_fill(value, options.get("fill_max"))
            continue
        if name in _FLAGS:
            part, field, sets = _FLAGS[name]
            setattr(made.parts[part], field, flag_of(value, name) == sets)
        elif name in _SETTERS:
            _SETTERS[name](made, value)
        else:
            raise ValueError(f"{name}: is no option of a batch{_nearest(name)}")
    return made.options, made.keep
