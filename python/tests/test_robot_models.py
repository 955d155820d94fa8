# SPDX-License-Identifier: MIT
"""What MJCF and URDF say of roots, centres of mass, balls and frames: MuJoCo computes the same."""
from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posemill as pm

mujoco = pytest.importorskip("mujoco")

ROOT_FIELDS = ["root_pos", "root_rot", "root_vel", "root_ang_vel"]
STATES = ["body_pos", "body_rot", "body_vel", "body_ang_vel"]
IDENTITY = [0.0, 0.0, 0.0, 1.0]
MESH = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'


def mjcf(folder, bodies, before=""):
    path = folder / "model.xml"
    path.write_text(f"<mujoco>{before}<worldbody>{bodies}</worldbody></mujoco>", encoding="utf-8")
    return path


def both(path):
    """The skeleton of a file, which is that of MuJoCo's model, and the model."""
    model = mujoco.MjModel.from_xml_path(str(path))
    found, wanted = pm.Skeleton.from_mjcf(path), pm.Skeleton.from_mujoco(model)
    assert (found.coordinate_names, found.ball_names) == (wanted.coordinate_names, wanted.ball_names)
    for field in ("parents", "positions", "axes", "references", "bodies", "hinges", "balls", "coordinates"):
        assert np.allclose(getattr(found, field), getattr(wanted, field), atol=1e-9), field
    assert np.abs((np.asarray(found.rotations) * wanted.rotations).sum(axis=1)).min() > 1 - 1e-12
    return found, model


def made(skeleton, seed=1, frames=12, rate=20):
    """Random keys of the root, where it moves freely, of hinges and of balls."""
    rng = np.random.default_rng(seed)

    def turns(count):
        steps = np.cumsum(rng.normal(0, 0.3, (frames, count, 3)), axis=0)
        return Rotation.from_rotvec(steps.reshape(-1, 3)).as_quat().reshape(frames, count, 4)

    root, places = turns(1)[:, 0], np.cumsum(rng.normal(0, 0.1, (frames, 3)), axis=0)
    if not skeleton.root_is_free:
        root = np.tile(skeleton.rotations[skeleton.root], (frames, 1))
        places = np.tile(skeleton.positions[skeleton.root], (frames, 1))
    hinges, balls = len(skeleton.hinges), len(skeleton.balls)
    angles = np.cumsum(rng.normal(0, 0.3, (frames, hinges)), axis=0)
    return pm.Keys(root, places, rate=rate, angles=angles if hinges else None, balls=turns(balls) if balls else None)


def fields_of(skeleton):
    return (STATES + ROOT_FIELDS + ["dof_pos", "dof_vel"] * bool(len(skeleton.hinges)) +
            ["dof_rot", "dof_ang_vel"] * bool(len(skeleton.balls)))


def expect_states_of_mujoco(model, lib, skeleton, count=30):
    """States, also of centres of mass, are those of mj_forward at qpos and qvel."""
    ids, times = lib.sample_times(count, 5)
    s = lib.sample(ids, times, fields=fields_of(skeleton))
    com = lib.sample(ids, times, fields=["body_vel"], velocity_at="com")["body_vel"]
    qpos, qvel = lib.qpos(s), lib.qvel(s)
    assert qpos.shape == (count, model.nq) and qvel.shape == (count, model.nv)
    data = mujoco.MjData(model)
    for i in range(count):
        data.qpos[:], data.qvel[:] = qpos[i], qvel[i]
        mujoco.mj_forward(model, data)
        six = np.zeros((model.nbody, 6))
        for body in range(1, model.nbody):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, six[body], 0)
        at_com = six[1:, 3:] + np.cross(six[1:, :3], data.xipos[1:] - data.xpos[1:])
        turns = Rotation.from_quat(np.roll(data.xquat[1:], -1, axis=1)).inv() * Rotation.from_quat(s["body_rot"][i])
        assert np.abs(s["body_pos"][i] - data.xpos[1:]).max() < 1e-5
        assert turns.magnitude().max() < 1e-5
        assert np.abs(s["body_ang_vel"][i] - six[1:, :3]).max() < 2e-4
        assert np.abs(s["body_vel"][i] - six[1:, 3:]).max() < 2e-4
        assert np.abs(com[i] - at_com).max() < 2e-4


# ---- the root is what moves freely ----

