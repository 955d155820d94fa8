# SPDX-License-Identifier: MIT
"""Columns of frames beside the keys of a library, such as contacts and phases."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ._arrays import as_array
from ._key_rows import KeyRows
from ._views import Array

__all__ = ["Extras", "FrameTimes", "check_extra", "extras_of", "sampled"]

_LOOP_ENDS = 1e-9  # of the span: the period at which a loop's last key repeats the first, as in timeline.c
_LONGEST_NAME = 200
_TICKS = 2.0**32  # a second
_ROUNDING = 2.0**-51  # of places among frames, relative
_RESERVED = ("body_", "dof_", "local_", "root_")
Extras = Mapping[str, Mapping[str, npt.ArrayLike]]
Ticks = npt.NDArray[np.int64]


def check_extra(name: str, column: Array, frames: int) -> None:
    """Raises ValueError unless the name can be a field and a member of a file, and the column fits."""
    called = f"extras: {name!r}"
    if not name or not name.isprintable() or len(name) > _LONGEST_NAME or "/" in name or "\\" in name:
        raise ValueError(f"{called} is no name of printable characters without slashes, up to {_LONGEST_NAME}")
    if name.startswith(_RESERVED):
        raise ValueError(f"{called}: names that begin with {', '.join(_RESERVED)} are those of states")
    if column.ndim == 0 or len(column) != frames:
        raise ValueError(f"{called}: expected {frames} frames, found shape {column.shape}")
    if not (column.dtype == np.float32 or column.dtype.kind in "biu") or not column.dtype.isnative:
        raise ValueError(f"{called}: expected real numbers or booleans, found {column.dtype}")
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise ValueError(f"{called}: has a number that is not finite")


def extras_of(given: Extras, frames: Mapping[str, int]) -> dict[str, Array]:
    """Columns of all frames. Floats become float32."""
    found = {}
    for name, columns in given.items():
        if not isinstance(name, str) or not isinstance(columns, Mapping):
            raise TypeError(f"extras: expected a mapping of motions for each name, found {name!r}")
        if set(columns) != set(frames):
            odd = sorted(map(str, set(columns) ^ set(frames)))[0]
            raise ValueError(f"extras: {name!r}: expected an array of each motion, and {odd!r} is "
                             f"{'missing' if odd in frames else 'none'}")
        parts = [_part(name, motion, columns[motion], count) for motion, count in frames.items()]
        for motion, part in zip(frames, parts, strict=True):
            if part.shape[1:] != parts[0].shape[1:] or part.dtype != parts[0].dtype:
                raise ValueError(f"extras: {name!r}: {motion!r}: expected {parts[0].dtype} of shape (frames, ...) "
                                 f"as in the first motion, found {part.dtype} of shape {part.shape}")
        found[name] = np.ascontiguousarray(np.concatenate(parts))
        check_extra(name, found[name], sum(frames.values()))
    return found


def _part(name: str, motion: str, values: npt.ArrayLike, frames: int) -> Array:
    part = as_array(values, f"extras: {name!r}: {motion!r}")
    if part.ndim == 0 or len(part) != frames:
        raise ValueError(f"extras: {name!r}: {motion!r}: expected {frames} frames, found shape {part.shape}")
    return part.astype(np.float32 if part.dtype.kind == "f" else part.dtype.newbyteorder("="), copy=False)


class FrameTimes:
    """Where times are among the frames of clips."""

    def __init__(self, rows: KeyRows, cycles: Ticks) -> None:
        rates = rows.rates[:, 0] / rows.rates[:, 1]
        self._first, self._last = rows.first, rows.frames - 1
        self._cycles = np.maximum(cycles, 1)
        self._per_tick = rates / _TICKS
        # Loops whose last frame does not repeat the first have a segment more, of any length.
        seconds = self._last / rates
        self._leads_back = (rows.loops > 0) & (np.abs(rows.loops - seconds) > _LOOP_ENDS * seconds)
        self._ends = np.rint(seconds * _TICKS)

    def at(self, clips: Array, ticks: Ticks, wrap: bool) -> tuple[Ticks, Ticks, npt.NDArray[np.float64]]:
        """Rows of the frames at or before times, and of those after them, and the fractions between.
        Within a tick of a frame, as for poses, a time is that of the frame.
        """
        cycles, last, ends = self._cycles[clips], self._last[clips], self._ends[clips]
        per_tick, leads_back = self._per_tick[clips], self._leads_back[clips]
        since = np.mod(ticks, cycles) if wrap else np.clip(ticks, 0, cycles)
        back = np.clip((since - ends) / np.maximum(cycles - ends, 1), 0, 1) * leads_back
        place = np.where(since < ends, np.minimum(since * per_tick, last), last + back)
        nearest = np.rint(place)
        on_frame = np.abs(place - nearest) <= per_tick + 1 / _TICKS + _ROUNDING * place
        place = np.where(on_frame, nearest, place)
        frame = np.floor(place).astype(np.int64)
        before = np.where(frame > last, 0, frame)
        after = np.where(before < last, before + 1, np.where(leads_back, 0, last))
        return self._first[clips] + before, self._first[clips] + after, place - frame


def sampled(column: Array, before: Ticks, after: Ticks, u: npt.NDArray[np.float64]) -> Array:
    """Floats linear; integers and booleans of the nearest frame that is not later."""
    if column.dtype.kind != "f":
        found: Array = column[before]
        return found
    weight = u.reshape(-1, *[1] * (column.ndim - 1))
    found = ((1 - weight) * column[before] + weight * column[after]).astype(np.float32)
    return found
