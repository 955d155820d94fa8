# SPDX-License-Identifier: MIT
"""Curricula: chances agree with the rules, written here with NumPy, and draws with the chances."""
from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy import stats

import posemill as pm

RATE = 10
SKELETON = pm.Skeleton(["root"], [-1])
FRAMES = [31, 11, 6, 1, 52, 22]
SEED = 20261130


def library(frames=FRAMES, weights=None):
    return pm.MotionLibrary(SKELETON, {f"m{i}": pm.Keys(np.tile([0.0, 0, 0, 1], (n, 1, 1)), rate=RATE)
                                       for i, n in enumerate(frames)}, weights=weights, engine=pm.Engine("none"))


def bins_of(lib, bin, window=0.0):
    return [max(int(np.ceil(max(seconds - window, 0) / bin)), 1) for seconds in lib.durations[lib.ids]]


def chances_of(curriculum, ids):
    return [curriculum.chances(i) for i in ids]


class Mjlab:
    """The rule as in MotionCommand._adaptive_sampling, for each motion, with numbers of its own."""

    def __init__(self, bins, weights, average=0.001, ratio=0.1, decay=0.8, kernel_size=1):
        self.failed = [np.zeros(n) for n in bins]
        self.weights, self.average, self.ratio = weights, average, ratio
        self.kernel = decay ** np.arange(kernel_size)
        self.kernel /= self.kernel.sum()

    def report(self, counts):
        self.failed = [self.average * now + (1 - self.average) * before
                       for now, before in zip(counts, self.failed, strict=True)]

    def chances(self):
        total, found = sum(map(len, self.failed)), []
        for failed, weight in zip(self.failed, self.weights, strict=True):
            padded = np.pad(failed + self.ratio / total, (0, len(self.kernel) - 1), mode="edge")
            found.append(weight * np.correlate(padded, self.kernel, mode="valid"))
        everything = sum(one.sum() for one in found)
        return [one / everything for one in found]


def phc(bins, weights, counts, floor=0.1):
    """Shares of failures, at least the floor, by motions."""
    failed = np.array([count.sum() for count in counts], float)
    share = np.maximum(failed / failed.sum(), floor / len(bins)) if failed.sum() else np.ones(len(bins))
    chance = share * weights
    return [np.full(n, one / chance.sum() / n) for n, one in zip(bins, chance, strict=True)]


def counted(lib, bins, window, ids, times, failed):
    counts = [np.zeros(n) for n in bins]
    for i, t in zip(ids[failed], times[failed], strict=True):
        seconds = max(lib.durations[i] - window, 0)
        place = int(t / seconds * bins[i]) if seconds else 0
        counts[i][min(max(place, 0), bins[i] - 1)] += 1
    return counts