STAND = '<body name="stand" pos="3 1 0"><geom size=".1"/></body>'
ROBOT = ('<body name="hull" pos="0 0 1"><freejoint name="float"/><geom size=".1"/><body name="limb" pos="0 0 .5">'
         '<joint name="bend" axis="0 1 0"/><geom size=".1" pos=".1 0 0"/></body></body>')
DOOR = '<body name="door" pos="0 2 0"><joint name="swing" axis="0 0 1"/><geom size=".2" pos=".5 0 0"/></body>'


def test_a_body_that_rests_comes_first(tmp_path):
    skeleton, _ = both(mjcf(tmp_path, STAND + ROBOT))
    keys = pm.Keys([IDENTITY] * 2, [[0, 0, 1.25]] * 2, rate=10, angles=np.zeros((2, 1)))
    lib = pm.MotionLibrary(skeleton, {"a": keys})
    assert lib.body_names == ("stand", "hull", "limb") and lib.names == ("a",)
    s = lib.sample([0], [0.05], fields=["body_pos", "root_pos"])
    assert np.allclose(s["body_pos"][0], [[3, 1, 0], [0, 0, 1.25], [0, 0, 1.75]])
    assert np.allclose(s["root_pos"][0], [0, 0, 1.25])


@pytest.mark.parametrize("bodies", [ROBOT + STAND, STAND + ROBOT, DOOR + ROBOT, ROBOT + DOOR, STAND + DOOR + ROBOT,
                                    DOOR, STAND + DOOR])
def test_models_with_other_bodies_have_the_states_of_mujoco(tmp_path, bodies):
    skeleton, model = both(mjcf(tmp_path, bodies))
    assert skeleton.root_is_free == ("float" in bodies)
    lib = pm.MotionLibrary(skeleton, {"a": made(skeleton), "b": made(skeleton, 2)})
    expect_states_of_mujoco(model, lib, skeleton)
    lib.save(tmp_path / "lib.npz")
    expect_states_of_mujoco(model, pm.MotionLibrary.load(tmp_path / "lib.npz"), skeleton)


@pytest.mark.parametrize("bodies", [STAND + ROBOT, DOOR + ROBOT, DOOR])
def test_files_of_models_with_other_bodies(tmp_path, bodies):
    skeleton, model = both(mjcf(tmp_path, bodies))
    keys = made(skeleton)
    np.savetxt(tmp_path / "a.csv", np.hstack([keys.positions, keys.rotations, keys.angles]), delimiter=",", fmt="%.9g")
    lib = pm.MotionLibrary.from_files(tmp_path / "a.csv", skeleton)
    expect_states_of_mujoco(model, lib, skeleton, 5)


def test_roots_that_are_not_known_are_refused(tmp_path):
    ball = '<body name="prop" pos="1 0 0"><freejoint/><geom size=".1"/></body>'
    path = mjcf(tmp_path, ROBOT + ball)
    model = mujoco.MjModel.from_xml_path(str(path))
    for read in (lambda: pm.Skeleton.from_mjcf(path), lambda: pm.Skeleton.from_mujoco(model)):
        with pytest.raises(ValueError, match="'hull' and 'prop' move freely"):
            read()
    for text in (f'<body name="a">{ball}</body>', '<body name="prop"><freejoint/><joint name="j"/></body>'):
        with pytest.raises(ValueError, match="'prop': a free joint is the only one"):
            pm.Skeleton.from_mjcf(mjcf(tmp_path, text))


def test_a_fixed_root_that_moves_has_no_qpos(tmp_path):
    skeleton, model = both(mjcf(tmp_path, DOOR))
    assert skeleton.names[0] == "door#root" and [skeleton.names[n] for n in skeleton.bodies] == ["door"]
    keys = made(skeleton)
    moved = pm.Keys(keys.rotations, keys.positions + 1, rate=20, angles=keys.angles)
    lib = pm.MotionLibrary(skeleton, {"a": keys, "b": moved})
    with pytest.raises(ValueError, match="no free joint, but motions move 'door#root'"):
        lib.qpos(lib.sample([0], [0], fields=["dof_pos"]))


