# SPDX-License-Identifier: MIT
"""Arrays as an NPZ file of the layout plain, which the library reads."""
from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import numpy as np

from ._arrays import as_array, as_floats

__all__ = ["archive_of"]


def _names(names: Any, count: int) -> Any:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError("names: expected a sequence of texts")
    if len(names) != count:
        raise ValueError(f"names: expected {count}, one per joint, found {len(names)}")
    return np.array(list(names), dtype=np.str_)


def _parents(parents: Any, count: int) -> Any:
    found = as_array(parents, "parents")
    if found.dtype.kind not in "iu":
        raise TypeError(f"parents: expected integers, found {found.dtype}")
    if found.shape != (count,):
        raise ValueError(f"parents: expected {count}, one per joint, found shape {found.shape}")
    return found.astype(np.int32)


def _checked(name: str, value: Any, frames: int, joints: int) -> Any:
    """An array of the shape that the name has."""
    shapes: dict[str, list[tuple[int, ...]]] = {"positions": [(frames, joints, 3), (frames, 3)], "offsets": [(joints, 3)],
              "rest_rotations": [(joints, 4)], "rest_scales": [(joints, 3)]}
    array = as_floats(value, name)
    if array.shape not in shapes[name]:
        raise ValueError(f"{name}: expected shape {' or '.join(map(str, shapes[name]))}, found "
                         f"{array.shape}")
    return array


def archive_of(rate: Fraction, arrays: dict[str, Any]) -> bytes:
    """The bytes of the file. Arrays that are None are left out."""
    rotations = as_floats(arrays["rotations"], "rotations")
    if rotations.ndim != 3 or rotations.shape[2] != 4 or 0 in rotations.shape:
        raise ValueError(f"rotations: expected shape (frames, joints, 4), found {rotations.shape}")
    frames, joints = rotations.shape[:2]
    given = {name: value for name, value in arrays.items() if value is not None}
    if "parents" not in given and len(set(given) - {"rotations", "positions"}) > 0:
        raise TypeError("parents: expected those of the joints, because a skeleton is described")
    made: dict[str, Any] = {"rotations": rotations}
    for name, value in given.items():
        if name == "parents":
            made[name] = _parents(value, joints)
        elif name == "names":
            made[name] = _names(value, joints)
        elif name != "rotations":
            made[name] = _checked(name, value, frames, joints)
    made["rate"] = np.int64(rate.numerator) if rate.denominator == 1 else np.float64(rate)
    file = io.BytesIO()
    np.savez(file, **made)
    return file.getvalue()
