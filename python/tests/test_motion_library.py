# SPDX-License-Identifier: MIT
"""Motion libraries: their states are those of crowds, which the C library compares with double precision, and
their files are those of zipfile."""
from __future__ import annotations

import io
import json
import os
import pickle
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from motion_files import ROOT, WALK, bvh_text
from scipy.spatial.transform import Rotation

import posemill as pm
from posemill._crowd import _has_root_alone
from posemill._library_file import read_library

FIELDS = ("body_pos", "body_rot", "body_vel", "body_ang_vel", "local_rot", "local_ang_vel")
RATE = 30
PARENTS = [2, 2, -1, 0, 3, 1]
NAMES = ["a", "b", "root", "c", "d", "e"]


TWO = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT head
  {
    OFFSET 4 5 6
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 1 0 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0 0 0 0 0 0 0
1 2 3 0 0 0 0 0 0
2 4 6 0 0 0 0 0 0
"""


def made(seed=1, motions=4):
    """A skeleton whose parents come after their children, and motions of some lengths."""
    rng = np.random.default_rng(seed)
    skeleton = pm.Skeleton(NAMES, PARENTS, positions=rng.normal(size=(6, 3)))
    clips = {}
    for i in range(motions):
        frames = 7 + 3 * i
        turns = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.25, (frames, 6, 3)), axis=0).reshape(-1, 3))
        places = np.tile(skeleton.positions, (frames, 1, 1))
        places[:, 2] = np.cumsum(rng.normal(0, 0.05, (frames, 3)), axis=0)
        clips[f"m{i}"] = pm.Keys(turns.as_quat().reshape(frames, 6, 4), places, rate=RATE)
    return skeleton, clips


@pytest.mark.parametrize("device", ["default", "none"])
def test_bodies_have_the_states_of_their_joints(device):
    skeleton, clips = made()
    engine = pm.Engine("auto" if device == "default" else "none")
    lib = pm.MotionLibrary(skeleton, clips, bodies=["e", 2, "a", "d"], engine=engine)
    assert lib.body_names == ("e", "root", "a", "d")
    rng = np.random.default_rng(2)
    ids, times = rng.integers(0, len(lib), 40), rng.uniform(0, 0.5, 40)
    found = lib.sample(ids, times, fields=[*FIELDS, "root_pos", "root_rot", "root_vel", "root_ang_vel"])
    wanted = pm.MotionLibrary(skeleton, clips, engine=engine).sample(ids, times, fields=FIELDS)
    for field in FIELDS:
        assert np.array_equal(found[field], wanted[field][:, [5, 2, 0, 4]]), field
    for field in ("pos", "rot", "vel", "ang_vel"):
        assert np.array_equal(found[f"root_{field}"], found[f"body_{field}"][:, 0])


def test_times_are_clamped_or_wrapped():
    skeleton, clips = made()
    lib = pm.MotionLibrary(skeleton, clips)
    end = float(lib.durations[1])
    ids = np.ones(5, np.int8)
    clamped = lib.sample(ids, [-3, 0, end, end + 2, np.nan], fields=FIELDS)
    for field in FIELDS:
        assert np.array_equal(clamped[field][0], clamped[field][1])
        assert np.array_equal(clamped[field][2], clamped[field][3])
        assert np.array_equal(clamped[field][4], clamped[field][1])
    wrapped = lib.sample([1, 1], [0.05 - end, 0.05 + 2 * end], wrap=True)
    inside = lib.sample([1, 1], [0.05, 0.05])
    for field, values in inside.items():
        assert np.allclose(wrapped[field], values, atol=2e-6)


@pytest.mark.parametrize("method", ["slerp", "squad"])
def test_positions_of_the_root_alone_are_the_same_motion(method):
    skeleton, clips = made()
    ids, times = np.repeat(np.arange(4), 25), np.random.default_rng(11).uniform(-0.1, 0.8, 100)
    flat = {name: pm.Keys(clip.rotations, clip.positions[:, 2], rate=RATE) for name, clip in clips.items()}
    moved = clips["m0"].positions.copy()
    moved[1:, 4] += 0.5
    # A motion more, in which another joint moves: those of all joints are stored.
    all_joints = clips | {"other": pm.Keys(clips["m0"].rotations, moved, rate=RATE)}
    for alone, motions in ((True, clips), (True, flat), (False, all_joints), (False, {**all_joints, **flat})):
        assert alone == all(_has_root_alone(clip, skeleton) for clip in motions.values())
        found = pm.MotionLibrary(skeleton, motions, method=method).sample(ids, times)
        if motions is clips:
            wanted = found
        for field, values in found.items(): # a curve through equal keys may be rounded
            assert np.allclose(values, wanted[field], rtol=0, atol=0 if alone else 2e-5)
    shown = pm.MotionLibrary(skeleton, all_joints, method=method).sample([4], [0.1], fields=["body_pos"])
    still = pm.MotionLibrary(skeleton, clips, method=method).sample([0], [0.1], fields=["body_pos"])
    assert np.abs(shown["body_pos"] - still["body_pos"]).max() > 0.1


def test_positions_of_the_root_alone_from_files(tmp_path):
    still = np.tile([0.0, 0, 0, 1], (3, 2, 1))
    path = tmp_path / "two.bvh"
    path.write_text(TWO)
    motion = pm.load(path)
    crowd = pm.Crowd(motion.skeleton, motion.clips)
    assert _has_root_alone(motion.clips[0], motion.skeleton)
    instances = np.zeros(3, pm.crowd_instance)
    instances["time_a"] = pm.crowd_ticks(np.arange(3) / 10)
    instances["flags"] = 1
    assert np.allclose(crowd.states(instances, ["body_pos"])["body_pos"],
                       [[[n, 2 * n, 3 * n], [n + 4, 2 * n + 5, 3 * n + 6]] for n in range(3)])
    assert np.allclose(np.abs(crowd.states(instances, ["local_rot"])["local_rot"]), still)


def test_steps_are_exact_and_offsets_are_added():
    skeleton, clips = made()
    lib = pm.MotionLibrary(skeleton, clips)
    steps = np.array([0, 1, 5, 9], np.uint16)
    ids = np.array([0, 1, 2, 3], np.int64)
    for rate in (50, "30000/1001", Fraction(1000, 7)):
        exact = lib.sample(ids, steps=steps, rate=rate, fields=FIELDS)
        by_time = lib.sample(ids, steps / float(Fraction(rate)), fields=FIELDS)
        for field in FIELDS:
            assert np.allclose(exact[field], by_time[field], atol=1e-4 if "vel" in field else 1e-6)
    ahead = lib.sample(ids, [0.01] * 4, offsets=[0, 0.02, -1], fields=["body_pos", "root_vel"])
    assert ahead["body_pos"].shape == (4, 3, 6, 3) and ahead["root_vel"].shape == (4, 3, 3)
    for k, time in enumerate([0.01, 0.03, 0]):
        alone = lib.sample(ids, [time] * 4, fields=["body_pos", "root_vel"])
        assert np.allclose(ahead["body_pos"][:, k], alone["body_pos"], atol=1e-6)
        assert np.allclose(ahead["root_vel"][:, k], alone["root_vel"], atol=1e-4)


def test_placements_speeds_points_and_orders():
    rng = np.random.default_rng(5)
    skeleton, clips = made()
    points = rng.normal(size=(6, 3)).astype(np.float32)
    lib = pm.MotionLibrary(skeleton, clips, points=points)
    ids, times = np.array([0, 1, 2]), np.array([0.04, 0.11, 0.21])
    plain = lib.sample(ids, times, fields=FIELDS)
    turns, places = Rotation.random(3, random_state=3), rng.normal(size=(3, 3))
    speed = np.array([1.0, -0.5, 2.0])
    placed = lib.sample(ids, times, fields=FIELDS, at=(places, turns.as_quat()), speed=speed)
    first = lib.sample(ids, times, fields=FIELDS, scalar_first=True, speed=speed,
                       at=(places, np.roll(turns.as_quat(), 1, axis=1)))
    com = lib.sample(ids, times, fields=["body_vel"], velocity_at="com")["body_vel"]
    for i in range(3):
        assert np.allclose(placed["body_pos"][i], turns[i].apply(plain["body_pos"][i]) + places[i], atol=1e-5)
        assert np.allclose(placed["body_vel"][i], speed[i] * turns[i].apply(plain["body_vel"][i]), atol=1e-4)
        assert np.allclose(placed["body_ang_vel"][i], speed[i] * turns[i].apply(plain["body_ang_vel"][i]),
                           atol=1e-4)
        arms = Rotation.from_quat(plain["body_rot"][i]).apply(points)
        assert np.allclose(com[i], plain["body_vel"][i] + np.cross(plain["body_ang_vel"][i], arms), atol=1e-4)
    assert np.array_equal(placed["local_rot"], plain["local_rot"])
    for field in FIELDS:
        turned = np.roll(first[field], -1, axis=-1) if field.endswith("_rot") else first[field]
        assert np.array_equal(turned, placed[field])


def test_out_receives_the_fields():
    skeleton, clips = made()
    lib = pm.MotionLibrary(skeleton, clips, keys="log48")
    out = {"body_pos": np.full((2, 3, 6, 3), np.nan, np.float32),
           "root_rot": np.full((2, 3, 4), np.nan, np.float32)}
    found = lib.sample([0, 1], [0.0, 0.1], offsets=[0, 0.1, 0.2], fields=list(out), out=out)
    again = lib.sample([0, 1], [0.0, 0.1], offsets=[0, 0.1, 0.2], fields=list(out))
    for field, array in out.items():
        assert np.array_equal(array, again[field]) and np.shares_memory(found[field], array)
    with pytest.raises(ValueError, match="out.*body_vel"):
        lib.sample([0], [0], fields=["body_vel"], out={})
    with pytest.raises(ValueError, match=r"out\['body_pos'\]"):
        lib.sample([0], [0], fields=["body_pos"], out={"body_pos": np.zeros((1, 5, 3), np.float32)})


def test_motions_that_do_not_exist_are_refused():
    skeleton, clips = made()
    lib = pm.MotionLibrary(skeleton, clips)
    lib.check([0, 3])
    for call in (lib.check, lambda ids: lib.sample(ids, np.zeros(len(ids)))):
        for ids, words in (([0, 4, -1], "4 at 1"), ([-1], "-1 at 0"), ([0, 1, 2**40], f"{2**40} at 2")):
            with pytest.raises(ValueError, match=f"ids: {words} is none of 4 motions"):
                call(ids)


def test_random_times():
    skeleton, clips = made()
    lib = pm.MotionLibrary(skeleton, clips, weights=[0, 1, 0, 3])
    ids, times = lib.sample_times(4000, np.random.default_rng(1), truncate=0.1)
    assert set(ids) == {1, 3} and 0.7 < np.mean(ids == 3) < 0.8
    assert times.min() >= 0 and (times <= np.maximum(lib.durations[ids] - 0.1, 0)).all()
    again = lib.sample_times(4000, 1, truncate=0.1)
    assert np.array_equal(ids, again[0]) and np.array_equal(times, again[1])
    assert set(lib.sample_times(99, 1, weights=[1, 0, 0, 0])[0]) == {0}


def test_files_and_their_library(tmp_path):
    (tmp_path / "one.bvh").write_text(bvh_text(3, 40), encoding="utf-8")
    lib = pm.MotionLibrary.from_files([tmp_path / "one.bvh", tmp_path / "one.bvh"], method="squad",
                                      scale=0.01, up="y", to_up="z", bodies=["Knee", "Hips"])
    motion = pm.load(tmp_path / "one.bvh")
    assert lib.names == ("one", "one_2") and lib.durations[0] == pytest.approx(motion.clips[0].duration)
    plain = pm.MotionLibrary.from_files(tmp_path / "one.bvh", method="squad", bodies=["Knee", "Hips"])
    ids, times = np.zeros(9, int), np.linspace(0, lib.durations[0], 9)
    a, b = lib.sample(ids, times), plain.sample(ids, times)
    assert np.allclose(a["body_pos"], 0.01 * b["body_pos"][..., [0, 2, 1]] * [1, -1, 1], atol=1e-5)
    assert np.allclose(a["body_ang_vel"], b["body_ang_vel"][..., [0, 2, 1]] * [1, -1, 1], atol=1e-4)
    turn = Rotation.from_rotvec([np.pi / 2, 0, 0])
    apart = (turn * Rotation.from_quat(b["body_rot"].reshape(-1, 4))).inv() * Rotation.from_quat(
        a["body_rot"].reshape(-1, 4))
    assert apart.magnitude().max() < 1e-6
    lib.save(tmp_path / "lib.pml.npz")
    kept = pm.MotionLibrary.load(tmp_path / "lib.pml.npz")
    assert repr(kept) == repr(lib) and kept.body_names == lib.body_names
    for one in (kept, pickle.loads(pickle.dumps(lib))):
        c = one.sample(ids, times)
        assert all(np.array_equal(c[field], a[field]) for field in a)
    with zipfile.ZipFile(tmp_path / "lib.pml.npz") as archive:
        assert archive.testzip() is None
        for entry in archive.infolist():
            data = (tmp_path / "lib.pml.npz").read_bytes()
            begin = data.index(b"\x93NUMPY", entry.header_offset)
            head = int.from_bytes(data[begin + 8:begin + 10], "little")
            assert (begin + 10 + head) % 64 == 0, entry.filename
    assert np.load(tmp_path / "lib.pml.npz")["pos"].shape == (2 * motion.clips[0].channels[0].keys.shape[0], 1, 3)


def test_files_that_are_built_are_those_that_are_saved(tmp_path):
    (tmp_path / "one.bvh").write_text(bvh_text(3, 40), encoding="utf-8")
    (tmp_path / "two.bvh").write_text(TWO)
    for paths, options in (([tmp_path / "one.bvh", tmp_path / "one.bvh"], {}),
                           ([WALK] * 3, {"scale": 0.01, "up": "y", "to_up": "z", "method": "squad"}),
                           ([WALK, WALK], {"rate": 50}), (WALK, {"rate": "30000/1001", "source_rate": 30}),
                           (tmp_path / "two.bvh", {"scale": 0.3, "up": "z", "to_up": "y", "keys": "log48", "literal_rate": True})):
        pm.MotionLibrary.build(tmp_path / "built.npz", paths, **options)
        pm.MotionLibrary.from_files(paths, **options).save(tmp_path / "saved.npz")
        assert (tmp_path / "built.npz").read_bytes() == (tmp_path / "saved.npz").read_bytes()
    pm.MotionLibrary.build(tmp_path / "built.npz", paths, coded=True, **options)
    pm.MotionLibrary.load(tmp_path / "saved.npz").save(tmp_path / "coded.npz", coded=True)
    assert (tmp_path / "built.npz").read_bytes() == (tmp_path / "coded.npz").read_bytes()
    with pytest.raises(ValueError, match=r"two\.bvh: has other joints than the first file"):
        pm.MotionLibrary.build(tmp_path / "built.npz", [tmp_path / "one.bvh", tmp_path / "two.bvh"])
    with pytest.raises(FileNotFoundError):
        pm.MotionLibrary.build(tmp_path / "built.npz", ["none.bvh"])
    for options, words in (({"to_up": "x"}, "to_up"), ({"to_up": "y"}, "requires up"), ({"rate": 0}, "rate"), ({"source_rate": 60}, "states a rate of 30 Hz"), ({"method": "x"}, "method"),
                           ({"snip": 1}, "snip")):
        with pytest.raises((TypeError, ValueError), match=words):
            pm.MotionLibrary.build(tmp_path / "built.npz", WALK, **options)


def test_libraries_of_files_fill_gaps(tmp_path):
    rows = WALK.read_text(encoding="utf-8").split("\n")
    first = next(n for n, row in enumerate(rows) if row.startswith("Frame Time")) + 1
    rows[first + 4] = " ".join(["nan", *rows[first + 4].split()[1:]])
    path = tmp_path / "gap.bvh"
    path.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(ValueError, match=r"gap\.bvh"):
        pm.MotionLibrary.from_files(path)
    with pytest.warns(pm.MotionWarning, match=r"gap\.bvh: filled 1 keys that were not finite"):
        lib = pm.MotionLibrary.from_files(path, fill="nan")
    whole = pm.MotionLibrary.from_files(WALK)
    for frames, limit in (([0, 1, 2, 3, 5, 6], 0), ([4], 0.05)):
        a, b = (one.sample([0] * len(frames), steps=frames, rate=30, fields=["root_pos"])["root_pos"] for one in (lib, whole))
        assert np.abs(a - b).max() <= limit * np.abs(b).max()
    with pytest.raises(ValueError, match="fill_max: requires fill"):
        pm.MotionLibrary.from_files(path, fill_max=1)


def test_loading_maps_the_keys(tmp_path):
    rng = np.random.default_rng(6)
    turns = Rotation.random(60_000, random_state=6).as_quat().reshape(10_000, 6, 4)
    skeleton = pm.Skeleton(NAMES, PARENTS, positions=rng.normal(size=(6, 3)))
    lib, path = pm.MotionLibrary(skeleton, {"m": pm.Keys(turns, rate=RATE)}), tmp_path / "a.npz"
    lib.save(path)
    tracemalloc.start() # which counts the arrays of NumPy, too
    stored = read_library(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert stored.rows.rotations.nbytes == 10_000 * 6 * 16 and peak < 200_000
    kept = pm.MotionLibrary.load(path)
    before = kept.sample([0], [100.01])
    kept.save(path) # replaces the file that is mapped
    pm.MotionLibrary(skeleton, {"m": pm.Keys(turns[::-1], rate=RATE)}).save(path)
    kept.save(tmp_path / "b.npz")
    for one in (kept, pm.MotionLibrary.load(tmp_path / "b.npz")):
        assert all(np.array_equal(array, before[field]) for field, array in one.sample([0], [100.01]).items())


@pytest.mark.parametrize("keys", ["log48", "smallest48"])
@pytest.mark.parametrize("method", ["slerp", "cubic"])
def test_rotations_are_saved_as_keys(keys, method, tmp_path):
    skeleton, clips = made(motions=3)
    loops = {name: pm.Keys(clip.rotations, clip.positions, rate=RATE, loop=(len(clip.rotations) + i) / RATE)
             for i, (name, clip) in enumerate(clips.items())}
    lib = pm.MotionLibrary(skeleton, loops, method=method, keys=keys)
    plain, path, again = tmp_path / "a.npz", tmp_path / "b.npz", tmp_path / "c.npz"
    lib.save(plain)
    lib.save(path, coded=True)
    rows = sum(len(clip.rotations) for clip in clips.values())
    words = 3 * 6 + (keys == "log48")
    with np.load(path) as file, np.load(plain) as numbers:
        assert file["rot"].shape == (rows, words) and file["rot"].dtype == np.int16
        assert sorted(file.files) == sorted(numbers.files)
        assert all(np.array_equal(file[name], numbers[name]) for name in file.files if name != "rot")
    loaded = pm.MotionLibrary.load(path)
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()
    rng = np.random.default_rng(12)
    ids, times = rng.integers(0, 3, 300), rng.uniform(-1, 2, 300)
    wanted = lib.sample(ids, times, fields=FIELDS, wrap=True)
    for one in (loaded, pm.MotionLibrary.load(again), pickle.loads(pickle.dumps(loaded))):
        found = one.sample(ids, times, fields=FIELDS, wrap=True)
        assert all(np.array_equal(found[field], wanted[field]) for field in FIELDS)
    # as numbers, for methods that store more; keys are off by the error of the format
    spline = pm.MotionLibrary.load(path, method="spline", keys="float32")
    exact = pm.MotionLibrary(skeleton, loops, method="spline")
    turns = [lib.sample([0], steps=[3], rate=RATE, fields=["local_rot"])["local_rot"][0] for lib in (spline, exact)]
    off = (Rotation.from_quat(turns[0]).inv() * Rotation.from_quat(turns[1])).magnitude()
    assert 0 < off.max() < {"log48": 7.6e-5, "smallest48": 8.7e-5}[keys] + 1e-6
    with pytest.raises(ValueError, match="key_format: is not float32"):
        pm.MotionLibrary.load(path, method="spline")


def test_rotations_that_are_no_keys_of_48_bits_are_not_saved_as_such(tmp_path):
    skeleton, clips = made()
    with pytest.raises(ValueError, match="coded: keys of the library are float32"):
        pm.MotionLibrary(skeleton, clips).save(tmp_path / "a.npz", coded=True)
    with pytest.raises(ValueError, match="coded: the skeleton has hinges"):
        pm.MotionLibrary(*of_hinges(2, 30), keys="log48").save(tmp_path / "a.npz", coded=True)
    assert not list(tmp_path.iterdir())


def test_motions_may_share_frames_in_any_order(tmp_path):
    skeleton, clips = made()
    path, other = tmp_path / "a.npz", tmp_path / "b.npz"
    pm.MotionLibrary(skeleton, clips).save(path)
    first, frames = np.array([7, 0, 3, 12], np.uint64), np.array([10, 7, 9, 1], np.uint64)
    rewritten(path, other, {"motions/first.npy": npy("'<u8'", "(4,)", first.tobytes()),
                            "motions/frames.npy": npy("'<u8'", "(4,)", frames.tobytes())})
    turns = np.concatenate([clip.rotations for clip in clips.values()]).astype(np.float32)
    places = np.concatenate([clip.positions for clip in clips.values()]).astype(np.float32)
    wanted = pm.MotionLibrary(skeleton, {
        f"m{i}": pm.Keys(turns[a:a + n], places[a:a + n], rate=RATE)
        for i, (a, n) in enumerate(zip(first.tolist(), frames.tolist(), strict=True))})
    ids, times = np.arange(40) % 4, np.random.default_rng(8).uniform(0, 0.3, 40)
    found, same = pm.MotionLibrary.load(other).sample(ids, times), wanted.sample(ids, times)
    assert all(np.array_equal(found[field], same[field]) for field in same)
    for name, value in (("first", len(turns) - 6), ("first", 2**64 - 1), ("frames", 0), ("frames", 2**63)):
        values = np.array([value, 1, 1, 1], np.uint64)
        rewritten(path, other, {f"motions/{name}.npy": npy("'<u8'", "(4,)", values.tobytes())})
        with pytest.raises(ValueError, match=r"b\.npz: motions: 'm0' has frames"):
            pm.MotionLibrary.load(other)


@pytest.mark.parametrize("kind", ["none", "root", "whole still", "whole", "mixed"])
@pytest.mark.parametrize("keys", ["float32", "log48"])
def test_states_of_a_library_are_those_of_a_crowd(kind, keys, tmp_path):
    rng = np.random.default_rng(9)
    skeleton, clips = made(motions=3)
    places = {"none": [None] * 3, "root": [clip.positions[:, 2] for clip in clips.values()],
              "whole still": [clip.positions for clip in clips.values()],
              "whole": [rng.normal(size=clip.positions.shape) for clip in clips.values()],
              "mixed": [None, clips["m1"].positions[:, 2], rng.normal(size=clips["m2"].positions.shape)]}[kind]
    rest = skeleton.positions.astype(np.float32)
    rows = {name: pm.Keys(clip.rotations.astype(np.float32), None if p is None else p.astype(np.float32), rate=RATE,
                          loop=(len(clip.rotations) + 1) / RATE) for (name, clip), p in zip(clips.items(), places, strict=True)}
    whole = []
    for clip in rows.values():
        p = np.tile(rest, (len(clip.rotations), 1, 1))
        if clip.positions is not None:
            p[:, [2] if clip.positions.ndim == 2 else slice(None)] = (
                clip.positions[:, None] if clip.positions.ndim == 2 else clip.positions)
        whole.append(pm.Keys(clip.rotations, p, rate=RATE, loop=clip.loop))
    crowd = pm.Crowd(skeleton, whole, key_format=keys, subsets={"all": range(6)})
    lib = pm.MotionLibrary(skeleton, rows, keys=keys)
    lib.save(tmp_path / "a.npz")
    ids, times = rng.integers(0, 3, 200), rng.uniform(-1, 2, 200)
    instances = np.zeros(200, pm.crowd_instance)
    instances["clip_a"], instances["time_a"] = ids, pm.crowd_ticks(times)
    wanted = crowd.states(instances, FIELDS, subset="all")
    for one in (lib, pm.MotionLibrary.load(tmp_path / "a.npz")):
        found = one.sample(ids, times, fields=FIELDS, wrap=True)
        assert all(np.array_equal(found[field], wanted[field]) for field in FIELDS)


def of_hinges(seed, frames=20_000):
    """A skeleton of four hinges, and motions; the third hinge is still, and the fourth turns little."""
    rng = np.random.default_rng(seed)
    skeleton = pm.Skeleton(["base", "a", "b", "c", "d"], [-1, 0, 1, 2, 3], positions=rng.normal(size=(5, 3)),
                           axes=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0]])
    clips = {}
    for name in ("m", "n"):
        angles = rng.normal(size=(frames, 4)) * [2, 30, 0, 1e-6]
        clips[name] = pm.Keys(Rotation.random(frames, random_state=seed).as_quat(), rng.normal(size=(frames, 3)),
                              rate=RATE, angles=angles)
    return skeleton, clips


def test_angles_in_16_bits_are_off_by_half_a_step(tmp_path):
    skeleton, clips = of_hinges(10)
    lib, path = pm.MotionLibrary(skeleton, clips), tmp_path / "a.npz"
    lib.save(path, angles="int16")
    angles = np.concatenate([clip.angles for clip in clips.values()]).astype(np.float32)
    with np.load(path) as members:
        codes, steps = members["dof"], members["dof_scale"]
    assert codes.dtype == np.int16 and codes.shape == (40_000, 4) and steps.shape == (4,)
    largest = np.abs(angles).max(axis=0)
    assert np.allclose(steps * 32767, np.where(largest > 0, largest, 32767), rtol=1e-12)
    assert (np.abs(codes * steps - angles) <= steps / 2 * (1 + 1e-9)).all()
    pm.MotionLibrary.load(path).save(tmp_path / "b.npz", angles="int16") # has the same steps again
    with np.load(tmp_path / "b.npz") as members:
        assert np.array_equal(members["dof"], codes)
    with pytest.raises(ValueError, match="angles: 'int8' is unknown"):
        lib.save(path, angles="int8")
    with pytest.raises(ValueError, match="angles: the skeleton has no hinges"):
        pm.MotionLibrary(*made()).save(path, angles="int16")
    for steps in ([1, 1, 0, 1], [1, 1, 1e33, 1], [1, 1, np.inf, 1], [1, 1, -1, 1], [1, 1, np.nan, 1]):
        rewritten(path, tmp_path / "c.npz", {"dof_scale.npy": npy("'<f8'", "(4,)", np.array(steps, float).tobytes())})
        with pytest.raises(ValueError, match=r"c\.npz: dof_scale: expected numbers above 0 and below 1e\+33"):
            pm.MotionLibrary.load(tmp_path / "c.npz")


def zipped(members):
    """The bytes of a stored NPZ by zipfile, whose numbers begin at multiples of 64."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name, array in members.items():
            data = io.BytesIO()
            np.save(data, array)
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            head = 30 + len(entry.filename.encode()) + 4 + data.getvalue().index(b"\n") + 1
            room = -(made.tell() + head) % 64
            entry.extra = struct.pack("<HH", 0x4D50, room) + bytes(room)
            with archive.open(entry, "w") as to:
                to.write(data.getvalue())
    return made.getvalue()


def test_files_are_those_of_zipfile(tmp_path):
    skeleton, clips = made()
    lengths = {name: len(clip.rotations) for name, clip in clips.items()}
    extras = {"größe": {name: np.ones((n, 2, 3)) for name, n in lengths.items()},
              "step": {name: np.arange(n, dtype=np.int8) for name, n in lengths.items()}}
    robot = of_hinges(3, 30)
    libs = [pm.MotionLibrary(skeleton, clips, points=np.ones((6, 3)), extras=extras, weights=[1, 2, 3, 4.5]),
            pm.MotionLibrary(skeleton, {name: pm.Keys(clip.rotations, rate="30000/1001") for name, clip in clips.items()},
                             keys="log48"),
            pm.MotionLibrary(*robot, bodies=["d", "a"], dofs=["c", "b"])]
    for angles, lib in [*(("float32", lib) for lib in libs), ("int16", libs[2])]:
        lib.save(tmp_path / "a.npz", angles=angles)
        with np.load(tmp_path / "a.npz") as found:
            members = {name: found[name] for name in found.files}
        assert (tmp_path / "a.npz").read_bytes() == zipped(members)
    assert members["format"].tobytes() == (b'{"format": "posemill motion library", "version": 1, "method": "slerp", '
                                           b'"keys": "float32"}')
    assert list(members) == [
        "format", "skeleton/name_bytes", "skeleton/name_ends", "skeleton/parents", "skeleton/rotations",
        "skeleton/positions", "skeleton/bodies", "skeleton/dofs", "motions/name_bytes", "motions/name_ends",
        "motions/first", "motions/frames", "motions/rate_num", "motions/rate_den", "motions/weight", "motions/loop",
        "root_rot", "root_pos", "dof", "dof_scale", "skeleton/axes", "skeleton/references", "skeleton/hinges",
        "skeleton/hinge_name_bytes", "skeleton/hinge_name_ends"]


def rewritten(path, to, members):
    """A copy of a file in which members, as bytes, replace those of their names."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in [*old.namelist(), *(set(members) - set(old.namelist()))]:
            new.writestr(name, members[name] if name in members else old.read(name))


def npy(descr, shape, data=b""):
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(118)
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


@pytest.mark.parametrize("member", [
    npy("'<f4'", "(-1, 6, 4)"), npy("'<f4'", f"(0, {2**70})"), npy("'|O'", "(1,)", bytes(8)),
    npy("[[[1]]]", "(1,)"), npy("'<f4'", "(1,"), npy("'V0'", "(5,)"), npy("'<f4'", "(" * 60),
    npy("'<f4'", "(3,)", bytes(8)), npy("'<f4'", "(2,)", bytes(8)), b"\x93NUMPY\x03\x00", b"\x93NUMPY\x01\x00\xff\xff", b"", bytes(99)])
def test_headers_that_lie_are_refused(member, tmp_path):
    skeleton, clips = made()
    path, broken = tmp_path / "a.npz", tmp_path / "b.npz"
    pm.MotionLibrary(skeleton, clips).save(path)
    rewritten(path, broken, {"rot.npy": member})
    with pytest.raises(ValueError, match=r"b\.npz: rot: (is damaged|found)"):
        pm.MotionLibrary.load(broken)


def test_texts_that_lie_are_refused(tmp_path):
    skeleton, clips = made()
    path, broken = tmp_path / "a.npz", tmp_path / "b.npz"
    pm.MotionLibrary(skeleton, clips).save(path)
    deep = b"[" * 100_000
    for text, words in ((deep, "format: is damaged"), (b"{}", "no motion library"), (b"[1]", "no motion library"),
                        (b'{"format": "posemill motion library", "version": "\\u001b[2J"}', r'version "\\u001B\[2J", expected 1'),
                        (b'{"format": "posemill motion library", "version": 1, "method": [], "keys": 1}',
                         "names of a method")):
        rewritten(path, broken, {"format.npy": npy("'|u1'", f"({len(text)},)", text)})
        with pytest.raises(ValueError, match=words):
            pm.MotionLibrary.load(broken)
    rewritten(path, broken, {"motions/name_ends.npy": npy("'<f8'", "(1,)", b"\xff" * 8)})
    with pytest.raises(ValueError, match="motions/name_ends: found <f8"):
        pm.MotionLibrary.load(broken)
    with zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("\x1b[2J.npy", b"0")
    with pytest.raises(ValueError, match="compressed") as refused:
        pm.MotionLibrary.load(broken)
    assert "\x1b" not in str(refused.value)


INTERRUPTED = """
import resource, sys, posemill as pm
lib = pm.MotionLibrary.load(sys.argv[1], engine=pm.Engine(device="none"))
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)) # as a full disk
try:
    lib.save(sys.argv[1])