def test_qpos_does_not_depend_on_the_order_of_dofs(tmp_path):
    skeleton, model = both(mjcf(tmp_path, DOOR + ROBOT))
    keys = {"a": made(skeleton)}
    lib = pm.MotionLibrary(skeleton, keys, dofs=["bend", "swing"], bodies=["limb", "door"])
    wanted = pm.MotionLibrary(skeleton, keys)
    fields = fields_of(skeleton)
    s, t = (one.sample([0, 0], [0.1, 0.3], fields=fields) for one in (lib, wanted))
    assert np.array_equal(lib.qpos(s), wanted.qpos(t)) and np.array_equal(lib.qvel(s), wanted.qvel(t))
    assert np.allclose(lib.qpos(s)[:, 0], t["dof_pos"][:, 0]) and lib.qpos(s).shape == (2, model.nq)
    few = pm.MotionLibrary(skeleton, keys, dofs=["bend"])
    with pytest.raises(ValueError, match="all hinges; 'swing' are missing"):
        few.qpos(few.sample([0], [0], fields=fields))
    walk = pm.MotionLibrary(pm.Skeleton(["a"], [-1]), {"a": pm.Keys([[IDENTITY]] * 2, rate=10)})
    with pytest.raises(ValueError, match="neither hinges nor balls"):
        walk.qpos({})


# ---- centres of mass ----

WEIGHT = '<geom pos="1 2 3" size=".1"/>' # beside which the mass of another geom counts
GEOMS = {
    "sphere": ('<geom pos=".1 0 .2" size=".2"/>', ""),
    "capsule": ('<geom type="capsule" pos=".1 0 .2" size=".1 .3"/>', ""),
    "cylinder": ('<geom type="cylinder" pos=".1 0 .2" size=".1 .3"/>', ""),
    "box": ('<geom type="box" pos=".1 0 .2" size=".1 .2 .3"/>', ""),
    "ellipsoid": ('<geom type="ellipsoid" pos=".1 0 .2" size=".1 .2 .3"/>', ""),
    "capsule from to": ('<geom type="capsule" fromto="0 .1 .2 .3 .4 .9" size=".1"/>', ""),
    "cylinder from to": ('<geom type="cylinder" fromto="0 .1 .2 .3 .4 .9" size=".1 7"/>', ""),
    "box from to": ('<geom type="box" fromto="0 .1 .2 .3 .4 .9" size=".1 .2"/>', ""),
    "ellipsoid from to": ('<geom type="ellipsoid" fromto="0 .1 .2 .3 .4 .9" size=".1"/>', ""),
    "mass": ('<geom pos=".1 0 .2" size=".2" mass="3" density="9000"/>', ""),
    "density": ('<geom pos=".1 0 .2" size=".2" density="300"/>', ""),
    "no mass": ('<geom pos=".1 0 .2" size=".2" mass="0"/>', ""),
    "no density": ('<geom pos=".1 0 .2" size=".2" density="0"/>', ""),
    "shell of a sphere": ('<geom size=".2" shellinertia="true"/>', ""),
    "shell of a capsule": ('<geom type="capsule" size=".1 .3" shellinertia="true"/>', ""),
    "shell of a cylinder": ('<geom type="cylinder" size=".1 .3" shellinertia="true"/>', ""),
    "shell of a box": ('<geom type="box" size=".1 .2 .3" shellinertia="true"/>', ""),
    "shell of an ellipsoid": ('<geom type="ellipsoid" size=".1 .2 .3" shellinertia="true"/>', ""),
    "class": ('<geom class="c" pos="0 1 0"/>', '<default><default class="c"><geom size=".3" mass="2"/></default></default>'),
    "class in a class": ('<geom class="d"/>', '<default><geom type="box" size=".1 .2 .3"/><default class="c"><geom '
                         'pos="0 1 0" size=".5"/><default class="d"><geom density="70"/></default></default></default>'),
    "few sizes": ('<geom type="box" size=".5"/>', '<default><geom size=".1 .2 .3"/></default>'),
    "defaults twice": ('<geom type="box"/>', '<default><geom size=".4 .2 .3"/></default><default><geom mass="2"/></default>'),
    "groups": ('<geom size=".3" group="3"/>', '<compiler inertiagrouprange="0 2"/>'),
    "group of a class": ('<geom size=".3" class="v"/>', '<compiler inertiagrouprange="0 1"/><default><default '
                         'class="v"><geom group="2"/></default></default>'),
    "geoms before inertial": ('<inertial pos="5 0 0" mass="1" diaginertia="1 1 1"/><geom size=".3"/>',
                              '<compiler inertiafromgeom="true"/>'),
    "inertial before geoms": ('<inertial pos="5 0 0" mass="1" diaginertia="1 1 1"/><geom size=".3"/>', ""),
}


