# SPDX-License-Identifier: MIT
"""Columns of frames of motion libraries: they agree with an evaluation by fractions, written here."""
from __future__ import annotations

import io
import os
import pickle
import zipfile
from bisect import bisect_right
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from motion_files import WALK

import posemill as pm

SEED = int(os.environ.get("POSEMILL_TEST_SEED") or 20261128)
TICKS = 2**32
SKELETON = pm.Skeleton(["root", "tip"], [-1, 0], positions=[[0, 0, 0], [0, 1, 0]])
# Rate, frames, and the period of a loop in frames: open, closing, leading back, of any length, long.
CLIPS = [(Fraction(30), 11, None), (Fraction(30000, 1001), 40, None), (Fraction(1, 7), 5, None),
         (Fraction(60), 9, 8), (Fraction(25), 12, 12), (Fraction(24), 6, Fraction(29, 4)), (Fraction(30), 1, None),
         (Fraction(2**31 - 1, 2**25), 7, None), (Fraction(120), 50_000, None)]


def nearest(seconds):
    """The tick nearest to a time; ties upwards."""
    return int((Fraction(seconds) * TICKS * 2 + 1) // 2)


def made(rng):
    """Motions, and columns of them. Loops whose last key repeats the first do so in floats alone."""
    motions, extras = {}, {"contacts": {}, "phase": {}, "label": {}, "place": {}, "force": {}}
    for i, (rate, frames, period) in enumerate(CLIPS):
        places = rng.normal(size=(frames, 3))
        turns = np.tile([0.0, 0, 0, 1], (frames, 2, 1))
        if period == frames - 1:
            places[-1] = places[0]
        name = f"m{i}"
        motions[name] = pm.Keys(turns, places, rate=rate, loop=None if period is None else period / rate)
        extras["contacts"][name] = rng.random((frames, 2)) < 0.5
        extras["phase"][name] = rng.normal(size=frames)
        extras["label"][name] = rng.integers(-100, 100, (frames,), np.int8)
        extras["place"][name] = places
        extras["force"][name] = rng.normal(size=(frames, 2, 3)).astype(np.float32)
    return motions, extras


@cache
def borders_of(clip):
    """Ticks of the frames of a clip, and of the end of the way back to the first."""
    rate, frames, period = CLIPS[clip]
    leads_back = period is not None and period != frames - 1
    return [nearest(k / rate) for k in [*range(frames), *([period] if leads_back else [])]]


def at(clip, tick, wrap):
    """The frame at or before a tick, the one after, and the fraction between; and whether a frame is less
    than two ticks away."""
    borders, frames = borders_of(clip), CLIPS[clip][1]
    cycle = max(borders[-1], 1)
    tick = tick % cycle if wrap else min(max(tick, 0), cycle)
    k = min(bisect_right(borders, tick) - 1, max(len(borders) - 2, 0))
    if len(borders) == 1:
        return 0, 0, Fraction(0), True
    u = Fraction(tick - borders[k], borders[k + 1] - borders[k])
    near = min(tick - borders[k], borders[k + 1] - tick) < 2
    return k, (k + 1) % frames, u, near


def expect(found, extras, ids, ticks, wrap):
    """Rows agree; returns how many were not on a frame."""
    between = 0
    for row, (clip, tick) in enumerate(zip(ids, ticks, strict=True)):
        a, b, u, near = at(clip, tick, wrap)
        between += not near
        frame = b if near and u > Fraction(1, 2) else a
        for name, column in extras.items():
            values = np.asarray(column[f"m{clip}"])
            if values.dtype.kind == "f":
                values = values.astype(np.float32).astype(float)
                wanted = values[frame] if near else float(1 - u) * values[a] + float(u) * values[b]
                assert np.allclose(found[name][row], wanted, rtol=0, atol=1e-6), (name, clip, tick)
            else:
                assert np.array_equal(found[name][row], values[frame]), (name, clip, tick)
    return between


@pytest.mark.parametrize("wrap", [False, True])
def test_extras_agree_with_an_evaluation_by_fractions(wrap):
    print("seed", SEED)
    rng = np.random.default_rng(SEED)
    motions, extras = made(rng)
    lib = pm.MotionLibrary(SKELETON, motions, extras=extras)
    assert lib.extra_names == tuple(extras)
    ids = rng.integers(0, len(CLIPS), 3000)
    times = rng.uniform(-1.2, 2.2, 3000) * lib.durations[ids]
    found = lib.sample(ids, times, fields=list(extras), wrap=wrap)
    assert {name: (array.shape, array.dtype.name) for name, array in found.items()} == {
        "contacts": ((3000, 2), "bool"), "phase": ((3000,), "float32"), "label": ((3000,), "int8"),
        "place": ((3000, 3), "float32"), "force": ((3000, 2, 3), "float32")}
    assert expect(found, extras, ids, [round(time * TICKS) for time in times], wrap) > 500


@pytest.mark.parametrize("wrap", [False, True])
def test_on_frames_all_are_those_of_the_frame(wrap):
    rng = np.random.default_rng(SEED)
    motions, extras = made(rng)
    lib = pm.MotionLibrary(SKELETON, motions, extras=extras)
    for clip, (rate, frames, period) in enumerate(CLIPS):
        comes_back = wrap and (period is None or period == frames - 1)
        steps = np.arange(max(frames - comes_back, 1))
        found = lib.sample(np.full(len(steps), clip), steps=steps, rate=rate, fields=list(extras), wrap=wrap)
        for name, column in extras.items():
            wanted = np.asarray(column[f"m{clip}"])[:len(steps)]
            assert np.array_equal(found[name], wanted.astype(found[name].dtype)), (name, clip)


def test_extras_are_at_the_times_of_the_poses():
    rng = np.random.default_rng(SEED + 1)
    motions, extras = made(rng)
    lib = pm.MotionLibrary(SKELETON, motions, extras=extras)
    ids = rng.integers(0, len(CLIPS), 2000)
    times = rng.uniform(-2, 3, 2000) * lib.durations[ids]
    times[::7] = np.nan
    for wrap in (False, True):
        for offsets in (None, [0, 0.02, -0.5]):
            found = lib.sample(ids, times, offsets, ["place", "root_pos", "contacts"], wrap=wrap)
            assert np.abs(found["place"] - found["root_pos"]).max() < 2e-6
            assert list(found) == ["place", "root_pos", "contacts"]
    steps = rng.integers(-50, 100, 2000)
    exact = lib.sample(ids, steps=steps, rate="30000/1001", fields=["place", "root_pos"])
    assert np.abs(exact["place"] - exact["root_pos"]).max() < 2e-6


def test_nan_is_the_first_frame():
    motions, extras = made(np.random.default_rng(SEED))
    lib = pm.MotionLibrary(SKELETON, motions, extras=extras)
    found = lib.sample([1, 1], [np.nan, 0.5], [0, 0.1], fields=list(extras))
    for name, column in extras.items():
        first = np.asarray(column["m1"])[0]
        assert np.array_equal(found[name][0, 0], first.astype(found[name].dtype))
    assert found["place"].any()
    assert {name: array.shape for name, array in lib.sample([], [], fields=["force"]).items()} == {"force": (0, 2, 3)}


def test_out_receives_extras():
    rng = np.random.default_rng(SEED)
    motions, extras = made(rng)
    lib = pm.MotionLibrary(SKELETON, motions, extras=extras)
    wanted = lib.sample([0, 1], [0.1, 0.2], [0, 0.1, 0.2], ["contacts", "force", "body_pos"])
    out = {name: np.full_like(array, 1) for name, array in wanted.items()}
    found = lib.sample([0, 1], [0.1, 0.2], [0, 0.1, 0.2], ["contacts", "force", "body_pos"], out=out)
    assert all(found[name] is out[name] or np.shares_memory(found[name], out[name]) for name in out)
    assert all(np.array_equal(out[name], wanted[name]) for name in out)
    for wrong, words in (({}, "out: expected an array for 'label'"),
                         ({"label": np.zeros((2, 1), np.int8)}, r"out\['label'\]: expected shape \(2,\)"),
                         ({"label": np.zeros(2, np.int16)}, r"out\['label'\]: expected int8")):
        with pytest.raises((ValueError, TypeError), match=words):
            lib.sample([0, 1], [0, 0], fields=["label"], out=wrong)


def test_files_keep_extras(tmp_path):
    rng = np.random.default_rng(SEED)
    motions, extras = made(rng)
    lib, path = pm.MotionLibrary(SKELETON, motions, extras=extras), tmp_path / "a.npz"
    lib.save(path)
    with np.load(path) as members:
        for name, column in extras.items():
            wanted = np.concatenate(list(column.values()))
            assert np.array_equal(members[f"extras/{name}"], wanted.astype(members[f"extras/{name}"].dtype))
    ids = rng.integers(0, len(CLIPS), 500)
    times = rng.uniform(-1, 2, 500) * lib.durations[ids]
    fields = [*extras, "root_pos", "root_vel"]
    wanted = lib.sample(ids, times, fields=fields)
    for kept in (pm.MotionLibrary.load(path), pickle.loads(pickle.dumps(lib)),
                 pickle.loads(pickle.dumps(pm.MotionLibrary.load(path)))):
        assert kept.extra_names == lib.extra_names
        found = kept.sample(ids, times, fields=fields)
        assert all(np.array_equal(found[name], wanted[name]) and found[name].dtype == wanted[name].dtype
                   for name in fields)


def test_motions_of_files_have_extras():
    frames = len(pm.load(WALK).clips[0].times)
    columns = {"label": {"walk": np.arange(frames), "walk_2": -np.arange(frames)}}
    lib = pm.MotionLibrary.from_files([WALK, WALK], extras=columns)
    assert lib.sample([0, 1, 1], [0, 0, 99], fields=["label"])["label"].tolist() == [0, 0, 1 - frames]


def member(array):
    data = io.BytesIO()
    np.save(data, array)
    return data.getvalue()


@pytest.mark.parametrize(("name", "column", "words"), [
    ("", np.zeros(3), "is no name"), ("a/../../b", np.zeros(3), "is no name"), ("a\\b", np.zeros(3), "is no name"),
    ("\x1b[2J", np.zeros(3), "is no name"), ("a" * 300, np.zeros(3), "is no name"),
    ("body_pos", np.zeros(3), "begin with"), ("root_x", np.zeros(3), "begin with"),
    ("a", np.zeros(2), "expected 3 frames"), ("a", np.zeros(()), "expected 3 frames"),
    ("a", np.array(["x", "y", "z"]), "real numbers or booleans"),
    ("a", np.zeros(3, complex), "real numbers or booleans"), ("a", np.zeros(3, "V4"), "real numbers or booleans"),
    ("a", [0, np.nan, 1], "not finite"), ("a", [0.0, 1e300, 1], "not finite")])
def test_extras_that_are_none_are_refused(name, column, words, tmp_path):
    motions = {"m": pm.Keys(np.tile([0.0, 0, 0, 1], (3, 2, 1)), rate=30)}
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=words) as refused:
        pm.MotionLibrary(SKELETON, motions, extras={name: {"m": column}})
    assert "\x1b" not in str(refused.value)
    path, broken = tmp_path / "a.npz", tmp_path / "b.npz"
    pm.MotionLibrary(SKELETON, motions).save(path)
    column = np.asarray(column)
    with np.errstate(over="ignore"), zipfile.ZipFile(path) as old, zipfile.ZipFile(broken, "w") as new:
        for entry in old.namelist():
            new.writestr(entry, old.read(entry))
        new.writestr(f"extras/{name}.npy", member(column.astype(np.float32) if column.dtype == float else column))
    with pytest.raises(ValueError, match=r"b\.npz: .*" + words) as refused:
        pm.MotionLibrary.load(broken)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize(("extras", "words"), [
    ({"a": np.zeros(3)}, "a mapping of motions"), ({3: {"m": np.zeros(3)}}, "a mapping of motions"),
    ({"a": {}}, "'m' is missing"), ({"a": {"m": np.zeros(3), "n": np.zeros(3), "o": np.zeros(3)}}, "'o' is none"),
    ({"a": {"m": np.zeros(3), "n": np.zeros((3, 1))}}, "'n': expected float32 of shape"),
    ({"a": {"m": np.zeros(3, int), "n": np.zeros(3, bool)}}, "'n': expected int64 of shape"),
    ({"a": {"m": np.zeros(4), "n": np.zeros(2)}}, "'m': expected 3 frames")])
def test_extras_that_do_not_fit_motions_are_refused(extras, words):
    keys = pm.Keys(np.tile([0.0, 0, 0, 1], (3, 2, 1)), rate=30)
    with pytest.raises((ValueError, TypeError), match=words):
        pm.MotionLibrary(SKELETON, {"m": keys, "n": keys}, extras=extras)


def test_extras_in_another_order_of_bytes_or_axes_are_the_same(tmp_path):
    keys = pm.Keys(np.tile([0.0, 0, 0, 1], (3, 2, 1)), rate=30)
    columns = {"a": {"m": np.array([1, 2, 300], ">i2")}, "b": {"m": np.array([1, 2, 300], ">f8")},
               "c": {"m": np.asfortranarray([[1, 2], [3, 4], [5, 6]])}}
    lib = pm.MotionLibrary(SKELETON, {"m": keys}, extras=columns)
    lib.save(tmp_path / "a.npz")
    for one in (lib, pm.MotionLibrary.load(tmp_path / "a.npz")):
        found = one.sample([0, 0], [0.05, 1], fields=["a", "b", "c"])
        assert found["a"].tolist() == [2, 300] and found["b"].tolist() == [151, 300]
        assert found["c"].tolist() == [[3, 4], [5, 6]]
