# SPDX-License-Identifier: MIT
"""Clips at any times, and derivatives of positions, against resampling and computations of their own."""
from __future__ import annotations

import base64
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posemill as pm
from motion_files import WALK

RNG = np.random.default_rng(11)
ENGINE = pm.Engine("none")
JOINTS = 3


@pytest.fixture(scope="module")
def walk() -> pm.Motion:
    return pm.load(WALK)


@pytest.fixture(scope="module")
def made() -> pm.Motion:
    rotations = Rotation.from_rotvec(RNG.normal(size=(12 * JOINTS, 3))).as_quat()
    return pm.Motion(rotations.reshape(12, JOINTS, 4), RNG.normal(size=(12, JOINTS, 3)), 10,
                     [-1, 0, 1], ["a", "b", "c"])


def test_velocities_are_those_of_the_segments(made: pm.Motion) -> None:
    clip = made.clips[0]
    times = RNG.uniform(0, 1.1, 200)
    index = np.searchsorted(clip.times, times, side="right") - 1
    poses = made.at(times)
    assert np.abs(poses.velocities - np.diff(clip.positions, axis=0)[index] * 10).max() < 1e-4
    for joint in range(JOINTS):
        keys = Rotation.from_quat(clip.rotations[:, joint].astype(np.float64))
        turns = (keys[:-1].inv() * keys[1:]).as_rotvec() * 10
        assert np.abs(poses.angular_velocities[:, joint] - turns[index]).max() < 1e-3
    in_parent = made.at(times, frame="parent").angular_velocities[:, 0].astype(np.float64)
    turned = Rotation.from_quat(poses.rotations[:, 0]).apply(poses.angular_velocities[:, 0])
    assert np.abs(in_parent - turned).max() < 1e-3


@pytest.mark.parametrize("method", ["slerp", "squad", "spline", "step", "hermite", "circular"])
def test_poses_are_those_of_resampling(walk: pm.Motion, made: pm.Motion, method: Any) -> None:
    for motion in (walk, made):
        expected = motion.resample(47.5, method, engine=ENGINE).clips[0]
        poses = motion.clips[0].at(expected.times, method)
        assert poses.rotations.dtype == np.float32
        errors = np.abs((poses.rotations * expected.rotations).sum(axis=-1))
        assert errors.min() > 1 - 2e-6
        assert np.abs(poses.positions - expected.positions).max() < 2e-5 * np.abs(expected.positions).max()


@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3)])
def test_arrays_have_the_shape_of_the_times(walk: pm.Motion, shape: tuple[int, ...]) -> None:
    poses = walk.at(np.full(shape, 0.5))
    assert poses.rotations.shape == (*shape, 21, 4) and poses.scales.shape == (*shape, 21, 3)
    assert poses.velocities.shape == poses.angular_velocities.shape == (*shape, 21, 3)


def test_clips_hold_still_outside_their_keys(made: pm.Motion) -> None:
    poses = made.at([-5.0, 0.0, made.clips[0].times[-1], 50.0])
    assert (poses.positions[0] == poses.positions[1]).all()
    assert (poses.positions[2] == poses.positions[3]).all()
    assert (poses.velocities[[0, 3]] == 0).all()


def gltf_file(path: Path, path_of_node: str, outputs: dict[str, np.ndarray], nodes: list[Any]) -> pm.Motion:
    """Times 0.5, 1 and 2, and an animation of node 0 for each interpolation."""
    arrays = [np.array([0.5, 1.0, 2.0], np.float32), *(a.astype(np.float32) for a in outputs.values())]
    data = b"".join(array.tobytes() for array in arrays)
    starts = np.cumsum([0] + [array.nbytes for array in arrays])
    accessors: list[dict[str, Any]] = [
        {"bufferView": i, "componentType": 5126, "count": len(array),
         "type": f"VEC{array.shape[1]}" if array.ndim > 1 else "SCALAR"} for i, array in enumerate(arrays)]
    accessors[0].update(min=[0.5], max=[2.0])
    path.write_text(json.dumps({
        "asset": {"version": "2.0"}, "accessors": accessors, "nodes": nodes,
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64,"
                     + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": int(start), "byteLength": array.nbytes}
                        for start, array in zip(starts, arrays)],
        "animations": [
            {"name": kind.lower(), "samplers": [{"input": 0, "output": i, "interpolation": kind}],
             "channels": [{"sampler": 0, "target": {"node": 0, "path": path_of_node}}]}
            for i, kind in enumerate(outputs, 1)]}))
    return pm.load(path)