@pytest.mark.parametrize("case", GEOMS)
def test_centres_of_mass_come_from_geoms(tmp_path, case):
    geoms, before = GEOMS[case]
    skeleton, model = both(mjcf(tmp_path, f'<body name="b" pos="7 8 9"><freejoint/>{geoms}{WEIGHT}</body>', before))
    assert np.allclose(skeleton.points[skeleton.bodies], model.body_ipos[1:], rtol=1e-9, atol=1e-12)
    assert np.abs(skeleton.points[0]).max() > 1e-3


@pytest.mark.parametrize(("inner", "before"), [
    ('<geom type="plane" size="1 1 1"/>' + WEIGHT, ""), ("", ""),
    ('<geom pos="1 0 0" size=".1" mass="0"/>', ""),
    (WEIGHT, '<compiler inertiafromgeom="false"/>'), (WEIGHT, '<compiler inertiagrouprange="1 2"/>'),
    ('<inertial pos="5 0 0" mass="1" diaginertia="1 1 1"/>', '<compiler inertiafromgeom="true"/>'),
])
def test_centres_of_bodies_that_rest(tmp_path, inner, before):
    """Also of those without mass."""
    bodies = f'<body name="s" pos="1 2 4">{inner}</body>{ROBOT if "false" not in before and "1 2" not in before else ""}'
    skeleton, model = both(mjcf(tmp_path, bodies, before))
    assert np.allclose(skeleton.points[skeleton.bodies], model.body_ipos[1:], atol=1e-12)


@pytest.mark.parametrize("geom", ['<geom type="mesh" mesh="m"/>', '<geom type="box" mesh="m"/>'])
def test_centres_that_are_not_known_are_refused_by_name(tmp_path, geom):
    limb = ROBOT.replace('<geom size=".1" pos=".1 0 0"/>', geom + WEIGHT)
    path = mjcf(tmp_path, limb, MESH)
    skeleton = pm.Skeleton.from_mjcf(path)
    assert np.isnan(skeleton.points[1]).all() and not skeleton.points[0].any()
    lib = pm.MotionLibrary(skeleton, {"a": made(skeleton)})
    lib.save(tmp_path / "lib.npz")
    for one in (lib, pm.MotionLibrary.load(tmp_path / "lib.npz"), pickle.loads(pickle.dumps(lib))):
        one.sample([0], [0.1], fields=STATES)
        one.sample([0], [0.1], fields=["root_vel"], velocity_at="com")
        with pytest.raises(ValueError, match="'limb' is not known"):
            one.sample([0], [0.1], fields=["body_vel"], velocity_at="com")
        for flavor in ("isaaclab2", "isaaclab3"):
            with pytest.raises(ValueError, match="'limb' is not known"):
                one.export_npz(tmp_path / "out.npz", "a", 20, flavor)
        one.export_npz(tmp_path / "out.npz", "a", 20, "mjlab")
    known = pm.MotionLibrary(skeleton, {"a": made(skeleton)}, points=np.zeros((2, 3)))
    known.sample([0], [0.1], fields=["body_vel"], velocity_at="com")
    free = mjcf(tmp_path, limb.replace(geom, geom.replace("/>", ' mass="0"/>')), MESH) # it counts for nothing
    assert np.allclose(pm.Skeleton.from_mjcf(free).points[1], [1, 2, 3])


# ---- balls ----

BALLS = {
    "ball and hinge": '<body name="hull"><freejoint/>{g}<body name="leg" pos="0 .1 0" euler="10 20 30"><joint name="hip" '
                      'type="ball"/>{g}<body name="foot" pos="0 0 -.4"><joint name="knee" axis="0 1 0"/>{g}</body></body></body>',
    "hinge and ball": '<body name="hull"><freejoint/>{g}<body name="leg" pos="0 .1 0"><joint name="knee" axis="0 1 0"/>{g}'
                      '<body name="foot" pos="0 0 -.4" quat="1 2 0 3"><joint name="hip" type="ball"/>{g}</body></body></body>',
    "of one body": '<body name="hull"><freejoint/>{g}<body name="leg" pos="0 .1 0" quat="1 0 2 1"><joint name="h" '
                   'axis="1 0 0"/><joint name="b" type="ball"/>{g}</body></body>',
    "beside its origin": '<body name="hull"><freejoint/>{g}<body name="leg" pos="0 .1 0" quat="1 0 2 1"><joint name="b" '
                         'type="ball" pos=".1 .2 .3"/>{g}<body name="foot"><joint name="h"/>{g}</body></body></body>',
    "balls alone": '<body name="hull"><freejoint/>{g}<body name="a" pos="0 .1 0"><joint name="b" type="ball"/>{g}</body>'
                   '<body name="c" pos="0 -.1 0" euler="30 0 0"><joint name="d" type="ball"/>{g}</body></body>',
    "of a root that is fixed": '<body name="bob" pos="1 0 2" euler="5 6 7"><joint name="b" type="ball"/>{g}<body name="tip" '
                               'pos="0 0 .3"><joint name="h" axis="1 1 0"/>{g}</body></body>',
    "behind a door": DOOR + '<body name="hull"><freejoint/>{g}<body name="a" pos="0 .1 0"><joint name="b" type="ball"/>{g}'
                            '</body></body>',
}


