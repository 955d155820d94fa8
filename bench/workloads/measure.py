# SPDX-License-Identifier: MIT
"""Measures a library, judges its results, and writes a record.

docs/workload.md says what an adapter defines. Tasks can be measured one after another, each added to the
same record.
"""

import datetime
import json
import os
import statistics
from pathlib import Path

from records.text import replace

from . import folder, host, judge, libraries, manifest, record
from .problems import NO_OUTPUT, USAGE, Problem


def choose(tasks, names, what="--task"):
    known = [task["name"] for task in tasks]
    for name in names or ():
        if name not in known:
            raise Problem(what, f"'{name}' is no task; expected one of {' '.join(known)}", USAGE)
    return [task for task in tasks if not names or task["name"] in names]


def _check_memory(task):
    """Refuses before a machine without the memory begins to swap; what is not known is not refused."""
    needed, free = (task["result_bytes"] or {}).get("float32", 0), host.available_memory()
    if free is not None and needed > free:
        raise Problem(task["name"], f"its results have {needed} bytes as float32, and {free} bytes of memory "
                      "are available", NO_OUTPUT)


def _task_of(task, found, errors, keys):
    """The member of a record. Six digits of the seconds are more than what differs between repetitions."""
    seconds = [float(f"{second:.6g}") for second in found.seconds]
    value = {"name": task["name"], "division": found.division, "device": found.device, "timed": found.timed,
             "dtype": "text" if task["motion"] else str(found.results.dtype), "samples": task["samples"],
             "seconds": seconds, "samples_per_s": task["samples"] / statistics.median(seconds),
             **{name: error for name, error in errors.items() if error is not None}}
    if found.division == "lossy":
        value |= {"bytes_per_key": found.stored_bytes / keys, "build_seconds": found.build_seconds}
    return value


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
            f"{judge.text_of({**dict.fromkeys(record.OF_ROTATIONS + record.OF_POSES), **task})}  "
            f"{task['device']}, {task['dtype']}, {task['division']}")


def _tasks_of(fresh, earlier, order, path):
    """Those that were measured now, and those of the record that were not, in the workload's order."""
    measured = {record.key_of(task) for task in fresh}
    kept = [task for task in earlier if record.key_of(task) not in measured]
    for task in kept:
        if task["name"] not in order:
            raise Problem(path, f"exists, and has a task that the workload does not have: {task['name']}")
    return sorted([*fresh, *kept], key=lambda task: order.index(task["name"]))


class _Record:
    """A record that grows by a task at a time, so that a task that fails takes no other with it."""

    def __init__(self, options, name, workload, text):
        self.options, self.order = options, [task["name"] for task in workload["tasks"]]
        self.value = {"schema": record.SCHEMA, "library": None, "host": host.describe("unknown"),
                      "date": datetime.date.today().isoformat(),
                      "workload": {"name": name, "version": workload["version"],
                                   "sha256": manifest.digest_of(text)}, "notes": "", "tasks": []}
        self.fresh, self.earlier = [], None

    def _begin(self, found):
        self.value["library"] = found.library
        self.value["host"]["compiler"] = self.options.compiler or found.compiler or "unknown"
        self.earlier, notes = _earlier(self.options.out, self.value)
        self.value["notes"] = notes if self.options.notes is None else self.options.notes

    def add(self, found, task):
        if self.earlier is None:
            self._begin(found)
        self.fresh.append(task)
        self.value["tasks"] = _tasks_of(self.fresh, self.earlier, self.order, self.options.out)
        if mistakes := record.schema_mistakes(self.value):
            raise Problem(self.options.adapter or self.options.program, mistakes[0])
        replace(self.options.out, manifest.text_of(self.value))


def measure(options):
    name, text = folder.manifest_in(options.folder)
    workload = json.loads(text)
    tasks = choose(workload["tasks"], options.task)
    library = libraries.Adapter(options.adapter) if options.adapter else libraries.Program(options.program)
    _check_output(options.out)
    written = _Record(options, name, workload, text)
    inputs = folder.load_inputs(options.folder, workload["files"])
    with libraries.scratch_beside(options.out) as scratch:
        for task in tasks:
            _check_memory(task)
            found = library.measure(options.folder, task, inputs, scratch, options.repetitions)
            if found is None:
                print(f"{task['name']:<14} not by this adapter", flush=True)
                continue
            if found.division not in record.DIVISIONS:
                raise Problem(task["name"], "the division is exact or lossy")
            judged = judge.judge_results(options.folder, workload["files"], task, inputs, found.results,
                                         found.division)
            if judged.mistake:
                raise Problem(task["name"], judged.mistake, 1)
            value = _task_of(task, found, judged.errors, workload["keys"] * workload["tracks"])
            written.add(found, value)
            print(line_of(value), flush=True)
    if not written.fresh:
        raise Problem(options.adapter or options.program, "has none of the tasks")
