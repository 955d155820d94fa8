# SPDX-License-Identifier: MIT
"""Robots: MuJoCo is the judge of skeletons, positions, rotations and velocities of hinges."""
from __future__ import annotations

from typing import get_args

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posemill as pm
from posemill._names import Method

RATE = 30
ROOT_FIELDS = ["root_pos", "root_rot", "root_vel", "root_ang_vel"]
FIELDS = ["body_pos", "body_rot", "body_vel", "body_ang_vel", "dof_pos", "dof_vel", *ROOT_FIELDS]

MJCF = """<mujoco><compiler angle="degree" eulerseq="zYx"/>
<default><joint axis="0 1 0"/><default class="a"><joint axis="1 0 1" ref="20"/></default></default>
<worldbody><body name="base" pos="1 2 3" euler="10 20 30"><freejoint/>{inertia}
  <body name="thigh" pos="0 0.1 -1" axisangle="1 1 0 40" childclass="a">
    <joint name="j1" pos="0 0 .2"/><joint name="j2" class="main" pos="0.1 0 0"/>{inertia}
    <body name="shank" pos="0 0 -.5" quat="0.5 0.5 0.1 0.2"><joint name="j3" axis="0 0 1"/>{inertia}
      <include file="foot.xml"/></body></body>
  <body name="arm" pos="0.5 0 0"><joint name="j4" axis="0 1 1" ref="-30"/>{inertia}</body>
</body></worldbody></mujoco>"""
FOOT = '<mujocoinclude><body name="foot" pos="0 .1 -.5">{inertia}</body></mujocoinclude>'

URDF = """<robot name="r"><mujoco><compiler fusestatic="false"/></mujoco>
<link name="base">{inertia}</link><link name="hand">{inertia}</link><link name="arm">{inertia}</link>
<link name="tool">{inertia}</link>
<joint name="wrist" type="continuous"><parent link="arm"/><child link="hand"/><axis xyz="0 3 4"/>
  <origin xyz="0.3 0 0.1" rpy="0.4 -0.2 1.1"/></joint>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  <origin xyz="0 0.2 0.5"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="grip" type="fixed"><parent link="hand"/><child link="tool"/><origin rpy="1 0 0" xyz="0 0 .1"/>
</joint></robot>"""


def mjcf_files(folder, seed=1):
    """The model with random centres of mass."""
    rng = np.random.default_rng(seed)
    text, foot = MJCF, FOOT
    while "{inertia}" in text:
        text = text.replace("{inertia}", inertia(rng, "mjcf"), 1)
    (folder / "foot.xml").write_text(foot.replace("{inertia}", inertia(rng, "mjcf")), encoding="utf-8")
    (folder / "robot.xml").write_text(text, encoding="utf-8")
    return folder / "robot.xml"


def inertia(rng, kind):
    place = " ".join(f"{v:.3f}" for v in rng.normal(0, 0.1, 3))
    if kind == "mjcf":
        return f'<inertial pos="{place}" mass="1" diaginertia="1 1 1"/>'
    return (f'<inertial><origin xyz="{place}"/><mass value="1"/>'
            '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>')


def same_rotations(a, b):
    return (Rotation.from_quat(a).inv() * Rotation.from_quat(b)).magnitude().max() < 1e-9


def expect_same_skeletons(a, b):
    assert (a.names, a.hinge_names) == (b.names, b.hinge_names)
    for field in ("parents", "positions", "axes", "references", "points", "hinges", "bodies"):
        assert np.allclose(getattr(a, field), getattr(b, field), atol=1e-9), field
    assert same_rotations(a.rotations, b.rotations)


def made(skeleton, seed, frames=25, step=0.4):
    rng = np.random.default_rng(seed)
    angles = np.cumsum(rng.normal(0, step, (frames, len(skeleton.hinges))), axis=0)
    turns = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.2, (frames, 3)), axis=0))
    return pm.Keys(turns.as_quat(), np.cumsum(rng.normal(0, 0.05, (frames, 3)), axis=0), rate=RATE,
                   angles=angles)