@pytest.mark.parametrize("case", BALLS)
@pytest.mark.parametrize("method", ["slerp", "cubic", "spline"])
def test_balls_are_channels(tmp_path, case, method):
    skeleton, model = both(mjcf(tmp_path, BALLS[case].format(g='<geom size=".1" pos=".2 0 .1"/>')))
    motions = {"a": made(skeleton), "b": made(skeleton, 3, 9)}
    lib = pm.MotionLibrary(skeleton, motions, method=method)
    assert lib.ball_names == tuple(model.joint(n).name for n in range(model.njnt)
                                   if model.jnt_type[n] == mujoco.mjtJoint.mjJNT_BALL)
    expect_states_of_mujoco(model, lib, skeleton)
    if not len(skeleton.hinges): # keys of all joints are those of ball skeletons
        whole = {name: pm.Keys(keys._turns(skeleton), keys.positions, rate=20) for name, keys in motions.items()}
        expect_states_of_mujoco(model, pm.MotionLibrary(skeleton, whole, method=method), skeleton, 5)
    steps = np.arange(9)
    s = lib.sample(np.ones(9, int), steps=steps, rate=20, fields=["dof_rot"])
    far = Rotation.from_quat(s["dof_rot"].reshape(-1, 4)).inv() * Rotation.from_quat(motions["b"].balls.reshape(-1, 4))
    assert far.magnitude().max() < 1e-6
    lib.save(tmp_path / "lib.npz")
    fields, times = fields_of(skeleton), [0.1, 0.2, 0.33]
    wanted = lib.sample([0, 1, 0], times, [0, 0.1], fields)
    for other in (pm.MotionLibrary.load(tmp_path / "lib.npz"), pickle.loads(pickle.dumps(lib))):
        assert (other.ball_names, other.dof_names) == (lib.ball_names, lib.dof_names)
        found = other.sample([0, 1, 0], times, [0, 0.1], fields)
        assert all(np.array_equal(found[field], wanted[field]) for field in fields)
        assert np.array_equal(other.qpos(found), lib.qpos(wanted)) and np.array_equal(other.qvel(found), lib.qvel(wanted))


def test_rotations_of_balls_are_given_as_others(tmp_path):
    skeleton, _ = both(mjcf(tmp_path, BALLS["hinge and ball"].format(g='<geom size=".1"/>')))
    lib = pm.MotionLibrary(skeleton, {"a": made(skeleton)})
    wanted = lib.sample([0, 0], [0.1, 0.2], fields=["dof_rot", "dof_ang_vel", "local_rot"])
    first = lib.sample([0, 0], [0.1, 0.2], fields=["dof_rot"], scalar_first=True)["dof_rot"]
    assert wanted["dof_rot"].shape == (2, 1, 4) and wanted["dof_ang_vel"].shape == (2, 1, 3)
    assert np.array_equal(np.roll(first, -1, axis=-1), wanted["dof_rot"])
    out = {"dof_rot": np.full((2, 1, 4), np.nan, np.float32)}
    lib.sample([0, 0], [0.1, 0.2], fields=["dof_rot"], out=out)
    assert np.array_equal(out["dof_rot"], wanted["dof_rot"])


