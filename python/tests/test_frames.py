# SPDX-License-Identifier: MIT
"""Frames against products of matrices, trajectories in files, and errors of trajectories against NumPy."""
from __future__ import annotations

import io
import pathlib
from typing import Any

import numpy as np
import posemill as pm
import pytest

RNG = np.random.default_rng(20261131)
EPOCH = 1_403_636_579_758_555_392


def drawn(count: int = 30) -> tuple[Any, Any, Any]:
    """Stamps in ns, quaternions and positions."""
    turns = np.cumsum(RNG.normal(0, 0.1, (count, 4)), 0) + [0, 0, 0, 2]
    return (EPOCH + np.cumsum(RNG.integers(1_000_000, 90_000_000, count)),
            turns / np.linalg.norm(turns, axis=1)[:, None], np.cumsum(RNG.normal(size=(count, 3)), 0))


def matrices(q: Any, p: Any) -> Any:
    found = np.zeros((*q.shape[:-1], 4, 4))
    found[..., :3, :3] = pm.as_matrix(q)
    found[..., :3, 3] = p
    found[..., 3, 3] = 1
    return found


def test_lookups_are_products_of_the_edges() -> None:
    for case in range(60):
        frames, edges = pm.Frames(), {}
        names = ["map"]
        for n in range(7):
            name, parent = f"f{n}", names[int(RNG.integers(len(names)))]
            if RNG.random() < 0.5:
                stamps, q, p = drawn()
                edges[name] = parent, pm.Trajectory(stamps, q, p, method=str(RNG.choice(["slerp", "screw", "spline"])))
            else:
                _, q, p = drawn(1)
                edges[name] = parent, (q[0], p[0])
            frames.add(name, parent, edges[name][1])
            names.append(name)
        spans = [edge.span for _, edge in edges.values() if isinstance(edge, pm.Trajectory)]
        at = RNG.integers(max([EPOCH, *(s[0] for s in spans)]), min([EPOCH + 10**9, *(s[1] for s in spans)]), 20)

        def in_map(name: str) -> Any:
            if name == "map":
                return np.eye(4)
            parent, edge = edges[name]
            poses = edge.at(at) if isinstance(edge, pm.Trajectory) else None
            own = matrices(poses.rotations, poses.positions) if poses is not None else matrices(*edge)
            return in_map(parent) @ own

        target, source = RNG.choice(names, 2)
        expected = np.broadcast_to(np.linalg.inv(in_map(target)) @ in_map(source), (20, 4, 4))
        points = RNG.uniform(-3, 3, (20, 3))
        try:
            found = frames.lookup(target, source, at)
        except ValueError as error:
            assert "at most 4 moving frames" in str(error)
            continue
        assert found.valid.all()
        assert np.abs(matrices(found.rotations, found.positions) - expected).max() < 3e-5, case
        moved = frames.transform(points, at, target, source)
        assert np.abs(moved - (np.einsum("nij,nj->ni", expected[:, :3, :3], points) + expected[:, :3, 3])).max() < 3e-5


def test_what_frames_do_not_know_is_refused_with_what_they_know() -> None:
    frames = pm.Frames()
    still = ([0, 0, 0, 1], [1, 2, 3])
    car = pm.Trajectory(*drawn())
    frames.add("car", "map", car)
    frames.add("lidar", "car", still)
    frames.add("tag", "wall", still)
    with pytest.raises(ValueError, match="no frame 'radar'; known are 'map', 'car', 'lidar', 'wall', 'tag'"):
        frames.lookup("map", "radar", 0)
    with pytest.raises(ValueError, match="'tag' is below 'wall', and the target 'lidar' below 'map'"):
        frames.lookup("lidar", "tag", 0)
    with pytest.raises(ValueError, match="'car' has the parent 'map', and would have 'wall'"):
        frames.add("car", "wall", still)
    with pytest.raises(ValueError, match="'map' is above 'lidar'"):
        frames.add("map", "lidar", still)
    with pytest.raises(ValueError, match="a trajectory of one frame"):
        frames.add("turret", "car", car.inverse())
    for n in range(4):
        frames.add(f"joint{n}", "lidar" if n == 0 else f"joint{n - 1}", car)
    assert frames.lookup("car", "joint3", car.span[0]).valid
    with pytest.raises(ValueError, match="at most 4 moving frames, found 5"):
        frames.lookup("map", "joint3", car.span[0])
    assert frames.lookup("lidar", "car", [[1], [2]]).positions.tolist() == [[[-1, -2, -3]], [[-1, -2, -3]]]