def gltf(folder: Path) -> pm.Motion:
    """Two joints: one with steps and cubic tangents, one that is not animated."""
    return gltf_file(
        folder / "a.gltf", "translation",
        {"STEP": RNG.normal(size=(3, 3)), "CUBICSPLINE": RNG.normal(size=(9, 3))},
        [{"name": "root", "children": [1]}, {"name": "tip", "translation": [0, 2, 0]}])


def test_channels_keep_their_interpolation(tmp_path: Path) -> None:
    motion = gltf(tmp_path)
    steps, curve = motion.clips["step"], motion.clips["cubicspline"]
    times = np.array([0.4, 0.5, 0.9, 1.0, 1.7, 2.0])
    keys = steps.channels[0].keys
    assert (steps.at(times).positions[:, 0] == keys[[0, 0, 0, 1, 1, 2]]).all()
    assert (steps.at(times).positions[:, 1] == [0, 2, 0]).all()
    assert (steps.at(times).velocities == 0).all()
    channel = curve.channels[0]
    assert channel.tangents is not None
    # Hermite's polynomial of the segment from 1 to 2.
    p, (a, b) = channel.keys.astype(float), channel.tangents
    u = 0.7
    value = ((2 * u**3 - 3 * u**2 + 1) * p[1] + (u**3 - 2 * u**2 + u) * b[1]
             + (3 * u**2 - 2 * u**3) * p[2] + (u**3 - u**2) * a[2])
    slope = ((6 * u**2 - 6 * u) * (p[1] - p[2]) + (3 * u**2 - 4 * u + 1) * b[1]
             + (3 * u**2 - 2 * u) * a[2])
    assert np.abs(curve.at(1.7).positions[0] - value).max() < 1e-5
    assert np.abs(curve.at(1.7).velocities[0] - slope).max() < 1e-4
    assert (motion.at(1.7, clip="cubicspline").positions == curve.at(1.7).positions).all()
    assert curve.at(1.7, "slerp").positions[0] == pytest.approx(p[1] + u * (p[2] - p[1]), abs=1e-5)


def cubic_rotations(folder: Path, factor: float) -> pm.Clip:
    """Turns about z by 0, 0.5 and 1 rad with keys of any length."""
    turns = np.zeros((9, 4))
    turns[1::3, 2], turns[1::3, 3] = factor * np.sin([0, 0.25, 0.5]), factor * np.cos([0, 0.25, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gltf_file(folder / f"{factor}.gltf", "rotation", {"CUBICSPLINE": turns}, [{}]).clips[0]


def test_cubic_keys_of_any_length_are_rotations(tmp_path: Path) -> None:
    unit, long = (cubic_rotations(tmp_path, factor) for factor in (1.0, 3.0))
    assert np.linalg.norm(long.channels[0].keys, axis=1) == pytest.approx(3, abs=1e-6)
    assert np.abs(long.rotations - unit.rotations).max() < 1e-6
    for method in (None, "slerp", "squad", "cubicspline"):
        found, expected = (clip.at([0.5, 0.8, 1, 1.6], method).rotations for clip in (long, unit))
        assert np.abs(found - expected).max() < 1e-6, method


def test_clips_are_found_by_their_names(tmp_path: Path) -> None:
    clips = gltf(tmp_path).clips
    assert clips["cubicspline"] is clips[1] and "step" in clips and "run" not in clips
    assert clips[-1:] == (clips[1],) and clips[0] in clips
    with pytest.raises(KeyError, match="'step', 'cubicspline'"):
        clips["run"]


@pytest.mark.parametrize("arguments", [
    {"method": "quartic"}, {"frame": "world"}, {"times": "now"}, {"times": [np.nan]}, {"engine": 3},
    {"method": "cubicspline"}])
def test_what_is_wrong_is_named(walk: pm.Motion, arguments: dict[str, Any]) -> None:
    name = next(iter(arguments))
    with pytest.raises((TypeError, ValueError), match=name):
        pm.Motion.at(walk, **{"times": [0.5], **arguments}).rotations


# ---- derivatives of positions and scales ---------------------------------------------------------


@pytest.mark.parametrize("channel", ["positions", "scales"])
@pytest.mark.parametrize("method", ["step", "linear", "catmull-rom", "parabolas-c2", "parabolas-c3",
                                    "spline", "cubicspline"])
@pytest.mark.parametrize("loop", [False, True])
def test_derivatives_are_those_of_the_curve(method: Any, channel: Any, loop: bool) -> None:
    """Against differences of the curve, which are exact for polynomials of few degrees in double; the
    curve has float32, so the step is a tenth of a segment."""
    times = np.cumsum(RNG.uniform(0.8, 1.2, 9))
    keys = RNG.normal(size=(9, 2, 3))
    options: dict[str, Any] = {channel: keys, "vector_method": method}
    if method == "cubicspline":
        options |= {f"{channel}_in": RNG.normal(size=keys.shape),
                    f"{channel}_out": RNG.normal(size=keys.shape)}
    period = float(times[-1] - times[0] + 0.9) if loop else None
    curve = pm.RotationCurve(times, None, "slerp", loop=period, engine=ENGINE, **options)
    knots = np.append(times, times[0] + period) if period else times
    middles = (knots[:-1] + knots[1:]) / 2
    places = np.linspace(-0.3, 0.3, 9)
    around = middles[:, np.newaxis] + places
    samples = np.asarray(curve(around, channel=channel, dtype=np.float64)).reshape(len(middles), 9, -1)
    for order in (1, 2):
        found = curve(middles, order, channel=channel, dtype=np.float64).reshape(len(middles), -1)
        for i in range(len(middles)):
            fit = np.polynomial.Polynomial.fit
            expected = [fit(places, samples[i, :, k], 7).deriv(order)(0) for k in range(6)]
            assert np.abs(found[i] - expected).max() < (2e-5 if order == 1 else 5e-4), (i, order)


def test_derivatives_take_every_way_of_asking() -> None:
    times = [np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 2.5, 3.0])]
    keys = [RNG.normal(size=(3, 3)), RNG.normal(size=(4, 3))]
    curve = pm.RotationCurve(times, None, positions=keys, engine=ENGINE)
    both = curve([0.25, 1.75], 1, channel="positions")
    for track in (0, 1):
        expected = np.diff(keys[track], axis=0) / np.diff(times[track])[:, np.newaxis]
        assert np.abs(both[:, track] - expected[[0, 1]]).max() < 1e-4
    pairs = curve([0.25, 1.75], 1, channel="positions", tracks=[1, 0])
    assert (pairs == both[[0, 1], [1, 0]]).all()
    one = pm.RotationCurve(times[0], None, positions=keys[0][:, np.newaxis], engine=ENGINE)
    out = np.empty((3, 1, 3), np.float32)
    one.uniform(1, order=1, channel="positions", out=out)
    assert np.abs(out[:2, 0] - np.diff(keys[0], axis=0)).max() < 1e-5 and (out[2] == 0).all()


