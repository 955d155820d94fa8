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
from ._library import DeviceError, error_text, ffi, interruptibly, lib, text
from ._options import Options, step_array

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
    out_dir : bytes
    run : dict
        Fields of a pm_motion_batch_options that are numbers.
    options : Options
        What is done to each file.
    steps : tuple of Options
        One after another; empty: what `options` say.
    records : str
        A file of records; with `by_host` a folder, with a file for each machine.
    """

    lines: bytes
    out_dir: bytes
    run: dict[str, Any]
    options: Options
    steps: tuple[Options, ...]
    records: str
    by_host: bool = False

    def describe(self) -> tuple[Any, Any]:
        """A pm_motion_batch_options, and what it points to."""
        made, keep = ffi.new("pm_motion_batch_options *"), [ffi.new("char[]", self.out_dir), step_array(self.steps)]
        made[0] = self.options.values.batch[0]
        made.out_dir, made.task.steps, made.task.step_count = *keep, len(self.steps)
        made.spelling, made.report_pages = lib.PM_SPELLING_KEYWORD, 0
        for name, value in self.run.items():
            setattr(made, name, value)
        return made, keep


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


def _engine(values: Any, jobs: int, error: Any) -> tuple[int, Any, Any]:
    """The status, a description of the engine of a part of the processors, and the engine; NULL where
    the choice is the library's, for each file.
    """
    given = None if values.device == ffi.NULL else text(values.device)
    device = "none" if values.reference else given or _environment("POSEMILL_DEVICE") or "auto"
    cache = _environment("POSEMILL_CACHE")
    texts = [ffi.NULL if value is None else ffi.new("char[]", os.fsencode(value))
             for value in (device, "" if cache == "off" else cache, _environment("POSEMILL_KERNELS"))]
    desc = ffi.new("pm_engine_desc *", {
        "device": texts[0], "cache_folder": texts[1], "kernel_folder": texts[2],
        "host_threads": max(1, lib.pm_processors() // jobs),
        # otherwise a check would compare plain C with itself
        "build_in_background": not values.task.check, "programs_on_cpu": bool(values.task.check)})
    made = ffi.new("pm_engine **")
    status = lib.PM_OK if device == "auto" else lib.pm_engine_create(desc, made, error)
    return status, (desc, texts), made


def _call(task: Task, records: str) -> Outcome:
    error = ffi.new("pm_error *")
    options, keep = task.describe()
    jobs = task.run.get("jobs") or lib.pm_processors()
    status, description, engine = _engine(task.options.values, jobs, error)
    if status != lib.PM_OK:
        return _failed(status, error, "device: ")
    place = ffi.new("char[]", os.fsencode(records))
    options.records = place
    options.automatic = ffi.NULL if engine[0] else description[0]
    lib.native_let_stop(options)
    result = ffi.new("pm_motion_batch_result *")
    status = lib.pm_motion_batch_run(list_of(task.lines), engine[0], options, result, error)
    lib.pm_engine_destroy(engine)
    del keep, place, description
    if status == lib.PM_OK:
        return Outcome(0, "")
    return Outcome(_CODES.get(status, BAD_INPUT), "") if result.ended_by_file else _failed(status, error)


def _call_interruptibly(task: Task, records: str, watch: Callable[[], None]) -> Outcome:
    """After Ctrl-C, and after an exception of `watch`, the files in work are finished, as the command does."""
    return interruptibly(lambda: _call(task, records), lambda: lib.native_stop(), watch)


def run_task(task: Task, watch: Callable[[], None] | None = None) -> Outcome:
    """Runs a part of a batch in this process."""
    records = (os.path.join(task.records, f"records-{_host()}.jsonl") if task.by_host
               else task.records)
    if watch is None and threading.current_thread() is not threading.main_thread():
        return _call(task, records)
    return _call_interruptibly(task, records, watch or (lambda: None))
