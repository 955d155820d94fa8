# SPDX-License-Identifier: MIT
"""Jobs on queues of pyopencl, with results in its buffers. Objects are passed by their addresses."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._library import call, ffi, lib

__all__ = ["enqueue"]


def _destination(out: Any, shape: tuple[int, ...], offset: int) -> tuple[Any, int]:
    """The buffer of an array or a buffer, and the offset in bytes."""
    if not hasattr(out, "base_data"):
        if not hasattr(out, "int_ptr"):
            raise TypeError(f"out: expected an array or a buffer of pyopencl, found "
                            f"{type(out).__name__}")
        needed = 4 * int(np.prod(shape, dtype=np.int64))
        if offset < 0 or out.size - offset < needed:
            raise ValueError(f"out: expected {needed} bytes from offset {offset}, found {out.size}")
        return out, offset
    if out.dtype != np.float32:
        raise TypeError(f"out: expected float32, found {out.dtype}")
    if out.shape != shape:
        raise ValueError(f"out: expected shape {shape}, found {out.shape}")
    if not out.flags.c_contiguous:
        raise ValueError("out: is not C-contiguous")
    return out.base_data, out.offset + offset


def enqueue(clip: Any, job: Any, field: str, shape: tuple[int, ...], queue: Any, out: Any,
            offset: int, wait_for: Sequence[Any]) -> Any:
    """Enqueues a job whose results go to ``out``; returns its event."""
    import pyopencl

    buffer, begin = _destination(out, shape, offset)
    outputs = ffi.new("pm_cl_outputs *")
    setattr(outputs, field, ffi.cast("cl_mem", buffer.int_ptr))
    setattr(outputs, field + "_offset", begin)
    waits = ffi.new("cl_event[]", [ffi.cast("cl_event", event.int_ptr) for event in wait_for])
    done = ffi.new("cl_event *")
    call(lib.pm_cl_sample, clip, job, outputs, ffi.cast("cl_command_queue", queue.int_ptr),
         len(waits), waits if wait_for else ffi.NULL, done)
    event = pyopencl.Event.from_int_ptr(int(ffi.cast("intptr_t", done[0])), retain=False)
    return event