@pytest.mark.parametrize("name", ["a.tum", "a.csv"])
def test_trajectories_come_back_from_files(tmp_path: pathlib.Path, name: str) -> None:
    stamps, q, p = drawn()
    p += [4.5e6, -2e5, 1e6]
    path = tmp_path / name
    car = pm.Trajectory(stamps, q, p, "screw")
    car.save(path)
    back = pm.Trajectory.load(path, "screw")
    at = RNG.integers(*car.span, 100)
    assert back.span == car.span
    for a, b in zip(back.at(at), car.at(at)):
        assert np.abs(a.astype(float) - b).max() < 1e-8
    kept = pm.Trajectory(stamps, q, p).reduce(angle=10.0, position=1.5)
    keys = kept._frames[0][0].stamps
    assert set(keys.tolist()) < set(stamps.tolist())
    there, here = kept.at(at), pm.Trajectory(stamps, q, p).at(at)
    assert np.linalg.norm(there.positions - here.positions, axis=1).max() < 1.5 * 3**0.5 + 1e-3
    smooth = car.lowpass(2, 50)
    assert abs(smooth.span[0] - stamps[0]) <= 1 and np.abs(smooth.at(smooth.span[0]).positions - p[0]).max() < 3
    cut = pm.load(path).cut("0.1:0.3")
    cut.save(tmp_path / "cut.tum")
    part = pm.Trajectory.load(tmp_path / "cut.tum")
    assert part.span[0] - stamps[0] == 100_000_000
    assert np.abs(part.at(part.span[0]).positions - here_at(stamps, q, p, part.span[0])).max() < 1e-4
    with pytest.raises(ValueError, match="a chain has no keys of its own"):
        car.compose(car).save(path)


def here_at(stamps: Any, q: Any, p: Any, at: int) -> Any:
    return pm.Trajectory(stamps, q, p).at(at).positions


def umeyama(a: Any, b: Any, scaled: bool) -> float:
    """The rms distance that a rotation, a translation and a scale of b leave, by a singular value decomposition."""
    own, to = b - b.mean(0), a - a.mean(0)
    u, s, v = np.linalg.svd(to.T @ own)
    signs = np.array([1, 1, np.linalg.det(u) * np.linalg.det(v)])
    turn = u @ np.diag(signs) @ v
    scale = (s * signs).sum() / (own**2).sum() if scaled else 1
    return float(np.sqrt(((scale * own @ turn.T - to) ** 2).sum(1).mean()))


@pytest.mark.parametrize("flat", [False, True])
def test_errors_of_trajectories_are_those_of_their_definitions(flat: bool) -> None:
    for delta in (1, 3):
        stamps, q, p = drawn(50)
        p[:, 2] *= not flat
        q2 = q + RNG.normal(0, 0.01, q.shape)
        q2 /= np.linalg.norm(q2, axis=1)[:, None]
        p2 = 0.7 * p @ pm.as_matrix(q[0]) + RNG.normal(0, 0.1, p.shape)
        later = 7  # the estimate begins later, and its stamps are those of the reference
        ref, est = pm.Trajectory(stamps, q, p).motion(), pm.Trajectory(stamps[later:], q2[later:], p2[later:]).motion()
        found = pm.compare(ref, est, rpe_delta=delta).numbers["trajectory"]
        a, b = p[later:], p2[later:]
        assert found["poses"] == len(a) and found["rpe_delta"] == delta
        assert abs(found["ate"] - np.sqrt(((a - b) ** 2).sum(1).mean())) < 1e-9
        assert abs(found["ate_rigid"] - umeyama(a, b, False)) < 1e-9
        assert abs(found["ate_similar"] - umeyama(a, b, True)) < 1e-9
        steps = [np.linalg.inv(m[:-delta]) @ m[delta:] for m in (matrices(q[later:], a), matrices(q2[later:], b))]
        off = np.linalg.inv(steps[0]) @ steps[1]
        assert abs(found["rpe"] - np.sqrt((off[:, :3, 3] ** 2).sum(1).mean())) < 1e-6
        angles = np.degrees(2 * np.arcsin(np.linalg.norm(off[:, :3, :3] - np.eye(3), axis=(1, 2)) / 8**0.5))
        assert abs(found["rpe_degrees"] - np.sqrt((angles**2).mean())) < 1e-4
    apart = pm.Trajectory(stamps + 10**12, q, p).motion()
    with pytest.raises(ValueError, match="no time is in both"):
        pm.compare(ref, apart)


def test_walks_are_no_trajectories_and_their_joints_are() -> None:
    with pytest.raises(ValueError, match="the name of one"):
        pm.Trajectory.of(pm.load("walk.bvh"))
    with pytest.raises(ValueError, match="joint"):
        pm.load("walk.bvh").save("walk.tum")
    text = b"# t\n1.5 0 0 0 0 0 0 1\n2.5 4 0 0 0 0 0 1\n"
    assert pm.Trajectory.load(io.BytesIO(text)).velocity(2.0)[0].tolist() == [4, 0, 0]
