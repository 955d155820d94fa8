# SPDX-License-Identifier: MIT
"""Devices, and the engine that runs on one of them."""
from __future__ import annotations

import atexit
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._description import word
from ._display import Row, table
from ._library import DeviceError, call, ffi, lib, text
from ._names import ClipBuilding
from ._shared import Shared

__all__ = ["Device", "Engine", "checked_engine", "default_engine", "devices", "engine_of_states", "engine_or_default",
           "owned", "plain_engine"]

_TYPES = {lib.PM_DEVICE_REFERENCE: "reference", lib.PM_DEVICE_CPU: "cpu", lib.PM_DEVICE_GPU: "gpu",
          lib.PM_DEVICE_DISCRETE_GPU: "discrete gpu", lib.PM_DEVICE_OTHER: "other"}
_CLIP_BUILDING = {"auto": lib.PM_CLIPS_AUTO, "host": lib.PM_CLIPS_BY_HOST,
                  "device": lib.PM_CLIPS_BY_DEVICE}
_MATCHES = {lib.PM_BIT_MATCH_EXACT: True, lib.PM_BIT_MATCH_DIFFERENT: False}


@dataclass(frozen=True)
class Device:
    """An OpenCL device, or the reference path.

    Attributes
    ----------
    index : int
        Over all platforms, from 0; what ``Engine(device=...)`` takes as text.
    name, platform, driver : str
        As the driver reports them.
    type : str
        ``"reference"``, ``"cpu"``, ``"gpu"``, ``"discrete gpu"`` or ``"other"``.
    memory_bytes : int
        Device memory; 0 for the reference path.
    compute_units : int
        Cores of a CPU.
    bit_identical : bool or None
        Whether results have the bits of the reference path, measured; None: not measured.
    """

    index: int
    name: str
    platform: str
    driver: str
    type: str
    memory_bytes: int
    compute_units: int
    bit_identical: bool | None = None


def _device(info: Any, match: int | None = None) -> Device:
    return Device(int(info.index), text(info.name), text(info.platform), text(info.driver),
                  _TYPES[info.type], int(info.memory_bytes), int(info.compute_units),
                  None if match is None else _MATCHES.get(match))


# What an engine is made of.
_Given = tuple[str, int, bool, ClipBuilding, bool]


