# SPDX-License-Identifier: MIT
"""Measures a library, judges its results, and writes a record, which grows by a task at a time, so that a task that
fails takes no other with it."""

import datetime
import json
import os
import statistics
import tempfile

from records.text import CANNOT_WRITE, Refused, replace, shown

from . import content, folder, host, judge, libraries, table


def choose(tasks, names, what="--task"):
    known = [task["name"] for task in tasks]
    for name in names or ():
        if name not in known:
            raise Refused(f"{what}: '{shown(name)}' is no task; expected one of {' '.join(known)}", 2)
    return [task for task in tasks if not names or task["name"] in names]


def _check_memory(task):
    """Refuses before a machine without the memory begins to swap; what is not known is not refused."""
    free, needed = host.available_memory(), task["samples"] * (48 if task["name"].startswith("crowd/") else 16)
    if free is not None and needed > free:
        raise Refused(f"{task['name']}: its results have {needed} bytes as float32, and {free} bytes of memory are "
                      "available", CANNOT_WRITE)


def _task_of(task, found, errors):
    """The member of a record. Six digits of the seconds are more than what differs between repetitions."""
    seconds = [float(f"{second:.6g}") for second in found.seconds]
    return {"name": task["name"], "device": found.device, "timed": found.timed, "dtype": str(found.results.dtype),
            "samples": task["samples"], "seconds": seconds,
            "samples_per_s": task["samples"] / statistics.median(seconds), **errors}


def text_of(record):
    """A task on each line."""
    tasks = ",\n".join("  " + json.dumps(task, ensure_ascii=False) for task in record["tasks"])
    whole = json.dumps({**record, "tasks": []}, indent=1, ensure_ascii=False)
    return whole.replace('"tasks": []', f'"tasks": [\n{tasks}\n ]') + "\n"


def _record_of(options, workload, found):
    """The record with the tasks of one that exists, which must be of the same library, machine and workload."""
    record = {"schema": 2, "library": found.library,
              "host": host.describe(options.compiler or found.compiler or "unknown"),
              "date": datetime.date.today().isoformat(),
              "workload": {"name": workload.name, "version": content.VERSION, "sha256": folder.DIGESTS[workload.name]},
              "notes": options.notes or "", "tasks": []}
    if os.path.lexists(options.out):
        earlier = table.read(options.out)
        for member in ("library", "workload", "host"):
            if earlier.get(member) != record[member]:
                raise Refused(f"{shown(options.out)}: exists, and its {member} differs; name another record", CANNOT_WRITE)
        record["tasks"] = earlier["tasks"]
        record["notes"] = options.notes or earlier.get("notes", "")
    return record


def measure(options):
    workload = folder.open_in(options.folder)
    tasks = choose(workload.tasks, options.task)
    library = libraries.Adapter(options.adapter) if options.adapter else libraries.Program(options.program)
    inputs, record, order = folder.load_inputs(workload), None, [task["name"] for task in workload.tasks]
    # Results of a program may be larger than what a system keeps in memory, and are beside the record.
    parent = os.path.dirname(os.path.abspath(options.out))
    try:
        beside = tempfile.TemporaryDirectory(prefix=".posemill-", suffix=".part", dir=parent)
    except OSError as error:
        raise Refused(f"{shown(options.out)}: cannot be written: {error.strerror}", CANNOT_WRITE) from error
    with beside as scratch:
        for task in tasks:
            _check_memory(task)
            found = library.measure(workload, task, inputs, scratch)
            if found is None:
                print(f"{task['name']:<14} not by this adapter", flush=True)
                continue
            value = _task_of(task, found, judge.judge(task, inputs, found.results))
            record = record or _record_of(options, workload, found)
            same = [value["name"], value["device"]]
            record["tasks"] = sorted([*(one for one in record["tasks"] if [one["name"], one["device"]] != same), value],
                                     key=lambda one: order.index(one["name"]))
            replace(options.out, text_of(record))
            print(f"{task['name']:<14} {value['samples_per_s'] / 1e6:10.2f} million samples/s  "
                  f"{judge.text_of(value)}  {shown(value['device'])}, {value['dtype']}", flush=True)
    if record is None:
        raise Refused(f"{shown(options.adapter or options.program)}: has none of the tasks")
