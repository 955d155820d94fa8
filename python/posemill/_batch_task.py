# SPDX-License-Identifier: MIT
"""What a worker does of a batch: `posemill resample` for a part of the list."""
from __future__ import annotations

import os
import socket
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._library import DeviceError, ffi, lib, text, worded

__all__ = ["Outcome", "Task", "raise_code", "run_task", "take",
           "take_failure"]

PARTIAL, USAGE, NO_DEVICE, BAD_INPUT, DEVICE_FAILED, CANNOT_WRITE = 1, 2, 3, 4, 5, 6


@dataclass(frozen=True)
class Task:
    """A part of a batch. Workers need nothing but it and the files.

    Attributes
    ----------
    lines : bytes
        Of the list of files.
    arguments : tuple of str
        Of `posemill resample`.
    records : str
        A file of records; with `by_host` a folder, with a file for each machine.
    """

    lines: bytes
    arguments: tuple[str, ...]
    records: str
    by_host: bool = False


@dataclass(frozen=True)
class Outcome:
    """The exit code of a task, and what it says about the run as a whole; "": nothing."""

    code: int
    failure: str


def take(pointer: Any) -> str:
    """A text in malloc'ed memory, which is released."""
    if pointer[0] == ffi.NULL:
        return ""
    found = text(pointer[0])
    lib.native_free(pointer[0])
    return found


def take_failure(pointer: Any) -> str:
    """The failure of a call, which is a message, a newline and a hint."""
    message, _, hint = take(pointer).rpartition("\n")
    return worded(message, hint)


def raise_code(code: int, message: str) -> None:
    """Raises the exception of an exit code."""
    if code == CANNOT_WRITE:
        raise OSError(message)
    if code in (NO_DEVICE, DEVICE_FAILED):
        raise DeviceError(message, "no device" if code == NO_DEVICE else "device")
    raise ValueError(message)


def _host() -> str:
    name = "".join(c if c.isalnum() else "-" for c in socket.gethostname())
    return name[:60] or "host"


def _call(arguments: list[bytes]) -> Outcome:
    words = [ffi.new("char[]", word) for word in arguments]
    argv = ffi.new("char *[]", [*words, ffi.NULL])
    failure = ffi.new("char **")
    code = int(lib.native_resample(len(words), argv, failure))
    return Outcome(code, take_failure(failure))


def _call_interruptibly(arguments: list[bytes], watch: Callable[[], None]) -> Outcome:
    """The call on another thread: Python handles signals on this one, and `watch` is called again and
    again. After Ctrl-C, and after an exception of `watch`, the files in work are finished, as the
    command does.
    """
    found: list[Outcome] = []
    # Not Thread.join: where a signal interrupts it, some Pythons take the thread for ended.
    ended = threading.Event()

    def run() -> None:
        found.append(_call(arguments))
        ended.set()

    threading.Thread(target=run, name="posemill batch").start()
    try:
        while not ended.wait(0.1):
            watch()
    except BaseException:
        lib.native_stop()
        while not ended.wait(0.1):
            lib.native_stop()
        raise
    return found[0]


def _nothing() -> None:
    """Watches nothing."""


def run_task(task: Task, watch: Callable[[], None] | None = None) -> Outcome:
    """Runs a part of a batch in this process."""
    descriptor, name = tempfile.mkstemp(prefix="posemill-", suffix=".jsonl")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(task.lines)
        records = (os.path.join(task.records, f"records-{_host()}.jsonl") if task.by_host
                   else task.records)
        arguments = ["resample", "--quiet", f"--files-from={name}", f"--records={records}",
                     *task.arguments]
        words = [os.fsencode(word) for word in arguments]
        if watch is None and threading.current_thread() is not threading.main_thread():
            return _call(words)
        return _call_interruptibly(words, watch or _nothing)
    finally:
        os.unlink(name)
