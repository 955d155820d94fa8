# SPDX-License-Identifier: MIT
"""Thousands of files: `--out-dir` of `posemill resample`, `reduce` and `run` on any executor.

The records in ``OUT/.posemill`` and the digest are those of the command, and both can continue what
the other began. Results are the same for any number of workers, runs and machines.
"""
from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._batch_list import Line, divide, find_files, merge
from ._batch_task import CANNOT_WRITE, DEVICE_FAILED, NO_DEVICE, Outcome, Task, raise_code, run_task
from ._library import Path, ffi, file_name, lib, printable, text
from ._options import Options, step_of
from ._rational import Number

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import BatchOptions, BatchReduceOptions

__all__ = ["Failure", "Result", "WorkersLost", "reduce", "run"]

#: A step of a batch: its name, or that and its options, as of the method of :class:`posemill.Motion`.
Step = Union[str, tuple[str, Mapping[str, Any]]]

_PARTS_PER_WORKER = 4
_ATTEMPTS = 3


@dataclass(frozen=True)
class Failure:
    """A file that could not be resampled: the name of its output, the reason, and the exit code.

    Examples
    --------
    >>> import posemill as pm
    >>> _ = open("broken.bvh", "w").write("HIERARCHY\\n")
    >>> [failure] = pm.batch.run("broken.bvh", "none", 60).failures
    >>> failure.name, failure.code
    ('broken.bvh', 4)
    """

    name: str
    error: str
    code: int


@dataclass(frozen=True)
class Result:
    """The result of a run, as `posemill merge` reports it.

    Attributes
    ----------
    complete : bool
        Whether all files are done.
    digest : str
        Of all names and results, independent of workers, runs and machines.
    done : int
        Files that are done, now or before.
    failures : tuple of Failure
        Files that cannot be used.
    missing, conflicting : tuple of str
        Names without a record, and names that were done twice with different results.
    frames, joint_samples, bytes_read, bytes_written : int
        Sums over the files that are done.
    seconds : float
        Of work, over all workers.

    Examples
    --------
    >>> import posemill as pm
    >>> result = pm.batch.run("walk.bvh", "fast", 120)
    >>> result.frames, result.missing
    (241, ())
    """

    complete: bool
    digest: str
    done: int
    failures: tuple[Failure, ...]
    missing: tuple[str, ...]
    conflicting: tuple[str, ...]
    frames: int
    joint_samples: int
    bytes_read: int
    bytes_written: int
    seconds: float


class WorkersLost(RuntimeError):
    """Workers ended before their files were done. Finished files are kept; run it again for the others.

    Attributes
    ----------
    result : Result
        What is done; ``result.missing`` is what is left.

    Examples
    --------
    >>> import posemill as pm
    >>> try:
    ...     done = pm.batch.run("walk.bvh", "kept", 60)
    ... except pm.batch.WorkersLost as lost:
    ...     done = lost.result
    >>> done.complete
    True
    """

    def __init__(self, result: Result) -> None:
        left = len(result.missing)
        super().__init__(f"workers ended before {left} file{'' if left == 1 else 's'} "
                         f"{'was' if left == 1 else 'were'} done: "
                         f"{', '.join(result.missing[:5])}{', ...' if left > 5 else ''}; "
                         "run it again with resume=True and a new executor")
        self.result = result

    def __reduce__(self) -> tuple[type[WorkersLost], tuple[Result]]:
        return WorkersLost, (self.result,)


# ---- executors -------------------------------------------------------------------------------


def _workers(executor: Any) -> int:
    if hasattr(executor, "nthreads"):  # a client of Dask
        return sum(executor.nthreads().values()) or 1
    found = getattr(executor, "_max_workers", None)
    return found if isinstance(found, int) and found > 0 else lib.pm_processors()


