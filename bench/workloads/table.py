# SPDX-License-Identifier: MIT
"""Records as tables in Markdown: a section for each machine and workload, a table for each division, and a
row for each task of each record, the fastest of a task first."""

import re
from pathlib import Path

from records.intervals import median_interval
from records.text import replace

from . import record
from .problems import Problem

# The compiler is that of the library.
_MACHINE = ("processor", "cores", "governor", "memory_bytes", "os")
_HEAD = ["task", "library", "device", "results", "million samples/s (95 % interval)", "largest error",
         "mean error"]
_LOSSY = ["bytes a key", "build, s"]
BLOCK = re.compile(r"(<!-- workload:begin -->\n).*?(?=<!-- workload:end -->)", re.S)


def _cell(text):
    return str(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _digits(number):
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def read(path):
    found = record.read(path)
    if mistakes := record.schema_mistakes(found):
        raise Problem(path, mistakes[0])
    return found


def _rate(task):
    """Millions of samples a second, with the ends of the interval of the median."""
    middle, low, high = (task["samples"] / 1e6 / seconds for seconds in
                         median_interval(task["seconds"]))
    return f"{_digits(middle)} ({_digits(high)} to {_digits(low)})"


def _error(task, which):
    metres = f", {task[f'{which}_error_m']:.1e} m" if f"{which}_error_m" in task else ""
    return f"{task[f'{which}_error_rad']:.1e} rad{metres}"


def _row(library, task):
    cells = [task["name"], f"{library['name']} {library['version']}", task["device"],
             f"{task['timed']}, {task['dtype']}", _rate(task), _error(task, "max"), _error(task, "mean")]
    if task["division"] == "lossy":
        cells += [_digits(task["bytes_per_key"]), _digits(task["build_seconds"])]
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _division(tasks, division):
    chosen = [pair for pair in tasks if pair[1]["division"] == division]
    if not chosen:
        return []
    heads = _HEAD + (_LOSSY if division == "lossy" else [])
    names = list(dict.fromkeys(task["name"] for _, task in tasks))
    chosen.sort(key=lambda pair: (names.index(pair[1]["name"]), -record.rate_of(pair[1])))
    return ["", f"Division: {division}", "", "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|",
            *(_row(*pair) for pair in chosen)]


def _section(records):
    host, workload = records[0]["host"], records[0]["workload"]
    dates = sorted({found["date"] for found in records})
    tasks = [(found["library"], task) for found in records for task in found["tasks"]]
    lines = [_cell(f"{host['processor']}, {host['cores']} cores, {host['os']}; "
                   f"{' to '.join(dates[:1] + dates[1:][-1:])};"),
             _cell(f"workload {workload['name']}, version {workload['version']}.")]
    notes = [f"- {found['library']['name']}: {found['notes']}" for found in records if found.get("notes")]
    if notes:
        lines += ["", *map(_cell, notes)]
    return "\n".join(lines + [line for division in record.DIVISIONS for line in _division(tasks, division)])


def text_of(records):
    """Sections in the order in which machines and workloads first appear."""
    sections = {}
    for found in records:
        key = repr((found["workload"], [found["host"][member] for member in _MACHINE]))
        sections.setdefault(key, []).append(found)
    return "\n\n".join(map(_section, sections.values()))


def show(options):
    text = text_of([read(path) for path in options.records])
    if options.write is None:
        print(text)
        return
    old = Path(options.write).read_text(encoding="utf-8")
    if not BLOCK.search(old):
        raise Problem(options.write, "has no block between workload:begin and workload:end")
    replace(options.write, BLOCK.sub(lambda match: match[1] + text + "\n", old))
