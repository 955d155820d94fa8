# SPDX-License-Identifier: MIT
"""Reduced motions: against the source at many times, against the command, and with what is wrong."""
from __future__ import annotations

import _thread
import json
import pickle
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import posemill as pm
import pytest
from posemill import _steps
from posemill._library import call
from motion_files import WALK, command, needs_command

pytestmark = pytest.mark.filterwarnings("ignore::posemill.MotionWarning")


@pytest.fixture
def walk() -> pm.Motion:
    return pm.load(WALK)


def test_curves_are_those_of_the_command(walk: pm.Motion) -> None:
    found = pm.reduce(walk, angle=0.3, curve="cubicspline")
    again = pickle.loads(pickle.dumps(found.motion))
    assert found.numbers["curve"] == "cubicspline"
    assert (again.at([0.7]).rotations == found.motion.at([0.7]).rotations).all()
    smooth = pm.reduce(walk, angle=0.3, curve="cubicspline", smooth=True)
    assert found.numbers["keys_after"] < smooth.numbers["keys_after"]
    for wrong in ({"curve": "nlerp"}, {"curve": "none"}, {"curve": "cubicspline", "common": True}, {"smooth": True}):
        with pytest.raises(ValueError, match="curve"):
            pm.reduce(walk, **wrong)


@pytest.mark.parametrize("curve", ["squad", "hermite", "spline"])
def test_curves_go_through_fewer_keys(walk: pm.Motion, curve: Any) -> None:
    found = pm.reduce(walk, angle=0.6, position=0.5, curve=curve)
    assert found.bound["angle"] <= 0.6 and found.bound["position"] <= 0.5
    assert found.numbers["curve"] == curve
    assert all(row["interpolation"] == "linear" for row in found.numbers["channels"])
    assert found.numbers["keys_after"] < pm.reduce(walk, angle=0.6, position=0.5).numbers["keys_after"]
    far = pm.reduce(walk, angle=0.01, curve=curve)
    notes = [row["note"] for row in far.numbers["channels"] if row["note"]]
    assert notes and all(note.startswith(f"keeps slerp: {curve} through its keys is") for note in notes)
    assert far.bound["angle"] <= 0.01


@pytest.mark.parametrize("options", [{"angle": 0.1}, {"angle": 0.1, "curve": "cubicspline"},
                                     {"distance": 0.1, "compress": True}], ids=["slerp", "cubicspline", "distance"])
