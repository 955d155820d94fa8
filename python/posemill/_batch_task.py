# SPDX-License-Identifier: MIT
"""What a worker does of a batch: a part of the list."""
from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._batch_list import list_of
from ._batch_options import make_options
from ._library import DeviceError, error_text, ffi, lib

__all__ = ["Outcome", "Task", "raise_code", "run_task"]

NO_DEVICE, BAD_INPUT, DEVICE_FAILED, CANNOT_WRITE = 3, 4, 5, 6
_CODES = {lib.PM_ERROR_NO_PLATFORM: NO_DEVICE, lib.PM_ERROR_NO_DEVICE: NO_DEVICE,
          lib.PM_ERROR_BUILD: DEVICE_FAILED, lib.PM_ERROR_DEVICE_MEMORY: DEVICE_FAILED,
          lib.PM_ERROR_DEVICE: DEVICE_FAILED, lib.PM_ERROR_OUTPUT: CANNOT_WRITE}


@dataclass(frozen=True)
class Task:
    """A part of a batch. Workers need nothing but it and the files.

    Attributes
    ----------
    lines : bytes
        Of the list of files.
    out_dir, rate : bytes
        Texts of a pm_motion_batch_options. An empty rate: files are reduced.
    run : dict
        Its fields that are numbers.
    options : dict
        As `make_options` takes them.
    records : str
        A file of records; with `by_host` a folder, with a file for each machine.
    """

    lines: bytes
    out_dir: bytes
    rate: bytes
    run: dict[str, Any]
    options: dict[str, Any]
    records: str
    by_host: bool = False


@dataclass(frozen=True)
class Outcome:
    """The exit code that the command has for a task, and what is said about the run as a whole; "":
    nothing.
    """

    code: int
    failure: str


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


def _failed(status: int, error: Any, what: str = "") -> Outcome:
    return Outcome(_CODES.get(status, BAD_INPUT), what + error_text(error))


def _environment(name: str) -> str | None:
    """An empty variable is treated as unset."""
    return os.environ.get(name) or None


def _engine(options: dict[str, Any], jobs: int, error: Any) -> tuple[int, Any, Any]:
    """The status, a description of the engine of a part of the processors, and the engine; NULL where
    the choice is the library's, for each file.
    """
    device = "none" if options.get("reference") else (
        options.get("device") or _environment("POSEMILL_DEVICE") or "auto")
    cache = _environment("POSEMILL_CACHE")
    texts = [ffi.NULL if value is None else ffi.new("char[]", os.fsencode(value))
             for value in (device, "" if cache == "off" else cache, _environment("POSEMILL_KERNELS"))]
    desc = ffi.new("pm_engine_desc *", {
        "device": texts[0], "cache_folder": texts[1], "kernel_folder": texts[2],
        "host_threads": max(1, lib.pm_processors() // jobs), "build_in_background": True})
    made = ffi.new("pm_engine **")
    status = lib.PM_OK if device == "auto" else lib.pm_engine_create(desc, made, error)
    return status, (desc, texts), made


def _call(task: Task, records: str) -> Outcome:
    error = ffi.new("pm_error *")
    options, keep = make_options(task.options)
    jobs = task.run.get("jobs") or lib.pm_processors()
    status, description, engine = _engine(task.options, jobs, error)
    if status != lib.PM_OK:
        return _failed(status, error, "device: ")
    places = [ffi.new("char[]", task.out_dir), ffi.new("char[]", os.fsencode(records))]
    options.out_dir, options.records = places
    for name, value in task.run.items():
        setattr(options, name, value)
    keep_rate = ffi.new("char[]", task.rate)
    options.task.rate = keep_rate if task.rate else ffi.NULL
    options.spelling = lib.PM_SPELLING_KEYWORD
    options.automatic = ffi.NULL if engine[0] else description[0]
    lib.native_let_stop(options)
    result = ffi.new("pm_motion_batch_result *")
    status = lib.pm_motion_batch_run(list_of(task.lines), engine[0], options, result, error)
    lib.pm_engine_destroy(engine)
    del keep, keep_rate, description
    if status == lib.PM_OK:
        return Outcome(0, "")
    return Outcome(_CODES.get(status, BAD_INPUT), "") if result.ended_by_file else _failed(status, error)


def _call_interruptibly(task: Task, records: str, watch: Callable[[], None]) -> Outcome:
    """The call on another thread: Python handles signals on this one, and `watch` is called again and
    again. After Ctrl-C, and after an exception of `watch`, the files in work are finished, as the
    command does.
    """
    found: list[Outcome] = []
    raised: list[BaseException] = []
    # Not Thread.join: where a signal interrupts it, some Pythons take the thread for ended.
    ended = threading.Event()

    def run() -> None:
        try:
            found.append(_call(task, records))
        except BaseException as error:
            raised.append(error)
        finally:
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
    if raised:
        raise raised[0]
    return found[0]


def _nothing() -> None:
    """Watches nothing."""


def run_task(task: Task, watch: Callable[[], None] | None = None) -> Outcome:
    """Runs a part of a batch in this process."""
    records = (os.path.join(task.records, f"records-{_host()}.jsonl") if task.by_host
               else task.records)
    if watch is None and threading.current_thread() is not threading.main_thread():
        return _call(task, records)
    return _call_interruptibly(task, records, watch or _nothing)
