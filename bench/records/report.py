# SPDX-License-Identifier: MIT
"""The command bench/report: prints the tables of records, and those of the README."""
import glob
import os
import re
import subprocess
import sys

from . import command, document, tables
from .text import Unwritable, replace, shown

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
USAGE = """usage: bench/report [--write | --check] RECORD.json...

Prints a table of all cases of each record, in Markdown. --write replaces the text between
<!-- bench:begin --> and <!-- bench:end --> in README.md, from the newest record that has all cases,
or from the first one where none has. --check writes nothing, and fails when that text differs from
the records, or a figure in the prose of README.md, docs/*.md or bench/results/*.md does not
match its record (bench/figures).

Example:
  bench/report bench/results/NAME.json
"""
BLOCK = re.compile(r"(<!-- bench:begin -->[^\n]*\n).*?(?=[^\n]*<!-- bench:end -->)", re.S)


def fail(message):
    print(f"report: {message}", file=sys.stderr)
    return False


def update(name, lines, check):
    """Replaces the block of a document by lines, or compares it with --check."""
    file = os.path.join(ROOT, name)
    if not os.path.exists(file):
        return True
    with open(file, encoding="utf-8") as source:
        old = source.read()
    if not BLOCK.search(old):
        return fail(f"{file} has no block between bench:begin and bench:end")
    block = "".join(line + "\n" for line in lines)
    new = BLOCK.sub(lambda match: match[1] + block, old).rstrip("\n") + "\n"
    if check:
        return new == old.rstrip("\n") + "\n" or fail(
            f"{file} differs from the records; run: bench/report --write bench/results/*.json")
    replace(file, new)
    return True


def figures():
    """Whether the figures in the prose match their records."""
    files = [os.path.join(ROOT, "README.md")]
    for part in ("docs", os.path.join("bench", "results")):
        files += sorted(glob.glob(os.path.join(glob.escape(ROOT), part, "*.md")))
    return subprocess.run([os.path.join(ROOT, "bench", "figures"), *files], check=False).returncode == 0


def newest_whole(records):
    """The README describes what is true now. Records of schema 1 have no date."""
    whole = [one for _, one in records if one.whole and one.date is not None]
    return max(whole, key=lambda one: one.date, default=records[0][1])


def read_all(paths):
    records = []
    for path in paths:
        try:
            name = os.path.basename(path)
            records.append((name.removesuffix(".json"), document.read(path)))
        except document.Refused as refusal:
            fail(f"{shown(path)}: {refusal}")
    return records


def main():
    arguments = sys.argv[1:]
    mode = arguments[0] if arguments[:1] in (["--check"], ["--write"]) else None
    paths = arguments[1:] if mode else arguments
    if arguments in (["--help"], ["-h"]):
        print(USAGE, end="")
        return 0
    if not paths or any(path.startswith("-") for path in paths):
        print(USAGE, end="")
        return 2
    records = read_all(paths)
    if len(records) < len(paths):
        return command.BAD_INPUT
    if mode is None:
        for name, record in records:
            print("\n".join(tables.section(record, name)))
        return 0
    try:
        passed = update("README.md", tables.summary(newest_whole(records)), mode == "--check")
    except Unwritable as failure:
        fail(str(failure))
        return command.CANNOT_WRITE
    except (OSError, UnicodeDecodeError) as error:
        passed = fail(f"the README cannot be read: {error}")
    if mode == "--check":
        passed = figures() and passed
    return 0 if passed else 1
