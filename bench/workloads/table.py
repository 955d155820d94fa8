# SPDX-License-Identifier: MIT
"""Records as tables in Markdown: a section for each machine and workload, with a row for each task and a column for
each library on each device."""

from records.document import read_json
from records.intervals import median_interval
from records.text import Refused, shown

# The compiler is that of the library.
_MACHINE = ("processor", "cores", "governor", "memory_bytes", "os")


def read(path):
    """A record, as far as the table needs it."""
    try:
        record = read_json(path)
        ok = all(isinstance(record["host"][member], (str, int)) for member in _MACHINE)
        ok = ok and all(isinstance(record["library"][member], str) for member in ("name", "version"))
        ok = ok and isinstance(record["date"], str) and isinstance(record["workload"]["name"], str)
        for task in record["tasks"]:
            ok = ok and all(isinstance(task[member], str) for member in ("name", "device", "timed", "dtype"))
            ok = ok and len(task["seconds"]) > 0 and all(one > 0 for one in task["seconds"])
            ok = ok and task["samples"] > 0 and task["max_error_rad"] >= 0
    except Refused as refusal:
        raise Refused(f"{shown(path)}: {refusal}") from refusal
    except (KeyError, TypeError, IndexError):
        ok = False
    if not ok:
        raise Refused(f"{shown(path)}: is no record of the workload; docs/workload.md has its members")
    return record


def _cell(text):
    return shown(text, 200).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _digits(number):
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _column(library, task):
    return f"{library['name']} {library['version']}, {task['device']}, {task['timed']}, {task['dtype']}"


def _result(task):
    """Million samples per second with their 95 % interval, and the largest error."""
    middle, low, high = (task["samples"] / 1e6 / seconds for seconds in median_interval(task["seconds"]))
    metres = f", {task['max_error_m']:.1e} m" if "max_error_m" in task else ""
    return f"{_digits(middle)} ({_digits(high)} to {_digits(low)}); {task['max_error_rad']:.1e} rad{metres}"


def _section(records):
    machine, workload = records[0]["host"], records[0]["workload"]
    dates = sorted({found["date"] for found in records})
    yield _cell(f"{machine['processor']}, {machine['cores']} cores, {machine['os']}; "
                f"{' to '.join(dates[:1] + dates[1:][-1:])};")
    yield _cell(f"workload {workload['name']}, version {workload['version']}.")
    yield from ["", *(_cell(f"- {found['library']['name']}: {found['notes']}") for found in records
                      if found.get("notes"))]
    results = {(task["name"], _column(found["library"], task)): _result(task)
               for found in records for task in found["tasks"]}
    columns = list(dict.fromkeys(column for _, column in results))
    yield from ["", "| task | " + " | ".join(map(_cell, columns)) + " |", "|---" * (1 + len(columns)) + "|"]
    for name in dict.fromkeys(name for name, _ in results):
        cells = [name, *(results.get((name, column), "-") for column in columns)]
        yield "| " + " | ".join(map(_cell, cells)) + " |"


def show(options):
    """Sections in the order in which machines and workloads first appear."""
    sections = {}
    for found in map(read, options.records):
        key = repr((found["workload"], [found["host"][member] for member in _MACHINE]))
        sections.setdefault(key, []).append(found)
    print("\n\n".join("\n".join(_section(records)) for records in sections.values()))
