# SPDX-License-Identifier: MIT
"""Reads records of posemill bench, of schema 1 (which has no member `schema`) and 2. A record is
validated as far as the scripts use it, because a file may contain anything; members that no script
uses are ignored.
"""
import json
import math
import re
from dataclasses import dataclass, field
from datetime import datetime

LARGEST_FILE = 64 << 20
LARGEST_COUNT = 1 << 62
LARGEST_NUMBER = 1e24  # no rate, number of operations or time is larger
SHORTEST, LONGEST = 1e-12, 1e9  # of times, s
LONGEST_TEXT = 2000
MOST_CASES = 1000
MOST_REPETITIONS = 1000  # posemill bench has at most 300
BOUNDS = ("fill", "copy", "arithmetic")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")

COUNTS = ("samples", "bytes_per_sample", "bytes_read", "bytes_written", "files", "operations")
NUMBERS = (
    "seconds_median", "samples_per_s", "max_error_rad", "bound_share", "ceiling_share", "baseline_ratio",
)
ROOFS = ("copy_seconds", "arithmetic_seconds")
TIMES = ("seconds", "ceiling_seconds", "baseline_seconds", "bound_seconds", *ROOFS)
REQUIRED = ("samples", "bytes_per_sample", "seconds_median", "samples_per_s")


class Refused(Exception):
    """Why a file cannot be used, in one line."""


@dataclass
class Case:
    """A case. Members that a case does not have, or that are null, are None."""

    name: str
    samples: int = 0
    bytes_per_sample: int = 0
    bytes_read: int | None = None
    bytes_written: int | None = None
    files: int | None = None
    operations: int | None = None
    seconds_median: float = 0.0
    samples_per_s: float = 0.0
    max_error_rad: float | None = None
    bound: str | None = None
    bound_share: float | None = None
    ceiling_share: float | None = None
    baseline_ratio: float | None = None
    seconds: list[float] | None = None
    ceiling_seconds: list[float] | None = None
    baseline_seconds: list[float] | None = None
    bound_seconds: list[float] | None = None
    copy_seconds: list[float] | None = None
    arithmetic_seconds: list[float] | None = None


@dataclass
class Record:
    """A record. `processor` and `date` are None in schema 1, and where the host did not tell. `whole` is
    a run of all cases that was not quick."""

    schema: int
    device: str
    driver: str
    platform: str
    commit: str
    samples: int
    quick: bool
    whole: bool
    date: str | None = None
    processor: str | None = None
    fill_rates: list[float] = field(default_factory=list)
    busy: bool = False  # whether the machine was busy with other work; False where the record does not tell
    cases: dict[str, Case] = field(default_factory=dict)


# ---- members -------------------------------------------------------------------