def test_wrong_balls(tmp_path):
    skeleton, _ = both(mjcf(tmp_path, BALLS["ball and hinge"].format(g='<geom size=".1"/>')))
    keys = made(skeleton)
    turns, angles, balls = keys.rotations, keys.angles, keys.balls
    assert repr(keys) == "Keys(12 frames, 1 hinges and 1 balls, 20 Hz)"
    for given, words in ((None, "expected rotations of 1 balls, found none"), (np.repeat(balls, 2, axis=1), "found 2")):
        with pytest.raises(ValueError, match=words):
            pm.MotionLibrary(skeleton, {"a": pm.Keys(turns, rate=20, angles=angles, balls=given)})
    with pytest.raises(ValueError, match="angles of 1 hinges, found none"):
        pm.MotionLibrary(skeleton, {"a": pm.Keys(turns, rate=20, balls=balls)})
    with pytest.raises(ValueError, match="balls: expected shape"):
        pm.Keys(turns, rate=20, angles=angles, balls=balls[:5])
    plain, _ = both(mjcf(tmp_path, ROBOT))
    with pytest.raises(ValueError, match="rotations of 0 balls, found 1"):
        pm.MotionLibrary(plain, {"a": pm.Keys(turns, rate=20, angles=angles, balls=balls)})
    lib = pm.MotionLibrary(plain, {"a": made(plain)})
    with pytest.raises(ValueError, match="no balls"):
        lib.sample([0], [0], fields=["dof_rot"])
    lib = pm.MotionLibrary(skeleton, {"a": keys})
    with pytest.raises(ValueError, match="export_npz: .*balls.*'hip'"):
        lib.export_npz(tmp_path / "a.npz", "a", 20)
    np.savetxt(tmp_path / "a.csv", np.hstack([np.zeros((12, 3)), turns, angles]), delimiter=",")
    with pytest.raises(ValueError, match="'hip' is a ball"):
        pm.MotionLibrary.build(tmp_path / "b.npz", tmp_path / "a.csv", skeleton)
    assert not (tmp_path / "b.npz").exists()


def test_exports_of_files_have_the_same_order(tmp_path):
    """Further hinges of a body are no bodies, in files, too: they do not count as depth."""
    link = '<body name="{}"><joint name="{}"/>{}<geom size=".1"/>{}</body>'
    arm = link.format("a", "x", '<joint name="y" axis="1 0 0"/>', link.format("b", "z", "", ""))
    leg = link.format("c", "k", "", link.format("e", "l", "", link.format("f", "m", "", "")))
    skeleton, _ = both(mjcf(tmp_path, f'<body name="hull"><freejoint/><geom size=".1"/>{arm}{leg}</body>'))
    lib = pm.MotionLibrary(skeleton, {"a": made(skeleton)})
    lib.save(tmp_path / "lib.npz")
    for number, one in enumerate((lib, pm.MotionLibrary.load(tmp_path / "lib.npz"))):
        one.export_npz(tmp_path / f"{number}.npz", "a", 20, "isaaclab2")
    assert list(np.load(tmp_path / "0.npz")["body_names"]) == ["hull", "a", "c", "b", "e", "f"]
    assert (tmp_path / "0.npz").read_bytes() == (tmp_path / "1.npz").read_bytes()


# ---- frames, names and includes ----


@pytest.mark.parametrize("frame", ['xyaxes="0 1 0 -1 0 0"', 'xyaxes="1 2 3 -1 .5 .2"', 'xyaxes="2 0 0 1 0 -3"', 'zaxis="1 0 0"',
                                   'zaxis="0 0 2"', 'zaxis="0 0 -1"', 'zaxis=".1 -.7 .3"', 'quat="3 1 2 0"',
                                   'axisangle="1 2 3 70"', 'euler="10 20 30"'])
def test_orientations_are_those_of_mujoco(tmp_path, frame):
    limb = ROBOT.replace('pos="0 0 .5"', f'pos="0 0 .5" {frame}')
    skeleton, model = both(mjcf(tmp_path, limb))
    expect_states_of_mujoco(model, pm.MotionLibrary(skeleton, {"a": made(skeleton)}), skeleton, 5)