def test_skeletons_of_mjcf_are_those_of_mujoco(tmp_path):
    path = mjcf_files(tmp_path)
    model = mujoco.MjModel.from_xml_path(str(path))
    skeleton = pm.Skeleton.from_mujoco(model)
    expect_same_skeletons(pm.Skeleton.from_mjcf(path), skeleton)
    assert [skeleton.names[n] for n in skeleton.bodies] == ["base", "thigh", "shank", "foot", "arm"]
    assert skeleton.hinge_names == ("j1", "j2", "j3", "j4")


def test_skeletons_of_urdf_are_those_of_mujoco(tmp_path):
    rng = np.random.default_rng(2)
    text = URDF
    while "{inertia}" in text:
        text = text.replace("{inertia}", inertia(rng, "urdf"), 1)
    (tmp_path / "r.urdf").write_text(text, encoding="utf-8")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "r.urdf"))
    skeleton = pm.Skeleton.from_urdf(tmp_path / "r.urdf")
    expect_same_skeletons(skeleton, pm.Skeleton.from_mujoco(model))
    assert skeleton.names == ("base", "arm", "hand", "tool")


def chain_file(folder, seed=1, links=63):
    """A base and a chain of hinges about random axes, with random centres of mass."""
    rng = np.random.default_rng(seed)

    def numbers(size):
        return " ".join(f"{v:.3f}" for v in rng.normal(0, size, 3))

    body = ""
    for link in reversed(range(links)):
        body = (f'<body name="link{link}" pos="{numbers(0.05)}" euler="{numbers(30)}">'
                f'<joint name="hinge{link}" axis="{numbers(1)}"/>{inertia(rng, "mjcf")}{body}</body>')
    (folder / "chain.xml").write_text(
        '<mujoco><compiler angle="degree"/><worldbody><body name="base"><freejoint/>'
        f'{inertia(rng, "mjcf")}{body}</body></worldbody></mujoco>', encoding="utf-8")
    return folder / "chain.xml"


FILES = {"robot": mjcf_files, "chain": chain_file}
# Two more require axes and tangents, which Keys do not have.
METHODS = [method for method in get_args(Method) if method not in ("sterp", "cubicspline")]


def chain_sizes(model, qpos, qvel):
    """For each body the length of its chain, the sum of the angular speeds in it, and its joints."""
    reach, speed, count = np.zeros((3, model.nbody))
    reach[1], speed[1] = np.linalg.norm(qpos[:3]), np.linalg.norm(qvel[3:6])
    for body in range(2, model.nbody):
        parent = model.body_parentid[body]
        own = [joint for joint in range(1, model.njnt) if model.jnt_bodyid[joint] == body]
        reach[body] = reach[parent] + np.linalg.norm(model.body_pos[body]) + sum(
            2 * np.linalg.norm(model.jnt_pos[joint]) for joint in own)
        speed[body] = speed[parent] + sum(abs(qvel[model.jnt_dofadr[joint]]) for joint in own)
        count[body] = count[parent] + len(own)
    return reach[1:], speed[1:], count[1:]


