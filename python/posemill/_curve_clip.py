# SPDX-License-Identifier: MIT
"""Clips of the library: where a curve is computed.

A curve without an engine of its own is computed in plain C as long as jobs are small, the smallest on
the calling thread, without starting a device; large ones are computed by the best device. Both give the same bits. A curve for one call needs no clip.
"""
from __future__ import annotations

import threading
from typing import Any

from ._description import Description
from ._engine import Engine, default_engine, devices, devices_are_lost, owned, plain_engine
from ._library import call, ffi, lib

__all__ = ["DEVICE_VALUES", "Clips", "OnePass"]

# Numbers of values (samples of one track) below which a device does not pay: plain C computes them
# in about the time that a device takes to start a job and to return its result.
DEVICE_VALUES = 1 << 17

# Numbers of values below which a second thread does not pay.
SERIAL_VALUES = 1 << 14


def _destroy(handle: Any) -> None:
    lib.pm_clip_destroy(ffi.new("pm_clip **", handle))


def _clip(engine: Engine, description: Description) -> Any:
    made = ffi.new("pm_clip **")
    call(lib.pm_clip_create, engine.handle, description.desc, made)
    return owned(made[0], _destroy, engine)


class OnePass:
    """The keys of a curve that is computed once, on the host: no clip is made of them.

    Parameters
    ----------
    description : Description
        Its arrays must outlive this.
    """

    def __init__(self, description: Description) -> None:
        self._description = description

    def sample(self, job: Any, values: int) -> None:
        """Computes a job of so many values."""
        if values < SERIAL_VALUES:
            job.host_threads = 1
        call(lib.pm_resample, self._description.desc, job)


class Clips:
    """The clip of a curve, on each engine that computes it. Thread-safe.

    Parameters
    ----------
    description : Description
        With copies of the arrays where ``small``.
    engine : Engine or None
        None: chosen by the size of jobs.
    small : bool
        Whether clips on other engines can be made later, from the description.
    """

    def __init__(self, description: Description, engine: Engine | None, small: bool) -> None:
        self._is_given = engine is not None
        self._engine = engine or (plain_engine() if small else default_engine())
        self._clip = _clip(self._engine, description)
        self._description = description if small and engine is None else None
        self._lock = threading.Lock()
        self._large: Any = None
        self._on_queues: dict[tuple[int, int], Any] = {}

    def sample(self, job: Any, values: int) -> None:
        """Computes a job of so many values."""
        clip, job.on_reference = self._choose(values)
        if job.on_reference and values < SERIAL_VALUES:
            job.host_threads = 1
        call(lib.pm_sample, clip, job)

    def _choose(self, values: int) -> tuple[Any, bool]:
        """The clip for a job, and whether plain C computes it."""
        if self._is_given:
            return self._clip, False
        if values < DEVICE_VALUES or devices_are_lost():
            return self._clip, True
        return (self._clip if self._description is None else self._on_device()), False

    def in_plain_c(self) -> Any:
        """The clip for plain C on all processors; None where the given engine is a device."""
        if self._is_given and not self._engine.is_plain:
            return None
        return self._clip

    def _on_device(self) -> Any:
        with self._lock:
            if self._large is None:
                engine = default_engine()
                assert self._description is not None
                self._large = (self._clip if engine.is_plain else
                               _clip(engine, self._description))
            return self._large

    def on_queue(self, queue: Any) -> Any:
        """The clip in the context of a pyopencl queue."""
        if devices_are_lost():
            devices()  # raises; a thread of the parent may hold the lock
        context, device = queue.context.int_ptr, queue.device.int_ptr
        if self._description is None:
            own = int(ffi.cast("intptr_t", lib.pm_cl_context(self._engine.handle)))
            if own != context:
                raise ValueError("queue: is of another context than the curve's engine; make the "
                                 "curve with engine=Engine.from_queue(queue)")
            return self._clip
        with self._lock:
            if (context, device) not in self._on_queues:
                self._on_queues[context, device] = _clip(Engine.from_queue(queue),
                                                         self._description)
            return self._on_queues[context, device]