def _is_lost(error: BaseException) -> bool:
    """Dask gives up a task whose workers ended several times."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


class _Watch:
    """Counts the files that the records name since it was made, and tells a function of the caller."""

    def __init__(self, tell: Callable[[int, int], None] | None, total: int, place: str) -> None:
        self._tell, self._total, self._place = tell, total, place
        self._names: set[str] = set()
        self._told = -1
        self._read = {path: os.path.getsize(path) for path in self._files()} if tell else {}

    def _files(self) -> list[str]:
        if not os.path.isdir(self._place):
            return [self._place] if os.path.exists(self._place) else []
        return [entry.path for entry in os.scandir(self._place) if entry.name.endswith(".jsonl")]

    def _count(self, path: str) -> None:
        """Lines that are complete."""
        with open(path, "rb") as file:
            file.seek(self._read.get(path, 0))
            found, _, _ = file.read().rpartition(b"\n")
        self._read[path] = self._read.get(path, 0) + len(found) + (1 if found else 0)
        for line in found.split(b"\n"):
            record = json.loads(line) if line.strip() else {}
            if "name" in record:
                self._names.add(record["name"])

    def __call__(self) -> None:
        if self._tell is None:
            return
        for path in self._files():
            self._count(path)
        self.tell(min(len(self._names), self._total))

    def tell(self, done: int) -> None:
        """Tells the number of files, unless it is that of before."""
        if self._tell is not None and done != self._told:
            self._told = done
            self._tell(done, self._total)


def _submit(executor: Executor, tasks: Sequence[Task],
            watch: _Watch) -> tuple[list[Outcome], list[Task]]:
    """Runs tasks: what became of them, and those that were lost with their workers."""
    futures: dict[Future[Outcome], Task] = {}
    outcomes: list[Outcome] = []
    lost: list[Task] = []
    try:
        for i, task in enumerate(tasks):
            try:
                futures[executor.submit(run_task, task)] = task
            except BrokenExecutor:
                lost += tasks[i:]
                break
        left = set(futures)
        while left:
            ended, left = wait(left, 0.2, FIRST_COMPLETED)
            watch()
            for future in ended:
                error = future.exception()
                if error is None:
                    outcomes.append(future.result())
                elif _is_lost(error):
                    lost.append(futures[future])
                else:
                    raise error
    except BaseException:
        for future in futures:
            future.cancel()
        lib.native_stop()
        raise
    return outcomes, lost


def _run_processes(tasks: Sequence[Task], count: int,
                   watch: _Watch) -> tuple[list[Outcome], list[Task]]:
    """Runs tasks on processes of its own; those that were lost once more on new ones."""
    outcomes: list[Outcome] = []
    left = list(tasks)
    for _ in range(_ATTEMPTS):
        # Drivers have threads, which a fork does not copy.
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            done, left = _submit(pool, left, watch)
        outcomes += done
        if not left:
            break
    return outcomes, left


def _run_tasks(executor: Any, tasks: Sequence[Task], processes: int,
               watch: _Watch) -> tuple[list[Outcome], list[Task]]:
    if executor is None:
        return [run_task(task, watch) for task in tasks], []
    if executor == "processes":
        return _run_processes(tasks, processes, watch)
    if hasattr(executor, "get_executor"):
        return _submit(executor.get_executor(pure=False), tasks, watch)
    return _submit(executor, tasks, watch)


# ---- the run ---------------------------------------------------------------------------------


def _result_of(merged: dict[str, Any]) -> Result:
    files = merged.pop("files")
    of = {state: [f for f in files if f["state"] == state]
          for state in ("failed", "missing", "conflicting")}
    return Result(failures=tuple(Failure(f["name"], printable(f["error"] or ""), f["code"])
                                 for f in of["failed"]),
                  missing=tuple(f["name"] for f in of["missing"]),
                  conflicting=tuple(f["name"] for f in of["conflicting"]), **merged)


def _raise_failures(outcomes: Iterable[Outcome], result: Result) -> None:
    """What ended the run: a wrong option, a full disk, a lost device."""
    for outcome in outcomes:
        if outcome.failure:
            raise_code(outcome.code, outcome.failure)
    ended = {o.code for o in outcomes} & {NO_DEVICE, DEVICE_FAILED, CANNOT_WRITE}
    for failure in result.failures:
        if result.missing and failure.code in ended:
            raise_code(failure.code, f"{failure.name}: {failure.error}; "
                                     f"{len(result.missing)} files are left")


def _make_tasks(lines: Sequence[Line], executor: Any, parts: int | None, workers: int,
                whole: Task, records: str | None) -> list[Task]:
    if executor is None:
        count = 1
    else:
        count = parts if parts is not None else _PARTS_PER_WORKER * workers
    if count < 1:
        raise ValueError(f"parts: {count} is below 1")
    # Workers of one machine append to one file, as the command does; those of several machines
    # must not, because network file systems do not append in one piece.
    local = executor in (None, "processes") or isinstance(
        executor, (ThreadPoolExecutor, ProcessPoolExecutor))
    hidden = os.path.join(os.fsdecode(whole.out_dir), ".posemill")
    place = records or (os.path.join(hidden, "records-0.jsonl") if local else hidden)
    return [replace(whole, lines=b"".join(line.text for line in part), records=place,
                    by_host=records is None and not local) for part in divide(lines, count)]


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected True or False, found {type(value).__name__}")
    return bool(value)


def _run(paths: Path | Iterable[Path] | None, out_dir: Path, options: Options, steps: Sequence[Options] = (), *,
         files_from: Path | None = None, match: str | None = None, executor: Any = None,
         resume: bool = True, verify: bool = False, overwrite: bool = False,
         jobs: int | None = None, parts: int | None = None, records: Path | None = None,
         progress: Callable[[int, int], None] | None = None) -> Result:
    if isinstance(executor, str) and executor != "processes":
        raise ValueError(f"executor: {executor!r} is unknown; expected 'processes' or an executor")
    if not (executor is None or isinstance(executor, str) or hasattr(executor, "submit")):
        raise TypeError(f"executor: expected one with `submit`, found {type(executor).__name__}")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: expected a function, found {type(progress).__name__}")
    if jobs is not None and (not isinstance(jobs, int) or isinstance(jobs, bool) or not 1 <= jobs <= 1024):
        raise ValueError(f"jobs: {jobs!r} is not an integer from 1 to 1024")
    resume, verify, overwrite = (_flag(value, name) for value, name in (
        (resume, "resume"), (verify, "verify"), (overwrite, "overwrite")))
    if verify and (overwrite or not resume):
        raise ValueError("verify: requires resume")
    values = options.values
    if values.reference and values.device != ffi.NULL and text(values.device) != "none":
        raise ValueError("reference: cannot be combined with device")
    operands = ([] if paths is None else [paths] if isinstance(paths, (str, os.PathLike)) else
                list(paths))
    folder = os.fsencode(os.path.abspath(os.fspath(out_dir)))
    own = executor == "processes"
    workers = (jobs or lib.pm_processors()) if own else _workers(executor)
    # Whether outputs may exist is decided; a task that begins again finds its own.
    whole = Task(b"", folder, {
        "jobs": 1 if executor is not None and (own or jobs is None) else jobs or 0,
        "resume": not overwrite, "verify": verify, "overwrite": overwrite}, options.absolute(),
        tuple(step.absolute() for step in steps), "")
    checked, keep = whole.describe()
    checked.resume, checked.overwrite = resume and not overwrite, overwrite
    lines = find_files([os.fspath(p) for p in operands], checked, files_from=files_from, match=match)
    del keep
    kept = None if records is None else os.path.abspath(os.fspath(records))
    tasks = _make_tasks(lines, executor, parts, workers, whole, kept)
    watch = _Watch(progress, len(lines), tasks[0].records if tasks else os.fsdecode(folder))
    watch.tell(0)
    outcomes, lost = _run_tasks(executor, tasks, workers, watch)
    result = _result_of(merge(lines, folder, None if kept is None else file_name(kept)))
    _raise_failures(outcomes, result)
    watch.tell(result.done + len(result.failures))
    if lost and not result.complete:
        raise WorkersLost(result)
    return result


def run(paths: Path | Iterable[Path] | None, out_dir: Path, rate: Number | None = None, /, *,
        steps: Iterable[Step] | None = None, files_from: Path | None = None, match: str | None = None,
        executor: Any = None, resume: bool = True, verify: bool = False, overwrite: bool = False,
        jobs: int | None = None, parts: int | None = None, records: Path | None = None,
        progress: Callable[[int, int], None] | None = None, **options: Unpack[BatchOptions]) -> Result:
    """Resample files and folders into a folder, or take them through steps.

    Parameters
    ----------
    paths : path or iterable of paths
        Files, folders and tar archives. None: those of files_from.
    out_dir : path
        The folder of the results, which mirror the inputs.
    rate : int, float, str or Fraction, optional
        Samples per second, exact: 29.97, ``"30000/1001"``, or relative to each file: ``"x2"``.
    steps : iterable, optional
        In place of a rate: the steps that each file goes through, as by `posemill run`. A step is its name, or a
        pair of its name and its options: ``["mirror", ("resample", {"rate": 60})]``. Names and options are those of
        the methods of :class:`posemill.Motion`.
    files_from : path, optional
        A list of files, or a tar archive.
    match : str, optional
        A pattern of names in folders and archives.
    executor : Executor or "processes", optional
        Where tasks run, each on a part of the files: one of `concurrent.futures`, of mpi4py or of
        Ray, or a Dask client. Default: this process, with one thread per processor.
    resume : bool
        Keeps outputs that the records prove right. Without it outputs that exist are refused.
    verify : bool
        Reads outputs that are kept.
    overwrite : bool
        Replaces outputs that exist.
    jobs : int, optional
        Threads of a task. With ``"processes"``: processes. Default: one per processor; of tasks on
        an executor 1.
    parts : int, optional
        Tasks of an executor. Default: 4 for each worker.
    records : path, optional
        A file that records are appended to. Default: one in ``out_dir/.posemill``, or for an
        executor over several machines one for each.
    progress : callable, optional
        Called with the number of files that are finished and that of all, on the thread of this call,
        whenever the first changes, and at the end. An exception that it raises ends the run as Ctrl-C does.
    **options
        Those of `posemill resample`, with steps those of `posemill run`, with ``_`` for ``-``: ``method="squad"``,
        ``to="npz"``, ``strict=True``, ``device="none"``, ``clip=["walk", "run"]``, ``literal_rate=True``. None is as
        if left out.

    Returns
    -------
    Result
        Files that cannot be used are failures in it.

    Raises
    ------
    ValueError, TypeError
        An option is wrong, or two files have one output.
    DeviceError, OSError
        A problem that affects all files, such as a full disk, or another run into this folder with
        other options. Finished files are kept.
    WorkersLost
        Workers of an executor that the caller provided ended early.

    Notes
    -----
    Nothing is printed, not even by workers. Ctrl-C lets the files in progress finish. Tasks may run on several
    threads of one process at once. Only one run at a time writes into a folder, but those with the same
    options share it.

    Examples
    --------
    >>> import posemill as pm
    >>> result = pm.batch.run("walk.bvh", "out", 60, method="squad")
    >>> result.done, result.complete, result.failures
    (1, True, ())
    >>> pm.batch.run("walk.bvh", "left", steps=["mirror", ("cut", {"cut": "0:1"})]).done
    1
    """
    if (rate is None and options.get("rate") is None) == (steps is None):
        raise TypeError("rate: expected samples per second, or steps")
    of_run: dict[str, Any] = {
        "files_from": files_from, "match": match, "executor": executor, "resume": resume, "verify": verify,
        "overwrite": overwrite, "jobs": jobs, "parts": parts, "records": records, "progress": progress}
    if steps is None:
        return _run(paths, out_dir, Options("batch", options, rate=rate), **of_run)
    return _run(paths, out_dir, Options("batch_steps", options), _steps(steps), **of_run)


def _steps(steps: Iterable[Step]) -> list[Options]:
    """Steps with their options, checked."""
    if isinstance(steps, str):
        raise TypeError("steps: expected a list, found one name")
    pairs: list[tuple[str, Mapping[str, Any]]] = [(step, {}) if isinstance(step, str) else step for step in steps]
    if not pairs:
        raise ValueError("steps: expected at least one")
    return [step_of(name, options) for name, options in pairs]


def reduce(paths: Path | Iterable[Path] | None, out_dir: Path, *, files_from: Path | None = None,
           match: str | None = None, executor: Any = None, resume: bool = True, verify: bool = False,
           overwrite: bool = False, jobs: int | None = None, parts: int | None = None, records: Path | None = None,
           progress: Callable[[int, int], None] | None = None, **options: Unpack[BatchReduceOptions]) -> Result:
    """Drop keys of files and folders, as :func:`posemill.reduce` does of one motion.

    Experimental: it may change in any version.

    Parameters
    ----------
    paths, out_dir, files_from, match, executor, resume, verify, overwrite, jobs, parts, records, progress
        As of :func:`run`.
    **options
        Those of `posemill reduce`: ``angle``, ``distance``, ``curve`` and so on, and how files are read. ``to``:
        ``"glb"`` (the default), ``"gltf"``, or ``"npz"``, where all joints have keys at the same times, as with
        ``common``.

    Returns
    -------
    Result
        The records have the bounds of each file.

    Raises
    ------
    ValueError, TypeError, DeviceError, OSError, WorkersLost
        As of :func:`run`.

    Examples
    --------
    >>> import posemill as pm
    >>> result = pm.batch.reduce("walk.bvh", "small", angle=0.5)
    >>> result.done, result.complete
    (1, True)
    """
    return _run(paths, out_dir, Options("batch_reduce", options), files_from=files_from, match=match,
                executor=executor, resume=resume, verify=verify, overwrite=overwrite, jobs=jobs, parts=parts,
                records=records, progress=progress)