def expect_states_of_mujoco(model, qpos, qvel, found, at_com=False):
    """Positions, rotations x y z w and both velocities of all bodies, in the order of MuJoCo, are those that it
    computes in double precision. Rounding turns the end of a chain of more than 20 hinges by more than 1e-6 rad."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    reach, speed, count = chain_sizes(model, qpos, qvel)
    turns = Rotation.from_quat(np.roll(data.xquat[1:], -1, axis=1))
    six = np.zeros((model.nbody, 6))
    for body in range(1, model.nbody):
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, six[body], 0)
    spins, arms = six[1:, :3], data.xipos[1:] - data.xpos[1:]
    velocities = six[1:, 3:] + np.cross(spins, arms) * at_com
    far = {"positions": np.linalg.norm(data.xpos[1:] - found[0], axis=1) / (2e-6 * reach + 1e-7),
           "rotations": (turns.inv() * Rotation.from_quat(found[1])).magnitude() / np.maximum(1e-6, 5e-8 * count),
           "velocities": np.linalg.norm(velocities - found[2], axis=1) / (
               (1e-6 * RATE + 1e-5 * speed) * (reach + np.linalg.norm(arms, axis=1) + 1e-3)),
           "angular": np.linalg.norm(spins - found[3], axis=1) / (1e-6 * RATE + 1e-5 * speed)}
    for name, parts in far.items():
        assert parts.max() <= 1, (name, parts.max())


def hard_times(lib, rng, count=40):
    """Random ones, a third on keys, and those at both ends and beyond."""
    ids, times = lib.sample_times(count, rng)
    times[::3] = np.round(times[::3] * RATE) / RATE
    times[1:5] = [-0.3, 0, lib.durations[ids[3]], lib.durations[ids[4]] + 2]
    return ids, times


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("method", METHODS)
def test_states_agree_with_mujoco(tmp_path, file, method):
    model = mujoco.MjModel.from_xml_path(str(FILES[file](tmp_path, 3)))
    skeleton, rng = pm.Skeleton.from_mujoco(model), np.random.default_rng(6)
    motions = {"a": made(skeleton, 4), "b": made(skeleton, 5, 9)}
    lib = pm.MotionLibrary(skeleton, motions, method=method)
    assert list(lib.body_names) == [model.body(n).name for n in range(1, model.nbody)]
    ids, times = hard_times(lib, rng)
    places = (rng.normal(size=(40, 3)), Rotation.random(40, random_state=7).as_quat())
    moved = {"at": places, "speed": rng.uniform(-2, 2, 40)}
    for options in ({}, moved):
        s = lib.sample(ids, times, fields=FIELDS, **options)
        com = lib.sample(ids, times, fields=["body_vel"], velocity_at="com", **options)["body_vel"]
        for qpos, qvel, *found, at_com in zip(lib.qpos(s), lib.qvel(s), s["body_pos"], s["body_rot"], s["body_vel"],
                                              s["body_ang_vel"], com, strict=True):
            expect_states_of_mujoco(model, qpos, qvel, found)
            expect_states_of_mujoco(model, qpos, qvel, [*found[:2], at_com, found[3]], at_com=True)
    bodies, dofs = rng.permutation(len(lib.body_names))[1:], rng.permutation(len(lib.dof_names))
    other = pm.MotionLibrary(skeleton, motions, method=method, bodies=[lib.body_names[n] for n in bodies],
                             dofs=[lib.dof_names[n] for n in dofs])
    ordered = other.sample(ids, times, fields=FIELDS[:6], scalar_first=True, **moved | {
        "at": (places[0], np.roll(places[1], 1, axis=1))})
    for field, values in ordered.items():
        wanted = s[field][:, dofs if field.startswith("dof") else bodies]
        assert np.array_equal(values, np.roll(wanted, 1, axis=-1) if field == "body_rot" else wanted), field


def between_keys(keys, time):
    """MuJoCo's qpos and qvel by slerp of the root, in double precision: on a key the mean of both sides, at an
    end the inner one."""
    last = len(keys.rotations) - 1
    place = min(max(time * RATE, 0.0), float(last))
    near = round(place)
    on_key = abs(place - near) < 1e-6
    sides = [k for k in ((near - 1, near) if on_key else (int(place),)) if 0 <= k < last]
    place = near if on_key else place
    turns = [Rotation.from_quat(row.astype(np.float32)) for row in keys.rotations]
    places, angles = np.float64(np.float32(keys.positions)), np.float64(np.float32(keys.angles))
    rates = np.zeros(6 + angles.shape[1])
    for k in sides:
        own = (turns[k].inv() * turns[k + 1]).as_rotvec()
        rates += RATE / len(sides) * np.concatenate([places[k + 1] - places[k], own, angles[k + 1] - angles[k]])
    k = min(int(place), last - 1)
    u, first = place - k, turns[k]
    root = (first * Rotation.from_rotvec(u * (first.inv() * turns[k + 1]).as_rotvec())).as_quat()
    mixed = [(1 - u) * rows[k] + u * rows[k + 1] for rows in (places, angles)]
    return np.concatenate([mixed[0], np.roll(root, 1), mixed[1]]), rates


@pytest.mark.parametrize("file", FILES)
def test_slerp_from_keys_agrees_with_mujoco(tmp_path, file):
    """No number of the library is an input of MuJoCo here."""
    model = mujoco.MjModel.from_xml_path(str(FILES[file](tmp_path, 8)))
    skeleton = pm.Skeleton.from_mujoco(model)
    motions = [made(skeleton, 4), made(skeleton, 5, 9)]
    lib = pm.MotionLibrary(skeleton, dict(zip("ab", motions, strict=True)))
    ids, times = hard_times(lib, np.random.default_rng(9))
    s = lib.sample(ids, times)
    for i in range(len(ids)):
        qpos, qvel = between_keys(motions[ids[i]], times[i])
        expect_states_of_mujoco(model, qpos, qvel, [s[field][i] for field in FIELDS[:4]])


def chain_of_balls(seed, joints=64, frames=25):
    rng = np.random.default_rng(seed)
    turns = np.cumsum(rng.normal(0, 0.1, (frames, joints, 3)), axis=0)
    places = np.cumsum(rng.normal(0, 0.05, (frames, 3)), axis=0)
    return pm.Skeleton([f"j{n}" for n in range(joints)], np.arange(joints) - 1, positions=rng.normal(0, 0.1, (joints, 3))), \
        pm.Keys(Rotation.from_rotvec(turns.reshape(-1, 3)).as_quat().reshape(frames, joints, 4), places, rate=RATE)


@pytest.mark.parametrize("kind", ["hinges", "balls"])
@pytest.mark.parametrize("method", METHODS)
def test_velocities_are_the_differences_of_poses(tmp_path, method, kind):
    skeleton, keys = chain_of_balls(4)
    if kind == "hinges":
        skeleton = pm.Skeleton.from_mjcf(chain_file(tmp_path, 3))
        keys = made(skeleton, 4, step=0.1)
    lib = pm.MotionLibrary(skeleton, {"a": keys}, method=method)
    rng, step, count = np.random.default_rng(10), 1 / 1024, 30
    times = (rng.integers(0, 24, count) + rng.uniform(0.2, 0.8, count)) / RATE
    ids = np.zeros(count, int)
    s = lib.sample(ids, times)
    at = {k: lib.sample(ids, times + k * step) for k in (-2, -1, 1, 2)}
    centre = Rotation.from_quat(s["body_rot"].reshape(-1, 4)).inv()
    turned = {k: (Rotation.from_quat(one["body_rot"].reshape(-1, 4)) * centre).as_rotvec() for k, one in at.items()}
    for field, of in (("body_vel", {k: one["body_pos"].astype(float) for k, one in at.items()}),
                      ("body_ang_vel", turned)):
        slope = (8 * (of[1] - of[-1]) - (of[2] - of[-2])) / (12 * step)
        far = np.abs(slope.reshape(s[field].shape) - s[field]).max()
        assert far <= 1e-3 * np.abs(s[field]).max(), (field, far)
        assert (method == "step") == (not s[field].any())


def test_angles_are_numbers_that_are_never_wrapped(tmp_path):
    skeleton = pm.Skeleton.from_mjcf(mjcf_files(tmp_path))
    angles = np.array([[0, 0, 0, 0], [7, -9, 0.5, 100], [7, -9, 0.5, 100]], np.float32)
    turns = np.tile([0.0, 0, 0, 1], (3, 1))
    lib = pm.MotionLibrary(skeleton, {"a": pm.Keys(turns, np.zeros((3, 3)), rate=10, angles=angles)},
                           dofs=["j4", 1])
    assert lib.dof_names == ("j4", "j2")
    s = lib.sample([0, 0, 0], [0.025, 0.05, 5], fields=["dof_pos", "dof_vel"])
    assert np.allclose(s["dof_pos"], [[25, -2.25], [50, -4.5], [100, -9]], rtol=1e-6)
    assert np.allclose(s["dof_vel"], [[1000, -90], [1000, -90], [0, 0]], rtol=1e-5)


def test_files_of_robots(tmp_path):
    skeleton = pm.Skeleton.from_mjcf(mjcf_files(tmp_path))
    keys = made(skeleton, 7)
    rows = np.hstack([keys.positions, keys.rotations, keys.angles])
    np.savetxt(tmp_path / "walk.csv", rows, delimiter=",", fmt="%.9g")
    lib = pm.MotionLibrary.from_files(tmp_path / "walk.csv", skeleton, method="squad")
    same = pm.MotionLibrary(skeleton, {"walk": keys}, method="squad")
    ids, times = same.sample_times(30, 8)
    a, b = lib.sample(ids, times, fields=FIELDS), same.sample(ids, times, fields=FIELDS)
    for field in FIELDS:
        assert np.allclose(a[field], b[field], atol=1e-4 if "vel" in field else 1e-6), field
    lib.save(tmp_path / "lib.npz")
    kept = pm.MotionLibrary.load(tmp_path / "lib.npz")
    assert kept.dof_names == lib.dof_names and kept.body_names == lib.body_names
    c = kept.sample(ids, times, fields=FIELDS)
    assert all(np.array_equal(a[field], c[field]) for field in FIELDS)
    assert np.load(tmp_path / "lib.npz")["dof"].shape == (25, 4)
    with pytest.raises(ValueError, match="has 3 numbers of joint angles in a row; the robot has 4"):
        np.savetxt(tmp_path / "few.csv", rows[:, :-1], delimiter=",")
        pm.MotionLibrary.from_files(tmp_path / "few.csv", skeleton)


@pytest.mark.parametrize(("text", "words"), [
    ('<mujoco><worldbody><body name="b"><joint name="s" type="slide"/></body></worldbody></mujoco>',
     "joint 's': slides"),
    ('<mujoco><worldbody><body name="b"><frame name="f"/></body></worldbody></mujoco>', "frame 'f'"),
    ('<mujoco><worldbody><body pos="1 2"/></worldbody></mujoco>', "pos: expected 3 numbers"),
    ('<mujoco><worldbody><body pos="1 2 nan"/></worldbody></mujoco>', "pos: expected 3 numbers"),
    ('<mujoco><worldbody><body quat="0 0 0 0"/></worldbody></mujoco>', "quat: has no length that"),
    ('<mujoco><worldbody><body><joint class="x"/></body></worldbody></mujoco>', "no class 'x'"),
    ('<mujoco><compiler eulerseq="xxq"/><worldbody><body/></worldbody></mujoco>', "eulerseq"),
    ('<mujoco><include file="robot.xml"/></mujoco>', "is already included"),
    ('<mujoco><include file="none.xml"/></mujoco>', "include: .*none.xml"),
    ("<mujoco/>", "has no body"), ("<robot/>", "expected 'mujoco'"), ("<mujoco>", "no element|mismatched"),
    ("<mujoco><worldbody>" + "<body>" * 5000 + "</body>" * 5000 + "</worldbody></mujoco>", "too deep"),
])
def test_wrong_mjcf(tmp_path, text, words):
    (tmp_path / "robot.xml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"robot.xml: .*({words})"):
        pm.Skeleton.from_mjcf(tmp_path / "robot.xml")


@pytest.mark.parametrize(("text", "words"), [
    ('<robot><link name="a"/><link name="b"/></robot>', "2 links without a parent"),
    ('<robot><link name="a"/><link name="a"/></robot>', "same name"),
    ('<robot><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint></robot>',
     "joint 'j': there is no link 'c'"),
    ('<robot><link name="a"/><link name="b"/><joint name="j" type="prismatic"><parent link="a"/>'
     '<child link="b"/></joint></robot>', "joint 'j': type 'prismatic'"),
    ('<robot><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
     '<child link="b"/></joint><joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>',
     "0 links without a parent"),
])
def test_wrong_urdf(tmp_path, text, words):
    (tmp_path / "r.urdf").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"r.urdf: .*{words}"):
        pm.Skeleton.from_urdf(tmp_path / "r.urdf")


def test_wrong_keys(tmp_path):
    skeleton = pm.Skeleton.from_mjcf(mjcf_files(tmp_path))
    turns = np.tile([0.0, 0, 0, 1], (3, 1))
    with pytest.raises(ValueError, match="angles of 4 hinges, found 3"):
        pm.MotionLibrary(skeleton, {"a": pm.Keys(turns, rate=30, angles=np.zeros((3, 3)))})
    with pytest.raises(ValueError, match="angles of 4 hinges, found none"):
        pm.MotionLibrary(skeleton, {"a": pm.Keys(np.tile(turns[:, None], (1, 7, 1)), rate=30)})
    with pytest.raises(ValueError, match="has no hinges"):
        pm.Crowd(pm.Skeleton(["a"], [-1]), [pm.Keys(turns, rate=30, angles=np.zeros((3, 1)))])
    with pytest.raises(ValueError, match="hinges has states of bodies alone"):
        pm.Crowd(skeleton, [made(skeleton, 1)]).pose(np.zeros(1, pm.crowd_instance), "model")
    lib = pm.MotionLibrary(pm.Skeleton(["a"], [-1]), {"a": pm.Keys(turns[:, None], rate=30)})
    with pytest.raises(ValueError, match="no hinges"):
        lib.sample([0], [0], fields=["dof_pos"])
    with pytest.raises(ValueError, match="'angle' is unknown"):
        lib.sample([0], [0], fields=["angle"])


@pytest.mark.parametrize(("flavor", "first", "at_com"), [
    ("mjlab", True, False), ("isaaclab2", True, True), ("isaaclab3", False, True)])
def test_exports_are_mujocos_states(tmp_path, flavor, first, at_com):
    model = mujoco.MjModel.from_xml_path(str(mjcf_files(tmp_path)))
    skeleton = pm.Skeleton.from_mujoco(model)
    keys = made(skeleton, 9)
    pm.MotionLibrary(skeleton, {"a": keys}).export_npz(tmp_path / "a.npz", "a", 50, flavor)
    found = np.load(tmp_path / "a.npz")
    assert found["fps"] == [50] and len(found["joint_pos"]) == 41
    names, joints = list(found["body_names"]), list(found["joint_names"])
    bodies, hinges = ["base", "thigh", "shank", "foot", "arm"], ["j1", "j2", "j3", "j4"] # as MuJoCo counts
    assert bodies == [model.body(n).name for n in range(1, model.nbody)]
    assert names == (bodies if flavor == "mjlab" else ["base", "thigh", "arm", "shank", "foot"])
    assert joints == (hinges if flavor == "mjlab" else ["j1", "j2", "j4", "j3"])
    rows, columns = [names.index(name) for name in bodies], [joints.index(name) for name in hinges]
    turns = found["body_quat_w"][:, rows]
    for frame in range(41):
        qpos, qvel = between_keys(keys, frame / 50)
        expect_states_of_mujoco(model, qpos, qvel, [
            found["body_pos_w"][frame, rows], np.roll(turns[frame], -1, axis=1) if first else turns[frame],
            found["body_lin_vel_w"][frame, rows], found["body_ang_vel_w"][frame, rows]], at_com)
        assert np.allclose(found["joint_pos"][frame, columns], qpos[7:], rtol=1e-6, atol=1e-6)
        assert np.allclose(found["joint_vel"][frame, columns], qvel[6:], rtol=1e-5, atol=1e-6 * RATE)


def test_wrong_exports(tmp_path):
    skeleton = pm.Skeleton.from_mjcf(mjcf_files(tmp_path))
    lib = pm.MotionLibrary(skeleton, {"a": made(skeleton, 9)})
    for motion in ("b", 1, -1):
        with pytest.raises(ValueError, match="none of 1 motions"):
            lib.export_npz(tmp_path / "a.npz", motion, 50)
    with pytest.raises(ValueError, match="flavor: 'x' is unknown"):
        lib.export_npz(tmp_path / "a.npz", 0, 50, "x")
    assert not list(tmp_path.glob("a.npz*"))
