# SPDX-License-Identifier: MIT
"""The C library: its functions, and its errors as exceptions."""
from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from posemill._native import ffi, lib

__all__ = ["Cancelled", "DeviceError", "MotionWarning", "Path", "call", "error_text", "ffi", "file_name", "interruptibly", "lib", "printable", "text", "version", "warn"]

Path = str | os.PathLike[str]
Result = TypeVar("Result")


class DeviceError(RuntimeError):
    """What a device or its driver did: no device, a failed build, lost or exhausted memory.

    Attributes
    ----------
    status : str
        The library's name of the failure, such as ``"no device"``.
    cl_status : int
        The OpenCL error code behind it; 0 if there is none.

    Examples
    --------
    >>> import posemill as pm
    >>> try:
    ...     pm.Engine("no such device")
    ... except pm.DeviceError as error:
    ...     print(error.status in ("no device", "no platform"))
    True
    """

    def __init__(self, message: str, status: str = "", cl_status: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.cl_status = cl_status


class Cancelled(RuntimeError):
    """A call of the library ended early, because it was told to: what it was to write is undefined.

    Examples
    --------
    >>> import posemill as pm
    >>> issubclass(pm.Cancelled, pm.DeviceError)  # no device failed
    False
    """


class MotionWarning(UserWarning):
    """A motion file is unusual, or another format cannot hold all of it.

    Examples
    --------
    >>> import warnings
    >>> import posemill as pm
    >>> warnings.simplefilter("error", pm.MotionWarning)  # what is unusual is refused from now on
    >>> warnings.simplefilter("default", pm.MotionWarning)
    """


def warn(message: str) -> None:
    """A MotionWarning at the line that called the package: what is asked for late is computed deep inside."""
    at, level = sys._getframe(1), 2
    while at.f_back is not None and (at.f_globals.get("__package__") == __package__
                                     or at.f_globals.get("__name__") == "functools"):  # of properties
        at, level = at.f_back, level + 1
    warnings.warn(message, MotionWarning, stacklevel=level)


def text(value: Any) -> str:
    """A C string as text."""
    return str(ffi.string(value).decode("utf-8", "replace"))


def printable(value: str) -> str:
    """A text that may hold names from elsewhere, with control characters as escapes such as ``\\x1b``."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in value)


def version() -> str:
    """Version of the library."""
    return text(lib.pm_version())


def file_name(path: Path) -> bytes:
    """A path for the C library, which takes "-" for the standard streams."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"path: expected a path, found {type(path).__name__}")
    found = os.fsencode(path)
    if b"\0" in found:
        raise ValueError("path: has a NUL byte")
    return b"./-" if found == b"-" else found


@ffi.def_extern(name="python_note_warning")  # type: ignore[untyped-decorator]
def _note_warning(into: Any, level: int, remark: Any) -> None:
    """Each once: files may be read twice."""
    if level == lib.PM_LOG_WARNING:
        ffi.from_handle(into).setdefault(error_text(remark))


_CALLER = frozenset((lib.PM_ERROR_ARGUMENT, lib.PM_ERROR_KEY, lib.PM_ERROR_TIME, lib.PM_ERROR_SIZE,
                     lib.PM_ERROR_FILE))


def error_text(error: Any) -> str:
    """A failure or a warning of the library; options that it names are arguments here."""
    room = ffi.new("char[]", lib.PM_ERROR_TEXT_SIZE)
    lib.pm_error_text(error, lib.PM_SPELLING_KEYWORD, room, lib.PM_ERROR_TEXT_SIZE)
    return printable(text(room))


def _raise(error: Any) -> None:
    message = error_text(error)
    if error.status in _CALLER:
        failure = ValueError(message)
        failure.track = None if error.track == ffi.cast("size_t", -1) else int(error.track)  # type: ignore[attr-defined]
        failure.key = None if error.key == ffi.cast("size_t", -1) else int(error.key)  # type: ignore[attr-defined]
        raise failure
    if error.status == lib.PM_ERROR_MEMORY:
        raise MemoryError(message)
    if error.status == lib.PM_ERROR_OUTPUT:
        raise OSError(message)
    if error.status == lib.PM_ERROR_CANCELLED:
        raise Cancelled(message)
    raise DeviceError(message, text(lib.pm_status_name(error.status)), error.cl_status)


def interruptibly(run: Callable[[], Result], stop: Callable[[], None],
                  watch: Callable[[], None] = lambda: None) -> Result:
    """A long call of the library on another thread: Python handles signals on this one, and `watch` is called again and
    again. After Ctrl-C, and after an exception of `watch`, `stop` is called until the call ends.
    """
    found: list[Result] = []
    raised: list[BaseException] = []
    # Not Thread.join: where a signal interrupts it, some Pythons take the thread for ended.
    ended = threading.Event()

    def work() -> None:
        try:
            found.append(run())
        except BaseException as error:
            raised.append(error)
        finally:
            ended.set()

    threading.Thread(target=work, name="posemill").start()
    try:
        while not ended.wait(0.1):
            watch()
    except BaseException:
        stop()
        while not ended.wait(0.1):
            stop()
        raise
    if raised:
        raise raised[0]
    return found[0]


def call(function: Any, *arguments: Any) -> None:
    """Calls a function of the library with an error as its last argument, and raises it."""
    error = ffi.new("pm_error *")
    if function(*arguments, error) != lib.PM_OK:
        _raise(error)