def is_number(value):
    """Whether a value is a number that a float can hold. In Python a bool is an int."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return -LARGEST_NUMBER <= value <= LARGEST_NUMBER  # false for NaN


def is_count(value, smallest=0, largest=LARGEST_COUNT):
    """Whether a value is a whole number in the range. JSON may write it as 1e9."""
    return is_number(value) and smallest <= value <= largest and value == math.floor(value)


def text_of(members, name, what="record"):
    value = members.get(name)
    if not isinstance(value, str):
        raise Refused(f"not a record of posemill bench: {name} of the {what} is not a text")
    if len(value) > LONGEST_TEXT:
        raise Refused(f"{name} of the {what} is too long")
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


def check_times(case, where):
    """Everything that is measured beside a case is measured once in each of its repetitions."""
    for name in TIMES[1:]:
        values = getattr(case, name)
        if values is not None and (case.seconds is None or len(values) != len(case.seconds)):
            raise Refused(f"{name} of {where} has another number of repetitions than seconds")


def case_of(members, schema):
    name = members.get("name") if isinstance(members, dict) else None
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_TEXT:
        raise Refused("case without a name")
    case = Case(name)
    where = repr(name[:80])
    for member in COUNTS + NUMBERS:
        value = members.get(member)
        if value is None:
            if member in REQUIRED:
                raise Refused(f"{member} of {where} is missing")
        elif member in COUNTS and not is_count(value):
            raise Refused(f"{member} of {where} is not a count")
        elif not is_number(value) or value < 0:
            raise Refused(f"{member} of {where} is not a number of at least 0")
        else:
            setattr(case, member, int(value) if member in COUNTS else float(value))
    if not SHORTEST <= case.seconds_median <= LONGEST:
        raise Refused(f"seconds_median of {where} is not a time")
    case.bound = members.get("bound")
    if case.bound is not None and case.bound not in BOUNDS:
        raise Refused(f"bound of {where} is unknown; expected one of {', '.join(BOUNDS)}")
    for member in TIMES:
        setattr(case, member, times_of(members, member, where))
    if schema > 1 and case.seconds is None:
        raise Refused(f"seconds of {where} is missing")
    check_times(case, where)
    return case


# ---- records -------------------------------------------------------------------


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


def schema_of(members):
    schema = members.get("schema", 1)
    if isinstance(schema, bool) or not isinstance(schema, int) or schema not in (1, 2):
        raise Refused("the schema is unknown; expected 2, or none")
    return schema


def processor_of(members):
    """The model of the processor, blanks collapsed, because systems print it with different ones."""
    host = members.get("host")
    if host is None:
        return None
    if not isinstance(host, dict):
        raise Refused("host is not an object")
    if host.get("processor") is None:
        return None
    return " ".join(text_of(host, "processor", "host").split())


def fill_rates_of(members):
    rates = members.get("fill_rates")
    if rates is None:
        return []
    if not isinstance(rates, list) or not 1 <= len(rates) <= 2:
        raise Refused("fill_rates is not a list of one or two rates")
    if not all(is_number(rate) and rate >= 1 for rate in rates):
        raise Refused("fill_rates has a value that is not a rate in bytes per second")
    return sorted(map(float, rates))


def busy_of(members):
    load = members.get("load")
    if load is None:
        return False
    if not isinstance(load, dict) or load.get("verdict") not in ("quiet", "busy"):
        raise Refused("load has no verdict; expected quiet or busy")
    return load["verdict"] == "busy"


def date_of(members, schema):
    if schema == 1:
        return None
    date = text_of(members, "date")
    try:
        if DATE.fullmatch(date):
            datetime.strptime(date, "%Y-%m-%dT%H:%M:%SZ")
            return date
    except ValueError:
        pass
    raise Refused("date is not a UTC time such as 2026-03-01T12:00:00Z")


def record_of(members):
    """The record in a JSON value."""
    cases = members.get("cases") if isinstance(members, dict) else None
    options = members.get("options") if isinstance(members, dict) else None
    if not isinstance(cases, list) or not isinstance(options, dict):
        raise Refused("not a record of posemill bench")
    schema = schema_of(members)
    if not is_count(options.get("samples")):
        raise Refused("samples of the options is not a count")
    if len(cases) > MOST_CASES:
        raise Refused(f"more than {MOST_CASES} cases")
    texts = (text_of(members, name) for name in ("device", "driver", "platform", "commit"))
    quick = options.get("quick") is True
    whole = not quick and options.get("case") is None
    record = Record(schema, *texts, int(options["samples"]), quick, whole,
                    date_of(members, schema), processor_of(members), fill_rates_of(members), busy_of(members))
    for member in cases:
        case = case_of(member, schema)
        if case.name in record.cases:
            raise Refused(f"two cases are named {case.name[:80]!r}")
        record.cases[case.name] = case
    return record


def read(path):
    return record_of(read_json(path))


def require_times(record):
    """Refuses a record that has no times of repetitions."""
    if record.schema < 2:
        raise Refused("schema 1 has no times of repetitions; measure again with: posemill bench --json FILE")
