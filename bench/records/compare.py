# SPDX-License-Identifier: MIT
"""The command bench/compare: two records, a table or JSON, and an exit code that a script can test."""
import argparse
import contextlib
import json
import re

from . import command, document, latest
from .comparison import FEWEST_REPETITIONS, VERDICTS, compare
from .text import shown, write

DESCRIPTION = """Compares two records of posemill bench, case by case. The ratio is the speed in B divided
by that in A: of the share of the bound that holds for a case, or else of the ceiling, which both runs
measured between the repetitions. The 95 % interval is bootstrapped from the times of all repetitions."""
EPILOG = f"""A case is slower (faster) if the whole interval is below (above) 1 by more than the threshold, the
same if all of it is within, and else unclear, as with fewer than {FEWEST_REPETITIONS} repetitions. Cases of another
size are not compared.

exit codes:
  0  no case is slower
  1  a case is slower
  2  wrong usage
{command.EXIT_CODES}

examples:
  bench/compare before.json after.json --case 'upsample-*'
  bench/compare --latest bench/results new.json"""
SLOWER = 1
PROGRAM = "bench/compare"


def threshold_of(text):
    match = re.fullmatch(r"([0-9]{1,2}(?:\.[0-9]{1,6})?) ?%", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is invalid; expected a percentage such as 5%")
    return float(match[1]) / 100.0


def arguments():
    parser = command.Parser(prog=PROGRAM, description=DESCRIPTION, epilog=EPILOG,
                            formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("records", nargs="+", metavar="RECORD.json", help="A and B; with --latest B alone")
    add("--latest", metavar="FOLDER",
        help="A is the last record below FOLDER with B's processor and device; without one, "
        "nothing is compared")
    add("--threshold", type=threshold_of, default=0.05, metavar="N%",
        help="difference that counts; default 5%%")
    add("--case", metavar="GLOB", default="*", help="only the cases whose names match")
    add("--times", action="store_true",
        help="compare absolute times, of two runs on one quiet machine")
    add("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    expected = 1 if options.latest is not None else 2
    if len(options.records) != expected:
        parser.error(f"{len(options.records)} records are given; expected {expected}")
    return parser, options


# ---- output --------------------------------------------------------------------


def sides(a, b):
    for which, (path, record) in (("A", a), ("B", b)):
        yield which, path, record


def heading(a, b, options):
    for which, path, record in sides(a, b):
        quick = "; quick" if record.quick else ""
        yield (f"{which}: {shown(path)}: {shown(record.device)}, driver {shown(record.driver, 60)}; "
               f"commit {shown(record.commit, 40)}; {record.date}{quick}")
        if record.busy:
            yield f"{which} was measured on a busy machine"
    for what, member in (("processors", "processor"), ("devices", "device"), ("drivers", "driver")):
        left, right = getattr(a[1], member), getattr(b[1], member)
        if left != right:
            yield (f"different {what}: {shown(left or 'unknown')} in A, {shown(right or 'unknown')} in B")
    if options.times:
        yield "speed in B / speed in A, from absolute times: they compare only on one quiet machine"
    else:
        yield "speed in B / speed in A, each as a share of what was measured beside it"
    yield ""


def table(comparison):
    names = [shown(row.name, 60) for row in comparison.rows]
    width = max(map(len, [*names, "case"]))
    yield f"{'case':{width}}  {'measured by':11}  {'ratio':>6}  {'95 % interval':16}  verdict"
    for name, row in zip(names, comparison.rows):
        interval = f"{row.low:.3f} to {row.high:.3f}"
        few = ", few repetitions" if min(row.repetitions) < FEWEST_REPETITIONS else ""
        yield (f"{name:{width}}  {row.measure:11}  {row.ratio:6.3f}  {interval:16}  "
               f"{row.verdict}{few}")


def footing(comparison):
    for title, names in (("only in A", comparison.only_a), ("only in B", comparison.only_b)):
        if names:
            yield f"{title}: {', '.join(shown(name, 60) for name in names)}"
    for name, why in comparison.skipped:
        yield f"not compared: {shown(name, 60)}: {why}"
    if comparison.rows:
        yield ", ".join(f"{comparison.count(verdict)} {verdict}" for verdict in VERDICTS)
    else:
        yield "no case was compared"


def as_json(a, b, comparison, options):
    members = {"threshold": options.threshold, "times": options.times}
    for which, path, record in sides(a, b):
        members[which.lower()] = {
            "path": path, "device": record.device, "driver": record.driver, "date": record.date,
            "processor": record.processor, "commit": record.commit, "quick": record.quick,
        }
    members["cases"] = [vars(row) for row in comparison.rows]
    members["not_compared"] = [{"name": name, "why": why} for name, why in comparison.skipped]
    members["only_in_a"], members["only_in_b"] = comparison.only_a, comparison.only_b
    return json.dumps(members, indent=2)


# ---- the command ---------------------------------------------------------------


@contextlib.contextmanager
def named(path):
    """Puts the name of a file before the reason for which it is refused."""
    try:
        yield
    except document.Refused as refusal:
        raise document.Refused(f"{shown(path)}: {shown(str(refusal), 300)}") from refusal


def read(path):
    with named(path):
        return document.read(path)


def read_both(options):
    """((path, record) of A, the same of B), or None where --latest finds no A."""
    b_path = options.records[-1]
    b = read(b_path)
    if options.latest is None:
        a_path = options.records[0]
        return (a_path, read(a_path)), (b_path, b)
    with named(options.latest):
        found, why = latest.find(options.latest, b_path, b)
    if found is None:
        write(f"no comparable record in {shown(options.latest)}: {shown(why, 300)}\n")
        return None
    return found, (b_path, b)


def run(parser, options):
    both = read_both(options)
    if both is None:
        return command.DONE
    for path, record in both:
        with named(path):
            document.require_times(record)
    comparison = compare(both[0][1], both[1][1], options.threshold, options.case, options.times)
    if not (comparison.rows or comparison.skipped or comparison.only_a or comparison.only_b):
        parser.error(f"--case: no case matches {options.case!r}")
    if options.json:
        write(as_json(*both, comparison, options) + "\n")
    else:
        lines = [*heading(*both, options), *table(comparison), "", *footing(comparison)]
        write("".join(line + "\n" for line in lines))
    return SLOWER if comparison.count("slower") else command.DONE


def main():
    return command.run(PROGRAM, lambda: run(*arguments()))
