# SPDX-License-Identifier: MIT
"""Robots: MuJoCo is the judge of skeletons, positions, rotations and velocities of hinges."""
from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posemill as pm

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


def made(skeleton, seed, frames=25):
    rng = np.random.default_rng(seed)
    angles = np.cumsum(rng.normal(0, 0.4, (frames, len(skeleton.hinges))), axis=0)
    turns = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.2, (frames, 3)), axis=0))
    return pm.Keys(turns.as_quat(), np.cumsum(rng.normal(0, 0.05, (frames, 3)), axis=0), rate=30,
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


@pytest.mark.parametrize("method", ["slerp", "squad", "spline"])
def test_states_agree_with_mujoco(tmp_path, method):
    model = mujoco.MjModel.from_xml_path(str(mjcf_files(tmp_path, 3)))
    data = mujoco.MjData(model)
    skeleton = pm.Skeleton.from_mujoco(model)
    lib = pm.MotionLibrary(skeleton, {"a": made(skeleton, 4), "b": made(skeleton, 5, 9)}, method=method)
    ids, times = lib.sample_times(40, 6)
    s = lib.sample(ids, times, fields=FIELDS)
    com = lib.sample(ids, times, fields=["body_vel"], velocity_at="com")["body_vel"]
    positions, velocities = lib.qpos(s), lib.qvel(s)
    speed = max(1.0, float(np.abs(s["body_vel"]).max()))
    for i in range(40):
        data.qpos[:], data.qvel[:] = positions[i], velocities[i]
        mujoco.mj_forward(model, data)
        assert np.abs(data.xpos[1:] - s["body_pos"][i]).max() < 4e-6
        turns = Rotation.from_quat(np.roll(data.xquat[1:], -1, axis=1))
        assert (turns.inv() * Rotation.from_quat(s["body_rot"][i])).magnitude().max() < 2e-6
        for body in range(1, model.nbody):
            found = np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, found, 0)
            assert np.abs(found[3:] - s["body_vel"][i, body - 1]).max() < 2e-6 * speed
            assert np.abs(found[:3] - s["body_ang_vel"][i, body - 1]).max() < 2e-6 * speed
            arm = data.xipos[body] - data.xpos[body]
            assert np.abs(found[3:] + np.cross(found[:3], arm) - com[i, body - 1]).max() < 2e-6 * speed


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
    rest = lib.sample([9], [0], fields=["dof_pos", "dof_vel"])
    assert np.allclose(rest["dof_pos"], [[np.radians(-30), np.radians(20) * 0]], atol=1e-6)
    assert not rest["dof_vel"].any()


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
    pm.MotionLibrary.build(tmp_path / "built.npz", tmp_path / "walk.csv", skeleton, method="squad")
    assert (tmp_path / "built.npz").read_bytes() == (tmp_path / "lib.npz").read_bytes()
    kept = pm.MotionLibrary.load(tmp_path / "lib.npz")
    assert kept.dof_names == lib.dof_names and kept.body_names == lib.body_names
    c = kept.sample(ids, times, fields=FIELDS)
    assert all(np.array_equal(a[field], c[field]) for field in FIELDS)
    assert np.load(tmp_path / "lib.npz")["dof"].shape == (25, 4)
    with pytest.raises(ValueError, match="expected 4 numbers of scalar, found 3"):
        np.savetxt(tmp_path / "few.csv", rows[:, :-1], delimiter=",")
        pm.MotionLibrary.from_files(tmp_path / "few.csv", skeleton)


@pytest.mark.parametrize(("text", "words"), [
    ('<mujoco><worldbody><body name="b"><joint name="s" type="slide"/></body></worldbody></mujoco>',
     "joint 's': slides"),
    ('<mujoco><worldbody><body name="b"><frame name="f"/></body></worldbody></mujoco>', "frame 'f'"),
    ('<mujoco><worldbody><body name="b" xyaxes="1 0 0 0 1 0"/></worldbody></mujoco>', "xyaxes"),
    ('<mujoco><worldbody><body pos="1 2"/></worldbody></mujoco>', "pos: expected 3 numbers"),
    ('<mujoco><worldbody><body pos="1 2 nan"/></worldbody></mujoco>', "pos: expected 3 numbers"),
    ('<mujoco><worldbody><body quat="0 0 0 0"/></worldbody></mujoco>', "quat: has no length"),
    ('<mujoco><worldbody><body><joint class="x"/></body></worldbody></mujoco>', "no class 'x'"),
    ('<mujoco><compiler eulerseq="xxq"/><worldbody><body/></worldbody></mujoco>', "eulerseq"),
    ('<mujoco><include file="robot.xml"/></mujoco>', "include each other"),
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
    data = mujoco.MjData(model)
    skeleton = pm.Skeleton.from_mujoco(model)
    lib = pm.MotionLibrary(skeleton, {"a": made(skeleton, 9)})
    lib.export_npz(tmp_path / "a.npz", "a", 50, flavor)
    found = np.load(tmp_path / "a.npz")
    assert found["fps"] == [50] and len(found["joint_pos"]) == 41
    names = [str(n) for n in found["body_names"]]
    joints = [str(n) for n in found["joint_names"]]
    assert sorted(names) == sorted(lib.body_names) and sorted(joints) == ["j1", "j2", "j3", "j4"]
    if flavor != "mjlab":
        assert names == ["base", "thigh", "arm", "shank", "foot"] and joints == ["j1", "j2", "j4", "j3"]
    for frame in range(41):
        s = lib.sample([0], steps=[frame], rate=50, fields=FIELDS)
        data.qpos[:], data.qvel[:] = lib.qpos(s)[0], lib.qvel(s)[0]
        mujoco.mj_forward(model, data)
        for row, name in enumerate(names):
            body = model.body(name).id
            six = np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, six, 0)
            arm = (data.xipos[body] - data.xpos[body]) * at_com
            assert np.allclose(found["body_pos_w"][frame, row], data.xpos[body], atol=5e-6)
            assert np.allclose(found["body_ang_vel_w"][frame, row], six[:3], atol=1e-4)
            assert np.allclose(found["body_lin_vel_w"][frame, row], six[3:] + np.cross(six[:3], arm), atol=1e-4)
            turn = data.xquat[body] if first else np.roll(data.xquat[body], -1)
            assert abs(abs(turn @ found["body_quat_w"][frame, row]) - 1) < 1e-6
        for row, name in enumerate(joints):
            assert found["joint_pos"][frame, row] == pytest.approx(data.qpos[model.joint(name).qposadr[0]], abs=1e-6)


def test_wrong_exports(tmp_path):
    skeleton = pm.Skeleton.from_mjcf(mjcf_files(tmp_path))
    lib = pm.MotionLibrary(skeleton, {"a": made(skeleton, 9)})
    for motion in ("b", 1, -1):
        with pytest.raises(ValueError, match="none of 1 motions"):
            lib.export_npz(tmp_path / "a.npz", motion, 50)
    with pytest.raises(ValueError, match="flavor: 'x' is unknown"):
        lib.export_npz(tmp_path / "a.npz", 0, 50, "x")
    assert not list(tmp_path.glob("a.npz*"))