except OSError as error:
    print(error)
"""


def test_an_interrupted_write_leaves_what_was_there(tmp_path):
    skeleton, clips = made()
    path = tmp_path / "a.npz"
    pm.MotionLibrary(skeleton, clips).save(path)
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, path], capture_output=True, text=True, check=True)
    assert "a.npz: cannot be written" in done.stdout
    assert os.listdir(tmp_path) == ["a.npz"] and path.read_bytes() == before


def test_files_whose_hierarchies_differ_are_refused(tmp_path):
    text = bvh_text(3, 40)
    (tmp_path / "one.bvh").write_text(text, encoding="utf-8")
    swapped = text.replace("Hips", "?").replace("Knee", "Hips").replace("?", "Knee")
    (tmp_path / "two\x1b.bvh").write_text(swapped, encoding="utf-8")
    with pytest.raises(ValueError, match="has another parent than in the first file") as refused:
        pm.MotionLibrary.from_files([tmp_path / "one.bvh", tmp_path / "two\x1b.bvh"])
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize(("call", "words"), [
    (lambda lib: lib.sample([0.5], [0]), "ids: expected integers"),
    (lambda lib: lib.sample([[0]], [0]), "ids: expected one axis"),
    (lambda lib: lib.sample([0], [0, 1]), "times: expected 1"),
    (lambda lib: lib.sample([0]), "times or steps"),
    (lambda lib: lib.sample([0], steps=[1]), "with a rate"),
    (lambda lib: lib.sample([0], steps=[1.5], rate=30), "steps: expected integers"),
    (lambda lib: lib.sample([0], steps=[2**62], rate=30), "out of range"),
    (lambda lib: lib.sample([0], [0], fields=["body"]), "'body' is unknown"),
    (lambda lib: lib.sample([0], [0], fields="body_pos"), "sequence of texts"),
    (lambda lib: lib.sample([0], [0], velocity_at="com"), "no points"),
    (lambda lib: lib.sample([0], [0], velocity_at="com2"), "'com2' is unknown"),
    (lambda lib: lib.sample([0], [0], at=np.zeros((1, 7))), "pair"),
    (lambda lib: lib.sample([0], [0], speed=[1, 2]), "broadcast|speeds"),
    (lambda lib: lib.sample_times(3, weights=[0, 0, 0, 0]), "not all 0"),
])
def test_wrong_arguments(call, words):
    skeleton, clips = made()
    with pytest.raises((ValueError, TypeError), match=words):
        call(pm.MotionLibrary(skeleton, clips))


def test_wrong_libraries(tmp_path):
    skeleton, clips = made()
    with pytest.raises(ValueError, match="no joint is named 'x'"):
        pm.MotionLibrary(skeleton, clips, bodies=["x"])
    with pytest.raises(ValueError, match="expected at least one"):
        pm.MotionLibrary(skeleton, {})
    with pytest.raises(ValueError, match="has times, expected a rate"):
        pm.MotionLibrary(skeleton, {"a": pm.Keys(clips["m0"].rotations, times=np.arange(7.0))})
    with pytest.raises(ValueError, match="weights"):
        pm.MotionLibrary(skeleton, clips, weights=[1])
    (tmp_path / "one.bvh").write_text(bvh_text(3, 40), encoding="utf-8")
    with pytest.raises(ValueError, match="scale"):
        pm.MotionLibrary.from_files(tmp_path / "one.bvh", scale=0)
    with pytest.raises(FileNotFoundError):
        pm.MotionLibrary.load(tmp_path / "none.npz")


@pytest.mark.processes
def test_states_are_the_rivals_and_are_measured_beside_them(tmp_path):
    record = tmp_path / "states.json"
    subprocess.run([sys.executable, ROOT / "bench" / "python", "-o", record, "--group", "states", "--rounds", "1",
                    "--device", "none"], capture_output=True, text=True, check=True)
    cases = {case["name"]: case for case in json.loads(record.read_text(encoding="utf-8"))["cases"]}
    for bodies in ("ball", "ball-8192"):
        assert cases[f"state/{bodies}-numpy-kinematics"]["metres"] < 1e-5 < cases[f"state/{bodies}-numpy-mixed"]["metres"]
    assert {"state/ball-slerp-squad", "state/ball-slerp-cubic"} <= set(cases)
