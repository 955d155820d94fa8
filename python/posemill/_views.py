# SPDX-License-Identifier: MIT
"""Memory of the C library as NumPy arrays, without copies."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, lib

__all__ = ["Array", "address", "array_of", "name_of", "number_type", "view"]

Array = npt.NDArray[Any]


class _Memory:
    """What NumPy keeps alive with an array: memory, and the handles that it belongs to."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def address(pointer: Any) -> int:
    """Where a C pointer points to."""
    return int(ffi.cast("uintptr_t", pointer))


def view(owner: Any, pointer: Any, shape: tuple[int, ...], dtype: npt.DTypeLike,
         strides: tuple[int, ...] | None = None) -> Array:
    """A read-only array over C memory that lives as long as `owner`."""
    if 0 in shape:
        empty: Array = np.empty(shape, dtype)
        empty.flags.writeable = False
        return empty
    interface = {"version": 3, "shape": shape, "typestr": np.dtype(dtype).str,
                 "data": (address(pointer), True), "strides": strides}
    return np.asarray(_Memory(interface, owner))


def number_type(array: Any) -> np.dtype[Any]:
    """The type of the numbers of a pm_array."""
    return np.dtype(np.float64 if array.type == lib.PM_FLOAT64 else np.float32)


def array_of(owner: Any, array: Any, rows: int, columns: int) -> Array | None:
    """A pm_array of a motion; None where it is not given."""
    if array.data == ffi.NULL:
        return None
    dtype = number_type(array)
    stride = int(array.stride) or columns * dtype.itemsize
    return view(owner, array.data, (rows, columns), dtype, (stride, dtype.itemsize))


def name_of(name: Any) -> str:
    """A name of a file as text; bytes that are not UTF-8 become escapes such as ``\\xff``."""
    return bytes(ffi.buffer(name.text, name.size)).decode("utf-8", "backslashreplace")
