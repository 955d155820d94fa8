# SPDX-License-Identifier: MIT
"""Tables of records, and those of README.md, in Markdown, from records of posemill bench. Records
of schema 2 have two columns more: the bound of a case, and its share of that bound.
"""
import os

from .intervals import share_interval
from .text import shown

# ---- cells ---------------------------------------------------------------------


def plain(text):
    """A name in Markdown: it cannot end its cell, its line or the block."""
    return shown(text, 200).replace("|", "\\|").replace("<", "&lt;")


def rate(per_second):
    return ("%.3g" if per_second < 1e7 else "%.0f") % (per_second / 1e6)


def share(number):
    return "-" if number is None else "%.0f %%" % (100 * number)


def ratio(number):
    return "-" if number is None else "%.2f" % number


def angle(number):
    if number is None:
        return "-"
    return "0" if number == 0 else "%.1e" % number


def bound_share(case):
    """The share of the bound with its 95 % interval, in whole per cent."""
    middle, low, high = share_interval(case.bound_share, case.bound_seconds, case.seconds)
    return share(middle) if low is None else "%s (%.0f to %.0f)" % (share(middle), 100 * low, 100 * high)


def mebibytes(samples):
    return "%.0f MiB" % (samples * 16 / 1048576)


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def rule(texts, numbers):
    return "|" + "---|" * texts + "---:|" * numbers


# ---- columns that depend on the schema -----------------------------------------


def bound_titles(record):
    return ["bound", "of the bound"] if record.schema > 1 else []


def bound_cells(record, case):
    return [case.bound or "-", bound_share(case)] if record.schema > 1 else []


def conditions(record):
    """Paragraphs on a machine that changed between two rates of filling, or was busy."""
    if len(record.fill_rates) == 2:
        slow, fast = (1e-9 * one for one in record.fill_rates)
        yield ""
        yield (f"The machine changed between two rates of filling memory during the run, {slow:.1f} and "
               f"{fast:.1f} GB/s. Compare shares, not samples per second.")

    if record.busy:
        yield ""
        yield "The machine was busy with other work during the run. Compare shares, not samples per second."


# ---- README.md -----------------------------------------------------------------

BASELINE = "times vectorised C on all cores"
SHOWN = ("slerp", "squad", "circular-c2", "spline")  # one of each kind; bench/report prints all


def summary_of_crowds(record):
    crowds = [case for name, case in record.cases.items() if name.startswith("crowd/")]
    if not crowds:
        return
    yield ""
    yield (f"A crowd of {crowds[-1].samples // 64} instances of 64 joints, each at a random time in "
           "one of 8 clips, with results in device memory:")
    yield ""
    compared = record.schema > 1  # crowds had no baseline before
    titles = ["48 bytes per joint", "million joints/s", "of the write ceiling", *bound_titles(record),
              *([BASELINE] if compared else [])]
    yield row(*titles)
    yield rule(1, len(titles) - 1)
    for case in crowds:
        yield row(plain(case.name.removeprefix("crowd/")), rate(case.samples_per_s),
                  share(case.ceiling_share), *bound_cells(record, case),
                  *([ratio(case.baseline_ratio)] if compared else []))


def summary(record):
    """Lines: upsampling by 4, compared with the ceiling and with plain C, and crowds if the record
    contains them."""
    device, platform, driver = map(plain, (record.device, record.platform, record.driver))
    yield (f"Upsampling by 4, 64 tracks, {mebibytes(record.samples)} of results in device memory, on "
           f"{device} ({platform}, driver {driver}),")
    yield f"measured with `posemill bench{' --quick' if record.quick else ''}`:"
    yield ""
    titles = ["method", "million samples/s", "of the write ceiling", *bound_titles(record),
              BASELINE]
    yield row(*titles)
    yield rule(1, len(titles) - 1)
    for method in SHOWN:
        if case := record.cases.get(f"upsample-4/{method}"):
            yield row(method, rate(case.samples_per_s), share(case.ceiling_share),
                      *bound_cells(record, case), ratio(case.baseline_ratio))
    rates = [record.cases[name].samples_per_s if name in record.cases else 0.0
             for name in ("upsample-4/slerp", "obvious/slerp")]
    if min(rates) > 0:
        yield ""
        yield ("Slerp is %.0f times as fast as the obvious kernel: one work-item per sample, built-in "
               "`acos` and `sin`." % (rates[0] / rates[1]))
    yield from summary_of_crowds(record)
    yield from conditions(record)


# ---- all cases -----------------------------------------------------------------


def shares(record, case):
    return [share(case.ceiling_share), *bound_cells(record, case), ratio(case.baseline_ratio),
            angle(case.max_error_rad)]


def megabytes_per_second(case):
    return "%.0f" % ((case.bytes_read + case.bytes_written) / case.seconds_median / 1e6)


def job_row(record, case):
    return row(plain(case.name), "%d" % case.samples, "%.3g" % (1000 * case.seconds_median),
               rate(case.samples_per_s),
               "%.2f" % (case.samples_per_s * case.bytes_per_sample / 1e9), *shares(record, case))


def file_row(record, case):
    return row(plain(case.name), "%d" % case.samples, "%.2f" % (case.bytes_read / 1e6),
               "%.2f" % (case.bytes_written / 1e6), "%.3g" % (1000 * case.seconds_median),
               rate(case.samples_per_s), megabytes_per_second(case), *shares(record, case))


def batch_row(record, case):
    return row(plain(case.name), "%d" % case.files, "%.1f" % (case.bytes_read / 1e6),
               "%.1f" % (case.bytes_written / 1e6), "%.3g" % (1000 * case.seconds_median),
               "%.0f" % (case.files / case.seconds_median), megabytes_per_second(case),
               *shares(record, case))


KINDS = (
    (job_row, ["case", "samples", "median, ms", "million samples/s", "GB/s", "of the ceiling"],
     "times the baseline"),
    (file_row, ["case", "samples", "MB read", "MB written", "median, ms", "million samples/s", "MB/s",
                "of the ceiling"], "times the baseline"),
    (batch_row, ["case", "files", "MB read", "MB written", "median, ms", "files/s", "MB/s",
                 "of the ceiling"], "times one job"),
)


def kind_of(case):
    """Batches count files. Jobs have bytes too, in schema 2, so files are known by their name."""
    if case.bytes_read is None or case.bytes_written is None:
        return job_row
    if case.files is not None:
        return batch_row
    return file_row if case.name.startswith("files/") else job_row


def section(record, name):
    """Lines: every case of a record, those that measure files and batches in tables of their own."""
    yield f"### {name}"
    yield ""
    device, platform, driver, commit = map(
        plain, (record.device, record.platform, record.driver, record.commit))
    yield (f"{device}, {platform}, driver {driver}; commit {commit}; upsampling by 4 gives "
           f"{record.samples} samples ({mebibytes(record.samples)})"
           f"{'; a quick run' if record.quick else ''}.")
    yield from conditions(record)
    for kind, titles, compared in KINDS:
        cases = [case for case in record.cases.values() if kind_of(case) is kind]
        if cases:
            titles = [*titles, *bound_titles(record), compared, "largest error, rad"]
            yield ""
            yield row(*titles)
            yield rule(1, len(titles) - 1)
            yield from (kind(record, case) for case in cases)
    yield ""
