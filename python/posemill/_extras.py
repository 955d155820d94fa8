# SPDX-License-Identifier: MIT
"""Columns of frames beside the keys of a library, such as contacts and phases."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ._arrays import as_array
from ._views import Array

__all__ = ["Extras", "check_extra", "extras_of"]

_LONGEST_NAME = 200
_RESERVED = ("body_", "dof_", "local_", "root_")
Extras = Mapping[str, Mapping[str, npt.ArrayLike]]


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
