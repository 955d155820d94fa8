# SPDX-License-Identifier: MIT
"""Records of measurements: read from hostile files, and checked member by member.

docs/workload.md describes the members. A mistake is one line that names the member. Needs no NumPy.
"""

import datetime
import json
import math
import re
import statistics

from .problems import Problem, cause_of, printable, read_bytes

SCHEMA = 2
SHORTEST_REPETITIONS, MOST_REPETITIONS = 3, 10000
LEAST_SECONDS = 1.0
TIMED = ("to-host", "to-device", "to-file")
DIVISIONS = ("exact", "lossy")
# Members that tasks of some kind have: of quaternions, of matrices and files, and of the lossy division.
OF_ROTATIONS, OF_POSES = ("max_norm_error",), ("max_error_m", "mean_error_m")
OF_LOSSY = ("bytes_per_key", "build_seconds")
LARGEST_BYTES = 1 << 20
TYPES = ("float32", "float64", "text")
# No memory of one machine or device is faster; a record may state the bandwidth of its own.
FASTEST_MEMORY = 2e13
# Rounding to float32 alone makes an error that is larger.
SMALLEST_FLOAT32_ERROR = 1e-9


def _refuse_constant(name):
    raise ValueError(f"{name} is not a number of JSON")


def _members_once(pairs):
    found = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the member '{name}' occurs twice")
        found[name] = value
    return found


def read(path):
    """The object of a JSON file, or a Problem."""
    data = read_bytes(path, LARGEST_BYTES)
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_refuse_constant,
                           object_pairs_hook=_members_once)
    except RecursionError:
        raise Problem(path, "is nested too deeply") from None
    except ValueError as error:
        raise Problem(path, f"is no JSON text: {cause_of(error)}") from None
    if not isinstance(value, dict):
        raise Problem(path, "has no JSON object at the top")
    return value


def _shown(value):
    try:
        return printable(value if isinstance(value, str) else json.dumps(value), 80)
    except (RecursionError, ValueError):  # nested deeply; a number of thousands of digits
        return f"a {type(value).__name__}"


def _is_number(value):
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def text(value):
    """Returns what was expected, or nothing."""
    fits = isinstance(value, str) and value.strip() and len(value) <= 400 and value.isprintable()
    return "" if fits else "a line of 1 to 400 printable characters"


def notes(value):
    fits = isinstance(value, str) and len(value) <= 4000 and (value + " ").isprintable()
    return "" if fits else "a line of at most 4000 printable characters"


def url(value):
    fits = isinstance(value, str) and re.fullmatch(r"https?://[!-~]{1,300}", value)
    return "" if fits else "an address that begins with https:// or http://"


def date(value):
    try:
        fits = re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII) and datetime.date.fromisoformat(value)
    except (TypeError, ValueError):
        fits = False
    return "" if fits else "a date such as 2026-11-23"


def digest(value):
    fits = isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value)
    return "" if fits else "a SHA-256 of 64 digits 0-9 a-f"


def count(value):
    fits = isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 1 << 63
    return "" if fits else "a whole number from 1"


def positive(value):
    return "" if _is_number(value) and value > 0 else "a finite number above 0"


def not_negative(value):
    return "" if _is_number(value) and value >= 0 else "a finite number from 0"


def one_of(*values):
    expected = " or ".join(json.dumps(value) for value in values)
    return lambda value: "" if any(type(value) is type(v) and value == v for v in values) else expected


def seconds(value):
    least = SHORTEST_REPETITIONS
    fits = isinstance(value, list) and least <= len(value) <= MOST_REPETITIONS and not any(map(positive, value))
    return "" if fits else f"a list of {least} to {MOST_REPETITIONS} finite numbers above 0"


def members(value, where, required, optional=()):
    """Mistakes of an object: missing and unknown members, and values that do not fit."""
    if not isinstance(value, dict):
        return [f"{where}: expected an object, found {_shown(value)}"]
    optional = dict(optional)
    prefix = f"{where}." if where else ""
    mistakes = [f"{prefix}{name}: is missing" for name in required if name not in value]
    for name, found in value.items():
        check = required.get(name) or optional.get(name)
        if check is None:
            mistakes.append(f"{prefix}{printable(name, 60)}: is unknown")
        elif expected := check(found):
            mistakes.append(f"{prefix}{name}: expected {expected}, found {_shown(found)}")
    return mistakes


def _anything(_value):
    return ""


def _task_mistakes(found, where):
    return members(found, where, {
        "name": text, "division": one_of(*DIVISIONS), "device": text, "timed": one_of(*TIMED),
        "dtype": one_of(*TYPES), "samples": count, "seconds": seconds, "samples_per_s": positive,
        "max_error_rad": not_negative, "mean_error_rad": not_negative},
        {"notes": notes, "max_norm_error": not_negative, "max_error_m": not_negative,
         "mean_error_m": not_negative, "bytes_per_key": positive, "build_seconds": positive})


def schema_mistakes(record):
    """What is wrong with the members, whatever the workload."""
    mistakes = members(record, "", {"schema": one_of(SCHEMA), "library": _anything, "host": _anything,
                                    "date": date, "workload": _anything, "tasks": _anything},
                       {"notes": notes})
    mistakes += members(record.get("library", {}), "library",
                        {"name": text, "version": text}, {"url": url})
    mistakes += members(record.get("host", {}), "host", {
        "processor": text, "cores": count, "governor": text, "memory_bytes": count, "os": text,
        "compiler": text}, {"memory_bytes_per_s": positive})
    mistakes += members(record.get("workload", {}), "workload",
                        {"name": text, "version": count, "sha256": digest})
    tasks = record.get("tasks", [])
    if not isinstance(tasks, list) or not 1 <= len(tasks) <= 100:
        return mistakes + ["tasks: expected a list of 1 to 100 objects"]
    for index, task in enumerate(tasks):
        mistakes += _task_mistakes(task, f"tasks[{index}]")
    return mistakes


