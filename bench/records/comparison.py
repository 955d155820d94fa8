# SPDX-License-Identifier: MIT
"""Compares two records case by case. The speed of a case is its share of a yardstick that the same run
measured between the repetitions, so that records of two noisy machines compare; or its absolute
speed, for two runs on one quiet machine.
"""
from dataclasses import dataclass
from fnmatch import fnmatchcase

from . import intervals

# The interval of three values is their range, and noise alone puts it beyond the threshold in one case
# of forty.
FEWEST_REPETITIONS = 5
VERDICTS = ("slower", "faster", "same", "unclear")


@dataclass
class Row:
    """A case of both records. `ratio` is the speed in B, divided by that in A."""

    name: str
    measure: str
    repetitions: tuple[int, int]
    ratio: float
    low: float
    high: float
    verdict: str


@dataclass
class Comparison:
    rows: list[Row]
    skipped: list[tuple[str, str]]  # names of cases that cannot be compared, and why
    only_a: list[str]
    only_b: list[str]

    def count(self, verdict):
        return sum(row.verdict == verdict for row in self.rows)


class Incomparable(Exception):
    """Why two cases cannot be compared."""


def verdict_of(low, high, threshold):
    """A difference is claimed only where the whole interval is beyond the threshold."""
    if high < 1.0 - threshold:
        return "slower"
    if low > 1.0 + threshold:
        return "faster"
    if low >= 1.0 - threshold and high <= 1.0 + threshold:
        return "same"
    return "unclear"


def shares(yardstick, seconds):
    return [bound / time for bound, time in zip(yardstick, seconds)]


def amount(case, bound):
    """What a bound counts: the bytes or operations of a run of the case."""
    if bound == "fill":
        return case.bytes_written
    if bound == "copy":
        return None if case.bytes_read is None else case.bytes_read + (case.bytes_written or 0)
    return case.operations


def roof_seconds(case, bound):
    """The times that a bound takes for the case, None where they are not known."""
    if case.bound == bound:
        return case.bound_seconds
    return {"copy": case.copy_seconds, "arithmetic": case.arithmetic_seconds}.get(bound)


def bound_shares(a, b):
    """The shares of both in the time that the bound of A needs for the amount of A: a kernel that needs
    fewer operations than before is faster, although its own bound is faster as well. The bound of B may
    be another one, where two take about as long."""
    left, right = (amount(case, a.bound) for case in (a, b))
    scale = left / right if left and right else 1.0
    roof = roof_seconds(b, a.bound)
    return shares(a.bound_seconds, a.seconds), [scale * one for one in shares(roof, b.seconds)]


def speeds(a, b, absolute):
    """(measure, speeds in A, speeds in B), one speed for each repetition."""
    if absolute:
        return "time", *([1.0 / time for time in case.seconds] for case in (a, b))
    if a.bound is not None and b.bound is not None and a.bound_seconds and roof_seconds(b, a.bound):
        return a.bound, *bound_shares(a, b)
    if a.ceiling_seconds and b.ceiling_seconds:
        return "ceiling", shares(a.ceiling_seconds, a.seconds), shares(b.ceiling_seconds, b.seconds)
    if a.bound is not None and b.bound is not None:
        raise Incomparable(f"the bound is {a.bound} in A and {b.bound} in B")
    raise Incomparable("nothing was measured beside it; --times compares its times")


def check_work(a, b):
    """Refuses cases of different work. The speed of a job depends on its size."""
    for member in ("samples", "files"):
        left, right = getattr(a, member), getattr(b, member)
        if left != right:
            raise Incomparable(f"{left} {member} in A, {right} in B")


def compare_cases(a, b, threshold, absolute):
    check_work(a, b)
    measure, left, right = speeds(a, b, absolute)
    interval = intervals.ratio_interval(left, right, a.name)
    few = min(len(left), len(right)) < FEWEST_REPETITIONS
    verdict = "unclear" if few else verdict_of(*interval[1:], threshold)
    return Row(a.name, measure, (len(left), len(right)), *interval, verdict)


def compare(a, b, threshold, glob="*", absolute=False):
    """The comparison of the cases whose names match. Both records have schema 2."""
    names = {which: [name for name in record.cases if fnmatchcase(name, glob)]
             for which, record in (("a", a), ("b", b))}
    result = Comparison([], [], [name for name in names["a"] if name not in b.cases],
                        [name for name in names["b"] if name not in a.cases])
    for name in names["a"]:
        if name in b.cases:
            try:
                result.rows.append(compare_cases(a.cases[name], b.cases[name], threshold, absolute))
            except Incomparable as reason:
                result.skipped.append((name, str(reason)))
    return result