def assert_close(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        assert np.allclose(a, b, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("kernel_size", [1, 3, 9])
def test_chances_are_those_of_mjlab(kernel_size):
    rng = np.random.default_rng(SEED)
    weights, bin, window = np.array([1, 2, 0.5, 1, 0, 3]), 0.4, 0.25
    lib = library(weights=weights)
    bins = bins_of(lib, bin, window)
    curriculum = pm.Curriculum(lib, "mjlab", bin=bin, window=window, average=0.05, ratio=0.3, decay=0.7,
                               kernel_size=kernel_size)
    rule = Mjlab(bins, weights, 0.05, 0.3, 0.7, kernel_size)
    assert_close(chances_of(curriculum, range(6)), rule.chances())
    for _ in range(200):
        ids, times = rng.integers(0, 6, 30), rng.uniform(-0.5, 6, 30)
        failed = rng.random(30) < 0.4
        curriculum.report(ids, times, failed)
        rule.report(counted(lib, bins, window, ids, times, failed))
    assert_close(chances_of(curriculum, range(6)), rule.chances())
    for _ in range(20_000): # failures of long ago: the common factor is renewed
        curriculum.report([], [], np.zeros(0, bool))
        rule.report([np.zeros(n) for n in bins])
    assert_close(chances_of(curriculum, range(6)), rule.chances())


def test_chances_are_those_of_phc():
    rng = np.random.default_rng(SEED)
    weights, bin = np.array([1, 2, 0.5, 1, 1, 3]), 0.4
    lib = library(weights=weights)
    bins = bins_of(lib, bin)
    curriculum = pm.Curriculum(lib, "phc", bin=bin, floor=0.2)
    assert_close(chances_of(curriculum, range(6)), phc(bins, weights, [np.zeros(n) for n in bins], 0.2))
    for _ in range(3): # the last evaluation alone counts
        ids, times = rng.integers(0, 4, 50), rng.uniform(0, 3, 50)
        failed = rng.random(50) < 0.4
        curriculum.report(ids, times, failed)
        assert_close(chances_of(curriculum, range(6)), phc(bins, weights, counted(lib, bins, 0, ids, times, failed), 0.2))


def test_weights_are_of_motions():
    weights = np.array([1, 2, 0.5, 1, 0, 3])
    lib = library(weights=weights)
    found = chances_of(pm.Curriculum(lib, bin=0.3), range(6))
    assert_close(found, [np.full(n, w / weights.sum() / n) for n, w in zip(bins_of(lib, 0.3), weights, strict=True)])


def chi_square(observed, chances):
    """The chance of an observation as far from the expected one, or farther. Nothing is drawn that has no chance."""
    assert observed[chances == 0].sum() == 0
    kept = chances > 0
    return stats.chisquare(observed[kept], observed.sum() * chances[kept] / chances[kept].sum()).pvalue


def places_of(lib, bins, window, ids, times):
    room = np.maximum(lib.durations - window, 1e-300)
    within = np.minimum((times / room[ids] * np.array(bins)[ids]).astype(int), np.array(bins)[ids] - 1)
    return np.concatenate([[0], np.cumsum(bins)])[ids] + within


@pytest.mark.parametrize("rule", ["weights", "mjlab", "phc"])
def test_draws_have_the_chances(rule):
    rng = np.random.default_rng(SEED)
    bin, window = 0.1, 0.3
    lib = library(weights=[1, 2, 0.5, 1, 0, 3])
    bins = bins_of(lib, bin, window)
    curriculum = pm.Curriculum(lib, rule, bin=bin, window=window, average=0.1, exclude=[2], seed=SEED)
    ids, times = rng.integers(0, 6, 200), rng.uniform(0, 6, 200)
    curriculum.report(ids, times, rng.random(200) < 0.3)
    chances = np.concatenate(chances_of(curriculum, range(6)))
    assert chances.sum() == pytest.approx(1) and curriculum.excluded.tolist() == [2]
    ids, times = curriculum.draw(200_000)
    assert (times >= 0).all() and (times <= np.maximum(lib.durations - window, 0)[ids]).all()
    places = places_of(lib, bins, window, ids, times)
    assert chi_square(np.bincount(places, minlength=len(chances)), chances) > 1e-4
    # uniform within bins, of motions that have time
    inside = np.mod(times / np.maximum(lib.durations - window, 1e-300)[ids] * np.array(bins)[ids], 1)[ids != 3]
    assert stats.kstest(inside, "uniform").pvalue > 1e-4
    given = np.repeat([0, 2, 5], 40_000)
    same, times = curriculum.draw(of=given)
    assert np.array_equal(same, given)
    observed = np.bincount(places_of(lib, bins, window, given, times), minlength=len(chances))
    first = np.concatenate([[0], np.cumsum(bins)])
    for motion in (0, 2, 5):
        own = slice(first[motion], first[motion + 1])
        wanted = chances[own] if motion != 2 else np.ones(bins[2]) # excluded: uniform
        assert observed[own].sum() == 40_000 and chi_square(observed[own], wanted) > 1e-4


def test_few_of_many_bins_are_drawn():
    """Chances that differ by orders of magnitude."""
    lib = library([10_001])
    curriculum = pm.Curriculum(lib, "mjlab", bin=0.1, average=1, seed=SEED)
    times = np.repeat(lib.durations[0] * (np.array([3, 5000, 9999]) + 0.5) / 10_000, [1, 10, 100])
    curriculum.report(np.zeros(111, int), times, np.ones(111, bool))
    chances = curriculum.chances(0)
    found = np.bincount((curriculum.draw(300_000)[1] / lib.durations[0] * 10_000).astype(int), minlength=10_000)
    rest = np.setdiff1d(np.arange(10_000), [3, 5000, 9999])
    grouped = [np.concatenate([values[[3, 5000, 9999]], [values[rest].sum()]]) for values in (found, chances)]
    assert chi_square(*grouped) > 1e-4
    assert chances[9999] / chances[rest[0]] > 1e5


def test_numbers_are_those_of_numpy():
    """PCG64 from the state of the curriculum; and a draw that is written here."""
    lib = library(weights=[1, 2, 0.5, 1, 0, 3])
    curriculum = pm.Curriculum(lib, bin=0.2, seed=2**64 - 5)
    upper, lower, odd_upper, odd_lower = (int(part) for part in curriculum.state_dict()["generator"])
    generator = np.random.PCG64()
    generator.state = generator.state | {"state": {"state": upper << 64 | lower, "inc": odd_upper << 64 | odd_lower}}
    u, v = np.random.Generator(generator).random((5000, 2)).T
    bins = bins_of(lib, 0.2)
    sums = np.cumsum(np.concatenate(chances_of(curriculum, range(6))))
    place = np.searchsorted(sums, u * sums[-1], side="right")
    first = np.concatenate([[0], np.cumsum(bins)])
    motions = np.searchsorted(first, place, side="right") - 1
    ids, times = curriculum.draw(5000)
    assert np.array_equal(ids, motions)
    assert np.allclose(times, (place - first[motions] + v) / np.array(bins)[motions] * lib.durations[motions],
                       rtol=1e-14)
    assert len({pm.Curriculum(library([99]), seed=seed).draw(1)[1][0] for seed in range(100)}) == 100


@pytest.mark.parametrize("rule", ["weights", "mjlab", "phc"])
def test_a_state_goes_on(rule):
    lib = library()
    one = pm.Curriculum(lib, rule, seed=3, exclude=[1], average=0.2)
    ids, times = one.draw(100)
    one.report(ids, times, times > 1)
    state = pickle.loads(pickle.dumps(one.state_dict()))
    kept = copy.deepcopy(state)
    wanted = one.draw(50)
    other = pm.Curriculum(library(), rule, average=0.2)
    other.load_state_dict(state)
    again = other.draw(50)
    assert np.array_equal(wanted[0], again[0]) and np.array_equal(wanted[1], again[1])
    assert other.excluded.tolist() == [1]
    assert all(np.array_equal(state[name], kept[name]) for name in kept)
    before = other.state_dict()
    for changed, words in (({"rule": "x"}, "the state is of 'x', and the curriculum of"),
                           ({"failures": state["failures"][1:]}, "and the curriculum 6 and"),
                           ({"bins": state["bins"] + [1, 0, 0, 0, 0, 0]}, "has motion 0 with 4 bins, and the curriculum 0 with 3"),
                           ({"failures": state["failures"] - 1}, "no number from 0 on"),
                           ({"generator": state["generator"] * 2}, "even"),
                           ({"bins": state["bins"][1:]}, "expected bins")):
        with pytest.raises(ValueError, match=words):
            other.load_state_dict(state | changed)
    assert all(np.array_equal(before[name], after) for name, after in other.state_dict().items())


def test_a_curriculum_follows_its_library():
    lib = library()
    curriculum = pm.Curriculum(lib, "mjlab", bin=0.5, average=1, seed=1, exclude=[4])
    curriculum.report([0, 1], [2.9, 0.1], [True, True])
    lib.remove([1])
    lib.add({"n": pm.Keys(np.tile([0.0, 0, 0, 1], (21, 1, 1)), rate=RATE)}, weights=[5])
    assert 1 in curriculum.draw(1000)[0] # until it follows
    curriculum.follow(lib)
    curriculum.report([1], [0.1], [True]) # passed over; averages age
    assert set(curriculum.draw(20_000)[0].tolist()) == {0, 2, 3, 5, 6}
    assert curriculum.state_dict()["motions"].tolist() == [0, 2, 3, 4, 5, 6]
    curriculum.report([0], [2.9], [True])
    assert curriculum.chances(0)[-1] > 0.5
    with pytest.raises(ValueError, match="motion: 1 is none of 6 motions"):
        curriculum.chances(1)
    lib.weights = np.zeros(7) + [0, 0, 0, 0, 0, 0, 1]
    curriculum.follow(lib)
    assert set(curriculum.draw(100)[0].tolist()) == {6}
    curriculum.exclude([6])
    with pytest.raises(ValueError, match="all motions that can be drawn are 0"):
        curriculum.draw(1)
    curriculum.exclude([])
    assert curriculum.draw(0)[0].shape == (0,)


def test_wrong_curricula():
    lib = library()
    curriculum = pm.Curriculum(lib)
    for call, words in (
            (lambda: pm.Curriculum(lib, "x"), "rule: 'x' is unknown"),
            (lambda: pm.Curriculum("x"), "library: expected MotionLibrary"),
            (lambda: pm.Curriculum(lib, bin=0), "bin_seconds"), (lambda: pm.Curriculum(lib, bin=np.nan), "bin_seconds"),
            (lambda: pm.Curriculum(lib, bin=1e-12), "more than 2.31 bins"),
            (lambda: pm.Curriculum(lib, window=-1), "window"), (lambda: pm.Curriculum(lib, ratio=0), "ratio: expected"),
            (lambda: pm.Curriculum(lib, decay=1.5), "lambda"), (lambda: pm.Curriculum(lib, floor=2), "floor"),
            (lambda: pm.Curriculum(lib, exclude=[6]), r"motions\[0\] is 6: there is no such motion"),
            (lambda: curriculum.draw(-1), "n: expected 0"), (lambda: curriculum.draw(), "and not both"),
            (lambda: curriculum.draw(of=[0, 9]), r"of\[1\] is 9"), (lambda: curriculum.draw(of=[0.5]), "of: expected integers"),
            (lambda: curriculum.report([0], [0, 1], [True]), "times: expected 1"),
            (lambda: curriculum.report([0], [0], [1]), "failed: expected booleans")):
        with pytest.raises((TypeError, ValueError), match=words):
            call()