class Engine(Shared):
    """A device and its compiled programs. Any number of threads may use one engine at the same time.

    Parameters
    ----------
    device : str
        ``"auto"`` (the best there is, else plain C), ``"none"`` (plain C, the same bits), ``"cpu"``,
        ``"gpu"``, an index, ``"P:D"``, part of a name, or several such as ``"0,2"``.
    host_threads : int
        Threads per call on the host; 0: one per processor.
    build_in_background : bool
        Whether plain C computes while the device's programs are compiled for the first time, which
        takes seconds. Where the device's bits differ from plain C's, timing decides which of them
        computes, until the first comparison.
    clip_building : str
        Where curves are built from their keys, with the same bits: ``"host"``, ``"device"`` wherever
        it can, or ``"auto"``: by a device that is no CPU, where fewer bytes are sent to it for that.
    programs_on_cpu : bool
        Whether programs compute the jobs of a CPU device, as of a GPU, for tests of them. Otherwise plain C does, in less
        time, and `self_check` compares plain C alone.

    Notes
    -----
    Devices do not survive a fork. In a process that was forked after OpenCL was used, ``"auto"`` is
    plain C, and a device, or an engine of the parent on one, is a DeviceError that says so. An engine
    is pickled as these parameters; where the other process cannot have the device, plain C serves
    there, with a warning.

    Examples
    --------
    >>> import posemill as pm
    >>> engine = pm.Engine(device="none")
    >>> engine.device.type
    'reference'
    """

    def __init__(self, device: str = "auto", *, host_threads: int = 0,
                 build_in_background: bool = False, clip_building: ClipBuilding = "auto",
                 programs_on_cpu: bool = False) -> None:
        if not isinstance(device, str):
            raise TypeError(f"device: expected a text, found {type(device).__name__}")
        self._handle: Any = None
        self._given: _Given | None = (device, int(host_threads), bool(build_in_background),
                                      clip_building, bool(programs_on_cpu))
        name = ffi.new("char[]", device.encode())
        desc = ffi.new("pm_engine_desc *", {"device": name, "host_threads": host_threads,
                                            "build_in_background": build_in_background,
                                            "programs_on_cpu": bool(programs_on_cpu),
                                            "clip_building": word(clip_building, _CLIP_BUILDING,
                                                                  "clip_building")})
        made = ffi.new("pm_engine **")
        call(lib.pm_engine_create, desc, made)
        self._own(made[0])

    def _own(self, made: Any) -> None:
        self.owner = _Owner(made, _destroy, ())
        self._handle = ffi.gc(made, self.owner.release)
        self._is_plain = self.device.type == "reference"

    @classmethod
    def from_queue(cls, queue: Any) -> Engine:
        """An engine on the context and the device of a pyopencl queue.

        Parameters
        ----------
        queue : pyopencl.CommandQueue
            ``RotationCurve.enqueue`` of curves on this engine takes all queues of its context and
            device.

        Returns
        -------
        Engine

        Examples
        --------
        >>> import posemill as pm
        >>> import pyopencl as cl
        >>> queue = cl.CommandQueue(cl.create_some_context(interactive=False))
        >>> pm.Engine.from_queue(queue).device.type in ("cpu", "gpu", "accelerator")
        True
        """
        engine = cls.__new__(cls)
        engine._given = None
        made = ffi.new("pm_engine **")
        call(lib.pm_cl_engine_create, ffi.cast("cl_context", queue.context.int_ptr),
             ffi.cast("cl_device_id", queue.device.int_ptr), ffi.NULL, made)
        engine._own(made[0])
        return engine

    @property
    def device(self) -> Device:
        """The engine's device."""
        info = ffi.new("pm_device_info *")
        lib.pm_engine_get_info(self.handle, info)
        return _device(info)

    @property
    def handle(self) -> Any:
        """The C engine. A closed engine is refused."""
        if self._handle is None:
            raise ValueError("engine: is closed")
        return self._handle

    @property
    def is_plain(self) -> bool:
        """Whether there is no device: plain C."""
        return self._is_plain

    def self_check(self) -> bool:
        """Whether all methods give the bits of the reference path on this device. Takes seconds.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.Engine("none").self_check()
        True
        """
        match = ffi.new("pm_bit_match *")
        call(lib.pm_engine_self_check, self.handle, match)
        return bool(match[0] == lib.PM_BIT_MATCH_EXACT)

    def close(self) -> None:
        """Frees nothing that curves still use; the engine cannot be used any more.

        Examples
        --------
        >>> import posemill as pm
        >>> engine = pm.Engine("none")
        >>> engine.close()
        >>> engine
        Engine(closed)
        """
        self._handle = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[..., Engine], _Given]:
        if self._given is None:
            raise TypeError("cannot pickle 'Engine' of a queue: the queue belongs to its process; "
                            "make an engine there")
        return _unpickled, self._given

    def _repr_html_(self) -> str:
        if self._handle is None:
            return table("Engine, closed", [])
        device = self.device
        memory = f"{device.memory_bytes / 2**30:.3g} GiB" if device.memory_bytes else ""
        return table("Engine", [Row("device", device.name), Row("type", device.type),
                                Row("platform", device.platform), Row("driver", device.driver),
                                Row("memory", memory)])

    def __repr__(self) -> str:
        return "Engine(closed)" if self._handle is None else f"Engine({self.device.name!r})"


class _Owner:
    """A handle with the number of its users: the object that it was made for, and handles that need
    it. The last one destroys it.

    References alone do not suffice: finalizers of objects in a cycle run in any order. The class has
    what they use, because the names of a module are gone before the last objects are.
    """

    _counting = threading.RLock()
    _is_ending = staticmethod(sys.is_finalizing)

    def __init__(self, handle: Any, destroy: Callable[[Any], None],
                 needed: tuple[_Owner, ...]) -> None:
        self._handle, self._destroy, self._needed = handle, destroy, needed
        self._users = 1
        for owner in needed:
            owner.retain()

    def retain(self) -> None:
        with self._counting:
            self._users += 1

    def release(self, _: Any = None) -> None:
        if self._is_ending(): # what is left ends with the process
            return
        with self._counting:
            self._users -= 1
            if self._users > 0:
                return
        self._destroy(self._handle)
        for owner in self._needed:
            owner.release()


def owned(handle: Any, destroy: Callable[[Any], None], *engines: Engine) -> Any:
    """A handle that is destroyed when nothing refers to it, and before the engines that it needs."""
    owner = _Owner(handle, destroy, tuple(engine.owner for engine in engines))
    return ffi.gc(handle, owner.release)


