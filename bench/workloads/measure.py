# SPDX-License-Identifier: MIT
"""Measures a library through an adapter, a Python file that prepares a task and returns a call.

docs/workload.md says what an adapter defines. The call is timed, its last results are judged, and a
record is written. Tasks can be measured one after another, each added to the same record.
"""

import datetime
import importlib.util
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from records.text import replace

from . import folder, host, judge, manifest, record
from .problems import NO_OUTPUT, USAGE, Problem

LONGEST_TASK, MOST_REPETITIONS = 10.0, 20  # seconds of repetitions, after the least number


def load_adapter(path):
    """A Python file, run. The user's own code: its failures are shown as they are."""
    if not os.path.isfile(path):
        raise Problem(path, "is no file; expected an adapter, such as examples/workload/scipy_slerp.py")
    spec = importlib.util.spec_from_file_location("workload_adapter", path)
    if spec is None or spec.loader is None:
        raise Problem(path, "is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise Problem(path, f"{sys.executable}: {error}") from None
    for name in ("LIBRARY", "DEVICE", "TIMED", "prepare"):
        if not hasattr(module, name):
            raise Problem(path, f"does not define {name}")
    if module.TIMED == "to-host" and hasattr(module, "fetch"):
        raise Problem(path, "defines fetch, which is for to-device: the call itself must return results in "
                      "host memory")
    if module.TIMED == "to-device" and not (hasattr(module, "fetch") and hasattr(module, "erase")):
        raise Problem(path, "does not define fetch and erase, which to-device requires")
    return module


def choose(tasks, names, what="--task"):
    known = [task["name"] for task in tasks]
    for name in names or ():
        if name not in known:
            raise Problem(what, f"'{name}' is no task; expected one of {' '.join(known)}", USAGE)
    return [task for task in tasks if not names or task["name"] in names]


def _erase(results):
    if isinstance(results, np.ndarray) and results.flags.writeable:
        results.fill(np.nan)


def _repeat(call, erase, repetitions):
    """Seconds of each run, and the results of the last. Results of an untimed run are erased first."""
    erase(call())
    seconds = []
    while len(seconds) < repetitions if repetitions else (
            len(seconds) < record.SHORTEST_REPETITIONS
            or len(seconds) < MOST_REPETITIONS and sum(seconds) < LONGEST_TASK):
        results = None  # its memory is free before the next run
        begun = time.perf_counter()
        results = call()
        seconds.append(time.perf_counter() - begun)
    return seconds, results


def _measure_task(adapter, task, inputs, samples, repetitions):
    """The member of a record, or None where the library does not have the task. The adapter has copies
    of the inputs, because results are judged by what they were."""
    call = adapter.prepare(task, {name: array.copy() for name, array in inputs.items()})
    if call is None:
        return None
    seconds, results = _repeat(call, getattr(adapter, "erase", _erase), repetitions)
    if adapter.TIMED == "to-device":
        results = np.asarray(adapter.fetch(results))
    elif not isinstance(results, np.ndarray):  # it may still be computed when it is read
        raise Problem(task["name"], f"the adapter gives a {type(results).__name__}; expected a NumPy array, "
                      "because to-host includes all results in host memory")
    if results.dtype.str not in manifest.RESULT_TYPES or results.shape != tuple(task["shape"]):
        raise Problem(task["name"], f"the adapter gives {results.dtype} {results.shape}; expected float32 "
                      f"or float64 {tuple(task['shape'])}")
    found = judge.judge(task, samples, results)
    if found.mistake:
        raise Problem(task["name"], found.mistake, 1)
    return {"name": task["name"], "device": adapter.DEVICE, "timed": adapter.TIMED,
            "dtype": str(results.dtype), "samples": task["samples"], "seconds": seconds,
            "samples_per_s": task["samples"] / statistics.median(seconds),
            "max_error_rad": found.error, "max_norm_error": found.norm}


def _check_adapter(path, adapter, value):
    """Refuses before anything is measured what a record could not contain."""
    task = {"name": "task", "device": adapter.DEVICE, "timed": adapter.TIMED, "dtype": "float32",
            "samples": 1, "seconds": [1.0] * record.SHORTEST_REPETITIONS, "samples_per_s": 1.0,
            "max_error_rad": 0.0, "max_norm_error": 0.0}
    for mistake in record.schema_mistakes({**value, "tasks": [task]}):
        raise Problem(path, mistake.replace("tasks[0].device", "DEVICE").replace("tasks[0].timed", "TIMED")
                      .replace("library.", "LIBRARY."))


def _check_output(path):
    parent = Path(path).absolute().parent
    if os.path.lexists(path) and not os.path.isfile(path):
        raise Problem(path, "is no file", NO_OUTPUT)
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise Problem(path, "its folder does not exist or cannot be written to", NO_OUTPUT)


def _earlier(path, fresh):
    """The tasks and notes of a record that exists, which must be of the same library and workload."""
    if not os.path.lexists(path):
        return [], ""
    earlier = record.read(path)
    mistakes = record.schema_mistakes(earlier)
    if mistakes:
        raise Problem(path, f"exists, and cannot be added to: {mistakes[0]}")
    for member in ("library", "workload", "host"):
        if earlier[member] != fresh[member]:
            raise Problem(path, f"exists, and its {member} differs; name another record", NO_OUTPUT)
    return earlier["tasks"], earlier.get("notes", "")


def line_of(task):
    return (f"{task['name']:<14} {task['samples_per_s'] / 1e6:10.2f} million samples/s  "
            f"largest error {task['max_error_rad']:.2e} rad  {task['device']}, {task['dtype']}")


def _tasks_of(fresh, earlier, order, path):
    """Those that were measured now, and those of the record that were not, in the workload's order."""
    measured = {record.key_of(task) for task in fresh}
    kept = [task for task in earlier if record.key_of(task) not in measured]
    for task in kept:
        if task["name"] not in order:
            raise Problem(path, f"exists, and has a task that the workload does not have: {task['name']}")
    return sorted([*fresh, *kept], key=lambda task: order.index(task["name"]))


def measure(options):
    """Stores the record after each task, so that a task that fails takes no other with it."""
    name, text = folder.manifest_in(options.folder)
    workload = json.loads(text)
    tasks = choose(workload["tasks"], options.task)
    adapter = load_adapter(options.adapter)
    value = {"schema": record.SCHEMA, "library": adapter.LIBRARY, "host": host.describe(options.compiler),
             "date": datetime.date.today().isoformat(),
             "workload": {"name": name, "version": workload["version"],
                          "sha256": manifest.digest_of(text)},
             "notes": "", "tasks": []}
    _check_adapter(options.adapter, adapter, value)
    _check_output(options.out)
    earlier, notes = _earlier(options.out, value)
    value["notes"] = notes if options.notes is None else options.notes
    order = [task["name"] for task in workload["tasks"]]
    _tasks_of([], earlier, order, options.out)
    inputs = folder.load_inputs(options.folder, workload["files"])
    fresh = []
    for task in tasks:
        samples = judge.samples_of(task, inputs)
        judge.check_stored(options.folder, workload["files"], task, samples)
        found = _measure_task(adapter, task, inputs, samples, options.repetitions)
        print(line_of(found) if found else f"{task['name']:<14} not by this adapter", flush=True)
        if found is not None:
            fresh.append(found)
            value["tasks"] = _tasks_of(fresh, earlier, order, options.out)
            replace(options.out, json.dumps(value, indent=1) + "\n")
    if not fresh:
        raise Problem(options.adapter, "has none of the tasks")
