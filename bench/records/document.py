# SPDX-License-Identifier: MIT
"""Reads records of posemill bench, of schema 2; docs/performance.md describes the members. A record is validated as
far as the scripts use it, because a file may contain anything. Finds the record that a new one is compared with.
"""
import json
import math
import os
import re
from dataclasses import dataclass, field
from types import SimpleNamespace

from .text import Refused, shown

LARGEST_FILE = 64 << 20
LARGEST_NUMBER = 1e24  # no rate, number of operations or time is larger
SHORTEST, LONGEST = 1e-12, 1e9  # of times, s
LONGEST_TEXT = 2000
MOST_CASES, MOST_REPETITIONS = 1000, 1000  # posemill bench has at most 300 repetitions
BOUNDS = ("fill", "copy", "arithmetic")
DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z")

COUNTS = ("samples", "bytes_read", "bytes_written", "files", "operations")
NUMBERS = ("samples_per_s", "max_error_rad", "bound_share", "ceiling_share", "baseline_ratio")
REQUIRED = ("samples", "samples_per_s")
ROOFS = ("copy_seconds", "arithmetic_seconds")
TIMES = ("seconds", "ceiling_seconds", "bound_seconds", *ROOFS)


class Case(SimpleNamespace):
    """A case: its name, its bound, and all of COUNTS, NUMBERS and TIMES. What a case does not have is None."""


@dataclass
class Record:
    device: str
    driver: str
    platform: str
    commit: str
    date: str
    samples: int
    quick: bool
    processor: str | None  # None where the host did not tell
    busy: bool  # whether the machine was busy with other work; False where the record does not tell
    cases: dict[str, Case] = field(default_factory=dict)


def is_number(value):
    """Whether a value is a number that a float can hold. In Python a bool is an int."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return -LARGEST_NUMBER <= value <= LARGEST_NUMBER  # false for NaN


def is_count(value):
    """JSON may write it as 1e9."""
    return is_number(value) and 0 <= value < 1 << 62 and value == math.floor(value)


def text_of(members, name, what="record"):
    value = members.get(name)
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise Refused(f"not a record of posemill bench: {name} of the {what} is not a text, or too long")
    return value


def times_of(members, name, where):
    values = members.get(name)
    if values is None:
        return None
    if not isinstance(values, list) or not 1 <= len(values) <= MOST_REPETITIONS:
        raise Refused(f"{name} of {where} is not a list of times")
    # A case without operations needs no time for them.
    shortest = 0.0 if name in ROOFS else SHORTEST
    if not all(is_number(value) and shortest <= value <= LONGEST for value in values):
        raise Refused(f"{name} of {where} has a value that is not a time")
    return [float(value) for value in values]


def case_of(members):
    name = members.get("name") if isinstance(members, dict) else None
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_TEXT:
        raise Refused("case without a name")
    case, where = Case(name=name, seconds=[]), repr(name[:80])
    for member in COUNTS + NUMBERS:
        value = members.get(member)
        if value is None and member in REQUIRED:
            raise Refused(f"{member} of {where} is missing")
        if value is not None and (member in COUNTS and not is_count(value) or not is_number(value) or value < 0):
            raise Refused(f"{member} of {where} is not a {'count' if member in COUNTS else 'number of at least 0'}")
        setattr(case, member, value)
    case.bound = members.get("bound")
    if case.bound is not None and case.bound not in BOUNDS:
        raise Refused(f"bound of {where} is unknown; expected one of {', '.join(BOUNDS)}")
    for member in TIMES:
        values = times_of(members, member, where)
        if member == "seconds" and values is None:
            raise Refused(f"seconds of {where} is missing")
        # What is measured beside a case is measured once in each of its repetitions.
        if values is not None and len(values) != len(case.seconds or values):
            raise Refused(f"{member} of {where} has another number of repetitions than seconds")
        setattr(case, member, values)
    return case


def read_json(path):
    """The value in a file. Too large, too deep and not JSON are refused alike."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Refused(error.strerror) from error
    if len(data) > LARGEST_FILE:
        raise Refused(f"larger than {LARGEST_FILE >> 20} MiB")
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Refused("not JSON") from error


def processor_of(members):
    """The model of the processor, blanks collapsed, because systems print it with different ones."""
    host = members.get("host")
    if not isinstance(host, dict):
        raise Refused("host is not an object")
    return " ".join(text_of(host, "processor", "host").split()) if host.get("processor") is not None else None


def is_busy(members):
    load = members.get("load")
    if load is None:
        return False
    if not isinstance(load, dict) or load.get("verdict") not in ("quiet", "busy"):
        raise Refused("load has no verdict; expected quiet or busy")
    return load["verdict"] == "busy"


def date_of(members):
    date = text_of(members, "date")
    if not DATE.fullmatch(date):
        raise Refused("date is not a UTC time such as 2026-03-01T12:00:00Z")
    return date


def record_of(members):
    """The record in a JSON value."""
    cases = members.get("cases") if isinstance(members, dict) else None
    options = members.get("options") if isinstance(members, dict) else None
    if not isinstance(cases, list) or not isinstance(options, dict):
        raise Refused("not a record of posemill bench")
    if members.get("schema") != 2 or isinstance(members["schema"], bool):
        raise Refused("the schema is unknown; expected 2")
    if not is_count(options.get("samples")):
        raise Refused("samples of the options is not a count")
    if len(cases) > MOST_CASES:
        raise Refused(f"more than {MOST_CASES} cases")
    texts = (text_of(members, name) for name in ("device", "driver", "platform", "commit"))
    record = Record(*texts, date_of(members), int(options["samples"]), options.get("quick") is True,
                    processor_of(members), is_busy(members))
    for case in map(case_of, cases):
        if case.name in record.cases:
            raise Refused(f"two cases are named {case.name[:80]!r}")
        record.cases[case.name] = case
    return record


def read(path, of=record_of):
    """The record in a file, or what `of` makes of its value; a refusal names the file."""
    try:
        return of(read_json(path))
    except Refused as refusal:
        raise Refused(f"{shown(path)}: {shown(refusal, 300)}") from refusal


def candidates(folder, but):
    """(path, record) of the files below a folder that are records of schema 2, which may hold other JSON too."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for path in (os.path.join(place, name) for name in sorted(names) if name.endswith(".json")):
            # A link that leads nowhere is no record; a pipe would be waited for.
            if os.path.isfile(path) and not os.path.samefile(path, but):
                members = read(path, of=lambda value: value)
                if isinstance(members, dict) and members.get("schema") == 2 and "cases" in members:
                    yield path, read(path)


def latest(folder, path, record):
    """(path, record) of the last by date among the records with the processor and the device of the given one that
    have a case of its size, or None and a reason. Records with as many samples come first."""
    if record.processor is None:
        return None, "the new record names no processor"
    found = [(other.samples == record.samples, other.date, other_path, other)
             for other_path, other in candidates(folder, path)
             if (other.processor, other.device) == (record.processor, record.device)
             and any(name in other.cases and other.cases[name].samples == case.samples
                     for name, case in record.cases.items())]
    if not found:
        return None, (f"none of the processor '{record.processor}' and the device '{record.device}' has a case of the "
                      "new record in the same size")
    return max(found, key=lambda one: one[:3])[2:], None