def key_of(task):
    """What distinguishes the tasks of a record."""
    return tuple(task[member] for member in ("name", "division", "device", "timed", "dtype"))


def rate_of(task):
    """Samples per second by the median of the raw times."""
    return task["samples"] / statistics.median(task["seconds"])


def _error_mistakes(task, where, limits):
    """Of figures of the division that the task has: those that are above a limit, or cannot be."""
    mistakes = []
    for member, kind in (("max_error_rad", "radians"), ("max_error_m", "metres"), ("max_norm_error", "norm")):
        if member in task and task[member] > limits[kind]:
            mistakes.append(f"{where}.{member}: expected {limits[kind]:g} at most, found {task[member]:g}")
    for kind in ("rad", "m"):
        largest, mean = task.get(f"max_error_{kind}"), task.get(f"mean_error_{kind}")
        if largest is not None and mean > largest * (1 + 1e-9):
            mistakes.append(f"{where}.mean_error_{kind}: is above max_error_{kind}")
    return mistakes


def _member_mistakes(task, where, expected):
    """Members that the task must have, or must not."""
    poses = "metres" in expected["limits"]["exact"]
    wanted = {*(OF_POSES if poses else OF_ROTATIONS), *(OF_LOSSY if task["division"] == "lossy" else ())}
    mistakes = [f"{where}.{member}: {'is missing' if member in wanted else 'is not of this task'}"
                for member in (*OF_ROTATIONS, *OF_POSES, *OF_LOSSY) if (member in wanted) != (member in task)]
    if (task["timed"] == "to-file") != bool(expected["motion"]) or (task["dtype"] == "text") != bool(expected["motion"]):
        mistakes.append(f"{where}: to-file and text are of the task file, and of no other")
    return mistakes


def _task_content(task, where, known, small):
    """Mistakes of one task that has its members, beside the workload's task of that name."""
    expected = known.get(task["name"])
    if expected is None:
        return [f"{where}.name: '{printable(task['name'], 60)}' is no task of the workload"]
    mistakes = []
    if task["samples"] != expected["samples"]:
        mistakes.append(f"{where}.samples: expected {expected['samples']}, found {task['samples']}")
    elif not math.isclose(task["samples_per_s"], rate_of(task), rel_tol=1e-6):
        mistakes.append(f"{where}.samples_per_s: expected {rate_of(task):.9g}, samples by the median of "
                        f"seconds; found {task['samples_per_s']:.9g}")
    if sum(task["seconds"]) < LEAST_SECONDS and not small:
        mistakes.append(f"{where}.seconds: expected {LEAST_SECONDS:g} s in all at least, found "
                        f"{sum(task['seconds']):.3g}")
    return mistakes + (_member_mistakes(task, where, expected)
                       or _error_mistakes(task, where, expected["limits"][task["division"]]))


def content_mistakes(record, workload, sha256):
    """What is wrong beside the manifest of a workload, of a record whose members fit."""
    mistakes = []
    for member, expected in (("name", workload["name"]), ("version", workload["version"]),
                             ("sha256", sha256)):
        if record["workload"][member] != expected:
            mistakes.append(f"workload.{member}: expected {expected}, found "
                            f"{_shown(record['workload'][member])}")
    if mistakes:
        return mistakes
    known = {task["name"]: task for task in workload["tasks"]}
    seen = set()
    for index, task in enumerate(record["tasks"]):
        if key_of(task) in seen:
            mistakes.append(f"tasks[{index}]: repeats {printable(task['name'], 60)} on the same device")
        seen.add(key_of(task))
        mistakes += _task_content(task, f"tasks[{index}]", known, workload["name"] == "small")
    return mistakes


def warnings_of(record, workload):
    """What is implausible, but no mistake."""
    host, found = record["host"], []
    sizes = {task["name"]: task["result_bytes"] for task in workload["tasks"]}
    bandwidth = host.get("memory_bytes_per_s", FASTEST_MEMORY)
    stated = "host.memory_bytes_per_s" if "memory_bytes_per_s" in host else "the fastest memory there is"
    for index, task in enumerate(record["tasks"]):
        where = f"tasks[{index}]"
        size = sizes[task["name"]]
        written = size[task["dtype"]] / min(task["seconds"]) if size else 0
        if written > bandwidth:
            found.append(f"{where}.seconds: results of {written:.3g} bytes/s; {stated} has {bandwidth:.3g}")
        if task["dtype"] == "float32" and task["max_error_rad"] < SMALLEST_FLOAT32_ERROR:
            found.append(f"{where}.max_error_rad: rounding to float32 alone makes a larger error than "
                         f"{task['max_error_rad']:g} rad")
        if max(task["seconds"]) > 3 * min(task["seconds"]):
            found.append(f"{where}.seconds: the slowest repetition takes more than 3 times the fastest")
    if datetime.date.fromisoformat(record["date"]) > datetime.date.today() + datetime.timedelta(days=1):
        found.append("date: is in the future")
    return found