def _destroy(handle: Any) -> None:
    lib.pm_engine_destroy(ffi.new("pm_engine **", handle))


def devices(*, check: bool = False) -> list[Device]:
    """List the OpenCL devices.

    Parameters
    ----------
    check : bool
        Also measures whether each gives the bits of the reference path, which takes seconds.

    Returns
    -------
    list of Device
        Empty where no driver is installed.

    Examples
    --------
    >>> import posemill as pm
    >>> all(device.name for device in pm.devices())
    True
    """
    count = ffi.new("size_t *")
    error = ffi.new("pm_error *")
    status = lib.pm_list_devices(ffi.NULL, 0, count, error)
    if status in (lib.PM_ERROR_NO_PLATFORM, lib.PM_ERROR_NO_DEVICE):
        return []
    infos = ffi.new("pm_device_info[]", max(1, count[0]))
    call(lib.pm_list_devices, infos, count[0], count)
    found = []
    for i in range(count[0]):
        match = None
        if check:
            measured = ffi.new("pm_bit_match *")
            call(lib.pm_engine_self_check,
                 Engine(str(infos[i].index), programs_on_cpu=True).handle, measured)
            match = measured[0]
        found.append(_device(infos[i], match))
    return found


# Engines that pickles have made here: all pickles of one engine share one.
_from_pickles: weakref.WeakValueDictionary[_Given, Engine] = weakref.WeakValueDictionary()


def _unpickled(device: str, host_threads: int, build_in_background: bool,
               clip_building: ClipBuilding = "auto", programs_on_cpu: bool = False) -> Engine:
    given = (device, host_threads, build_in_background, clip_building, programs_on_cpu)
    with _lock:
        engine = _from_pickles.get(given)
        if engine is None or (not engine.is_plain and devices_are_lost()):
            try:
                engine = Engine(device, host_threads=host_threads,
                                build_in_background=build_in_background,
                                clip_building=clip_building, programs_on_cpu=programs_on_cpu)
            except DeviceError as error:
                warnings.warn(f"engine: plain C in place of the device {device!r}: {error}",
                              RuntimeWarning, stacklevel=2)
                engine = Engine("none", host_threads=host_threads)
                engine._given = given
            _from_pickles[given] = engine
        return engine


def devices_are_lost() -> bool:
    """Whether this process was forked after OpenCL was used, and only has plain C."""
    return bool(lib.native_devices_are_lost())


_default: Engine | None = None
_plain: Engine | None = None
_lock = threading.RLock()


def plain_engine() -> Engine:
    """The engine without a device, for small curves and samples."""
    global _plain
    if _plain is None:
        with _lock:
            if _plain is None:
                _plain = Engine("none")
    return _plain


def checked_engine(engine: Any) -> Engine | None:
    """The engine that a caller gave, or None."""
    if engine is not None and not isinstance(engine, Engine):
        raise TypeError(f"engine: expected an Engine, found {type(engine).__name__}")
    return engine


def default_engine() -> Engine:
    """The engine of curves that are given none: the best device, made on first use."""
    global _default
    with _lock:
        if _default is None:
            _default = Engine(build_in_background=True)
        return _default


def engine_or_default(engine: Any) -> Engine:
    """The engine that a caller gave, or for None the default."""
    return checked_engine(engine) or default_engine()


def engine_of_states(engine: Any) -> Engine:
    """The engine that a caller gave, or for None the best GPU, else plain C, which poses bodies in lanes as OpenCL
    on the same processor does, without its launches and copies."""
    given = checked_engine(engine)
    if given is not None:
        return given
    found = default_engine()
    return found if found.device.type.endswith("gpu") else plain_engine()


def _forget_device() -> None:
    """In a process that was forked: its default engine is made anew."""
    global _default, _lock
    _lock, _Owner._counting = threading.RLock(), threading.RLock()
    if devices_are_lost():
        _default = None


def _close_default() -> None:
    """Waits for programs that are being compiled, before drivers are unloaded."""
    global _default
    _default = None


def _note_others() -> None:
    """Before a fork: pyopencl may have called drivers that the library has not called yet."""
    if "pyopencl" in sys.modules:
        lib.native_note_drivers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_note_others, after_in_child=_forget_device)
atexit.register(_close_default)
