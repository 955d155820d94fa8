# SPDX-License-Identifier: MIT
"""Pickles and copies give the same bits."""
from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posemill as pm
from motion_files import WALK, bvh_text
from reference import METHODS, random_keys

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy, "deepcopy": copy.deepcopy,
    **{f"pickle {n}": lambda x, n=n: pickle.loads(pickle.dumps(x, n)) for n in (2, 5)}}
TIMES = np.cumsum(np.random.default_rng(3).uniform(0.5, 1.5, 9))
KEYS = random_keys(9, (2,), seed=4)
AT = np.linspace(TIMES[0], TIMES[-1], 77)
ENGINE = pm.Engine("none")

every_way = pytest.mark.parametrize("way", list(WAYS))


@every_way
@pytest.mark.parametrize("of", [pm.Slerp, pm.RotationSpline])
@pytest.mark.parametrize("as_rotation", [False, True])
def test_classes_in_place_of_scipys(of: Any, as_rotation: bool, way: str) -> None:
    keys = Rotation.from_quat(KEYS[:, 0]) if as_rotation else KEYS
    first = of(TIMES, keys)
    first(AT)
    second = WAYS[way](first)
    before, after = first(AT), second(AT)
    if as_rotation:
        before, after = before.as_quat(), after.as_quat()
    assert before.tobytes() == after.tobytes()
    assert (second.times == first.times).all() and type(second) is type(first)


def curves() -> list[pm.RotationCurve]:
    tangents = np.random.default_rng(5).normal(size=KEYS.shape)
    made = [pm.RotationCurve(TIMES, KEYS, method) for method in METHODS
            if method not in ("bspline", "cubicspline", "sterp")]
    return [*made, pm.RotationCurve(None, KEYS, "bspline", rate="30000/1001"),
            pm.RotationCurve(TIMES, KEYS, "cubicspline", tangents_in=tangents, tangents_out=tangents),
            pm.RotationCurve(TIMES, KEYS, "hermite", tangents="tcb", tcb=[0.1, 0.2, -0.3], loop=12.0),
            pm.RotationCurve(TIMES, KEYS, "sterp", axis=[0, 1, 0], swing=[0.1, 0.9], engine=ENGINE),
            pm.RotationCurve([TIMES, TIMES[:4]], [KEYS[:, 0], KEYS[:4, 1]], "squad"),
            pm.RotationCurve(TIMES, np.roll(KEYS, 1, -1), scalar_first=True,
                             positions=KEYS[..., :3], key_format="float32")]


@every_way
def test_curves_of_every_kind(way: str) -> None:
    for curve in curves():
        other = WAYS[way](curve)
        for order in (0, 1, 2):
            assert curve(AT, order).tobytes() == other(AT, order).tobytes(), curve
        assert repr(other) == repr(curve)


def test_a_pickle_has_the_keys_as_they_were() -> None:
    times, keys = TIMES.copy(), KEYS.copy()
    curve = pm.RotationCurve(times, keys)
    expected = curve(AT)
    times += 100
    keys[:] = [0, 0, 0, 1]
    assert pickle.loads(pickle.dumps(curve))(AT).tobytes() == expected.tobytes()


def test_attributes_of_a_subclass_are_kept() -> None:
    curve = Named(TIMES, KEYS)
    curve.label = "arm"
    other = pickle.loads(pickle.dumps(curve))
    assert type(other) is Named and other.label == "arm"


class Named(pm.RotationCurve):
    label: str


def test_engines_are_pickled_as_their_description() -> None:
    one, two = pickle.loads(pickle.dumps((ENGINE, ENGINE)))
    assert one is two and one.device == ENGINE.device
    assert pickle.loads(pickle.dumps(ENGINE)) is one
    assert copy.deepcopy(ENGINE) is ENGINE
    builder = pm.Engine("none", clip_building="device", programs_on_cpu=True)
    assert pickle.loads(pickle.dumps(builder))._given == builder._given == ("none", 0, False, "device", True)
    assert one._given == ("none", 0, False, "auto", False)


