# SPDX-License-Identifier: MIT
"""Compares a count with bench/gpu-limits.txt: what a program may take at most, or must have."""
import collections
import fnmatch
import os
import re

from .tools import ROOT, Failure

FILE = os.path.join(ROOT, "bench", "gpu-limits.txt")
FIGURES = ("registers", "spills", "scratch_bytes", "occupancy", "instructions", "fused_extra")
LINE = re.compile(r"(\S+)\s+(\S+)\s+(\w+)\s*(<=|>=)\s*(\d+)")

Limit = collections.namedtuple("Limit", "number target program figure relation bound")


def parse(text, name="limits"):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].strip()
        if not said:
            continue
        parts = LINE.fullmatch(said)
        if not parts or parts[3] not in FIGURES:
            raise Failure(f"{name}:{number} is '{said}', expected TARGET PROGRAM FIGURE <= NUMBER, "
                          f"where FIGURE is one of {', '.join(FIGURES)}")
        found.append(Limit(number, *parts.groups()[:4], int(parts[5])))
    return found


def read():
    with open(FILE, encoding="utf-8") as file:
        return parse(file.read(), os.path.relpath(FILE))


def limits_of(limits, row):
    """For each figure the last limit that is about the row: the file goes from general to special."""
    return {limit.figure: limit for limit in limits if fnmatch.fnmatchcase(row["target"], limit.target)
            and fnmatch.fnmatchcase(row["program"], limit.program)}


def faults(limits, rows):
    for row in rows:
        where = f"{row['target']} {row['program']}"
        if row.get("error"):
            yield f"{where}: {row['error']}"
            continue
        for figure, limit in limits_of(limits, row).items():
            value = row.get(figure)
            held = value is None or (value <= limit.bound if limit.relation == "<=" else value >= limit.bound)
            if not held:
                yield f"{where}: {figure} is {value}, expected {limit.relation} {limit.bound}"


def idle(limits, rows):
    """Limits about counted targets that no row needs: what they were for is gone."""
    applied = {limit.number for row in rows for limit in limits_of(limits, row).values()}
    targets = {row["target"] for row in rows}
    for limit in limits:
        if limit.number not in applied and any(fnmatch.fnmatchcase(one, limit.target) for one in targets):
            yield (f"line {limit.number} of the limits is about no program, or later lines replace it: "
                   f"{limit.target} {limit.program} {limit.figure}")
