# SPDX-License-Identifier: MIT
"""bench/submit-check: whether a record of the workload can be submitted. NumPy only with --workload."""

import argparse
import hashlib
import json
import sys
from pathlib import Path

from records import command

from . import record
from .problems import BAD_INPUT, Problem, printable

EPILOG = """exit codes: 0 can be submitted, or fits the workload of --workload; 1 its figures contradict each other or the workload, or an
error is above the tolerance; 2 usage; 4 the file is no record; 6 the output cannot be written. Each
mistake is one line that names the member.

example: bench/submit-check record.json"""


def _workload(options):
    """The manifest's text: the committed one of the standard workload, or that of a folder."""
    if options.workload is None:
        return (Path(__file__).resolve().parent / "standard.json").read_text(encoding="ascii")
    from . import folder

    _, text = folder.manifest_in(options.workload)
    for name, entry in json.loads(text)["files"].items():
        folder.check_file(options.workload, name, entry)
    return text


def _print_lines(path, lines, kind=""):
    for line in lines:
        print(f"submit-check: {printable(path)}: {kind}{line}", file=sys.stderr)


def _summary(task):
    return (f"  {printable(task['name'])}: {record.rate_of(task) / 1e6:.6g} million samples/s, median of "
            f"{len(task['seconds'])}; largest error {task['max_error_rad']:.3g} rad; {task['device']}, "
            f"{task['timed']}, {task['dtype']}, {task['division']}")


def check(options):
    found = record.read(options.record)
    mistakes = record.schema_mistakes(found)
    if mistakes:
        _print_lines(options.record, mistakes)
        return BAD_INPUT
    text = _workload(options)
    sha256 = hashlib.sha256(text.encode("ascii")).hexdigest()
    mistakes = record.content_mistakes(found, json.loads(text), sha256)
    _print_lines(options.record, mistakes)
    if mistakes:
        return 1
    workload = json.loads(text)
    _print_lines(options.record, record.warnings_of(found, workload), "warning: ")
    name = workload["name"]
    fits = "can be submitted" if name == "standard" else f"fits the {name} workload; records of standard can be submitted"
    print(f"{printable(options.record)}: {found['library']['name']} {found['library']['version']}: "
          f"{len(found['tasks'])} tasks, {fits}")
    for task in found["tasks"]:
        print(_summary(task))
    return 0


def _main():
    parser = command.Parser(prog="bench/submit-check", epilog=EPILOG,
                            description="Checks a record of the workload; docs/workload.md.",
                            formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", metavar="RECORD.json")
    parser.add_argument("--workload", metavar="FOLDER",
                        help="compare with the workload in this folder, such as a small one")
    options = parser.parse_args()
    try:
        return check(options)
    except ModuleNotFoundError as missing:
        print(f"submit-check: --workload: {sys.executable}: {missing}", file=sys.stderr)
        return BAD_INPUT


def main():
    return command.run("submit-check", _main, Problem)
