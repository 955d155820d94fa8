# SPDX-License-Identifier: MIT
"""What is asked of a motion library: a job of the C library, and the arrays that receive its fields."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from ._arrays import address, as_array, as_seconds, new_result
from ._crowd import _STATES, _numbers, _placed
from ._library import ffi, lib
from ._library_file import Stored
from ._names import State
from ._rational import Number, rate_of, rational
from ._views import Array

__all__ = ["Job", "Up", "Wrap"]

Up = Literal["y", "z"]
Wrap = Union[bool, Literal["continue"]]

_UPS = {None: lib.PM_MOTION_UP_FOUND, "y": lib.PM_MOTION_UP_Y, "z": lib.PM_MOTION_UP_Z}
_WRAPS = {False: lib.PM_LIBRARY_CLAMP, True: lib.PM_LIBRARY_WRAP, "continue": lib.PM_LIBRARY_CONTINUE}
_BODIES, _ROOT, _DOFS, _BALLS = (lib.PM_LIBRARY_BODIES, lib.PM_LIBRARY_ROOT, lib.PM_LIBRARY_DOFS,
                                 lib.PM_LIBRARY_BALLS)
_BODY_STATES: tuple[State, ...] = ("body_pos", "body_rot", "body_vel", "body_ang_vel", "local_rot", "local_ang_vel")
# The subset and the state that a field is.
_FIELDS: dict[str, tuple[int, State]] = (
    {name: (_BODIES, name) for name in _BODY_STATES} |
    {name.replace("body", "root"): (_ROOT, name) for name in _BODY_STATES[:4]} |
    {"dof_pos": (_DOFS, "angle"), "dof_vel": (_DOFS, "angle_rate"),
     "dof_rot": (_BALLS, "local_rot"), "dof_ang_vel": (_BALLS, "local_ang_vel")})


class Job:
    """A pm_library_job, with the arrays to which it points."""

    def __init__(self, stored: Stored, ids: Array, times: npt.ArrayLike | None, steps: npt.ArrayLike | None,
                 rate: Number | None, offsets: npt.ArrayLike | None, wrap: Wrap, up: Up | None) -> None:
        if (times is None) == (steps is None):
            raise ValueError("times: expected times or steps, and not both")
        if (steps is None) != (rate is None):
            raise ValueError("steps: expected steps with a rate")
        if wrap not in _WRAPS:
            raise ValueError(f"wrap: {wrap!r} is unknown; expected False, True or 'continue'")
        if up not in _UPS:
            raise ValueError(f"up: {up!r} is unknown; expected 'y' or 'z'")
        self._stored, self._count, self._keep = stored, len(ids), [ids]
        self.handle = ffi.new("pm_library_job *", {"motions": address(ids), "count": len(ids), "wrap": _WRAPS[wrap],
                                                   "up": _UPS[up], "refuse_missing": True})
        name, given = ("times", times) if steps is None else ("steps", steps)
        values = as_seconds(given, name) if steps is None else as_array(given, name)
        if values.shape != (len(ids),):
            raise ValueError(f"{name}: expected {len(ids)}, one for each id, found shape {values.shape}")
        if steps is not None and rate is not None:
            if values.size and values.dtype.kind not in "iu":
                raise TypeError(f"steps: expected integers, found {values.dtype}")
            if values.size and int(values.max()) > np.iinfo(np.int64).max:
                raise ValueError("steps: times are out of range")
            values = np.ascontiguousarray(values, np.int64)
            self.handle.rate = rational(rate_of(rate))
        setattr(self.handle, name, self._point(values))
        self._shape: tuple[int, ...] = (len(ids),)
        if offsets is not None:
            ahead = as_seconds(offsets, "offsets")
            if ahead.ndim != 1:
                raise ValueError(f"offsets: expected one axis, found shape {ahead.shape}")
            self._shape = (len(ids), len(ahead))
            # Without offsets the pointer tells that there are none.
            self.handle.offsets = self._point(ahead if len(ahead) else np.zeros(1))
            self.handle.offset_count = len(ahead)

    def _point(self, array: Array) -> Any:
        self._keep.append(array)
        return address(array)

    def place(self, at: tuple[npt.ArrayLike, npt.ArrayLike] | None, speed: npt.ArrayLike | None,
              scalar_first: bool) -> None:
        """Where instances are in the world, and factors of velocities."""
        if at is not None:
            if not isinstance(at, (tuple, list)) or len(at) != 2:
                raise TypeError("at: expected a pair: positions and rotations")
            self.handle.placements = self._point(_placed(at, self._count, scalar_first))
        if speed is not None:
            speeds = np.broadcast_to(np.asarray(speed), (self._count,))
            self.handle.speeds = self._point(_numbers(speeds, "speed", (self._count,)))

    def outputs(self, fields: Sequence[str], out: Mapping[str, Any] | None, scalar_first: bool,
                at_com: bool) -> dict[str, Array]:
        """Arrays of the fields, which the job fills."""
        if isinstance(fields, str):
            raise TypeError("fields: expected a sequence of texts, found one")
        extras = self._stored.extras
        for field in fields:
            if field not in _FIELDS and field not in extras:
                raise ValueError(f"fields: {field!r} is unknown; expected {', '.join((*_FIELDS, *extras))}")
        columns = [field for field in dict.fromkeys(fields) if field in extras]
        states = [field for field in dict.fromkeys(fields) if field not in extras]
        found = {field: self._array(field, extras[field].shape[1:], extras[field].dtype, out) for field in columns}
        targets = ffi.new("pm_crowd_target[]", len(states))
        for target, field in zip(targets, states, strict=True):
            target.subset, state = _FIELDS[field]
            target.output, width, flag = _STATES[state]
            target.flags = (flag if scalar_first else 0) | (
                lib.PM_TARGET_AT_POINT if at_com and state == "body_vel" else 0)
            found[field] = self._array(field, self._inner(field, width), np.dtype(np.float32), out)
            target.memory = address(found[field])
        rows = ffi.new("pm_library_extra_target[]", len(columns))
        numbers = list(extras)
        for row, field in zip(rows, columns, strict=True):
            row.extra, row.memory = numbers.index(field), address(found[field])
            if found[field].size == 0:
                row.memory = ffi.cast("void *", rows)
        if 0 not in self._shape:
            self.handle.outputs, self.handle.output_count = targets, len(states)
            self.handle.extras, self.handle.extra_count = rows, len(columns)
        self._keep += [targets, rows]
        return {field: found[field] for field in fields}

    def _inner(self, field: str, width: int) -> tuple[int, ...]:
        """The axes of a state behind those of instances and offsets."""
        subset = _FIELDS[field][0]
        if subset == _ROOT:
            return (width,)
        counts = {_BODIES: len(self._stored.bodies), _DOFS: len(self._stored.dofs),
                  _BALLS: len(self._stored.skeleton.balls)}
        if counts[subset] == 0:
            raise ValueError(f"fields: {field!r}: the skeleton has no {'hinges' if subset == _DOFS else 'balls'}")
        return (counts[subset],) if subset == _DOFS else (counts[subset], width)

    def _array(self, name: str, inner: tuple[int, ...], dtype: np.dtype[Any], out: Mapping[str, Any] | None) -> Array:
        shape = (*self._shape, *inner)
        if out is None:
            return new_result(shape, dtype)
        if name not in out:
            raise ValueError(f"out: expected an array for {name!r}")
        array = as_array(out[name], f"out[{name!r}]")
        if array.shape != shape:
            raise ValueError(f"out[{name!r}]: expected shape {shape}, found {array.shape}")
        if array.dtype != dtype:
            raise TypeError(f"out[{name!r}]: expected {dtype}, found {array.dtype}")
        for is_so, problem in ((array.flags.c_contiguous, "not C-contiguous"), (array.flags.aligned, "not aligned"),
                               (array.flags.writeable, "read-only")):
            if not is_so:
                raise ValueError(f"out[{name!r}]: is {problem}")
        if any(np.may_share_memory(array, given) for given in self._keep if isinstance(given, np.ndarray)):
            raise ValueError(f"out[{name!r}]: overlaps an argument")
        return array
