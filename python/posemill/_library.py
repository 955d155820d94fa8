# SPDX-License-Identifier: MIT
"""The C library: its functions, and its errors as exceptions."""
from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from posemill._native import ffi, lib

__all__ = ["PARAMETERS", "DeviceError", "Path", "call", "ffi", "file_name", "lib", "printable", "text", "text_worded",
           "version", "worded"]

Path = str | os.PathLike[str]


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


_CALLER = frozenset((lib.PM_ERROR_ARGUMENT, lib.PM_ERROR_KEY, lib.PM_ERROR_TIME, lib.PM_ERROR_SIZE,
                     lib.PM_ERROR_FILE))


# Options of the command, with values that messages give, and fields of the library: they are parameters here.
_OPTION = re.compile(r"(?<![^\s(])--([a-z][a-z-]*)(?=[\s,;:)]|\.?$|\.\s)"
                     r"(?: (\d[\w./]*\b|[A-Z][\w.]*\b|(?:fit|include|hold)\b|[yz](?:-to-[yz])?\b|(?<=layout )\S*[^\s;:,.)]))?")
PARAMETERS = {"rate": "rate= of resample()", "nan hold": "hold_nan=True",
               "max-frames": "max_samples=", "keep-time": "keep_time=True",
               "lowpass": "lowpass=", "loop": "loop=", "up z-to-y": 'turn="z-to-y"', "up y-to-z": 'turn="y-to-z"'}
_FIELDS = {"rotations_in": "tangents_in", "rotations_out": "tangents_out",
           "user_tangents": "tangents", "loop_period": "loop", "key_count": "the number of keys",
           "axes is NULL": "axis is NULL", "track_count": "the number of tracks", "sample_count": "the number of samples"}
_FIELD = re.compile(rf"\b({'|'.join(_FIELDS)})\b")
_COMMAND = re.compile(r"\bposemill (\w+)")  # hints that name one are for users of the command
_NULL = re.compile(r"\bis NULL\b")
_QUOTED = r"(?<![^\s(])'.*?'(?=[\s,;:.)]|$)"  # names of files, of joints


def _parameters(message: str, alone: str, parameters: dict[str, str]) -> str:
    """Options as parameters; those without a value end with `alone`."""
    def named(option: re.Match[str]) -> str:
        name, value = option[1], option[2]
        whole = name if value is None else f"{name} {value}"
        if whole in parameters:
            return parameters[whole]
        if value is None:
            return name.replace("-", "_") + alone
        is_bare = value[0].isdigit() or value.isupper()
        return f"{name.replace('-', '_')}={value}" if is_bare else f'{name.replace("-", "_")}="{value}"'
    return _OPTION.sub(named, message)


def _beside_names(message: str, names: Iterable[str], change: Callable[[str], str]) -> str:
    """A message that is changed but for the names in it: those given, and what stands in quotes."""
    given = [rf"(?<!\S){re.escape(name)}(?=[\s:,;]|$)" for name in sorted(filter(None, names), key=len, reverse=True)]
    done, at = [], 0
    for found in re.finditer("|".join([*given, _QUOTED]), message):
        done += [change(message[at:found.start()]), found[0]]
        at = found.end()
    return "".join([*done, change(message[at:])])


def worded(message: str, hint: str = "", parameters: dict[str, str] | None = None, names: Iterable[str] = (),
           has_fields: bool = False) -> str:
    """A message of the library or of the command with the words of this package. `parameters` are
    those of other names, with values where they need them; `names` are the user's, which stay.
    `has_fields`: the message may name fields of the library of curves, and no name of the user's.
    """
    parameters = parameters or {}
    def change(part: str) -> str:
        done = _parameters(part, "", parameters)
        return _NULL.sub("is None", _FIELD.sub(lambda field: _FIELDS[field[1]], done) if has_fields else done)
    whole = _beside_names(message, names, change)
    if hint and not _COMMAND.search(hint):
        whole += f" ({_parameters(hint, '=', parameters)})"
    return printable(whole)


def text_worded(value: Any) -> str:
    """A message of the library, with the words of this package."""
    return worded(text(value), "", PARAMETERS)


def _raise(error: Any, parameters: dict[str, str], names: Iterable[str], has_fields: bool) -> None:
    message = worded(text(error.message), text(error.hint) if error.hint else "", parameters, names, has_fields)
    if error.status in _CALLER:
        failure = ValueError(message)
        failure.track = None if error.track == ffi.cast("size_t", -1) else int(error.track)  # type: ignore[attr-defined]
        failure.key = None if error.key == ffi.cast("size_t", -1) else int(error.key)  # type: ignore[attr-defined]
        raise failure
    if error.status == lib.PM_ERROR_MEMORY:
        raise MemoryError(message)
    if error.status == lib.PM_ERROR_OUTPUT:
        raise OSError(message)
    raise DeviceError(message, text(lib.pm_status_name(error.status)), error.cl_status)


def call(function: Any, *arguments: Any, parameters: dict[str, str] = PARAMETERS) -> None:
    """Calls a function of the library with an error as its last argument, and raises it in the words of
    `parameters`.
    """
    error = ffi.new("pm_error *")
    if function(*arguments, error) != lib.PM_OK:
        names = [part.decode("utf-8", "replace") for part in arguments if isinstance(part, bytes)]
        _raise(error, parameters, names, not function.__name__.startswith(("pm_motion_", "pm_library_", "pm_list_")))
