# SPDX-License-Identifier: MIT
"""The arrays of a workload: keys of smooth motion, key times, and the samples of each group of tasks.

Integers and exactly rounded operations only. The numbers of streams are part of the format: another
number gives another workload, and requires another version.
"""

from typing import NamedTuple

import numpy as np

from . import curves, poses
from .curves import METHODS
from .exact import interleaved, normalized, product, random_bits, random_integers

VERSION = 2
KEY_RATE = 30
# Samples of a segment in the groups that are uniform: 120 Hz, and 480 Hz, whose results exceed caches.
FACTORS = {"uniform": 4, "large": 16}
METHODS_OF = {"uniform": METHODS, "times": METHODS, "pairs": METHODS, "large": METHODS[:1],
              "crowd": METHODS[:2]}
TIMES_OF = {"uniform": "uniform_times", "large": "large_times", "times": "random_times",
            "pairs": "pair_times", "crowd": "random_times"}
GROUPS = tuple(METHODS_OF)
BLOCK = 1 << 16  # samples that are computed at a time, so that arrays stay in a cache

_MOTION, _BASE, _TIMES, _PAIR_TIMES, _PAIR_TRACKS, _PARENTS, _REST = 1000, 1, 2, 3, 4, 5, 6
_POSITIONS = 10


class Size(NamedTuple):
    tracks: int
    keys: int
    times: int      # of the group times, the same for all tracks
    pairs: int
    positions: int  # whose expected results are stored, in each task
    frames: int     # of the motion file


SIZES = {"small": Size(4, 33, 48, 200, 96, 9),
         "standard": Size(64, 65537, 65536, 4194304, 4096, 4097)}


def wander(stream, count, period):
    """Smooth doubles between -3/2 and 3/2: a uniform cubic B-spline of random integers, one every
    `period` keys, in integers up to one division."""
    at = np.arange(count, dtype=np.int64)
    cell, m, p = at // period, at % period, period
    control = (random_bits(stream, np.arange(count // p + 4)) >> np.uint64(44)).astype(np.int64)
    control -= 1 << 19
    weights = ((p - m)**3, 3 * m**3 - 6 * p * m**2 + 4 * p**3,
               3 * (p * m**2 + p**2 * m - m**3) + p**3, m**3)
    total = sum(w * control[cell + k] for k, w in enumerate(weights))
    return (3 * total) / float(2 * 6 * p**3 << 19)


def _track_keys(track, count):
    """A base rotation times (v, 1) normalised, v a smooth vector; four speeds."""
    base = random_bits(_BASE, np.arange(4 * track, 4 * track + 4)) >> np.uint64(44)
    base = normalized([np.full(count, float(int(part) - (1 << 19))) for part in base])
    period = 8 << (track % 4)
    v = [wander(_MOTION + 3 * track + axis, count, period) for axis in range(3)]
    return interleaved(product(base, normalized([*v, np.ones(count)])), np.float32)


def make_keys(size):
    keys = np.empty((size.keys, size.tracks, 4), dtype="<f4")
    for track in range(size.tracks):
        keys[:, track] = _track_keys(track, size.keys)
    return keys


def make_controls(keys):
    controls = np.empty_like(keys)
    for track in range(keys.shape[1]):
        controls[:, track] = curves.inner_controls(keys[:, track])
    return controls


def _random_times(stream, count, key_times):
    """Multiples of 2^-20 s, and as the first three both ends and a key between."""
    ticks = ((len(key_times) - 1) << 20) // KEY_RATE
    times = random_integers(stream, np.arange(count), ticks) / float(1 << 20)
    times[:3] = key_times[0], key_times[-1], key_times[len(key_times) // 2]
    return times


def make_parents(joints):
    """Joint 0 is the root; the parent of joint j is one of the four joints before it."""
    parents = [-1]
    for joint in range(1, joints):
        parents.append(joint - 1 - int(random_integers(_PARENTS, [joint], min(joint, 4))[0]))
    return np.array(parents, dtype="<i4")


def make_rest(joints):
    """Metres from each joint's parent, multiples of 2^-20 up to 1/4."""
    ticks = random_integers(_REST, np.arange(3 * joints), 1 << 19) - (1 << 18)
    return (ticks / float(1 << 20)).astype("<f4").reshape(joints, 3)


def _uniform_times(size, group):
    factor = FACTORS[group]
    return np.arange(factor * (size.keys - 1)) / float(factor * KEY_RATE)


def make_inputs(size):
    """The arrays that a library reads, by the names of their files."""
    keys = make_keys(size)
    key_times = np.arange(size.keys) / float(KEY_RATE)
    return {"keys": keys, "key_times": key_times, "controls": make_controls(keys),
            "uniform_times": _uniform_times(size, "uniform"),
            "large_times": _uniform_times(size, "large"),
            "parents": make_parents(size.tracks), "rest": make_rest(size.tracks),
            "random_times": _random_times(_TIMES, size.times, key_times),
            "pair_times": _random_times(_PAIR_TIMES, size.pairs, key_times),
            "pair_tracks": random_integers(_PAIR_TRACKS, np.arange(size.pairs),
                                           size.tracks).astype("<i4")}


class Samples:
    """The samples of a group: each has a segment, a track and u, by its position in the results."""

    def __init__(self, group, inputs):
        self.tracks = inputs["keys"].shape[1]
        self.group, self.inputs = group, inputs
        times = inputs[TIMES_OF[group]]
        self.width = 1 if group == "pairs" else self.tracks
        self.numbers = poses.NUMBERS if group == "crowd" else 4  # of a result
        self.count = len(times) * self.width
        if group not in FACTORS:
            self.segments, self.u = curves.locate(inputs["key_times"], times)

    @staticmethod
    def count_of(group, size):
        """The number of results."""
        if group == "pairs":
            return size.pairs
        times = FACTORS[group] * (size.keys - 1) if group in FACTORS else size.times
        return times * size.tracks

    def at(self, positions):
        """Segments, tracks and u. Uniform samples are located in integers."""
        rows, tracks = positions // self.width, positions % self.width
        if self.group in FACTORS:
            factor = FACTORS[self.group]
            return rows // factor, tracks, (rows % factor) / float(factor)
        if self.group == "pairs":
            tracks = self.inputs["pair_tracks"][rows].astype(np.int64)
        return self.segments[rows], tracks, self.u[rows]

    def expected(self, method, positions):
        """float64 (positions, 4), of crowd (positions, 12)."""
        if self.group == "crowd":
            return self._models(method, positions)
        return curves.evaluate(method, self.inputs["keys"], self.inputs["controls"],
                               *self.at(positions))

    def _models(self, method, positions):
        """The matrices of whole instances, of which the positions' are taken."""
        rows, place = np.unique(positions // self.width, return_inverse=True)
        local = curves.evaluate(method, self.inputs["keys"], None, self.segments[rows, None],
                                np.arange(self.tracks), self.u[rows, None])
        models = poses.models(local, self.inputs["parents"], self.inputs["rest"])
        return models[place, positions % self.width]

    def stored_positions(self, wanted):
        """Ascending: the first, the last, and one drawn from each of equal parts."""
        part = self.count // wanted
        stream = _POSITIONS + GROUPS.index(self.group)
        positions = np.arange(wanted) * part + random_integers(stream, np.arange(wanted), part)
        positions[0], positions[-1] = 0, self.count - 1
        return positions
