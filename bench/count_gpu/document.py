# SPDX-License-Identifier: MIT
"""The tables of a record, in Markdown."""
import json
import os
import textwrap

from . import estimate
from .tools import ROOT, Failure

RECORD = os.path.join(ROOT, "bench", "results", "counts", "gpu.json")
BEFORE = os.path.join(ROOT, "bench", "results", "counts", "gpu-before-workgroups.json")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Failure(str(error)) from error


def record_of(path=RECORD):
    try:
        record = json.loads(read(path))
        record["programs"], record["tools"], record["kernels"]
    except (ValueError, KeyError, TypeError) as error:
        raise Failure(f"{os.path.relpath(path)} is not a record of count-gpu: {error}") from error
    return record


# ---- cells -------------------------------------------------------------------------------------


# What a cell names where it is not zero.
REST = (("scratch_bytes", "B"), ("spills", "spilled"), ("calls", "calls"), ("fused_extra", "fused"))


def figure_cell(row):
    """Registers or width, then occupancy, code in KB, and what is not zero of the rest."""
    if row is None:
        return "-"
    if row.get("error"):
        return "**fails**"
    if row["code_bytes"] is None and row["registers"] is None:
        return "valid" if not row["fused_extra"] else f"**{row['fused_extra']} fused**"
    said = [f"SIMD{row['simd']}" if row["simd"] else f"{row['registers']}"]
    if row["occupancy"] is not None:
        said.append(f"{row['occupancy']}")
    if row["code_bytes"] is not None:
        said.append(f"{row['code_bytes'] / 1024:.1f}")
    for name, unit in REST:
        if row.get(name):
            said.append(f"{row[name]} {unit}")
    return " · ".join(said)


def table(heading, lines):
    yield "| " + " | ".join(heading) + " |"
    yield "|---|" + "---|" * (len(heading) - 1)
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def group_of(name):
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] == "crowd" else parts[0]


def extreme(rows, name, pick):
    values = [row[name] for row in rows if row.get(name) is not None]
    return str(pick(values)) if values else "-"


def summary(rows, targets):
    """A line for each target."""
    heading = ["target", "programs", "fail", "spill", "with scratch", "scratch at most, B",
               "occupancy at least", "SIMD at least", "code at most, KB", "with a call in a loop", "fused"]
    lines = []
    for target in targets:
        own = [row for row in rows if row["target"] == target]
        code = [row["code_bytes"] for row in own if row.get("code_bytes") is not None]
        lines.append([
            target, str(len(own)), str(sum(1 for row in own if row.get("error"))),
            str(sum(1 for row in own if row.get("spills"))),
            str(sum(1 for row in own if row.get("scratch_bytes"))),
            extreme(own, "scratch_bytes", max), extreme(own, "occupancy", min),
            extreme(own, "simd", min), f"{max(code) / 1024:.1f}" if code else "-",
            str(sum(1 for row in own if row.get("hot_calls"))),
            str(sum(row["fused_extra"] or 0 for row in own))])
    return table(heading, lines)


def pages(record):
    rows = record["programs"]
    targets = list(dict.fromkeys(row["target"] for row in rows))
    names = list(dict.fromkeys(row["program"] for row in rows))
    place = {(row["target"], row["program"]): row for row in rows}
    used = "; ".join(", ".join(listed) for listed in record["tools"].values())
    yield from textwrap.wrap(f"Kernels of commit {record['kernels']}. {used}.", 118, break_on_hyphens=False)
    yield ""
    yield from summary(rows, targets)
    yield from ("", "### Time of a palette, estimated", "", *estimate.TEXT.splitlines(), "")
    yield from table(estimate.HEADING, estimate.lines(rows, record_of(BEFORE)["programs"]))
    for group in dict.fromkeys(map(group_of, names)):
        own = [name for name in names if group_of(name) == group]
        yield from ("", f"### {group}", "")
        yield from table(["program", *targets],
                         [[name, *(figure_cell(place.get((one, name))) for one in targets)] for name in own])
