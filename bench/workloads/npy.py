# SPDX-License-Identifier: MIT
"""Plain .npy files: version 1.0, little-endian, C order.

The writer's bytes do not depend on the version of NumPy. The reader takes hostile files: what the header says is
compared with what is expected before anything is mapped, and no object is ever unpickled.
"""

import os
import struct

import numpy as np
from records.text import Refused, shown

_MAGIC = b"\x93NUMPY"


def write(path, array):
    dtype = array.dtype.newbyteorder("<")
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': {array.shape!r}, }}"
    length = -(-(len(_MAGIC) + 4 + len(text) + 1) // 64) * 64
    text = text.ljust(length - len(_MAGIC) - 5) + "\n"
    with open(path, "xb") as file:
        file.write(_MAGIC + b"\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii"))
        np.ascontiguousarray(array).astype(dtype, copy=False).tofile(file)


def read(path, dtypes, shape):
    """The array, mapped, where it is one of the types and has the shape."""
    try:
        if not os.path.isfile(path):
            raise ValueError("it is no file")
        with open(path, "rb") as file:
            if np.lib.format.read_magic(file) != (1, 0):
                raise ValueError("expected a .npy file of version 1.0")
            found, fortran, dtype = np.lib.format.read_array_header_1_0(file)
            held = os.fstat(file.fileno()).st_size - file.tell()
        if dtype.str not in dtypes or found != tuple(shape) or fortran:
            raise ValueError(f"it has {dtype} {found}{', in Fortran order' if fortran else ''}; expected "
                             f"{' or '.join(dtypes)} {tuple(shape)}")
        if held != dtype.itemsize * int(np.prod(shape, dtype=object)):
            raise ValueError(f"it has {held} bytes of numbers")
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError, OverflowError) as error:
        raise Refused(f"{shown(path)}: cannot be read: {shown(getattr(error, 'strerror', None) or error, 200)}") from error
