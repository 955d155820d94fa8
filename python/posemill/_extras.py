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
        found[name] = np.concatenate(parts)
        check_extra(name, found[name], sum(frames.values()))
    return found


def _part(name: str, motion: str, values: npt.ArrayLike, frames: int) -> Array:
    part = as_array(values, f"extras: {name!r}: {motion!r}")
    if part.ndim == 0 or len(part) != frames:
        raise ValueError(f"extras: {name!r}: {motion!r}: expected {frames} frames, found shape {part.shape}")
    return part.astype(np.float32 if part.dtype.kind == "f" else part.dtype.newbyteorder("="), copy=False)


def _high_product(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The upper 64 of the 128 bits of a product."""
    half, low = np.uint64(32), np.uint64(0xffffffff)
    a1, a0, b1, b0 = a >> half, a & low, b >> half, b & low
    cross, other = a1 * b0, a0 * b1
    carry = ((a0 * b0 >> half) + (cross & low) + (other & low)) >> half
    found: npt.NDArray[np.uint64] = a1 * b1 + (cross >> half) + (other >> half) + carry
    return found


class FrameTimes:
    """Where times are among the frames of clips, by the integers of pm_crowd_locate_uniform."""

    def __init__(self, rows: KeyRows, cycles: Ticks) -> None:
        self._first, self._frames, self._cycles = rows.first, rows.frames, np.maximum(cycles, 1)
        pairs, rate_of = np.unique(rows.rates, axis=0, return_inverse=True)
        self._rate_of = rate_of.reshape(-1)
        fixed = [_fixed(int(num), int(den)) for num, den in pairs]
        self._shift, self._fixed, self._slack = (np.array(column, np.uint64) for column in zip(*fixed, strict=True))
        seconds = (rows.frames - 1) * (rows.rates[:, 1] / rows.rates[:, 0])
        # Loops whose last frame does not repeat the first have a segment more, of any length.
        self._leads_back = (rows.loops > 0) & (np.abs(rows.loops - seconds) > _LOOP_ENDS * seconds)
        self._ends = np.rint(seconds * 2.0**32)

    def at(self, clips: Array, ticks: Ticks, wrap: bool) -> tuple[Ticks, Ticks, npt.NDArray[np.float64]]:
        """Rows of the frames at or before times, and of those after them, and the fractions between."""
        cycles, rate = self._cycles[clips], self._rate_of[clips]
        since = np.mod(ticks, cycles) if wrap else np.clip(ticks, 0, cycles)
        position = _high_product(since.astype(np.uint64) << self._shift[rate], self._fixed[rate])
        frame = (position >> np.uint64(32)).astype(np.int64)
        fraction = position & np.uint64(0xffffffff)
        u = fraction / 2.0**32
        u[fraction < self._slack[rate]] = 0
        u[fraction + self._slack[rate] > 0xffffffff] = 1
        last = self._frames[clips] - 1
        past = (frame >= last) | (since >= self._ends[clips])
        rest = (since - self._ends[clips]) / np.maximum(cycles - self._ends[clips], 1)
        rest = np.where(cycles - since <= 1, 1, np.clip(rest, 0, 1))
        u = np.where(past, np.where(self._leads_back[clips], rest, 0), u)
        frame = np.where(past, last, frame)
        after = np.where(frame < last, frame + 1, np.where(self._leads_back[clips], 0, last))
        return self._first[clips] + frame, self._first[clips] + after, u


def _fixed(num: int, den: int) -> tuple[int, int, int]:
    """Frames per tick as in pm_crowd_timeline: shift, a fraction of 64 bits, and the slack of a tick."""
    shift = 0
    while num >= den << shift:
        shift += 1
    return shift, (num << (64 - shift)) // den, min(num // den + 1, 2**32 - 1)


def sampled(column: Array, before: Ticks, after: Ticks, u: npt.NDArray[np.float64]) -> Array:
    """Floats linear; integers and booleans of the nearest frame that is not later."""
    if column.dtype.kind != "f":
        found: Array = column[np.where(u == 1, after, before)]
        return found
    weight = u.reshape(-1, *[1] * (column.ndim - 1))
    found = ((1 - weight) * column[before] + weight * column[after]).astype(np.float32)
    return found