def test_ctrl_c_ends_it(options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of which hardly a key can be dropped, for half a minute."""
    keys = np.random.default_rng(70).normal(size=(200000, 8, 4)) + [0, 0, 0, 4]
    noise = pm.Motion(keys / np.linalg.norm(keys, axis=-1, keepdims=True), None, 120, [-1, *range(7)],
                      offsets=np.tile([0.0, 1, 0], (8, 1)))
    ended: list[str] = []

    def called(function: Any, *arguments: Any) -> None:
        try:
            call(function, *arguments)
        except pm.Cancelled as error:
            ended.append(str(error))
            raise

    monkeypatch.setattr(_steps, "call", called)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.5, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            pm.reduce(noise, **options)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert ended == ["arrays: cancelled"]
    assert not [thread for thread in threading.enumerate() if thread.name == "posemill"]


def test_loops_and_additions(walk: pm.Motion) -> None:
    found = pm.reduce(walk, distance=0.5, loop=True, additive="rest")
    assert found.numbers["loops"] == {"closed": 1, "extended": 0, "not": 0}
    assert found.numbers["limits"]["additive"] == "rest"
    first, last = found.motion.at([0, 2]).rotations
    assert ((first == last).all(-1) | (first == -last).all(-1)).all()  # signs are continuous in time
    with pytest.raises(ValueError, match="distance"):
        pm.reduce(walk, additive="rest")


def test_common_keys_can_be_saved_as_arrays(walk: pm.Motion, tmp_path: Path) -> None:
    found = pm.reduce(walk, angle=1, position=1, common=True)
    found.motion.save(tmp_path / "few.npz")
    back = pm.load(tmp_path / "few.npz")
    assert pm.compare(found.motion, back, rate=1000).clip["max_degrees"] == 0
    # Keys that are not common are reduced to common ones where they are saved, as by the command.
    pm.reduce(walk, angle=1).motion.save(tmp_path / "few.npz")
    few = pm.load(tmp_path / "few.npz")
    assert len({channel.times.tobytes() for channel in few.clips[0].channels}) == 1
    assert pm.compare(walk, few).clip["max_degrees"] <= 1


def test_the_result_can_be_saved_and_pickled(walk: pm.Motion, tmp_path: Path) -> None:
    found = pm.reduce(walk, angle=1, common=True, position=0.5)
    found.motion.save(tmp_path / "small.glb")
    again = pickle.loads(pickle.dumps(found.motion))
    again.save(tmp_path / "again.glb")
    assert (tmp_path / "small.glb").read_bytes() == (tmp_path / "again.glb").read_bytes()
    with pytest.raises(ValueError):
        found.motion.save(tmp_path / "small.bvh")


@needs_command
def test_the_numbers_are_those_of_the_command(walk: pm.Motion, tmp_path: Path) -> None:
    done = command("reduce", WALK, "-o", tmp_path / "a.glb", "--json")
    found = pm.reduce(walk)
    found.motion.save(tmp_path / "b.glb")
    assert json.loads(done.stdout)["channels"] == found.numbers["channels"]
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


@pytest.mark.parametrize("given, error", [
    ({"angle": 0}, ValueError), ({"angle": -1}, ValueError), ({"angle": "x"}, ValueError),
    ({"position": -1}, ValueError), ({"scale_error": float("nan")}, ValueError),
    ({"distance": -1}, ValueError), ({"clip": object()}, TypeError), ({"clip": ["none"]}, ValueError),
    ({"angle": True}, TypeError)])
def test_arguments_are_checked(walk: pm.Motion, given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        pm.reduce(walk, **given)


def test_only_motions_are_reduced() -> None:
    with pytest.raises(TypeError):
        pm.reduce("walk.bvh")  # type: ignore[arg-type]


@pytest.mark.parametrize("curve", ["slerp", "squad", "hermite", "spline"])
def test_keys_of_arrays_are_those_of_a_motion(walk: pm.Motion, curve: Any) -> None:
    clip = walk.clips[0]
    kept = pm.reduce_keys(clip.times, clip.rotations, 0.7, curve=curve)
    assert kept.shape == clip.rotations.shape[:-1]
    assert kept[0].all() and kept[-1].all()
    found = pm.reduce(walk, angle=0.7, curve=curve)
    counts = [row["keys_after"] for row in found.numbers["channels"] if row["path"] == "rotation"]
    assert kept.sum(axis=0).tolist() == counts
    for wrong in ("cubicspline", "none"):
        with pytest.raises(ValueError, match="curve"):
            pm.reduce_keys(clip.times, clip.rotations, 0.7, curve=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("times, keys, angle, error", [
    ([0, 1], [[0, 0, 0, 1]] * 3, 1, ValueError), ([0, 0, 1], [[0, 0, 0, 1]] * 3, 1, ValueError),
    ([0, 1, 2], [[0, 0, 0, 2]] * 3, 1, ValueError), ([0, 1, 2], [[0, 0, 0, 1]] * 3, 0, ValueError),
    ([0, 1, 2], [[0, 0, 0, 1]] * 3, "x", TypeError), ([0, 1, 2], [0, 0, 0, 1], 1, ValueError),
    ([0, float("nan"), 2], [[0, 0, 0, 1]] * 3, 1, ValueError)])
def test_arrays_are_checked(times: Any, keys: Any, angle: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        pm.reduce_keys(times, keys, angle)


def test_no_keys_are_no_keys() -> None:
    assert pm.reduce_keys([0, 1], np.zeros((2, 0, 4))).shape == (2, 0)
