# SPDX-License-Identifier: MIT
"""Records of one machine as a table in Markdown: a row for each task of each record."""

from . import record
from .problems import Problem

# The compiler is that of the library.
_MACHINE = ("processor", "cores", "governor", "memory_bytes", "os")
_HEAD = ["| task | library | device | results | million samples/s | largest error, rad |",
         "|---|---|---|---|---:|---:|"]


def _cell(text):
    return str(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _digits(number):
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _read(path):
    found = record.read(path)
    if mistakes := record.schema_mistakes(found):
        raise Problem(path, mistakes[0])
    return found


def _row(library, task):
    cells = (task["name"], f"{library['name']} {library['version']}", task["device"],
             f"{task['timed']}, {task['dtype']}", _digits(record.rate_of(task) / 1e6),
             f"{task['max_error_rad']:.1e}")
    return "| " + " | ".join(map(_cell, cells)) + " |"


def text_of(records):
    """Rows in the order in which tasks first appear; of a task, in the order of the records."""
    host, workload = records[0]["host"], records[0]["workload"]
    tasks = [(found["library"], task) for found in records for task in found["tasks"]]
    dates = sorted({found["date"] for found in records})
    names = list(dict.fromkeys(task["name"] for _, task in tasks))
    tasks.sort(key=lambda pair: names.index(pair[1]["name"]))
    return "\n".join([
        _cell(f"{host['processor']}, {host['cores']} cores, {host['os']}; "
              f"{' to '.join(dates[:1] + dates[1:][-1:])};"),
        _cell(f"workload {workload['name']}, version {workload['version']}."), "",
        *_HEAD, *(_row(*pair) for pair in tasks)])


def _same_of(found):
    return found["workload"], [found["host"][member] for member in _MACHINE]


def show(options):
    records = [_read(path) for path in options.records]
    if any(_same_of(found) != _same_of(records[0]) for found in records):
        raise Problem("RECORD.json", "the records are of several machines or workloads; their rates cannot "
                      "be compared")
    print(text_of(records))
