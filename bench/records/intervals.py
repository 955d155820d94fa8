# SPDX-License-Identifier: MIT
"""Medians with 95 % intervals. They assume that repetitions are independent; a machine that drifts within a
case makes intervals too narrow. That of a median is between two of the sorted values and holds for any
distribution, by the binomial one (David and Nagaraja 2003, 7.1), as bench/runner/statistics.c computes it. That
of the ratio of two medians is by the percentile bootstrap (Efron 1979): the repetitions of both are drawn again,
with replacement, and the middle 95 % of the ratios is the interval. Its seed depends on the name of the case alone.
"""
import random
import zlib
from functools import cache
from itertools import accumulate
from math import comb
from statistics import median

DRAWS = 2000
TAIL = DRAWS * 25 // 1000


@cache
def outside(count):
    """How many values on either side the median of what is measured is beyond in at most 2.5 % of runs; 0 for
    fewer than 6, whose range has it less often."""
    below = accumulate(comb(count, k) for k in range(count))
    return max(0, sum(40 * one <= 2**count for one in below) - 1)


def median_interval(values):
    """(median, low, high)"""
    ordered = sorted(values)
    return median(ordered), ordered[outside(len(ordered))], ordered[-1 - outside(len(ordered))]


def drawn_medians(values, generator):
    return [median(generator.choices(values, k=len(values))) for _ in range(DRAWS)]


def ratio_interval(a, b, name):
    """(ratio, low, high) of the median of `b` to the median of `a`, two independent measurements."""
    generator = random.Random(zlib.crc32(name.encode("utf-8", "replace")))
    ratios = sorted(right / left for left, right in zip(drawn_medians(a, generator), drawn_medians(b, generator)))
    return median(b) / median(a), ratios[TAIL], ratios[-1 - TAIL]