@pytest.mark.parametrize(("bodies", "before", "words"), [
    ('<body name="a"/><body name="a"/>', "", "body 'a': the name is taken"),
    ('<body name="world"/>', "", "body 'world': the name is taken"),
    ('<body><joint name="a"/></body><body><joint name="a"/></body>', "", "joint 'a': the name is taken"),
    ('<body><freejoint name="a"/><body><joint name="a"/></body></body>', "", "joint 'a': the name is taken"),
    ('<body name="a"><freejoint/><joint type="free"/></body>', "", "body 'a': has two free joints"),
    ('<body name="a" quat="1e200 1e200 0 0"/>', "", "body 'a': quat: has no length that is usable"),
    ('<body><joint name="a" axis="1e200 0 0"/></body>', "", "joint 'a': axis: has no length"),
    ('<body name="a" zaxis="0 0 0"/>', "", "body 'a': zaxis: has no length"),
    ('<body name="a" xyaxes="1 0 0 2 0 0"/>', "", "body 'a': xyaxes: has no length"),
    ('<body name="a" quat="1 0 0 0" zaxis="0 0 1"/>', "", "body 'a': has both quat and zaxis"),
    ('<body name="a"><freejoint align="true"/><geom size="1"/></body>', "", "body 'a': align"),
    ('<body name="a"><freejoint/><geom size="1"/></body>', '<compiler alignfree="true"/>', "body 'a': align"),
    ("<body/>", '<compiler fusestatic="true"/>', "fusestatic"),
    ("<body/>", '<compiler inertiafromgeom="maybe"/>', "inertiafromgeom 'maybe'"),
    ("<body/>", '<compiler angle="rad"/>', "compiler: angle 'rad' is unknown, expected degree or radian"),
    ('<body><Joint name="j"/></body>', "", "Joint 'j': is not supported"),
    ('<frame pos="1 0 0"><body/></frame>', "", "frame '': is not supported"),
    ("<body/>", '<default class="robot"/>', "default 'robot': the outermost class is 'main'"),
    ("<body/>", "<default><default/></default>", "default: has no class"),
    ("<body/>", '<default><default class="a"/><default class="a"/></default>', "default 'a': is the name of two"),
    ('<body><geom name="g" mass="-1" size="1"/></body>', "", "geom 'g': mass or density is below 0"),
    ('<body><geom name="g"/></body>', "", "geom 'g': size: expected 1 numbers above 0"),
    ('<body><geom name="g" type="ellipsoid" size="1e200 1 1"/></body>', "", "geom 'g': size: expected 3 numbers above 0"),
    ('<body><geom name="g" type="box" fromto="0 0 -1e308 0 0 1e308" size="1"/></body>', "", "geom 'g': size: expected 3"),
    ('<body><geom name="g" size="1 x"/></body>', "", "geom 'g': size: expected 1 to 3 numbers"),
    ('<body><geom name="g" type="cone" size="1"/></body>', "", "geom 'g': type 'cone'"),
    ('<body><geom name="g" class="c" size="1"/></body>', "", "geom 'g': there is no class 'c'"),
    ('<body><geom name="g" fromto="0 0 0 0 0 1" size="1"/></body>', "", "geom 'g': fromto is not for"),
    ('<body><geom name="g" type="box" pos="1 0 0" fromto="0 0 0 0 0 1" size="1"/></body>', "", "both pos and fromto"),
])
def test_what_is_refused(tmp_path, bodies, before, words):
    with pytest.raises(ValueError, match=f"model.xml: .*{words}"):
        pm.Skeleton.from_mjcf(mjcf(tmp_path, bodies, before))


def test_a_file_is_included_once(tmp_path):
    """Each of these includes the next one twice, so that their number would double with each."""
    for n in range(40):
        (tmp_path / f"b{n}.xml").write_text(f'<mujoco><include file="b{n + 1}.xml"/><include file="./b{n + 1}.xml"/></mujoco>',
                                            encoding="utf-8")
    (tmp_path / "b40.xml").write_text('<mujoco><worldbody><body name="b"/></worldbody></mujoco>', encoding="utf-8")
    with pytest.raises(ValueError, match="is already included"):
        pm.Skeleton.from_mjcf(tmp_path / "b0.xml")


def test_files_are_included_from_beside_the_main_file_and_the_including_one(tmp_path):
    (tmp_path / "parts").mkdir()
    main, one = tmp_path / "main.xml", tmp_path / "parts" / "one.xml"
    main.write_text('<mujoco><include file="parts/one.xml"/></mujoco>', encoding="utf-8")
    for name in ("parts/two.xml", "two.xml"):
        one.write_text(f'<mujoco><include file="{name}"/></mujoco>', encoding="utf-8")
        (tmp_path / "parts" / "two.xml").write_text('<mujoco><worldbody><body name="inner"/></worldbody></mujoco>',
                                                    encoding="utf-8")
        assert both(main)[0].names == ("inner",)
    (tmp_path / "two.xml").write_text('<mujoco><worldbody><body name="outer"/></worldbody></mujoco>', encoding="utf-8")
    assert both(main)[0].names == ("outer",)


