# SPDX-License-Identifier: MIT
"""Trajectory: SciPy's Slerp with linear positions, layouts of arrays and records, chains, and what is refused."""
from __future__ import annotations

from typing import Any

import numpy as np
import posemill as pm
import pytest

RNG = np.random.default_rng(20261130)
EPOCH = 1_700_000_000_123_456_789


def keys(count: int, far: float = 0.0) -> tuple[Any, Any, Any]:
    """Stamps in ns, quaternions and positions."""
    stamps = EPOCH + np.cumsum(RNG.integers(10**6, 10**8, count))
    q = RNG.normal(size=(count, 4))
    return stamps, q / np.linalg.norm(q, axis=1)[:, None], far + np.cumsum(RNG.normal(size=(count, 3)), 0)


def quaternion_matrix(q: Any) -> Any:
    x, y, z, w = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def turned(q: Any, v: Any) -> Any:
    u, w = q[..., :3], q[..., 3:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def test_a_thousand_trajectories_move_points_as_scipy_does() -> None:
    transform = pytest.importorskip("scipy.spatial.transform")
    for case in range(1000):
        stamps, q, p = keys(int(RNG.integers(2, 9)))
        trajectory = pm.Trajectory(stamps, q, p)
        at = RNG.integers(stamps[0], stamps[-1], 7, endpoint=True)
        points = RNG.uniform(-20, 20, (7, 3))
        seconds, times = (stamps - stamps[0]) * 1e-9, (at - stamps[0]) * 1e-9
        rotations = transform.Slerp(seconds, transform.Rotation.from_quat(q))(times)
        places = np.stack([np.interp(times, seconds, p[:, c]) for c in range(3)], 1)
        moved = trajectory.transform(points, at)
        # turns of up to half a turn by float32, and points at up to 35 m
        assert np.abs(moved - (rotations.apply(points) + places)).max() < 4e-5, case
        poses = trajectory.at(at)
        assert (rotations.inv() * transform.Rotation.from_quat(poses.rotations)).magnitude().max() < 1e-6, case
        assert np.abs(poses.positions - places).max() < 2e-6, case
        back = trajectory.inverse().transform(moved, at)
        assert np.abs(back - points).max() < 1e-12, case


def test_stamps_of_all_types_are_the_same_times() -> None:
    stamps, q, p = keys(6)
    stamps -= stamps[0] % 1000
    stamps = np.cumsum(np.r_[stamps[0], np.diff(stamps) // 1000 * 1000])
    at = np.sort(RNG.integers(stamps[0] // 1000, stamps[-1] // 1000, 50)) * 1000
    expected = pm.Trajectory(stamps, q, p).at(at).positions
    texts = [f"{s // 10**9}.{s % 10**9:09d}" for s in stamps.tolist()]
    assert np.array_equal(pm.Trajectory(texts, q, p).at(at.astype("datetime64[ns]")).positions, expected)
    assert np.array_equal(pm.Trajectory(stamps.astype("M8[ns]"), q, p).at(at.astype(np.uint64)).positions, expected)
    since = pm.Trajectory(stamps - stamps[0], q, p)
    assert np.array_equal(since.at((at - stamps[0]) * 1e-9).positions, expected)
    moved = pm.Trajectory(stamps, q, p).transform(np.zeros((50, 3)), ((at - stamps[0]) // 1000).astype(np.uint32),
                                                  base=stamps[0], unit=1000)
    assert np.array_equal(moved, expected)


def test_records_are_read_and_written_in_place_and_columns_without_copies() -> None:
    stamps, q, p = keys(20, far=6.4e6)
    car = pm.Trajectory(stamps, q, p)
    scan = np.zeros(1000, [("tag", "u1"), ("x", "f4"), ("y", "f4"), ("z", "f4"), ("ring", "u2"), ("t", "u4")])
    for name in "xyz":
        scan[name] = RNG.uniform(-50, 50, 1000)
    scan["ring"], scan["t"] = np.arange(1000), RNG.integers(0, (stamps[-1] - stamps[0]) // 1000, 1000)
    points = np.stack([scan[name] for name in "xyz"], 1)
    at = stamps[0] + scan["t"].astype(np.int64) * 1000
    options: dict[str, Any] = {"to": stamps[7], "base": stamps[0], "unit": 1000}
    expected = car.transform(points, at, to=stamps[7])
    assert expected.dtype == np.float32
    columns = np.zeros((3, 1000), np.float32).T
    valid = np.zeros((1000, 2), bool)[:, 1]
    assert car.transform(points[::-1], at[::-1], to=stamps[7], out=columns, valid=valid) is columns
    assert np.array_equal(columns[::-1], expected) and valid.all()
    kept = scan.copy()
    assert car.transform(scan, "t", out=scan, **options) is scan
    assert np.array_equal(np.stack([scan[name] for name in "xyz"], 1), expected)
    assert all(np.array_equal(scan[name], kept[name]) for name in ("tag", "ring", "t"))
    # deskewed in double
    poses, (there,) = car.at(at, origin=p[7]), [car.at([stamps[7]], origin=p[7])]
    world = turned(poses.rotations, points.astype(float)) + poses.positions
    back = np.concatenate([-there.rotations[0, :3], there.rotations[0, 3:]])
    assert np.abs(turned(back[None], world - there.positions) - expected).max() < 1e-4


def test_chains_with_a_sensor_and_directions() -> None:
    frames = [keys(30) for _ in range(3)]
    start, end = max(f[0][0] for f in frames), min(f[0][-1] for f in frames)
    a = pm.Trajectory(*frames[0], method="screw")
    b, c = pm.Trajectory(*frames[1], method="squad"), pm.Trajectory(*frames[2])
    at = RNG.integers(start, end, 100)
    points, (turn, place) = RNG.normal(size=(100, 3)), (np.array([0.5, 0.5, -0.5, 0.5]), [1.0, 2.0, 3.0])
    chain = a.compose(b.inverse()).compose(c)
    expected = turned(turn[None], points) + place
    for part in (c, b.inverse(), a):
        expected = part.transform(expected, at)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = quaternion_matrix(turn), place
    for sensor in ((turn, place), matrix):
        assert np.abs(chain.transform(points, at, sensor=sensor) - expected).max() < 1e-12
    relative = b.relative_to(a)
    assert np.abs(a.transform(relative.transform(points, at), at) - b.transform(points, at)).max() < 1e-12
    lines = chain.transform(points, at, directions=True)
    assert np.abs(np.linalg.norm(lines, axis=1) - np.linalg.norm(points, axis=1)).max() < 1e-12
    grid = chain.at(at.reshape(4, 25))
    assert grid.rotations.shape == (4, 25, 4)
    assert np.abs(turned(grid.rotations.reshape(-1, 4), points) - lines).max() < 1e-12
    linear, angular = chain.velocity(at, frame="parent")
    assert linear.shape == angular.shape == (100, 3) and np.isfinite(linear).all()
    with pytest.raises(ValueError, match="at most 4"):
        chain.compose(chain)


def test_several_tracks_have_a_number_for_each_point() -> None:
    stamps, _, _ = keys(5)
    q, p = RNG.normal(size=(5, 3, 4)), RNG.normal(size=(5, 3, 3))
    q /= np.linalg.norm(q, axis=2)[..., None]
    all_of, at = pm.Trajectory(stamps, q, p), RNG.integers(stamps[0], stamps[-1], 60)
    points, tracks = RNG.normal(size=(60, 3)), RNG.integers(0, 3, 60)
    moved = all_of.transform(points, at, tracks=tracks, to=stamps[2])
    for track in range(3):
        own = pm.Trajectory(stamps, q[:, track], p[:, track]).transform(points, at, to=stamps[2])
        # positions are float32 relative to the first key of the first track
        assert np.abs(moved[tracks == track] - own[tracks == track]).max() < 2e-6
    one = pm.Trajectory(stamps, q[:, 1], p[:, 1]).at(at)
    assert np.array_equal(all_of.at(at, tracks=1).rotations, one.rotations)
    with pytest.raises(ValueError, match="several tracks"):
        all_of.at(at)


def test_ends_and_gaps() -> None:
    car = pm.Trajectory([0.0, 1.0, 3.0], positions=[[0.0, 0, 0], [1, 0, 0], [5, 0, 0]])
    with pytest.raises(ValueError, match=r"point 1, .* 0\.500000000 s behind the last key"):
        car.at([2.0, 3.5])
    assert car.at(4.0, outside="clamp").positions[0] == 5
    assert car.at(4.0, outside="extrapolate", max_extrapolation=1.0).positions[0] == 7
    assert not car.at(4.5, outside="extrapolate", max_extrapolation=1.0).valid
    assert car.at([0.5, 2.0, 3.0], max_gap=1.5).valid.tolist() == [True, False, True]
    moved = car.transform([[np.nan, 0, 0], [0, 0, 0]], [1.0, 1.0])
    assert np.isnan(moved[0]).all() and moved[1, 0] == 1


def test_keys_that_repeat_a_stamp_are_left_out_with_their_pose_and_else_refused() -> None:
    places = [[0.0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]]
    assert pm.Trajectory([0, 5, 5, 9], positions=places).at(5).positions[0] == 1
    places[2][1] = 1.0
    with pytest.raises(ValueError, match="repeats") as refused:
        pm.Trajectory([0, 5, 5, 9], positions=places)
    assert refused.value.key == 2  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="jumps back"):
        pm.Trajectory([0, 5, 4, 9], positions=places)


def test_tensors_of_torch_are_read_and_written() -> None:
    torch = pytest.importorskip("torch")
    stamps, q, p = keys(5)
    points = torch.randn(50, 3)
    at = torch.from_numpy(RNG.integers(stamps[0], stamps[-1], 50))
    out = torch.zeros(50, 3)
    car = pm.Trajectory(torch.from_numpy(stamps), torch.from_numpy(q), torch.from_numpy(p))
    assert car.transform(points, at, out=out) is out
    assert np.array_equal(out.numpy(), pm.Trajectory(stamps, q, p).transform(points.numpy(), at.numpy()))


@pytest.mark.parametrize("words, use", [
    ("times", lambda t: pm.Trajectory([[0.0]], positions=[[0.0, 0, 0]])),
    ("as many as times", lambda t: pm.Trajectory([0.0, 1], positions=[[0.0, 0, 0]])),
    ("is no decimal", lambda t: pm.Trajectory(["1e9"], positions=[[0.0, 0, 0]])),
    ("NaT", lambda t: t.at(np.array(["NaT"], "M8[ns]"))),
    ("'wrap' is unknown", lambda t: t.at(0.0, outside="wrap")),
    ("relative to one of them", lambda t: t.at(0.0, to=0.0, origin=[0, 0, 0])),
    ("goes with", lambda t: t.at(0.0, max_extrapolation=1.0)),
    ("as times", lambda t: t.transform(np.zeros((2, 3)), [0.0])),
    ("out: expected", lambda t: t.transform(np.zeros((1, 3)), [0.0], out=np.zeros((1, 3), np.int32))),
    ("valid: expected", lambda t: t.transform(np.zeros((1, 3)), [0.0], valid=np.zeros(1))),
    ("sensor: expected", lambda t: t.transform(np.zeros((1, 3)), [0.0], sensor=[1.0, 2.0, 3.0])),
    ("sensor: is no rotation", lambda t: t.transform(np.zeros((1, 3)), [0.0], sensor=np.diag([1.0, 1, 2, 1]))),
    ("unit: expected", lambda t: t.transform(np.zeros((1, 3)), [0], unit=0)),
    ("no field", lambda t: t.transform(np.zeros(1, [("x", "f4")]), [0.0])),
    ("shares memory", lambda t: (lambda a: t.transform(a[:1], [0.0], out=a[:1, ::-1]))(np.zeros((2, 3)))),
])
def test_what_cannot_be_meant_is_refused(words: str, use: Any) -> None:
    with pytest.raises(ValueError, match=words):
        use(pm.Trajectory([0.0, 1.0], positions=[[0.0, 0, 0], [1, 0, 0]]))
