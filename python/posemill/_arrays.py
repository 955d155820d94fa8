# SPDX-License-Identifier: MIT
"""Arrays of callers: read without a copy where the library can describe them, outputs checked."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._library import ffi, lib

__all__ = ["AnyRotation", "Array", "HasQuat", "KeysOf", "Numbers", "address", "as_array", "as_floats", "as_seconds", "fill_rows", "is_rotation",
           "new_result", "normalized", "output", "result_type", "rotation_of", "with_scalar_first",
           "with_scalar_last"]

Array = NDArray[Any]


class HasQuat(Protocol):
    """A Rotation of SciPy, which may not be installed, or have no types."""

    def as_quat(self) -> Any:
        """Quaternions x y z w."""


class HasDLPack(Protocol):
    """A tensor."""

    def __dlpack__(self) -> Any:
        """A capsule with the memory."""


Numbers = Union[ArrayLike, HasDLPack]
AnyRotation = TypeVar("AnyRotation", bound=HasQuat)
if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    #: The type of the keys of a curve: a Rotation is sampled as one.
    KeysOf = TypeVarWithDefault("KeysOf", default=Any)
else:
    KeysOf = TypeVar("KeysOf")

_DLPACK_CPU = 1
_NUMBERS = {np.dtype(np.float32): lib.PM_FLOAT32, np.dtype(np.float64): lib.PM_FLOAT64}


def as_array(value: Any, name: str) -> Array:
    """The memory of an object with ``__array__``, a buffer or ``__dlpack__`` as an array."""
    if isinstance(value, np.ndarray):
        return value
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            if value.__dlpack_device__()[0] != _DLPACK_CPU:
                raise TypeError("is not in the memory of the CPU")
            return np.from_dlpack(value)
        return np.asarray(value)
    except (TypeError, RuntimeError) as error:
        raise TypeError(f"{name}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def as_floats(value: Any, name: str) -> Array:
    """An array of float32 or float64 in the machine's byte order. Integers become float64."""
    array = as_array(value, name)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype in _NUMBERS:
        return array
    if array.dtype.kind in "iu":
        return array.astype(np.float64)
    raise TypeError(f"{name}: expected float32, float64 or integers, found {array.dtype}")


def as_seconds(value: Any, name: str) -> Array:
    """A tightly packed array of float64, from numbers of any type."""
    array = as_array(value, name)
    if array.dtype.kind not in "iuf" and array.size > 0:
        raise TypeError(f"{name}: expected real numbers, found {array.dtype}")
    return np.asarray(array, dtype=np.float64, order="C")


def address(array: Array) -> Any:
    """Pointer to the first element. The caller keeps the array alive."""
    if array.flags.c_contiguous:  # the fastest way by far
        return ffi.cast("void *", ffi.from_buffer(array))
    # __array_interface__ takes long for records, whose fields it describes. NULL is None here.
    return ffi.cast("void *", array.ctypes.data or 0)


def fill_rows(target: Any, array: Array) -> Array:
    """Describes an array to the library, one row per index of its first axis.

    Rows are tightly packed, at any positive distance that does not overlap them; an array with
    other strides is copied. The caller keeps the returned array alive.
    """
    row_bytes = array[0].size * array.itemsize
    step = array.strides[0] if len(array) > 1 else row_bytes
    if not array[0].flags.c_contiguous or step < row_bytes:
        array, step = np.array(array, order="C"), row_bytes
    target.data = address(array)
    target.type = _NUMBERS[array.dtype]
    target.stride = step
    return array


def with_scalar_last(array: Array) -> Array:
    """A copy of quaternions w x y z as x y z w."""
    return np.roll(array, -1, axis=-1)


def with_scalar_first(array: Array) -> Array:
    """Quaternions x y z w as w x y z, in place."""
    array[...] = np.roll(array, 1, axis=-1)
    return array


def output(out: Any, shape: tuple[int, ...], *inputs: Array) -> Array:
    """Checks an array for results, to which the library writes directly. Inputs are packed."""
    array = as_array(out, "out")
    if array.dtype != np.float32 or not array.dtype.isnative:
        raise TypeError(f"out: expected float32, found {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"out: expected shape {shape}, found {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError("out: is not C-contiguous")
    if not array.flags.writeable:
        raise ValueError("out: is read-only")
    if any(np.may_share_memory(array, i) for i in inputs):
        raise ValueError("out: shares memory with an input")
    return array


def result_type(dtype: Any, out: Any) -> bool:
    """Whether results are float64. ``out`` has float32."""
    if dtype is None:
        return False
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise TypeError(f"dtype: {error}") from error
    if kind not in _NUMBERS:
        raise TypeError(f"dtype: expected float32 or float64, found {kind}")
    if out is not None and kind != np.float32:
        raise ValueError(f"dtype: is {kind}, but out has float32")
    return bool(kind == np.float64)


_LINE = 64  # bytes of a cache line
_LARGE = 1 << 20  # bytes


def new_result(shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
    """Memory for results of the library. Large results begin with a cache line, because results that
    go past the caches are stored line by line."""
    kind = np.dtype(dtype)
    size = math.prod(shape) * kind.itemsize
    if size < _LARGE:
        return np.empty(shape, dtype=kind)
    memory = np.empty(size + _LINE, dtype=np.uint8)
    first = -int(ffi.cast("uintptr_t", address(memory))) % _LINE
    result: Array = memory[first:first + size].view(kind).reshape(shape)
    return result


# ---- SciPy's Rotation. SciPy is not imported before a caller has given one. ----


def is_rotation(value: Any) -> bool:
    """Whether the value is a Rotation of SciPy."""
    kind = type(value)
    return kind.__module__.startswith("scipy.spatial") and hasattr(kind, "as_quat")


def normalized(quaternions: Array) -> Array:
    """Float32 quaternions as float64, of length 1."""
    exact = np.empty(quaternions.shape)
    lib.array_normalized(ffi.cast("float *", address(quaternions)),
                         ffi.cast("double *", address(exact)), quaternions.size // 4)
    return exact


def rotation_of(quaternions: Array) -> Any:
    """A Rotation of float64 quaternions of length 1, which it takes over."""
    from scipy.spatial.transform import Rotation

    return Rotation(quaternions, normalize=False, copy=False)
