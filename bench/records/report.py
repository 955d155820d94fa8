# SPDX-License-Identifier: MIT
"""The command bench/report: writes the tables of the documents, or compares them with the records."""
import os
import re
import subprocess
import sys

from . import command, document, tables
from .text import Unwritable, replace, shown

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
USAGE = """usage: bench/report [--check] RECORD.json...

Writes the text between <!-- bench:begin --> and <!-- bench:end --> in README.md, from the newest
record that has all cases, and in docs/performance.md, from all records, that one first. If no record
has all cases, the first one is taken. With --check writes nothing, and fails when either text differs
from the records, or a figure in the prose of README.md or docs/*.md does not match its record
(bench/figures). The cases of NAME.json are followed by the picture that
bench/plot made of its sizes, docs/pictures/sizes-NAME.svg, if it exists.

Example:
  bench/report bench/results/*.json
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
            f"{file} differs from the records; run: bench/report bench/results/*.json")
    replace(file, new)
    return True


def all_tables(records):
    pictures = os.path.join(ROOT, "docs", "pictures")
    for name, record in records:
        yield from tables.section(record, name, pictures)
    yield ""


def figures():
    """Whether the figures in the prose match their records."""
    folder = os.path.join(ROOT, "docs")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".md"))
    files = [os.path.join(ROOT, "README.md"), *(os.path.join(folder, name) for name in names)]
    return subprocess.run([os.path.join(ROOT, "bench", "figures"), *files], check=False).returncode == 0


def newest_whole_first(records):
    """The documents describe what is true now. Records of schema 1 have no date."""
    whole = [one for one in records if one[1].whole and one[1].date is not None]
    first = max(whole, key=lambda one: one[1].date, default=records[0])
    return [first, *(one for one in records if one is not first)]


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
    check = arguments[:1] == ["--check"]
    paths = arguments[1:] if check else arguments
    if arguments in (["--help"], ["-h"]):
        print(USAGE, end="")
        return 0
    if not paths or any(path.startswith("-") for path in paths):
        print(USAGE, end="")
        return 2
    records = read_all(paths)
    if len(records) < len(paths):
        return command.BAD_INPUT
    records = newest_whole_first(records)
    try:
        passed = update("README.md", tables.summary(records[0][1]), check)
        passed = update(os.path.join("docs", "performance.md"), all_tables(records), check) and passed
    except Unwritable as failure:
        fail(str(failure))
        return command.CANNOT_WRITE
    except (OSError, UnicodeDecodeError) as error:
        passed = fail(f"the documents cannot be read: {error}")
    if check:
        passed = figures() and passed
    return 0 if passed else 1