def test_plain_c_serves_where_the_device_of_a_pickle_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = pm.Engine("none")
    engine._given = ("no such device", 1, False, "auto")
    curve = pm.RotationCurve(TIMES, KEYS, engine=engine)
    data = pickle.dumps(curve)
    with pytest.warns(RuntimeWarning, match="no such device"):
        other = pickle.loads(data)
    assert other(AT).tobytes() == curve(AT).tobytes()


def motions(folder: Path) -> list[pm.Motion]:
    path = folder / "a.bvh"
    path.write_text(bvh_text(3, 20))
    walk = pm.load(WALK)
    walk.save(folder / "a.glb")
    walk.save(folder / "a.npz")
    read = [pm.load(path), pm.load(folder / "a.glb"), pm.load(folder / "a.npz"), walk]
    with open(path, "rb") as file:
        read.append(pm.load(file))
    made = pm.Motion(KEYS, None, "30000/1001", [-1, 0], ["a", "b"], offsets=np.eye(2, 3))
    part = walk.resample("x2", "hermite", clip=0, start=0.5, end=1.7, end_rule="include", trim_start=3,
                         keep_time=True, max_frames=500, engine=ENGINE, ends="natural")
    assert part.clips[0].start == Fraction(3, 5) and len(part.clips[0].times) == 73
    return [*read, made, part, walk.resample(47.5, "squad", engine=ENGINE),
            made.resample("x2").resample(25, "spline", engine=ENGINE),
            walk.extract_root("Hips", root_axes="z", root_name="mover")]


@every_way
def test_motions_and_what_they_have(way: str, tmp_path: Path) -> None:
    for motion in motions(tmp_path):
        other = WAYS[way](motion)
        clip, again = motion.clips[0], WAYS[way](motion.clips[0])
        assert repr(other) == repr(motion) and other.name == motion.name
        for found in (other.clips[0], again):
            assert found.rotations.tobytes() == clip.rotations.tobytes()
            assert found.positions.tobytes() == clip.positions.tobytes()
            assert (found.rate, found.start) == (clip.rate, clip.start) and (found.times == clip.times).all()
        channel = WAYS[way](clip.channels[1])
        assert channel.keys.tobytes() == clip.channels[1].keys.tobytes()
        skeleton = WAYS[way](motion.skeleton)
        assert skeleton.names == motion.skeleton.names
        assert (skeleton.positions == motion.skeleton.positions).all()
        suffix = "glb" if clip.start else motion.format  # others begin at 0, and refuse a time that is kept
        for name, m in (("one", motion), ("two", other)):
            m.save(tmp_path / f"{name}.{suffix}")
        assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


@every_way
def test_crowds_and_comparisons(way: str) -> None:
    walk = pm.load(WALK)
    crowd = pm.Crowd(walk.skeleton, walk.clips, engine=ENGINE, method="squad",
                     levels=[(None, 1)], masks=np.ones((1, 21)), subsets={"legs": ["LeftLeg", 17]}, radii=np.ones(21))
    instances = np.zeros(4, pm.crowd_instance)
    instances["time_a"] = pm.crowd_ticks([0, 0.3, 0.7, 1.1])
    assert WAYS[way](crowd).pose(instances).tobytes() == crowd.pose(instances).tobytes()
    bounds = crowd.pose(instances, "bounds", subset="legs")
    assert WAYS[way](crowd).pose(instances, "bounds", subset="legs").tobytes() == bounds.tobytes()
    found = pm.compare(walk, walk.resample(47.5, engine=ENGINE))
    assert WAYS[way](found).numbers == found.numbers


def test_a_file_that_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(bvh_text(3, 20))
    data = pickle.dumps(pm.load(path))
    path.write_text(bvh_text(4, 21))
    with pytest.raises(ValueError, match="changed"):
        pickle.loads(data)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(data)


def test_a_file_object_is_in_the_pickle() -> None:
    motion = pm.load(io.BytesIO(bvh_text(3, 20).encode()))
    assert pickle.loads(pickle.dumps(motion)).clips[0].rotations.tobytes() == \
        motion.clips[0].rotations.tobytes()
