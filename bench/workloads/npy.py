# SPDX-License-Identifier: MIT
"""Plain .npy files: version 1.0, little-endian, C order.

The writer's bytes do not depend on the version of NumPy. The reader takes hostile files: the header is
compared with what is expected before anything is mapped, and no object is ever unpickled.
"""

import ast
import os
import struct

import numpy as np

from .problems import Problem, cause_of

_MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 4096


def header_of(dtype, shape):
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    length = -(-(len(_MAGIC) + 4 + len(text) + 1) // 64) * 64
    text = text.ljust(length - len(_MAGIC) - 5) + "\n"
    return _MAGIC + b"\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii")


def write(path, array):
    array = np.ascontiguousarray(array)
    with open(path, "xb") as file:
        file.write(header_of(array.dtype.newbyteorder("<").str, array.shape))
        array.astype(array.dtype.newbyteorder("<"), copy=False).tofile(file)
        file.flush()
        os.fsync(file.fileno())


def _read_header(file, path):
    """(descr, shape) and the place of the numbers."""
    start = file.read(12)
    if len(start) < 12 or start[:6] != _MAGIC or start[6] not in (1, 2, 3):
        raise Problem(path, "is no .npy file of version 1 to 3")
    width = 2 if start[6] == 1 else 4
    length = int.from_bytes(start[8:8 + width], "little")
    place = 8 + width + length
    if length > _LONGEST_HEADER:
        raise Problem(path, f"the header has {length} bytes; expected {_LONGEST_HEADER} at most")
    file.seek(8 + width)
    text = file.read(length)
    try:
        header = ast.literal_eval(text.decode("utf-8").strip())
        descr, order, shape = (header[name] for name in ("descr", "fortran_order", "shape"))
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        raise Problem(path, "the header cannot be read") from None
    is_shape = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
    if not isinstance(descr, str) or type(order) is not bool or not is_shape:
        raise Problem(path, "the header cannot be read")
    if order:
        raise Problem(path, "is in Fortran order; expected C order")
    return descr, shape, place


def _shown(shape):
    return str(shape) if all(count < 1 << 63 for count in shape) else "of numbers beyond 63 bits"


def read(path, dtypes, shape):
    """The array, mapped, where it is one of the types and has the shape; else a Problem."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise Problem(path, "is no file")
    try:
        with open(path, "rb") as file:
            descr, found, place = _read_header(file, path)
            held = os.fstat(file.fileno()).st_size - place
    except OSError as error:
        raise Problem(path, f"cannot be read: {cause_of(error)}") from None
    if descr not in dtypes:
        raise Problem(path, f"has numbers of type {descr!r}; expected {' or '.join(dtypes)}")
    if found != tuple(shape):
        raise Problem(path, f"has the shape {_shown(found)}; expected {tuple(shape)}")
    expected = int(np.dtype(descr).itemsize)
    for count in shape:
        expected *= count
    if held != expected:
        raise Problem(path, f"has {held} bytes of numbers; expected {expected}")
    try:
        return np.memmap(path, dtype=descr, mode="r", offset=place, shape=tuple(shape))
    except (OSError, ValueError) as error:
        raise Problem(path, f"cannot be mapped: {cause_of(error)}") from None
