# SPDX-License-Identifier: MIT
"""The arrays of a workload: keys of smooth motion, key times, and the samples of each group of tasks.

Integers and exactly rounded operations only. The numbers of streams are part of the format: another
number gives another workload, and requires another version.
"""

from typing import NamedTuple

import numpy as np

from . import curves
from .exact import interleaved, normalized, product, random_bits, random_integers

VERSION = 3
KEY_RATE = 30
# Samples of a segment in the groups that are uniform: 120 Hz, and 480 Hz, whose results exceed caches.
FACTORS = {"uniform": 4, "large": 16}
METHODS_OF = {"uniform": curves.METHODS, "times": curves.METHODS, "pairs": curves.METHODS,
              "large": curves.METHODS[:1], "crowd": curves.METHODS[:2]}
TIMES_OF = {"uniform": "uniform_times", "large": "large_times", "times": "random_times",
            "pairs": "pair_times", "crowd": "random_times"}

_MOTION, _BASE, _TIMES, _PAIR_TIMES, _PAIR_TRACKS, _PARENTS, _REST = 1000, 1, 2, 3, 4, 5, 6


class Size(NamedTuple):
    tracks: int
    keys: int
    times: int  # of the group times, the same for all tracks
    pairs: int


SIZES = {"small": Size(4, 33, 48, 200), "standard": Size(64, 65537, 65536, 4194304)}


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


def _random_times(stream, count, key_times):
    """Multiples of 2^-20 s, and as the first three both ends and a key between."""
    ticks = ((len(key_times) - 1) << 20) // KEY_RATE
    times = random_integers(stream, np.arange(count), ticks) / float(1 << 20)
    times[:3] = key_times[0], key_times[-1], key_times[len(key_times) // 2]
    return times


def _parents(joints):
    """Joint 0 is the root; the parent of joint j is one of the four joints before it."""
    parents = [-1]
    for joint in range(1, joints):
        parents.append(joint - 1 - int(random_integers(_PARENTS, [joint], min(joint, 4))[0]))
    return np.array(parents, dtype="<i4")


def _rest(joints):
    """Metres from each joint's parent, multiples of 2^-20 up to 1/4."""
    ticks = random_integers(_REST, np.arange(3 * joints), 1 << 19) - (1 << 18)
    return (ticks / float(1 << 20)).astype("<f4").reshape(joints, 3)


def _uniform_times(size, group):
    factor = FACTORS[group]
    return np.arange(factor * (size.keys - 1)) / float(factor * KEY_RATE)


def make_inputs(size):
    """The arrays that a library reads, by the names of their files."""
    keys = np.stack([_track_keys(track, size.keys) for track in range(size.tracks)], axis=1)
    controls = np.stack([curves.inner_controls(keys[:, track]) for track in range(size.tracks)], axis=1)
    key_times = np.arange(size.keys) / float(KEY_RATE)
    return {"keys": keys, "key_times": key_times, "controls": controls,
            "uniform_times": _uniform_times(size, "uniform"),
            "large_times": _uniform_times(size, "large"),
            "parents": _parents(size.tracks), "rest": _rest(size.tracks),
            "random_times": _random_times(_TIMES, size.times, key_times),
            "pair_times": _random_times(_PAIR_TIMES, size.pairs, key_times),
            "pair_tracks": random_integers(_PAIR_TRACKS, np.arange(size.pairs), size.tracks).astype("<i4")}


def tasks_of(size):
    """What an adapter is given of each task, and the shape of its results."""
    for group, methods in METHODS_OF.items():
        times = {"pairs": size.pairs, **{one: factor * (size.keys - 1) for one, factor in FACTORS.items()}}.get(group, size.times)
        width = [] if group == "pairs" else [size.tracks]
        for method in methods:
            yield {"name": f"{group}/{method}", "method": method, "times": f"{TIMES_OF[group]}.npy",
                   "tracks": "pair_tracks.npy" if group == "pairs" else None,
                   "controls": "controls.npy" if method == "squad" else None,
                   "shape": [times, *width, *([3, 4] if group == "crowd" else [4])],
                   "samples": times * (width or [1])[0]}


class Samples:
    """The samples of a task: each has a segment, a track and u, by its position in the results."""

    def __init__(self, task, inputs):
        self.group, _, self.method = task["name"].partition("/")
        self.tracks, self.inputs = inputs["keys"].shape[1], inputs
        self.width = 1 if self.group == "pairs" else self.tracks
        if self.group not in FACTORS:
            self.segments, self.u = curves.locate(inputs["key_times"], inputs[TIMES_OF[self.group]])

    def at(self, positions):
        """Segments, tracks and u. Uniform samples are located in integers."""
        rows, tracks = positions // self.width, positions % self.width
        if self.group in FACTORS:
            factor = FACTORS[self.group]
            return rows // factor, tracks, (rows % factor) / float(factor)
        if self.group == "pairs":
            tracks = self.inputs["pair_tracks"][rows].astype(np.int64)
        return self.segments[rows], tracks, self.u[rows]

    def expected(self, positions):
        """float64 (positions, 4), of crowd (positions, 12)."""
        if self.group != "crowd":
            return curves.evaluate(self.method, self.inputs["keys"], self.inputs["controls"], *self.at(positions))
        # The matrices of whole instances, of which the positions' are taken.
        rows, place = np.unique(positions // self.width, return_inverse=True)
        local = curves.evaluate(self.method, self.inputs["keys"], None, self.segments[rows, None],
                                np.arange(self.tracks), self.u[rows, None])
        models = curves.models(local, self.inputs["parents"], self.inputs["rest"])
        return models[place, positions % self.width]
