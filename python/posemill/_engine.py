# SPDX-License-Identifier: MIT
"""Devices, and the engine that runs on one of them."""
from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from ._library import call, ffi, lib, text

__all__ = ["Device", "Engine", "default_engine", "devices"]

_TYPES = {lib.PM_DEVICE_REFERENCE: "reference", lib.PM_DEVICE_CPU: "cpu", lib.PM_DEVICE_GPU: "gpu",
          lib.PM_DEVICE_DISCRETE_GPU: "discrete gpu", lib.PM_DEVICE_OTHER: "other"}
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


class Engine:
    """A device with its programs. Thread-safe: any number of threads may use one engine at once.

    Parameters
    ----------
    device : str
        ``"auto"`` (the best there is, else plain C), ``"none"`` (plain C, the same bits), ``"cpu"``,
        ``"gpu"``, an index, ``"P:D"``, part of a name, or several such as ``"0,2"``.
    host_threads : int
        Threads per call on the host; 0: one per processor.

    Examples
    --------
    >>> import posemill as pm
    >>> engine = pm.Engine(device="none")
    >>> engine.device.type
    'reference'
    """

    def __init__(self, device: str = "auto", *, host_threads: int = 0) -> None:
        if not isinstance(device, str):
            raise TypeError(f"device: expected a text, found {type(device).__name__}")
        self._handle: Any = None
        name = ffi.new("char[]", device.encode())
        desc = ffi.new("pm_engine_desc *", {"device": name, "host_threads": host_threads})
        made = ffi.new("pm_engine **")
        call(lib.pm_engine_create, desc, made)
        self._handle = ffi.gc(made[0], _destroy)

    @property
    def device(self) -> Device:
        """The engine's device."""
        info = ffi.new("pm_device_info *")
        lib.pm_engine_info(self.handle, info)
        return _device(info)

    @property
    def handle(self) -> Any:
        """The C engine. A closed engine is refused."""
        if self._handle is None:
            raise ValueError("engine: is closed")
        return self._handle

    def self_check(self) -> bool:
        """Whether all methods give the bits of the reference path on this device. Takes seconds."""
        match = ffi.new("pm_bit_match *")
        call(lib.pm_engine_self_check, self.handle, match)
        return bool(match[0] == lib.PM_BIT_MATCH_EXACT)

    def close(self) -> None:
        """Frees nothing that curves still use; the engine cannot be used any more."""
        self._handle = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "Engine(closed)" if self._handle is None else f"Engine({self.device.name!r})"


def _destroy(handle: Any) -> None:
    lib.pm_engine_destroy(ffi.new("pm_engine **", handle))


def devices(*, check: bool = False) -> list[Device]:
    """Lists OpenCL devices.

    Parameters
    ----------
    check : bool
        Also measures whether each gives the bits of the reference path, which takes seconds.

    Returns
    -------
    list of Device
        Empty where no driver is installed.
    """
    count = ffi.new("size_t *")
    error = ffi.new("pm_error *")
    status = lib.pm_list_devices(ffi.NULL, 0, count, error)
    if status == lib.PM_ERROR_NO_PLATFORM:
        return []
    infos = ffi.new("pm_device_info[]", max(1, count[0]))
    call(lib.pm_list_devices, infos, count[0], count)
    found = []
    for i in range(count[0]):
        match = None
        if check:
            measured = ffi.new("pm_bit_match *")
            call(lib.pm_engine_self_check, Engine(str(infos[i].index)).handle, measured)
            match = measured[0]
        found.append(_device(infos[i], match))
    return found


_default: Engine | None = None
_lock = threading.Lock()


def default_engine() -> Engine:
    """The engine of curves that are given none: the best device, made on first use."""
    global _default
    with _lock:
        if _default is None:
            _default = Engine()
        return _default
