# SPDX-License-Identifier: MIT
"""The command bench/plot: pictures of a record by Matplotlib. `sizes` is the share of the write ceiling over
the size of the results of a job. The roofline is operations per second over operations per byte: the
roofs are what the device filled, copied and computed in the same run, and a case is a point below them.
Both have 95 % intervals. The cases state their bytes and operations; nothing is counted here.
"""
import argparse
from fnmatch import fnmatchcase

from . import command, document
from .document import BOUNDS, Refused
from .intervals import median_interval, share_interval
from .text import Unwritable, shown

CASES = "upsample-4/*"
MOST = 40  # more names cannot be read
EPILOG = f"""exit codes:
  0  done
  2  wrong usage
{command.EXIT_CODES}

examples:
  bench/plot bench/results/NAME.json -o docs/pictures/sizes-NAME.svg
  bench/plot bench/results/NAME.json --roofline --case 'crowd*' -o roofline.svg"""


def arguments():
    parser = command.Parser(prog="bench/plot", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
                            description="Draws the share of the write ceiling over the size of a job, or a roofline.\n"
                                        "Requires Matplotlib.")
    parser.add_argument("record", metavar="RECORD.json")
    parser.add_argument("--roofline", action="store_true", help="draw the roofline")
    parser.add_argument("--case", metavar="GLOB", help=f"the cases of a roofline; default {CASES}")
    parser.add_argument("-o", metavar="FILE", required=True, help="the picture: .svg, .png or .pdf")
    options = parser.parse_args()
    if options.case is not None and not options.roofline:
        parser.error("--case requires --roofline")
    return options


# ---- what is drawn -------------------------------------------------------------


def curves_of(record):
    """{method: [(bytes, share, low, high), ...]}, sorted by bytes. Records of schema 1 have no intervals."""
    curves = {}
    for case in record.cases.values():
        if case.name.startswith("sizes/") and case.ceiling_share is not None:
            method = case.name.removeprefix("sizes/").rpartition("-")[0]
            share, *ends = share_interval(case.ceiling_share, case.ceiling_seconds, case.seconds)
            ends = [share if end is None else end for end in ends]
            curves.setdefault(method, []).append((case.samples * case.bytes_per_sample, share, *ends))
    if not curves:
        raise Refused("no case of sizes; measure with: posemill bench --case 'sizes/*' --json FILE")
    return {method: sorted(points) for method, points in curves.items()}


def rate_of(record, name, amount):
    case = record.cases.get(name)
    total = case and amount(case)
    if not total:
        raise Refused(f"no {name} with its amount; measure it with: posemill bench --json FILE")
    return total / case.seconds_median


def roofs_of(record):
    """The rates of memory in bytes/s by their names, and that of arithmetic in operations/s."""
    def moved(case):
        return (case.bytes_read or 0) + (case.bytes_written or 0) or case.samples * case.bytes_per_sample

    fills = record.fill_rates or [rate_of(record, "ceiling/fill", moved)]
    memory = dict(zip(["fill"] if len(fills) == 1 else ["slow fill", "fast fill"], fills))
    memory["copy"] = rate_of(record, "ceiling/copy", moved)
    return memory, rate_of(record, "ceiling/arithmetic", lambda case: case.operations)


def point_of(case):
    """(name, bound, operations per byte, operations per second, low, high); None for a case that has none. A
    fill only writes: bytes read would put a case that it bounds above its roof."""
    read = 0 if case.bound == "fill" else case.bytes_read or 0
    moved = read + (case.bytes_written or 0)
    if not case.operations or not moved or case.bound is None:
        return None
    middle, low, high = median_interval(case.seconds)
    return case.name, case.bound, case.operations / moved, *(case.operations / one for one in (middle, high, low))


def points_of(record, glob):
    document.require_times(record)
    chosen = [case for name, case in record.cases.items() if fnmatchcase(name, glob)]
    points = list(filter(None, map(point_of, chosen)))
    if not points:
        raise Refused(f"no case that matches {glob!r} has operations and bytes")
    if len(points) > MOST:
        raise Refused(f"{len(points)} cases; choose at most {MOST} with --case")
    return points


# ---- drawing -------------------------------------------------------------------


def draw_sizes(axes, curves):
    for method, points in curves.items():
        counts, shares, lows, highs = ([100 * one if i else one for one in column]
                                       for i, column in enumerate(zip(*points)))
        errors = [[a - b for a, b in zip(shares, lows)], [b - a for a, b in zip(shares, highs)]]
        axes.errorbar(counts, shares, errors, marker="o", markersize=4, label=shown(method, 40))
    axes.axhline(100, color="grey", linestyle="--", label="write ceiling")
    axes.set(xlabel="bytes of the results of a job", ylabel="% of the write ceiling", ylim=(0, None))
    axes.set_xscale("log", base=2)


def draw_roofline(axes, roofs, points):
    memory, arithmetic = roofs
    intensities = [point[2] for point in points] + [arithmetic / rate for rate in memory.values()]
    ends = min(intensities) / 2, 2 * max(intensities)
    for name, rate in memory.items():
        ridge = arithmetic / rate
        axes.plot([ends[0], ridge, ends[1]], [ends[0] * rate, arithmetic, arithmetic], color="grey",
                  label=f"{name}, {rate / 1e9:.3g} GB/s")
    for i, (name, bound, intensity, rate, low, high) in enumerate(points):
        axes.errorbar(intensity, rate, [[rate - low], [high - rate]], marker="o", markersize=4,
                      color=f"C{BOUNDS.index(bound)}")
        axes.annotate(shown(name, 40), (intensity, rate), xytext=(6, -4 if i % 2 else 4),
                      textcoords="offset points", fontsize=8, parse_math=False)
    for i, bound in enumerate(BOUNDS):
        if any(point[1] == bound for point in points):
            axes.plot([], [], "o", color=f"C{i}", label=f"bound by {bound}")
    axes.set(xlabel="operations per byte", ylabel="operations per second")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")


def draw(options):
    try:
        record = document.read(options.record)
        content = ((roofs_of(record), points_of(record, options.case or CASES)) if options.roofline
                   else (curves_of(record),))
    except Refused as refusal:
        raise Refused(f"{shown(options.record)}: {refusal}") from refusal
    try: # here, because refusals do not require it
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise Unwritable("Matplotlib is missing; install python3-matplotlib") from missing
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "posemill"}) # the same bytes each time
    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = figure.subplots()
    (draw_roofline if options.roofline else draw_sizes)(axes, *content)
    axes.set_title(shown(f"{record.device}, {record.platform}, {record.commit}"), parse_math=False)
    axes.grid(alpha=0.3)
    axes.legend()
    try:
        figure.savefig(options.o, metadata={"Date": None} if options.o.endswith(".svg") else None)
    except (OSError, ValueError) as failure:  # ValueError: an extension of no picture
        raise Unwritable(f"{shown(options.o)}: {failure}") from failure
    return command.DONE


def main():
    return command.run("bench/plot", lambda: draw(arguments()))
