# SPDX-License-Identifier: MIT
"""Medians with 95 % intervals by the percentile bootstrap: the repetitions of a measurement are drawn
again, with replacement, and the middle 95 % of the statistic is the interval. It assumes that
repetitions are independent; a machine that drifts within a case makes intervals too narrow.
"""
import random
from statistics import median

DRAWS = 2000
TAIL = DRAWS * 25 // 1000


def drawn_medians(values, generator):
    """The medians of DRAWS samples of the values."""
    count = len(values)
    return [median(generator.choices(values, k=count)) for _ in range(DRAWS)]


def interval_of(statistics):
    ordered = sorted(statistics)
    return ordered[TAIL], ordered[-1 - TAIL]


def median_interval(values, seed):
    """(median, low, high). The same seed and values give the same interval."""
    low, high = interval_of(drawn_medians(values, random.Random(seed)))
    return median(values), low, high


def ratio_interval(a, b, seed):
    """(ratio, low, high) of the median of `b` to the median of `a`, two independent measurements."""
    generator = random.Random(seed)
    pairs = zip(drawn_medians(a, generator), drawn_medians(b, generator))
    low, high = interval_of(right / left for left, right in pairs)
    return median(b) / median(a), low, high