# ---- motions from arrays --------------------------------------------------------------------------


def test_a_motion_of_arrays_has_their_numbers(tmp_path: Path) -> None:
    quaternions = Rotation.from_rotvec(RNG.normal(size=(40, 3))).as_quat().reshape(20, 2, 4)
    root = RNG.normal(size=(20, 3))
    motion = pm.Motion(quaternions, root, "30000/1001", [-1, 0], ["hips", "knee"],
                       offsets=[[0, 0, 0], [0, -1, 0]])
    clip = motion.clips[0]
    assert (clip.rotations == quaternions).all() and (clip.positions[:, 0] == root).all()
    assert (clip.positions[:, 1] == [0, -1, 0]).all()
    assert (motion.names, list(motion.parents)) == (("hips", "knee"), [-1, 0])
    assert clip.rate == pm.Motion(quaternions, root, "30000/1001").clips[0].rate
    for format in ("bvh", "glb", "npz"):
        motion.save(tmp_path / f"a.{format}")
        again = pm.load(tmp_path / f"a.{format}").clips[0]
        dots = np.abs((again.rotations * quaternions).sum(axis=-1))
        assert np.abs(dots - 1).max() < 2e-7 and len(again.times) == 20


@pytest.mark.parametrize(("name", "arguments"), [
    ("rate", {"rate": None}), ("rate", {"rate": -1}), ("rotations", {"rotations": np.zeros((3, 4))}),
    ("positions", {"positions": np.zeros((2, 3))}), ("parents", {"parents": [-1, 5, 0]}),
    ("parents", {"parents": [0.0, 1.0]}), ("parents", {"parents": None}),
    ("names", {"names": "ab"}), ("names", {"names": ["a"]}), ("offsets", {"offsets": [0, 0, 0]}),
    ("quaternion|length|norm", {"rotations": np.zeros((3, 2, 4))})])
def test_arrays_that_are_no_motion_are_named(name: str, arguments: dict[str, Any]) -> None:
    good: dict[str, Any] = {"rotations": np.tile([0.0, 0, 0, 1], (3, 2, 1)), "positions": None,
                            "rate": 30, "parents": [-1, 0], "names": ["a", "b"]}
    with pytest.raises((TypeError, ValueError), match=name):
        pm.Motion(**{**good, **arguments})
