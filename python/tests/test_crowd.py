# SPDX-License-Identifier: MIT
"""Crowds: layout of instances and layers, poses against double precision, and what is refused."""
from __future__ import annotations

import gc
import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import posemill as pm
import pytest
from motion_files import DATA, WALK, multiply
from posemill._library import ffi, lib

ENGINE = pm.Engine("none")
JOINTS, FRAMES = 3, 5
SECOND = 2**32


def quaternions(count: int, seed: int) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=(count, JOINTS, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


@pytest.fixture
def keys() -> pm.Keys:
    positions = np.random.default_rng(2).normal(size=(FRAMES, JOINTS, 3))
    return pm.Keys(quaternions(FRAMES, 1), positions, rate=10)


@pytest.fixture
def skeleton() -> pm.Skeleton:
    return pm.Skeleton(["a", "b", "c"], [-1, 0, 1], rotations=quaternions(1, 3)[0],
                       positions=[[0, 1, 0], [0, 2, 0], [1, 0, 0]])


@pytest.fixture
def crowd(skeleton: pm.Skeleton, keys: pm.Keys) -> pm.Crowd:
    return pm.Crowd(skeleton, [keys], engine=ENGINE)


def matrix(q: np.ndarray, position: np.ndarray) -> np.ndarray:
    x, y, z, w = q
    m = np.eye(4)
    m[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                 [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                 [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    m[:3, 3] = position
    return m


def test_outputs_are_those_of_each_other(crowd: pm.Crowd, skeleton: pm.Skeleton) -> None:
    instances = np.zeros(5, pm.crowd_instance)
    instances["time_a"] = pm.crowd_ticks([0, 0.013, 0.1, 0.29, 0.37])
    palette, model = crowd.pose(instances), crowd.pose(instances, "model")
    local, half, dual = (crowd.pose(instances, output) for output in ("local", "palette_half", "dual"))
    assert palette.shape == model.shape == local.shape == (5, JOINTS, 3, 4)
    assert dual.shape == (5, JOINTS, 2, 4) and list(crowd.order) == [0, 1, 2]
    assert half.dtype == np.float16 and (half == palette.astype(np.float16)).all()
    rest, pose = np.eye(4), np.eye(4)
    for j in range(JOINTS):  # each joint is the child of the one before
        rest = rest @ matrix(skeleton.rotations[j], skeleton.positions[j])
        pose = pose @ matrix(local[3, j, 0], local[3, j, 1, :3])
        np.testing.assert_allclose(model[3, j], pose[:3], atol=4e-6)
        np.testing.assert_allclose(palette[3, j], (pose @ np.linalg.inv(rest))[:3], atol=2e-5)
        real, dual_part = dual[3, j].astype(float)
        moved = 2 * np.array(multiply(list(dual_part), list(real * [-1, -1, -1, 1])))[:3]
        np.testing.assert_allclose(matrix(real, moved)[:3], palette[3, j], atol=2e-5)


# ---- motions ---------------------------------------------------------------------------------


def test_skins_of_gltf() -> None:
    fox = DATA / "gltf" / "Fox.glb"
    if not fox.exists():
        pytest.skip("no data")
    m = pm.load(fox)
    skeleton = m.skeleton
    assert len(skeleton) <= len(m.names) and skeleton.inverse_binds is not None
    slots = skeleton.skin_slots
    assert slots is not None and len(set(slots)) == len(slots) <= len(skeleton)
    assert skeleton.names == tuple(m.names[n] for n in skeleton.nodes)
    crowd = pm.Crowd(skeleton, m, engine=ENGINE)
    np.testing.assert_allclose(crowd.ticks / SECOND, [c.duration for c in m.clips], atol=1e-6)
    other = pm.Crowd(skeleton, [m.clips[2], pm.load(fox).clips[1]], engine=ENGINE)
    assert list(other.ticks) == [crowd.ticks[2], crowd.ticks[1]]
    instances = np.zeros(2, pm.crowd_instance)
    instances["clip_a"] = [2, 1]
    mine = instances.copy()
    mine["clip_a"] = [0, 1]
    assert (crowd.pose(instances) == other.pose(mine)).all()
    with pytest.raises(ValueError, match="skin"):
        m.skin(1)
    with pytest.raises(ValueError, match="other joints"):
        pm.Crowd(skeleton, pm.load(WALK).clips, engine=ENGINE)


# ---- instances -------------------------------------------------------------------------------


def test_layout_of_instances() -> None:
    for record, size, expected in (
            ("crowd_instance", 32, {"time_a": 0, "time_b": 8, "clip_a": 16, "clip_b": 20, "weight": 24,
                                    "mask": 28, "level": 30, "flags": 31}),
            ("crowd_layer", 24, {"time": 0, "clip": 8, "weight": 12, "mask": 16, "op": 18, "flags": 19,
                                 "reserved": 20})):
        dtype = getattr(pm, record)
        assert {n: dtype.fields[n][1] for n in dtype.names} == expected
        assert dtype.itemsize == ffi.sizeof(f"pm_{record}") == size
        for name, offset in expected.items():
            assert ffi.offsetof(f"pm_{record}", name) == offset
    record = np.zeros(1, pm.crowd_instance)
    record["weight"], record["flags"], record["time_b"] = 0.5, 8, -3
    c = ffi.cast("pm_crowd_instance *", record.ctypes.data)
    assert (c.weight, c.flags, c.time_b, c.mask) == (0.5, 8, -3, 0)


def test_ticks() -> None:
    assert pm.crowd_ticks(1) == SECOND and pm.crowd_ticks(float("nan")) == 0
    assert pm.crowd_ticks(1e300) == 2**63 - 1 and pm.crowd_ticks(-1e300) == -2**63
    assert pm.crowd_ticks([[0.5, -0.25]]).tolist() == [[SECOND // 2, -SECOND // 4]]


def test_check_names_the_instance(crowd: pm.Crowd) -> None:
    instances = np.zeros(4, pm.crowd_instance)
    crowd.check(instances)
    instances["clip_a"][2] = 9
    with pytest.raises(ValueError, match="2"):
        crowd.check(instances)
    layers = np.zeros(4, pm.crowd_layer)
    layers["op"], layers["flags"] = pm.LAYER_MEAN, pm.LAYER_CLAMP
    crowd.check_layers(layers)
    layers["op"][3] = 3
    with pytest.raises(ValueError, match="op.*3"):
        crowd.check_layers(layers)
    assert crowd.pose(instances).shape[0] == 4  # shows the rest pose


def test_blending_masks_and_levels(skeleton: pm.Skeleton, keys: pm.Keys) -> None:
    crowd = pm.Crowd(skeleton, [keys, keys], engine=ENGINE, masks=[[1, 1, 0]],
                     levels=[(None, 1), ([1, 0, 0], 1)])
    plain = np.zeros(3, pm.crowd_instance)
    plain["time_b"] = pm.crowd_ticks(0.25)
    plain["clip_b"] = 1
    plain["weight"] = [0, 1, 1]
    plain["mask"] = [0, 0, 1]
    local = crowd.pose(plain, "local")
    moved = np.zeros(1, pm.crowd_instance)
    moved["time_a"] = pm.crowd_ticks(0.25)
    alone = crowd.pose(moved, "local")[0]
    assert not np.allclose(local[0], alone)
    np.testing.assert_allclose(local[1], alone, atol=1e-6)
    np.testing.assert_allclose(local[2, :2], alone[:2], atol=1e-6)
    np.testing.assert_allclose(local[2, 2], local[0, 2], atol=1e-6)
    moved["level"] = 1
    coarse = crowd.pose(moved, "local")[0]
    np.testing.assert_allclose(coarse[0], alone[0], atol=1e-6)
    np.testing.assert_allclose(coarse[1, 1, :3], skeleton.positions[1], atol=1e-6)


def test_out_and_frames(skeleton: pm.Skeleton, keys: pm.Keys) -> None:
    crowd = pm.Crowd(skeleton, [keys], engine=ENGINE, levels=[(None, 2)])
    instances = np.zeros(32, pm.crowd_instance)
    with pytest.raises(ValueError, match="out"):
        crowd.pose(instances)
    out = np.full((32, JOINTS, 3, 4), 7, np.float32)
    assert crowd.pose(instances, out=out, frame=0) is out
    # Instances 0 to 15 are updated in even frames, the next 16 in odd ones.
    assert (out[16:] == 7).all() and not (out[:16] == 7).any(axis=(1, 2, 3)).all()
    crowd.pose(instances, out=out, frame=1)
    assert (out[16:] == out[:16]).all()


def test_strided_out(crowd: pm.Crowd) -> None:
    instances = np.zeros(4, pm.crowd_instance)
    instances["time_a"] = pm.crowd_ticks(np.arange(4) / 20)
    wide = np.full((8, JOINTS, 3, 4), 7, np.float32)
    crowd.pose(instances, out=wide[::2])
    assert (wide[::2] == crowd.pose(instances)).all() and (wide[1::2] == 7).all()
    assert crowd.pose(instances[::2]).shape[0] == 2
    assert (crowd.pose(instances[::2]) == wide[::4]).all()
    assert crowd.pose(instances[:0]).shape == (0, JOINTS, 3, 4)


def test_slots_are_the_inverse_of_the_order(keys: pm.Keys) -> None:
    skeleton = pm.Skeleton(["c", "a", "b"], [2, -1, 1])
    crowd = pm.Crowd(skeleton, [keys], engine=ENGINE)
    assert crowd.order.tolist() == [1, 2, 0] and crowd.slots.tolist() == [2, 0, 1]


def test_root_motion(crowd: pm.Crowd, keys: pm.Keys) -> None:
    before, after = np.zeros(1, pm.crowd_instance), np.zeros(1, pm.crowd_instance)
    after["time_a"] = pm.crowd_ticks(0.2)
    rotations, positions = crowd.root_motion(before, after)
    first, second = (matrix(keys.rotations[k, 0], keys.positions[k, 0]) for k in (0, 2))
    expected = np.linalg.inv(first) @ second
    np.testing.assert_allclose(matrix(rotations[0], positions[0]), expected, atol=4e-6)


def marked(skeleton: pm.Skeleton, keys: pm.Keys) -> pm.Crowd:
    """Clips of 0.4 s: left and right feet, an event, and a mark at the end."""
    return pm.Crowd(skeleton, [keys, keys], engine=ENGINE, markers={
        0: [(0.3, 65537), (0.1, 65536), (0.2, 7), (0.4, 8)], 1: [(0.0, 65537), (0.25, 65536)]})


def test_events(skeleton: pm.Skeleton, keys: pm.Keys) -> None:
    crowd = marked(skeleton, keys)
    before, after = np.zeros(3, pm.crowd_instance), np.zeros(3, pm.crowd_instance)
    after["time_a"] = pm.crowd_ticks([0.25, 0.85, -0.2])
    after["clip_b"], after["weight"] = 1, [0, 0, 0.5]
    after["time_b"] = pm.crowd_ticks(0.3)
    events = crowd.events(before, after)
    assert events.dtype.names == ("instance", "clip", "id", "ticks")
    rows = [(*(int(n) for n in row.tolist()[:3]), round(int(row["ticks"]) / SECOND, 6)) for row in events]
    assert rows == [
        (0, 0, 65536, 0.1), (0, 0, 7, 0.2),
        (1, 0, 65536, 0.1), (1, 0, 7, 0.2), (1, 0, 65537, 0.3), (1, 0, 8, 0.4),
        (1, 0, 65536, 0.5), (1, 0, 7, 0.6), (1, 0, 65537, 0.7), (1, 0, 8, 0.8),
        (2, 0, 65537, -0.1), (2, 1, 65536, 0.25), (2, 0, 7, -0.2)]
    assert len(crowd.events(before[:0], after[:0])) == 0
    with pytest.raises(ValueError, match="after"):
        crowd.events(before, after[:2])


def test_more_events_than_instances(skeleton: pm.Skeleton, keys: pm.Keys) -> None:
    crowd = marked(skeleton, keys)
    before, after = np.zeros(2, pm.crowd_instance), np.zeros(2, pm.crowd_instance)
    after["time_a"] = 1000 * crowd.ticks[0]
    events = crowd.events(before, after)
    assert len(events) == 8000 and (np.bincount(events["instance"].astype(int)) == 4000).all()
    assert (events["ticks"][:4000:4] == pm.crowd_ticks(0.1) + crowd.ticks[0] * np.arange(1000)).all()
    after["time_a"] = np.iinfo(np.int64).max
    short = pm.Crowd(skeleton, [pm.Keys(quaternions(2, 1), times=[0, 2.0**-32])], engine=ENGINE,
                     markers={0: [(0, 1), (0, 2), (0, 3)]})
    with pytest.raises(ValueError, match="number of events"):
        short.events(before, after)


def test_synced_time(skeleton: pm.Skeleton, keys: pm.Keys) -> None:
    crowd = marked(skeleton, keys)
    for here, there in ((0.1, 0.25), (0.3, 0.4), (0.2, 0.325), (-0.1, 0.0), (0.5, 0.65)):
        found = crowd.synced_time(0, pm.crowd_ticks(here), 1)
        assert isinstance(found, int) and abs(found - pm.crowd_ticks(there)) <= 2
        assert abs(crowd.synced_time(1, found, 0) - pm.crowd_ticks(here)) <= 2
    times = pm.crowd_ticks(np.linspace(-1, 1, 12)).reshape(3, 4)
    synced = crowd.synced_time(0, times[:, ::2], 1)
    assert synced.shape == (3, 2) and synced.dtype == np.int64
    assert synced.tolist() == [[crowd.synced_time(0, int(t), 1) for t in row] for row in times[:, ::2]]
    for arguments, kind, message in (((2, 0, 0), ValueError, "clip"), ((0, 0, -1), ValueError, "other"),
                                     ((0, 0, "run"), ValueError, "run"), ((0, 0.5, 1), TypeError, "time"),
                                     ((0, 2**63, 1), TypeError, "time")):
        with pytest.raises(kind, match=message):
            crowd.synced_time(*arguments)


def test_markers_of_named_clips() -> None:
    motion = pm.load(WALK)
    name = motion.clips[0].name
    crowd = pm.Crowd(motion.skeleton, motion.clips, engine=ENGINE, markers={name: [(0.5, 70000)]})
    assert crowd.synced_time(name, SECOND, name) == SECOND


def test_markers_refused(skeleton: pm.Skeleton, keys: pm.Keys) -> None:
    for markers, kind, message in (
            ({1: [(0, 1)]}, ValueError, "markers: 1"), ({"a": [(0, 1)]}, ValueError, "markers: .*'a'"),
            ({0: [(0.1, 1), (0.5, 1)]}, ValueError, r"clips\[0\]: markers\[1\].*0.5 s"),
            ({0: [(-1, 1)]}, ValueError, r"markers\[0\]"), ({0: [(np.nan, 1)]}, ValueError, "nan"),
            ({0: [(0, -1)]}, ValueError, "id"), ({0: [(0, 2**32)]}, ValueError, "id"),
            ({0: [(0, 1.5)]}, TypeError, "id"), ({0.5: [(0, 1)]}, TypeError, "markers")):
        with pytest.raises(kind, match=message):
            pm.Crowd(skeleton, [keys], engine=ENGINE, markers=markers)


# ---- layers, subsets, bounds, lists and poses --------------------------------------------------


@pytest.fixture
def layered(skeleton: pm.Skeleton) -> pm.Crowd:
    """Three clips with scales, and joints in another order than the skeleton's."""
    numbers = np.random.default_rng(5)
    turned = pm.Skeleton(["c", "a", "b"], [2, -1, 1], rotations=skeleton.rotations,
                         positions=skeleton.positions, scales=numbers.uniform(0.5, 2, (JOINTS, 3)))
    clips = [pm.Keys(quaternions(FRAMES, seed), numbers.normal(size=(FRAMES, JOINTS, 3)),
                     numbers.uniform(0.5, 2, (FRAMES, JOINTS, 3)), rate=10) for seed in range(3)]
    return pm.Crowd(turned, clips, engine=ENGINE, masks=[[1, 0.5, 0.25]], radii=[0.1, 0, 2],
                    subsets={"tip": ["c"], "two": [2, "a"]})


def cast(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Instances, layers, and their ranges, of which the last reaches past the last layer."""
    numbers = np.random.default_rng(count)
    instances, layers = np.zeros(count, pm.crowd_instance), np.zeros(4 * count, pm.crowd_layer)
    instances["time_a"] = pm.crowd_ticks(numbers.uniform(0, 1, count))
    layers["time"] = pm.crowd_ticks(numbers.uniform(-1, 1, 4 * count))
    for field, end in (("clip", 3), ("mask", 2), ("op", 3)):
        layers[field] = numbers.integers(end, size=4 * count)
    layers["weight"] = numbers.uniform(0.1, 0.9, 4 * count)
    ranges = np.stack([4 * np.arange(count), numbers.integers(5, size=count)], axis=1)
    ranges[-1] = 4 * count - 3, 2**32 - 1
    return instances, layers, ranges


def single(crowd: pm.Crowd, output: int, bytes_: int, subset: int, **given: Any) -> bytes:
    """The records of one character by pm_crowd_pose_one."""
    records = ffi.new("char[]", bytes_)
    one = ffi.new("pm_crowd_one *", {
        "output": output, "subset": subset, "layer_count": len(given.get("layers", ())),
        **{name: ffi.cast("void *", value.ctypes.data) for name, value in given.items()}})
    assert lib.pm_crowd_pose_one(crowd._handle, one, records, ffi.NULL) == lib.PM_OK
    return bytes(ffi.buffer(records))


CHAINS: dict[str, dict[str, Any]] = {
    "arm": {"kind": "two_bones", "joints": ["RightArm", "RightForeArm", "RightHand"], "axis": [0, 1, 0]},
    "gaze": {"kind": "aim", "joints": ["Neck", "Head"], "forward": [0, 0, 1], "axis": [0, 1, 0],
             "shares": [1, 2], "limit": 1.0, "pole": "direction"},
    "foot": {"kind": "pin", "joints": ["LeftFoot"]},
    "left": {"kind": "two_bones", "joints": ["LeftUpLeg", "LeftLeg", "LeftFoot"], "axis": [1, 0, 0]},
    "right": {"kind": "two_bones", "joints": ["RightUpLeg", "RightLeg", "RightFoot"], "axis": [1, 0, 0]},
    "stand": {"kind": "stand", "joints": ["Hips", "LeftFoot", "RightFoot"], "axis": [0, 1, 0]}}


def test_goals_move_joints_in_model_space_and_in_the_world() -> None:
    m = pm.load(WALK)
    crowd = pm.Crowd(m.skeleton, m.clips, engine=ENGINE, chains=CHAINS)
    names = m.skeleton.names
    instances = np.zeros(5, pm.crowd_instance)
    instances["time_a"] = pm.crowd_ticks(0.1 * np.arange(5))
    plain = crowd.pose(instances, "model")
    hand, foot = (plain[:, crowd.slots[names.index(name)], :, 3] for name in ("RightHand", "LeftFoot"))
    goals = {"foot": np.zeros(5, pm.chain_goal), "arm": np.zeros(5, pm.chain_goal)}
    goals["foot"]["position"], goals["foot"]["weight"] = foot + [1, 2, 3], 1
    moved = crowd.pose(instances, "model", goals={"foot": goals["foot"]})
    np.testing.assert_allclose(moved[..., 3], plain[..., 3] + [1, 2, 3], atol=1e-3)
    shoulder = plain[:, crowd.slots[names.index("RightArm")], :, 3]
    goals["arm"]["position"], goals["arm"]["weight"] = 0.3 * shoulder + 0.7 * hand, 1
    reached = crowd.pose(instances, "model", goals={"arm": goals["arm"]})
    np.testing.assert_allclose(reached[:, crowd.slots[names.index("RightHand")], :, 3],
                               goals["arm"]["position"], atol=1e-3)
    turned = goals["arm"].copy()
    turned["position"] = np.stack([-turned["position"][:, 1], turned["position"][:, 0], turned["position"][:, 2]], 1) + 7
    half = np.tile([0, 0, np.sqrt(0.5), np.sqrt(0.5)], (5, 1)) # a quarter turn about z
    world = crowd.pose(instances, "model", goals={"arm": turned}, placements=(np.full((5, 3), 7), half))
    np.testing.assert_allclose(world, reached, atol=1e-3)
    goals["arm"]["weight"] = 0
    assert (crowd.pose(instances, "model", goals={"arm": goals["arm"]}) == plain).all()
    again = pickle.loads(pickle.dumps(crowd))
    assert (again.pose(instances, "model", goals={"foot": goals["foot"]}) == moved).all()


def test_feet_stand_on_a_slope() -> None:
    m = pm.load(WALK)
    crowd = pm.Crowd(m.skeleton, m.clips, engine=ENGINE, chains=CHAINS)
    instances, goals = np.zeros(5, pm.crowd_instance), np.zeros(5, pm.stand_goal)
    instances["time_a"] = pm.crowd_ticks(0.1 * np.arange(5))
    feet = crowd.slots[[m.skeleton.names.index(name) for name in ("LeftFoot", "RightFoot")]]
    before = crowd.pose(instances, "model")[:, feet, :, 3]
    goals["weight"], goals["tilt"], goals["lowest"], goals["highest"] = 1, 0.5, np.nan, np.nan
    x, z = np.meshgrid(np.arange(-500, 501, 100), np.arange(-400, 901, 100))
    field = (0.1 * x - 0.05 * z, (-500, -400), 100)
    after = crowd.pose(instances, "model", goals={"stand": goals}, ground=field)[:, feet, :, 3]
    before[..., 1] += 0.1 * before[..., 0] - 0.05 * before[..., 2]
    np.testing.assert_allclose(after, before, atol=1e-3)
    goals["point"], goals["normal"] = [0, 0, 0], [-0.1, 1, 0.05]
    plane = crowd.pose(instances, "model", goals={"stand": goals})[:, feet, :, 3]
    np.testing.assert_allclose(plane, before, atol=1e-3)
    for wrong, match in (((field[0], (0, 0)), "origin"), ((field[0][0], (0, 0), 1), "rows"),
                         ((field[0], (0, 0), 0), "cell"), ((field[0][:0], (0, 0), 1), "0 rows")):
        with pytest.raises((ValueError, TypeError), match=match):
            crowd.pose(instances, goals={"stand": goals}, ground=wrong) # type: ignore[arg-type]
    with pytest.raises(TypeError, match="stand_goal"):
        crowd.pose(instances, goals={"stand": np.zeros(5, pm.chain_goal)})


def test_root_motion_goes_on_with_the_velocity_before_a_change() -> None:
    m = pm.load(WALK)
    crowd = pm.Crowd(m.skeleton, m.clips, engine=ENGINE)
    step, now = pm.crowd_ticks(1 / 64), pm.crowd_ticks(3)
    old, new = np.zeros((2, 2), pm.crowd_instance), np.zeros((3, 2), pm.crowd_instance)
    old["time_a"], new["time_a"] = [[step], [2 * step]], [[0], [0], [pm.crowd_ticks(1e-4)]] # from a walk to standing
    states = crowd.begin_transitions(list(old), list(new[:2]), step=step, duration=0.5, time=now)
    before, shown = crowd.root_motion(*old)[1], crowd.root_motion(
        new[1], new[2], transitions=(states, (now, now + pm.crowd_ticks(1e-4))))[1]
    own = crowd.root_motion(new[1], new[2])[1]
    np.testing.assert_allclose((shown - own) / 1e-4, before * 64, atol=0.2)
    over = crowd.root_motion(new[1], new[2], transitions=(states, (now - step, now + pm.crowd_ticks(1))))[1]
    np.testing.assert_allclose(over, own, atol=1e-4)


def test_planted_feet_stay_while_instances_move_on() -> None:
    m = pm.load(WALK)
    chains = {**CHAINS, "stand": {**CHAINS["stand"], "contacts": [[1, 2], [3, 4]]}}
    crowd = pm.Crowd(m.skeleton, m.clips, engine=ENGINE, chains=chains, markers={0: [(0.1, 1), (0.4, 2)]})
    instances, goals = np.zeros(2, pm.crowd_instance), np.zeros(2, pm.stand_goal)
    goals["weight"], goals["normal"], goals["release"] = 1, [0, 1, 0], 0.2
    left = crowd.slots[m.skeleton.names.index("LeftFoot")]
    states = np.zeros((2, crowd.plant_bytes), np.uint8)
    shown = []
    for n in range(20):
        now = pm.crowd_ticks(0.03 * n)
        instances["time_a"] = now % pm.crowd_ticks(0.2) // 100 + pm.crowd_ticks(0.1) + (n >= 15) * pm.crowd_ticks(0.4)
        way = np.array([[0.1 * n, 0, 0], [0, 0, -0.1 * n]])
        model = crowd.pose(instances, "model", goals={"stand": goals}, plants=(states, now),
                           placements=(way, np.tile([0, 0, 0, 1], (2, 1))))
        shown.append(model[:, left, :, 3] + way)
    np.testing.assert_allclose(shown[:15], np.tile(shown[0], (15, 1, 1)), atol=1e-2)
    assert np.abs(shown[15] - shown[14]).max() < 1 < np.abs(shown[19] - shown[14]).max()
    with pytest.raises(ValueError, match="plants"):
        crowd.pose(instances, goals={"stand": goals}, plants=(states[:1], 0))
    with pytest.raises(ValueError, match="contacts"):
        pm.Crowd(m.skeleton, m.clips, engine=ENGINE, chains={"stand": {**CHAINS["stand"], "contacts": [[1, 2]]}})


def test_chains_and_goals_are_checked() -> None:
    m = pm.load(WALK)
    for chain, match in (({"kind": "leg"}, "kind"), ({**CHAINS["foot"], "limit": 1}, "no 'limit'"),
                         ({**CHAINS["arm"], "joints": "RightArm"}, "text"), ({**CHAINS["arm"], "pole": "side"}, "pole"),
                         ({**CHAINS["arm"], "joints": ["RightHand", "RightArm", "Head"]}, "below"),
                         ({**CHAINS["gaze"], "shares": [1]}, "shares")):
        with pytest.raises((ValueError, TypeError), match=match):
            pm.Crowd(m.skeleton, m.clips, engine=ENGINE, chains={"c": chain})
    crowd = pm.Crowd(m.skeleton, m.clips, engine=ENGINE, chains=CHAINS)
    instances, goals = np.zeros(2, pm.crowd_instance), np.zeros(2, pm.chain_goal)
    for wrong, match in (({"leg": goals}, "leg"), ({"arm": goals[:1]}, "expected 2"), ({"arm": instances}, "chain_goal")):
        with pytest.raises((ValueError, TypeError), match=match):
            crowd.pose(instances, goals=wrong)
    with pytest.raises(ValueError, match="placements"):
        crowd.pose(instances, placements=(np.zeros((2, 3)), np.tile([0, 0, 0, 1], (2, 1))))


def test_results_are_those_of_single_calls(layered: pm.Crowd) -> None:
    instances, layers, ranges = cast(7)
    local = layered.pose(instances, "local")
    for output in ("palette", "palette_half", "model", "local", "bounds"):
        number = getattr(lib, f"PM_CROWD_{output.upper()}")
        for subset, c_subset in ((None, 0), ("tip", 1), (1, 2)):
            found = layered.pose(instances, output, layers=layers, ranges=ranges, subset=subset)
            given = layered.pose(None, output, poses=local, subset=subset)
            for i, (first, count) in enumerate(ranges):
                assert found[i].tobytes() == single(
                    layered, number, found[i].nbytes, c_subset, instance=instances[i:i + 1],
                    layers=layers[first:first + count])
                assert given[i].tobytes() == single(layered, number, given[i].nbytes, c_subset, pose=local[i])


def test_poses_in_place_of_instances(layered: pm.Crowd) -> None:
    instances, _, _ = cast(6)
    local = layered.pose(instances, "local")
    palette = layered.pose(instances)
    assert (layered.pose(poses=local) == palette).all()
    assert (layered.pose(poses=local[::2].astype(np.float64), output="palette") == palette[::2]).all()
    root = layered.order.tolist().index(1)
    local[:, root, 1, 0] += 4
    moved = layered.pose(poses=local, output="model") - layered.pose(instances, "model")
    np.testing.assert_allclose(moved[..., 3], np.broadcast_to([4, 0, 0], moved.shape[:3]), atol=1e-5)
    skipping = pm.Crowd(pm.Skeleton(["a"], [-1]), [pm.Keys([[[0, 0, 0, 1.0]]], rate=1)], engine=ENGINE,
                        levels=[(None, 2)])
    assert skipping.pose(poses=np.ones((1, 1, 3, 4)) / 2).shape == (1, 1, 3, 4)  # which have no level


def test_lists_of_instances(layered: pm.Crowd) -> None:
    instances, layers, ranges = cast(8)
    every = layered.pose(instances, layers=layers, ranges=ranges)
    chosen = [6, 1, 6, 0]
    for indices in (chosen, np.array(chosen, np.uint8), np.repeat(chosen, 2)[::2]):
        some = layered.pose(instances, layers=layers, ranges=ranges, indices=indices)
        assert some.shape == (4, JOINTS, 3, 4) and (some == every[chosen]).all()
    out = np.full((8, 2, 4), 7, np.float32)
    assert layered.pose(instances, "bounds", indices=chosen, packed=False, out=out) is out
    assert (out[chosen] == layered.pose(instances, "bounds")[chosen]).all()
    assert (np.delete(out, chosen, axis=0) == 7).all()
    before = out.copy()
    assert (layered.pose(instances, "bounds", indices=[], packed=False, out=out) == before).all()
    assert layered.pose(instances, indices=[]).shape == (0, JOINTS, 3, 4)
    assert (layered.pose(instances, packed=False, layers=layers, ranges=ranges) == every).all()


def test_odd_jobs_are_refused(layered: pm.Crowd) -> None:
    instances, layers, ranges = cast(3)
    local = layered.pose(instances, "local")
    for arguments, kind, message in (
            ({"instances": None}, ValueError, "instances or poses"), ({"poses": local}, ValueError, "not both"),
            ({"layers": layers}, ValueError, "ranges"), ({"ranges": ranges}, ValueError, "layers"),
            ({"layers": instances, "ranges": ranges}, TypeError, "layers: .*crowd_layer"),
            ({"layers": layers, "ranges": ranges[:2]}, ValueError, r"ranges: .*\(3, 2\)"),
            ({"layers": layers, "ranges": -ranges - 1}, ValueError, "ranges: .*-"),
            ({"layers": layers, "ranges": ranges / 2}, TypeError, "ranges"),
            ({"indices": [3]}, ValueError, "indices: .*below 3, found 3"),
            ({"indices": [0, -1]}, ValueError, "indices: .*-1"), ({"indices": [[0]]}, ValueError, "indices"),
            ({"indices": [True, False, True]}, TypeError, "indices: .*bool"),
            ({"indices": [0], "packed": False}, ValueError, "out: .*packed"),
            ({"indices": [0], "out": np.empty((3, 3, 3, 4), np.float32)}, ValueError, "out"),
            ({"subset": "hand"}, ValueError, "subset: .*'hand'"), ({"subset": 2}, ValueError, "subset: 2"),
            ({"subset": 1.0}, TypeError, "subset"), ({"subset": "tip", "out": local}, ValueError, "out"),
            ({"instances": None, "poses": local[:, :2]}, ValueError, "poses"),
            ({"instances": None, "poses": local.astype(str)}, TypeError, "poses"),
            ({"instances": None, "poses": local, "out": local}, ValueError, "out: overlaps the poses"),
            ({"instances": None, "poses": local, "layers": layers, "ranges": ranges}, ValueError, "layers")):
        with pytest.raises(kind, match=message):
            layered.pose(**{"instances": instances, **arguments})
    skeleton, keys = pm.Skeleton(["a", "b", "c"], [-1, 0, 1]), pm.Keys(quaternions(2, 1), rate=1)
    for arguments, kind, message in (
            ({"subsets": {"a": [3]}}, ValueError, "subsets: 'a': 3"), ({"subsets": {"a": ["d"]}}, ValueError, "'d'"),
            ({"subsets": {"a": "bc"}}, TypeError, "'a'"), ({"subsets": {0: [1]}}, TypeError, "names"),
            ({"subsets": {"a": []}}, ValueError, "no joints"), ({"subsets": {"a": [1, "b"]}}, ValueError, "twice"),
            ({"radii": [1]}, ValueError, "radii"), ({"radii": [0, 0, -1]}, ValueError, "radii.*joint 2")):
        with pytest.raises(kind, match=message):
            pm.Crowd(skeleton, [keys], engine=ENGINE, **arguments)


# ---- refused ---------------------------------------------------------------------------------


def test_refused(crowd: pm.Crowd, skeleton: pm.Skeleton, keys: pm.Keys) -> None:
    instances = np.zeros(2, pm.crowd_instance)
    shape = (2, JOINTS, 3, 4)
    frozen = np.empty(shape, np.float32)
    frozen.flags.writeable = False
    for out in (np.empty(shape), np.empty((1, *shape[1:]), np.float32), frozen,
                np.empty((2, 3, 4, JOINTS), np.float32).transpose(0, 3, 1, 2),
                np.broadcast_to(np.empty(shape[1:], np.float32), shape)):
        with pytest.raises(ValueError, match="out"):
            crowd.pose(instances, out=out)
    with pytest.raises(TypeError, match="out"):
        crowd.pose(instances, out=[])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="instances"):
        crowd.pose(np.zeros(2))
    with pytest.raises(ValueError, match="instances"):
        crowd.pose(instances.reshape(1, 2))
    with pytest.raises(ValueError, match="output"):
        crowd.pose(instances, "best")
    with pytest.raises(ValueError, match="frame"):
        crowd.pose(instances, frame=-1)
    with pytest.raises(TypeError, match="frame"):
        crowd.pose(instances, frame=1.5)
    for arguments, kind, message in (
            ({"clips": []}, ValueError, "clips"), ({"clips": [3]}, TypeError, "clips"),
            ({"clips": [keys], "method": "best"}, ValueError, "method"),
            ({"clips": [keys], "masks": [[1, 2]]}, ValueError, "masks"),
            ({"clips": [keys], "levels": [([1], 1)]}, ValueError, "levels"),
            ({"clips": [pm.Keys(quaternions(2, 1)[:, :2], rate=1)]}, ValueError, "joints"),
            ({"clips": [pm.Keys(2 * quaternions(2, 1), rate=1)]}, ValueError, "clip")):
        with pytest.raises(kind, match=message):
            pm.Crowd(skeleton, engine=ENGINE, **arguments)
    with pytest.raises(TypeError, match="skeleton"):
        pm.Crowd("walk", [keys])  # type: ignore[arg-type]


def test_refused_arrays() -> None:
    q = quaternions(2, 1)
    for arguments, message in ((({"rotations": q}), "rate"),
                               ({"rotations": q, "rate": 1, "times": [0, 1]}, "rate"),
                               ({"rotations": q[0], "rate": 1}, "rotations"),
                               ({"rotations": q, "positions": q, "rate": 1}, "positions"),
                               ({"rotations": q, "times": [0]}, "times")):
        with pytest.raises(ValueError, match=message):
            pm.Keys(**arguments)
    for arguments, message in (({"parents": [0]}, "parents"), ({"parents": [-2, 0]}, "parents"),
                               ({"parents": [-1, 2]}, "parents"),
                               ({"parents": [-1, 0], "positions": [1, 2, 3]}, "positions")):
        with pytest.raises(ValueError, match=message):
            pm.Skeleton(["a", "b"], **arguments)
    with pytest.raises(ValueError, match="cycle|parent"):
        pm.Crowd(pm.Skeleton(["a", "b", "c"], [1, 0, -1]), [pm.Keys(q, rate=1)], engine=ENGINE)


def test_lifetime(keys: pm.Keys) -> None:
    engine = pm.Engine("none")
    crowd = pm.Crowd(pm.Skeleton(["a", "b", "c"], [-1, 0, 1]), [keys], engine=engine)
    engine.close()
    order = crowd.order
    instances = np.zeros(3, pm.crowd_instance)
    before = crowd.pose(instances)
    del engine
    gc.collect()
    assert (crowd.pose(instances) == before).all()
    del crowd
    gc.collect()
    assert list(order) == [0, 1, 2]


def test_a_crowd_in_a_cycle_ends_before_its_engine() -> None:
    """Finalizers of objects in a cycle run in any order."""
    script = """
import gc, numpy as np, posemill as pm
motion = pm.load("walk.bvh")
for _ in range(20):
    class Node: pass
    node = Node()
    node.engine = pm.Engine("none")
    node.crowd = pm.Crowd(motion.skeleton, motion.clips, engine=node.engine)
    node.order = node.crowd.order
    node.crowd.node = node.engine.node = node
    del node
    gc.collect()
last = Node()
last.engine, last.me = pm.Engine("none"), last
last.crowd = pm.Crowd(motion.skeleton, motion.clips, engine=last.engine)
last.engine.last = last
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=WALK.parent, capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_ticks_of_arrays_are_those_of_their_numbers() -> None:
    numbers = np.random.default_rng(2).normal(scale=1e4, size=(41, 100))
    numbers[0, :6] = [np.nan, np.inf, -np.inf, 1e300, -0.0, 2.0**-33]
    ticks = pm.crowd_ticks(numbers[:, ::2])
    assert ticks.shape == (41, 50) and ticks.dtype == np.int64
    assert ticks.tolist() == [[pm.crowd_ticks(s) for s in row] for row in numbers[:, ::2].tolist()]
    assert pm.crowd_ticks([]).shape == (0,) and pm.crowd_ticks([1, 2]).tolist() == [2**32, 2**33]


# ---- crowds that change -----------------------------------------------------------------------


def some_keys(seed: int, frames: int = FRAMES) -> pm.Keys:
    positions = np.random.default_rng(seed + 100).normal(size=(frames, JOINTS, 3))
    return pm.Keys(quaternions(frames, seed), positions, rate=10)


def shown(numbers: list[int]) -> np.ndarray:
    instances = np.zeros(len(numbers), pm.crowd_instance)
    instances["clip_a"], instances["time_a"] = numbers, pm.crowd_ticks(0.17)
    return instances


def test_copies_of_a_changed_crowd_keep_its_numbers(skeleton: pm.Skeleton) -> None:
    clips = [some_keys(n) for n in range(4)]
    crowd = pm.Crowd(skeleton, clips[:3], engine=ENGINE, markers={1: [(0.1, 5)]})
    crowd.remove_clips([0, 1])
    assert crowd.add_clips(clips[3:], markers={0: [(0.2, 9)]}).tolist() == [3]
    copy = pickle.loads(pickle.dumps(crowd))
    assert (copy.ticks == crowd.ticks).all() and copy.ticks[1] == 0
    assert (copy.pose(shown([3, 2, 1])) == crowd.pose(shown([3, 2, 1]))).all()
    after = shown([3])
    after["time_a"] = pm.crowd_ticks(0.3)
    assert copy.events(shown([3]), after)["id"].tolist() == crowd.events(shown([3]), after)["id"].tolist() == [9]


def test_changes_that_cannot_be_are_refused(skeleton: pm.Skeleton, keys: pm.Keys) -> None:
    crowd = pm.Crowd(skeleton, [keys, keys], engine=ENGINE)
    with pytest.raises(ValueError, match="presence of positions"):
        crowd.add_clips([pm.Keys(quaternions(FRAMES, 1), rate=10)])
    with pytest.raises(ValueError, match="7"):
        crowd.remove_clips([7])
    with pytest.raises(ValueError):
        crowd.remove_clips([1, 1])
    with pytest.raises(ValueError):
        crowd.remove_clips([0, 1])
    crowd.check(shown([0, 1]))
    assert crowd.add_clips([]).tolist() == []
    still = np.repeat(skeleton.positions[None], FRAMES, axis=0)
    still[:, 0] += np.arange(FRAMES)[:, None]
    of_root = pm.Crowd(skeleton, [pm.Keys(quaternions(FRAMES, 1), still, rate=10)], engine=ENGINE)
    with pytest.raises(ValueError, match="beside the root"):
        of_root.add_clips([keys])


def test_a_file_beside_a_motion_names_masks_subsets_and_chains(tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    shutil.copy(WALK, path)
    (tmp_path / "walk.character.json").write_text(json.dumps({
        "masks": [{"name": "arm", "joints": ["left arm", {"joint": "LeftCollar", "weight": 0.5}]}],
        "subsets": [{"name": "ends", "joints": ["LeftHand", "Head"]}],
        "chains": [{"name": "reach", "kind": "two_bones", "joints": ["LeftArm", "LeftForeArm", "LeftHand"],
                    "axis": [0, -1, 0], "pole": "direction"}],
        "radii": [{"joint": "Head", "radius": 12}]}))
    named, motion = pm.Crowd.from_character(path, engine=ENGINE), pm.load(path)
    names = motion.skeleton.names
    weights = np.array([0.5 if name == "LeftCollar" else float(name in ("LeftArm", "LeftForeArm", "LeftHand"))
                        for name in names])
    plain = pm.Crowd(motion.skeleton, motion, engine=ENGINE, masks=weights[None], subsets={"0": ["LeftHand", "Head"]},
                     chains={"0": {"kind": "two_bones", "joints": ["LeftArm", "LeftForeArm", "LeftHand"],
                                   "axis": [0, -1, 0], "pole": "direction"}},
                     radii=np.where(np.array(names) == "Head", 12, 0))
    instances, goals = shown([0] * 9), np.zeros(9, pm.chain_goal)
    instances["time_a"] = pm.crowd_ticks(np.linspace(0, 2, 9))
    instances["time_b"], instances["weight"] = pm.crowd_ticks(1), 1
    instances["clip_b"], instances["mask"] = 0, named.masks["arm"]
    model = named.pose(instances, "model")
    goals["position"], goals["weight"] = model[:, named.slots[names.index("LeftHand")], :, 3] + [5, 20, 5], 1
    goals["pole"], goals["pole_weight"] = (0, 0, -1), 1
    for crowd in (named, pickle.loads(pickle.dumps(named))):
        assert (crowd.pose(instances, "model", subset="ends", goals={"reach": goals})
                == plain.pose(instances, "model", subset="0", goals={"0": goals})).all()
        assert (crowd.pose(instances, "bounds") == plain.pose(instances, "bounds")).all()
        assert crowd.masks == {"arm": 1}
    moved = named.pose(instances, "model", subset="ends", goals={"reach": goals})[:, 0, :, 3]
    assert np.linalg.norm(moved - goals["position"], axis=1).max() < 1e-3
    with pytest.raises(TypeError, match="file: expected"):
        pm.Crowd.from_character(motion)
    (tmp_path / "walk.character.json").write_text('{"masks": [{"name": "arm", "joints": ["LeftArn"]}]}')
    with pytest.raises(ValueError, match=r"masks\[0\].joints\[0\] is 'LeftArn'.* did you mean 'LeftArm'"):
        pm.Crowd.from_character(motion, tmp_path / "walk.character.json")