# ---- URDF ----

LINK = '<link name="{}"><inertial><origin xyz=".1 0 .2"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" ' \
       'iyz="0"/></inertial></link>'


def urdf(folder, links, joints):
    path = folder / "r.urdf"
    inner = "".join(LINK.format(name) for name in links) + "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'
        for name, kind, parent, child, more in joints)
    path.write_text(f'<robot name="r"><mujoco><compiler fusestatic="false"/></mujoco>{inner}</robot>', encoding="utf-8")
    return path


BEND = ("bend", "revolute", "hull", "limb", '<axis xyz="0 1 0"/><origin xyz="0 0 .5"/><limit lower="-1" upper="1" effort="1" '
        'velocity="1"/>')


def test_the_link_of_a_floating_joint_is_the_root(tmp_path):
    place = '<origin xyz="0 0 1" rpy="0 0 .5"/>'
    path = urdf(tmp_path, ["ground", "mast", "hull", "limb"], [
        ("post", "fixed", "ground", "mast", '<origin xyz="4 0 0"/>'), ("float", "floating", "ground", "hull", place), BEND])
    skeleton = pm.Skeleton.from_urdf(path)
    assert skeleton.names == ("hull", "limb", "ground", "mast") and skeleton.root_is_free
    assert [skeleton.names[n] for n in skeleton.bodies] == ["ground", "mast", "hull", "limb"]
    keys = pm.Keys([IDENTITY] * 2, [[0, 0, 2]] * 2, rate=10, angles=np.zeros((2, 1)))
    lib = pm.MotionLibrary(skeleton, {"a": keys})
    s = lib.sample([0], [0], fields=["body_pos", "root_pos", "root_rot", "dof_pos"])
    assert np.allclose(s["body_pos"][0], [[0, 0, 0], [4, 0, 0], [0, 0, 2], [0, 0, 2.5]])
    assert np.allclose(lib.qpos(s)[0], [0, 0, 2, 1, 0, 0, 0, 0])
    assert np.allclose(skeleton.positions[0], [0, 0, 1])


def test_a_link_that_floats_in_the_world_is_that_of_mujoco(tmp_path):
    place = '<origin xyz="0 0 1" rpy="0 .3 .5"/>'
    path = urdf(tmp_path, ["world", "post", "hull", "limb"], [
        ("stands", "fixed", "world", "post", '<origin xyz="4 0 0"/>'), ("float", "floating", "world", "hull", place), BEND])
    model = mujoco.MjModel.from_xml_path(str(path))
    skeleton = pm.Skeleton.from_urdf(path)
    assert [skeleton.names[n] for n in skeleton.bodies] == [model.body(n).name for n in range(1, model.nbody)]
    expect_states_of_mujoco(model, pm.MotionLibrary(skeleton, {"a": made(skeleton)}), skeleton)


@pytest.mark.parametrize(("links", "joints", "words"), [
    (["hull", "limb"], [(*BEND[:4], BEND[4] + '<mimic joint="other" multiplier="2"/>')], "joint 'bend': mimics 'other'"),
    (["hull", "limb", "prop"], [BEND, ("float", "floating", "limb", "prop", "")], "joint 'float': floats below"),
    (["g", "a", "b"], [("x", "floating", "g", "a", ""), ("y", "floating", "g", "b", "")], "'a' and 'b' move freely"),
    (["hull", "limb", "b"], [BEND, ("bend", "fixed", "hull", "b", "")], "joint 'bend': the name is taken"),
    (["hull", "limb"], [("p", "planar", "hull", "limb", "")], "joint 'p': type 'planar' is not supported"),
])
def test_wrong_joints_of_urdf(tmp_path, links, joints, words):
    with pytest.raises(ValueError, match=f"r.urdf: .*{words}"):
        pm.Skeleton.from_urdf(urdf(tmp_path, links, joints))


def test_links_with_shapes_alone_have_no_known_centre(tmp_path):
    path = urdf(tmp_path, ["hull"], [BEND])
    shape = '<link name="limb"><collision><geometry><sphere radius=".1"/></geometry></collision></link>'
    path.write_text(path.read_text(encoding="utf-8").replace("</robot>", shape + "</robot>"), encoding="utf-8")
    skeleton = pm.Skeleton.from_urdf(path)
    assert np.isnan(skeleton.points[1]).all() and np.allclose(skeleton.points[0], [0.1, 0, 0.2])
