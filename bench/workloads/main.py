# SPDX-License-Identifier: MIT
"""The verbs of bench/workload: make, check, judge, measure and table."""

import argparse
import json

from records import command

from . import content, folder, judge, manifest, measure, record, table
from .problems import Problem, printable

DESCRIPTION = """A fixed workload for any library that interpolates rotations: keys, times and expected
results as .npy files. docs/workload.md describes the files, the tasks, and how to submit a record."""

EXAMPLE = """exit codes: 0 done; 1 results are wrong; 2 usage; 4 bad input; 6 the output cannot be written

example:
  bench/workload make work
  bench/workload measure work --adapter examples/workload/scipy_slerp.py -o scipy.json
  bench/submit-check scipy.json"""


def _make(options):
    text = folder.make(options.folder, options.size)
    digest = manifest.digest_of(text)
    if text != manifest.committed(options.size):
        raise Problem(options.folder, "was written, and is not the workload of this version: its digests "
                      "differ from those in bench/workloads", 1)
    print(f"{printable(options.folder)}: {options.size}, version {content.VERSION}, SHA-256 {digest}")


def _check(options):
    name, text = folder.manifest_in(options.folder)
    files = json.loads(text)["files"]
    for file, entry in files.items():
        folder.check_file(options.folder, file, entry)
    print(f"{printable(options.folder)}: {name}, version {content.VERSION}, SHA-256 "
          f"{manifest.digest_of(text)}: {len(files)} files are as they should be")


def _judge(options):
    _, text = folder.manifest_in(options.folder)
    workload = json.loads(text)
    task = measure.choose(workload["tasks"], [options.task], "task")[0]
    found = judge.judge_file(options.folder, workload["files"], task, options.results, options.division)
    if found.mistake:
        raise Problem(options.results, found.mistake, 1)
    print(f"{printable(options.results)}: {task['name']}: pass: {task['samples']} samples, "
          f"{judge.text_of(found.errors)}")


def _parser():
    parser = command.Parser(prog="bench/workload", description=DESCRIPTION, epilog=EXAMPLE,
                            formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    make = verbs.add_parser("make", help="write the workload into a new folder")
    make.add_argument("folder")
    make.add_argument("--size", choices=tuple(content.SIZES), default="standard",
                      help="small is for trying out a program; records are of standard")
    make.set_defaults(run=_make)
    check = verbs.add_parser("check", help="compare the files of a folder with the committed digests")
    check.add_argument("folder")
    check.set_defaults(run=_check)
    judged = verbs.add_parser("judge", help="compare results with the expected ones")
    judged.add_argument("folder")
    judged.add_argument("task", help="such as uniform/slerp")
    judged.add_argument("results", metavar="RESULTS", help="a .npy file; of file a .bvh file")
    judged.add_argument("--division", choices=record.DIVISIONS, default="exact")
    judged.set_defaults(run=_judge)
    measured = verbs.add_parser("measure", help="time a library through an adapter, and write a record")
    measured.add_argument("folder")
    library = measured.add_mutually_exclusive_group(required=True)
    library.add_argument("--adapter", metavar="FILE.py", help="an adapter in Python")
    library.add_argument("--program", metavar="FILE", help="an adapter in C, linked with bench/harness/harness.c")
    measured.add_argument("-o", "--out", required=True, metavar="RECORD.json",
                          help="tasks are added to a record of the same library that exists")
    measured.add_argument("--task", action="append", metavar="NAME", help="may be repeated; default: all")
    measured.add_argument("--repetitions", type=int, default=0, metavar="N",
                          help="default: as many as take a second, at least 3")
    measured.add_argument("--compiler", help="what the library was compiled with; default: what a program says")
    measured.add_argument("--notes", help="anything a reader of the record should know; default: those that it has")
    measured.set_defaults(run=measure.measure)
    shown = verbs.add_parser("table", help="print records as tables in Markdown")
    shown.add_argument("records", nargs="+", metavar="RECORD.json")
    shown.add_argument("--write", metavar="FILE.md",
                       help="put them between the marks workload:begin and workload:end of a file")
    shown.set_defaults(run=table.show)
    return parser


def _check_measure(parser, options):
    least, most = record.SHORTEST_REPETITIONS, record.MOST_REPETITIONS
    if options.repetitions and not least <= options.repetitions <= most:
        parser.error(f"--repetitions: expected {least} to {most}")
    if options.compiler is not None and (expected := record.text(options.compiler)):
        parser.error(f"--compiler: expected {expected}")
    if options.notes is not None and (expected := record.notes(options.notes)):
        parser.error(f"--notes: expected {expected}")


def _main():
    parser = _parser()
    options = parser.parse_args()
    if options.verb == "measure":
        _check_measure(parser, options)
    options.run(options)


def main():
    return command.run("workload", _main, Problem)
