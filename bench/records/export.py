# SPDX-License-Identifier: MIT
"""The command bench/export: a record in the formats that services of continuous benchmarking read. The
list of github-action-benchmark is that of its tool customBiggerIsBetter; Bencher reads its Metric
Format with the adapter json. Rates and times have the 95 % interval of their median.
"""
import argparse
import json

from . import command, document
from .intervals import median_interval
from .text import shown, write

DESCRIPTION = """Writes a record of posemill bench for a service of continuous benchmarking.

  benchmark-action  a list for github-action-benchmark, tool customBiggerIsBetter: samples/s
  bmf               Bencher Metric Format, adapter json: throughput in samples/s, latency of one
                    run of a case in nanoseconds

Intervals are computed from the times of all repetitions; a record of schema 1 has none, and is
written without."""
EPILOG = f"""exit codes:
  0  done
  2  wrong usage
{command.EXIT_CODES}

example:
  bench/export record.json --format bmf >bmf.json"""
PROGRAM = "bench/export"
LONGEST_NAME = 1024  # of a benchmark of Bencher


def time_interval(case):
    """(median, low, high) of the seconds of a case; without repetitions the limits are None."""
    if case.seconds is None:
        return case.seconds_median, None, None
    return median_interval(case.seconds)


def rate_interval(case):
    """(rate, low, high) in samples per second."""
    middle, low, high = time_interval(case)
    return (case.samples / middle, high and case.samples / high, low and case.samples / low)


# ---- github-action-benchmark ---------------------------------------------------


def shares(case):
    if case.bound is not None and case.bound_share is not None:
        yield f"{100 * case.bound_share:.1f} % of the {case.bound} bound"
    if case.ceiling_share is not None:
        yield f"{100 * case.ceiling_share:.1f} % of the ceiling"
    if case.baseline_ratio is not None:
        yield f"{case.baseline_ratio:.2f} times the baseline"


def action_entry(record, case):
    value, low, high = rate_interval(case)
    entry = {"name": shown(case.name, LONGEST_NAME), "unit": "samples/s", "value": value}
    if low is not None:
        # The service reads one number after the sign.
        entry["range"] = f"± {max(value - low, high - value):.6g}"
    lines = [*shares(case), shown(record.device), f"driver {shown(record.driver)}",
             f"commit {shown(record.commit)}"]
    entry["extra"] = "\n".join(lines)
    return entry


def benchmark_action(record):
    return [action_entry(record, case) for case in record.cases.values()]


# ---- Bencher -------------------------------------------------------------------


def metric(value, low, high):
    found = {"value": value}
    if low is not None:
        found.update(lower_value=low, upper_value=high)
    return found


def bmf(record):
    found = {}
    for case in record.cases.values():
        name = shown(case.name, LONGEST_NAME)
        if name in found:
            raise document.Refused(f"two cases are named {name!r} where they can be printed")
        nanoseconds = (None if one is None else 1e9 * one for one in time_interval(case))
        found[name] = {"throughput": metric(*rate_interval(case)), "latency": metric(*nanoseconds)}
    return found


# ---- the command ---------------------------------------------------------------

FORMATS = {"benchmark-action": benchmark_action, "bmf": bmf}


def export(options):
    try:
        record = document.read(options.record)
        text = json.dumps(FORMATS[options.format](record), indent=2)
    except document.Refused as refusal:
        raise document.Refused(f"{shown(options.record)}: {refusal}") from refusal
    write(text + "\n")
    return command.DONE


def arguments():
    parser = command.Parser(prog=PROGRAM, description=DESCRIPTION, epilog=EPILOG,
                            formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", metavar="RECORD.json")
    parser.add_argument("--format", choices=tuple(FORMATS), default="benchmark-action",
                        help="default: benchmark-action")
    return parser.parse_args()


def main():
    return command.run(PROGRAM, lambda: export(arguments()))
