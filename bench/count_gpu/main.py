# SPDX-License-Identifier: MIT
"""The command bench/count-gpu."""
import argparse
import collections
import fnmatch
import json
import os
import sys
import time

from . import document, limits, programs, samples, work
from .tools import Failure, Missing, Wrong, kernels_version

DESCRIPTION = """Compiles the kernels as the drivers of three vendors do, without having a GPU, and
counts what the compilers report: registers, spills, private memory, occupancy or width, size of the
code, calls, and fused operations that the source does not ask for."""
EPILOG = """examples:
  bench/count-gpu --target sm_90,gfx1030 --program 'walk/*'
  bench/count-gpu --tables                 # of bench/results/counts/gpu.json"""


def arguments():
    parser = argparse.ArgumentParser(prog="bench/count-gpu", description=DESCRIPTION, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--target", metavar="NAME,...", help="default: all of " + ", ".join(work.TARGETS))
    add("--program", metavar="GLOB", help="such as 'crowd/palette/*'; default: all")
    add("--every", action="store_true",
        help="also crowds of every rotation curve with every vector curve")
    add("--json", metavar="FILE", nargs="?", const="-",
        help="write a record to FILE, or to standard output, in place of a table")
    add("--check", metavar="FILE", nargs="?", const=limits.FILE,
        help="compare with the limits in FILE; default: bench/gpu-limits.txt")
    add("--samples", metavar="CARD", nargs="?", const=samples.CARDS[0].name,
        help="count the instructions of a sample on one of NVIDIA's cards instead: "
        + ", ".join(card.name for card in samples.CARDS))
    add("--tables", metavar="FILE", nargs="?", const=document.RECORD,
        help="print the tables of a record instead; default: bench/results/counts/gpu.json")
    add("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
        help="compilations at a time; default: the number of processors")
    add("--fresh", action="store_true", help="compile also what build/count-gpu, or with --check the record, knows")
    given = parser.parse_args()
    if given.jobs < 1:
        parser.error(f"--jobs is {given.jobs}, expected at least 1")
    return given


# ---- what is counted ---------------------------------------------------------------------------


def choose_targets(asked):
    if asked is None:
        return list(work.TARGETS)
    names = [name.strip() for name in asked.split(",") if name.strip()]
    for name in names or [asked]:
        if name not in work.TARGETS:
            raise Wrong(f"--target {name}: unknown; expected one of {', '.join(work.TARGETS)}")
    return list(dict.fromkeys(names))


def choose_programs(glob, every=False):
    """The programs that a glob names. A name without wildcards finds those of --every too."""
    pattern = "*" if glob is None else glob.replace("_", "-")
    known = programs.everything()
    found = [one for one in known if fnmatch.fnmatchcase(one.name, pattern)
             and (every or one.usual or one.name == pattern)]
    if not found:
        groups = dict.fromkeys(document.group_of(one.name) for one in known)
        names = ", ".join(f"{one}/*" if one != "locate" else one for one in groups)
        raise Wrong(f"--program {glob}: no program has this name; expected one of {names}")
    return found


# ---- output ------------------------------------------------------------------------------------

COLUMNS = ("registers", "spills", "scratch_bytes", "occupancy", "simd", "code_bytes", "calls",
           "hot_calls", "fused_extra")


def cells(row):
    if row.get("error"):
        return [f"error: {row['error']}"]
    values = (limits.value_of(row, name) for name in COLUMNS)
    return ["-" if value is None else str(value) for value in values]


def table(rows):
    heading = ["target", "program", *(name.replace("_", " ") for name in COLUMNS)]
    lines = [heading] + [[row["target"], row["program"], *cells(row)] for row in rows]
    wide = [max(len(line[i]) for line in lines if len(line) == len(heading) or i < 2)
            for i in range(len(heading))]
    for line in lines:
        left = [line[i].ljust(wide[i]) for i in (0, 1)]
        yield "  ".join(left + [text.rjust(w) for text, w in zip(line[2:], wide[2:])]).rstrip()


def write(rows, tools, to):
    """A row on each line, so that versions of a record can be compared."""
    listed = ",\n".join("  " + json.dumps(row) for row in rows)
    text = (f'{{\n "kernels": {json.dumps(kernels_version())},\n "tools": {json.dumps(tools)},\n'
            f' "programs": [\n{listed}\n ]\n}}\n')
    if to == "-":
        sys.stdout.write(text)
        return
    with open(to, "w", encoding="utf-8") as file:
        file.write(text)


def say(*words):
    print("count-gpu:", *words, file=sys.stderr)


def failures(rows):
    return [f"{row['target']} {row['program']}: {row['error']}" for row in rows if row.get("error")]


def changed(rows, record):
    """Programs that are the record's, and have other figures than it."""
    said = {row["key"]: row for row in record if row.get("key")}
    return [f"{row['target']} {row['program']}: the record has other figures; record them again"
            for row in rows if row.get("key") in said and row != said[row["key"]]]


def compare(given, rows):
    """What is not as the limits demand."""
    listed = limits.read(given.check)
    found = list(limits.faults(listed, rows))
    return found + (list(limits.idle(listed, rows)) if given.program is None else [])


def count(given):
    targets, chosen = choose_targets(given.target), choose_programs(given.program, given.every)
    tools, begun = work.versions(targets), time.monotonic()
    record = document.record_of()["programs"] if given.check else []
    rows, remembered = work.everything(chosen, targets, given.jobs, given.fresh, work.recorded(record))
    if given.json:
        write(rows, tools, given.json)
    elif not given.check:
        print("\n".join(table(rows)), flush=True)
    faults = compare(given, rows) + changed(rows, record) if given.check else failures(rows)
    for fault in faults:
        say(fault)
    counted = collections.Counter(row["target"] for row in rows)
    say(f"{len(chosen)} programs for {len(counted)} targets in {time.monotonic() - begun:.0f} s, "
        f"{remembered} results remembered, {len(faults)} faults")
    return 1 if faults else 0


def main():
    given = arguments()
    try:
        if given.tables:
            print("\n".join(document.pages(document.record_of(given.tables))))
            return 0
        if given.samples:
            chosen = choose_programs(given.program) if given.program else None
            print("\n".join(samples.lines(given.samples, chosen)))
            return 0
        return count(given)
    except Failure as failure:
        say(failure)
        return 2 if isinstance(failure, (Missing, Wrong)) else 1
    except OSError as error:
        say(error)
        return 1
