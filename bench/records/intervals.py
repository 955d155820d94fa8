# SPDX-License-Identifier: MIT
"""Medians with 95 % intervals by the percentile bootstrap (Efron 1979): the repetitions of a measurement
are drawn again, with replacement, and the middle 95 % of the statistic is the interval. It assumes that
repetitions are independent; a machine that drifts within a case makes intervals too narrow. The seed of
a case depends on its name alone, so that its interval is the same whatever else is looked at.
"""
import random
import zlib
from statistics import median

DRAWS = 2000
TAIL = DRAWS * 25 // 1000


def generator_of(name):
    return random.Random(zlib.crc32(name.encode("utf-8", "replace")))


def drawn_medians(values, generator):
    """The medians of DRAWS samples of the values."""
    count = len(values)
    return [median(generator.choices(values, k=count)) for _ in range(DRAWS)]


def interval_of(statistics):
    ordered = sorted(statistics)
    return ordered[TAIL], ordered[-1 - TAIL]


def median_interval(values, name):
    """(median, low, high) of a measurement of the case of that name."""
    low, high = interval_of(drawn_medians(values, generator_of(name)))
    return median(values), low, high


def share_interval(share, yardstick, seconds, name):
    """(share, low, high), where the share is the median of the ratios of both in each repetition, times a
    factor: what both measurements of a repetition share cancels. Without repetitions it has no ends."""
    if share is None or not yardstick or not seconds:
        return share, None, None
    middle, low, high = median_interval([one / time for one, time in zip(yardstick, seconds)], name)
    return share, share * low / middle, share * high / middle


def ratio_interval(a, b, name):
    """(ratio, low, high) of the median of `b` to the median of `a`, two independent measurements."""
    generator = generator_of(name)
    pairs = zip(drawn_medians(a, generator), drawn_medians(b, generator))
    low, high = interval_of(right / left for left, right in pairs)
    return median(b) / median(a), low, high
