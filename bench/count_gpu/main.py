# SPDX-License-Identifier: MIT
"""The command bench/count-gpu."""
import argparse
import collections
import fnmatch
import json
import os
import sys
import time

from . import programs, work
from .tools import Failure, Missing, Wrong, kernels_version

DESCRIPTION = """Compiles the kernels as the drivers of three vendors do, without having a GPU, and
counts what the compilers report: registers, spills, private memory, occupancy or width, size of the
code, calls, and fused operations that the source does not ask for."""
EPILOG = """examples:
  bench/count-gpu --target sm_90,gfx1030 --program 'walk/*'
  bench/count-gpu --json bench/results/counts/gpu.json"""


def arguments():
    parser = argparse.ArgumentParser(prog="bench/count-gpu", description=DESCRIPTION, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", metavar="NAME,...", help="default: all of " + ", ".join(work.TARGETS))
    parser.add_argument("--program", metavar="GLOB", help="such as 'crowd/palette/*'; default: all")
    parser.add_argument("--every", action="store_true",
                        help="also crowds of every rotation curve with every vector curve")
    parser.add_argument("--json", metavar="FILE", nargs="?", const="-",
                        help="write a record to FILE, or to standard output, in place of a table")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="compilations at a time; default: the number of processors")
    parser.add_argument("--fresh", action="store_true",
                        help="compile what build/count-gpu remembers, too")
    given = parser.parse_args()
    if given.jobs < 1:
        parser.error(f"--jobs is {given.jobs}, expected at least 1")
    return given


def choose_targets(asked):
    if asked is None:
        return list(work.TARGETS)
    names = [name.strip() for name in asked.split(",") if name.strip()]
    for name in names or [asked]:
        if name not in work.TARGETS:
            raise Wrong(f"--target {name}: unknown; expected one of {', '.join(work.TARGETS)}")
    return list(dict.fromkeys(names))


def choose_programs(glob, every=False):
    known = [one for one in programs.everything() if every or one.usual or glob]
    if glob is None:
        return known
    pattern = glob.replace("_", "-")
    found = [one for one in known if fnmatch.fnmatchcase(one.name, pattern)
             and (every or one.usual or one.name == pattern)]
    if not found:
        groups = sorted({"/".join(one.name.split("/")[:-1]) + "/*" if "/" in one.name else one.name
                         for one in known if one.usual})
        raise Wrong(f"--program {glob}: no program has this name; expected one of {', '.join(groups)}")
    return found


COLUMNS = ("registers", "spills", "scratch_bytes", "occupancy", "simd", "code_bytes", "calls",
           "hot_calls", "fused_extra")


def cell(row, name):
    value = row.get(name)
    if value is None:
        return "-"
    return str(len(value)) if isinstance(value, list) else str(value)


def table(rows):
    heading = ["target", "program", *(name.replace("_", " ") for name in COLUMNS)]
    lines = [heading] + [[row["target"], row["program"],
                          *([f"error: {row['error']}"] if row.get("error") else
                            [cell(row, name) for name in COLUMNS])] for row in rows]
    wide = [max(len(line[i]) for line in lines if len(line) == len(heading)) for i in range(len(heading))]
    for line in lines:
        left = [line[i].ljust(wide[i]) for i in (0, 1)]
        yield "  ".join(left + [text.rjust(w) for text, w in zip(line[2:], wide[2:])]).rstrip()


def write(rows, tools, to):
    record = {"kernels": kernels_version(), "tools": tools, "programs": rows}
    text = json.dumps(record, indent=1) + "\n"
    if to == "-":
        sys.stdout.write(text)
        return
    with open(to, "w", encoding="utf-8") as file:
        file.write(text)


def summary(rows, remembered, seconds):
    failed = [row for row in rows if row.get("error")]
    for row in failed:
        print(f"count-gpu: {row['target']} {row['program']}: {row['error']}", file=sys.stderr)
    counted = collections.Counter(row["target"] for row in rows)
    print(f"count-gpu: {len(rows)} programs for {len(counted)} targets in {seconds:.0f} s, "
          f"{remembered} of them remembered, {len(failed)} failed", file=sys.stderr)
    return 1 if failed else 0


def count(given):
    targets, chosen = choose_targets(given.target), choose_programs(given.program, given.every)
    tools, begun = work.versions(targets), time.monotonic()
    rows, remembered = work.everything(chosen, targets, given.jobs, given.fresh)
    if given.json:
        write(rows, tools, given.json)
    else:
        print("\n".join(table(rows)))
    return summary(rows, remembered, time.monotonic() - begun)


def main():
    given = arguments()
    try:
        return count(given)
    except Failure as failure:
        print(f"count-gpu: {failure}", file=sys.stderr)
        return 2 if isinstance(failure, (Missing, Wrong)) else 1
    except OSError as error:
        print(f"count-gpu: {error}", file=sys.stderr)
        return 1
