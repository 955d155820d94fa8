# SPDX-License-Identifier: MIT
"""Mirrored robots: MuJoCo poses every body of random robots with equal sides, of the source and of the result."""
from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posemill as pm

FRAMES, RATE = 7, 50
CONVENTIONS = [("left_{}_joint", "right_{}_joint", "left_{}_link", "right_{}_link"),
               ("{}_l", "{}_r", "{}_l", "{}_r"), ("FL_{}", "FR_{}", "FL_{}_body", "FR_{}_body"),
               ("Left{}Pitch", "Right{}Pitch", "body{}", "corpus{}"), ("joint_{}", "hinge_{}", "L_{}", "R_{}"),
               ("leg_l{}_joint", "leg_r{}_joint", "lleg{}", "rleg{}")]


def text(values):
    return " ".join(f"{v:.17g}" for v in np.ravel(values))


class Robot:
    """Bodies in the world of the rest pose: a root, two in the middle, and pairs below them or each other. The frames
    and references of both sides have nothing to do with each other; axes are images, with either sign."""

    def __init__(self, folder, seed, *, plain=False):
        self.rng = rng = np.random.default_rng(seed)
        self.axis = 1 if plain else int(rng.integers(3))
        self.mirror = np.eye(3)
        self.mirror[self.axis, self.axis] = -1
        self.plain = plain
        joints, bodies = CONVENTIONS[seed % len(CONVENTIONS)][:2], CONVENTIONS[seed % len(CONVENTIONS)][2:]
        self.bodies, self.children, self.partner = {}, {"base": []}, {"base": "base"}
        self.bodies["base"] = (np.zeros(3), Rotation.identity(), "<freejoint/>")
        for n, name in enumerate(("waist", "torso")):
            parent = ["base", "waist"][n]
            self.add(name, parent, self.flat(rng.normal(0, 0.3, 3)), [self.hinge(f"{name}_turn", None)])
            self.partner[name] = name
        for n in range(4):
            parent = str(rng.choice(["base", "waist", "torso", *self.sided()]))
            left, right = (form.format(f"part{n}") for form in bodies)
            place = self.bodies[parent][0] + rng.normal(0, 0.4, 3)
            count = int(rng.integers(1, 3))
            first = [self.hinge(joints[0].format(f"{n}{k}"), place) for k in range(count)]
            second = [(joints[1].format(f"{n}{k}"), *self.image(*turn[1:])) for k, turn in enumerate(first)]
            self.add(left, parent, place, first)
            self.add(right, self.partner[parent], self.mirror @ place, second)
            self.partner |= {left: right, right: left}
        (folder / "robot.xml").write_text(f"<mujoco><compiler angle='radian'/><worldbody>{self.element('base')}"
                                          "</worldbody></mujoco>", encoding="utf-8")
        self.model = mujoco.MjModel.from_xml_path(str(folder / "robot.xml"))
        self.skeleton = pm.Skeleton.from_mjcf(folder / "robot.xml")
        self.names = [self.model.joint(j).name for j in range(1, self.model.njnt)]

    def sided(self):
        return [name for name in self.bodies if self.partner[name] != name]

    def flat(self, v):
        v[self.axis] = 0
        return v

    def hinge(self, name, near):
        """Name, axis, anchor and reference; in the middle without a place."""
        axis = self.rng.normal(0, 1, 3)
        if near is None:
            axis = np.eye(3)[self.axis] if self.rng.random() < 0.5 else self.flat(axis)
        anchor = self.flat(self.rng.normal(0, 0.2, 3)) if near is None else near + self.rng.normal(0, 0.1, 3)
        return name, axis / np.linalg.norm(axis), anchor, 0 if self.plain else self.rng.normal()

    def image(self, axis, anchor, reference):
        sign = self.rng.choice([-1, 1])
        return sign * (self.mirror @ axis), self.mirror @ anchor, 0 if self.plain else self.rng.normal()

    def add(self, name, parent, place, hinges):
        turn = Rotation.identity() if self.plain else Rotation.random(random_state=int(self.rng.integers(2**31)))
        back = turn.inv()
        joints = "".join(f"<joint name='{joint}' axis='{text(back.apply(axis))}' ref='{reference:.17g}' "
                         f"pos='{text(back.apply(anchor - place))}'/>" for joint, axis, anchor, reference in hinges)
        self.bodies[name] = (np.array(place), turn, joints)
        self.children[name] = []
        self.children[parent].append(name)

    def element(self, name, parent=None):
        place, turn, joints = self.bodies[name]
        at, back = (self.bodies[parent][0], self.bodies[parent][1].inv()) if parent else (np.zeros(3), Rotation.identity())
        below = self.rng.permutation(self.children[name]).tolist()
        quaternion = np.roll((back * turn).as_quat(), 1)
        return (f"<body name='{name}' pos='{text(back.apply(place - at))}' quat='{text(quaternion)}'>{joints}"
                f"<geom size='.1'/>{''.join(self.element(child, name) for child in below)}</body>")

    def draw(self):
        """Rows of a CSV, and its joints in another order."""
        rng, order = self.rng, self.rng.permutation(len(self.names))
        turns = Rotation.random(FRAMES, random_state=int(rng.integers(2**31))).as_quat()
        return np.hstack([rng.normal(0, 3, (FRAMES, 3)), turns, rng.normal(0, 1, (FRAMES, len(order)))]), order

    def poses(self, rows, order):
        """Places, and rotations since the rest pose, of each body."""
        data, found = mujoco.MjData(self.model), {name: [] for name in self.bodies}
        for row in rows:
            data.qpos[:3], data.qpos[3:7] = row[:3], np.roll(row[3:7], 1)
            data.qpos[7 + order] = row[7:]
            mujoco.mj_kinematics(self.model, data)
            for name, (_, rest, _) in self.bodies.items():
                turn = data.body(name).xmat.reshape(3, 3) @ rest.as_matrix().T
                found[name].append((data.body(name).xpos.copy(), turn))
        return found

    def expect_image(self, before, after, tolerance):
        for name, frames in before.items():
            for (place, turn), (other, turned) in zip(frames, after[self.partner[name]], strict=True):
                assert np.abs(self.mirror @ place - other).max() < tolerance, name
                assert np.abs(self.mirror @ turn @ self.mirror - turned).max() < tolerance, name

    def write(self, path, rows, order):
        head = ["x", "y", "z", "qx", "qy", "qz", "qw", *(self.names[n] for n in order)]
        path.write_text("\n".join([",".join(head), *(",".join(f"{v:.17g}" for v in row) for row in rows)]) + "\n",
                        encoding="utf-8")
        return pm.load(path, source_rate=RATE)


def rows_of(motion):
    return np.hstack([channel.values.astype(float) for channel in motion.clips[0].channels])


@pytest.mark.parametrize("seed", range(24))
def test_the_world_of_a_mirrored_robot_is_the_image_of_its_world(tmp_path, seed):
    robot = Robot(tmp_path, seed)
    rows, order = robot.draw()
    motion = robot.write(tmp_path / "a.csv", rows, order)
    mirrored = motion.mirror(robot=robot.skeleton)
    pairs = len(robot.sided()) // 2 + extra(robot)
    assert f"plane {'xyz'[robot.axis]} found from {pairs} of {pairs} pairs" in mirrored.notes[0]
    robot.expect_image(robot.poses(rows, order), robot.poses(rows_of(mirrored), order), 1e-9)
    mirrored.save(tmp_path / "b.csv")
    again = pm.load(tmp_path / "b.csv", source_rate=RATE)
    robot.expect_image(robot.poses(rows, order), robot.poses(rows_of(again), order), 1e-4)
    assert (tmp_path / "b.csv").read_text().splitlines()[0] == (tmp_path / "a.csv").read_text().splitlines()[0]
    twice = rows_of(mirrored.mirror(robot=robot.skeleton))
    assert np.abs(twice - rows).max() < 1e-12


def extra(robot):
    """Joints of the skeleton between two hinges of a body, which are pairs too."""
    inner = set(range(len(robot.skeleton))) - set(robot.skeleton.bodies.tolist())
    return sum(not robot.skeleton.names[n].startswith(("waist", "torso")) for n in inner) // 2


def test_twice_is_the_identity_to_the_bit(tmp_path):
    robot = Robot(tmp_path, 3, plain=True)
    rows, order = robot.draw()
    motion = robot.write(tmp_path / "a.csv", rows, order)
    once = motion.mirror(robot=robot.skeleton)
    assert rows_of(once.mirror(robot=robot.skeleton)).tobytes() == rows_of(motion).tobytes()
    assert np.array_equal(np.sort(np.abs(rows_of(once)), axis=1), np.sort(np.abs(rows_of(motion)), axis=1))


@pytest.mark.parametrize("flavor", ["mjlab", "isaaclab2"])
def test_arrays_with_bodies_are_mirrored_with_them(tmp_path, flavor):
    robot = Robot(tmp_path, 5)
    rows, order = robot.draw()
    ordered = np.empty_like(rows[:, 7:])
    ordered[:, order] = rows[:, 7:]
    angles = ordered[:, [robot.names.index(name) for name in robot.skeleton.hinge_names]]
    library = pm.MotionLibrary(robot.skeleton, {"m": pm.Keys(rows[:, 3:7], rows[:, :3], rate=RATE, angles=angles)})
    library.export_npz(tmp_path / "a.npz", "m", RATE, flavor)
    pm.load(tmp_path / "a.npz").mirror(robot=robot.skeleton).save(tmp_path / "b.npz")
    poses = robot.poses(rows, order)
    with np.load(tmp_path / "b.npz") as made:
        for n, name in enumerate(made["body_names"]):
            for frame, (place, turn) in enumerate(poses[robot.partner[str(name)]]):
                assert np.abs(robot.mirror @ place - made["body_pos_w"][frame, n]).max() < 1e-4
                found = Rotation.from_quat(np.roll(made["body_quat_w"][frame, n], -1)) * robot.bodies[str(name)][1].inv()
                assert np.abs(robot.mirror @ turn @ robot.mirror - found.as_matrix()).max() < 1e-4
        with np.load(tmp_path / "a.npz") as source:
            names = source["joint_names"].tolist()
            assert names == made["joint_names"].tolist()
            slopes = np.gradient(made["joint_pos"].astype(float), 1 / RATE, axis=0)
            assert np.abs(slopes - made["joint_vel"]).max() < 1e-2 * np.abs(slopes).max()


TWO = """<mujoco><worldbody><body name="base"><freejoint/><geom size=".1"/>
<body name="left_arm" pos="0 1 0"><joint name="{0}" axis="{1}"/><geom size=".1"/></body>
<body name="right_arm" pos="0 -1 0"><joint name="{2}" axis="{3}"/><geom size=".1"/></body>
{4}</body></worldbody></mujoco>"""


def two(tmp_path, left="left", axis="0 1 0", right="right", other="0 1 0", more=""):
    (tmp_path / "two.xml").write_text(TWO.format(left, axis, right, other, more), encoding="utf-8")
    return pm.Skeleton.from_mjcf(tmp_path / "two.xml")


def test_what_is_no_mirror_image_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("0,0,0,0,0,0,1,0.5,0.25\n", encoding="utf-8")
    motion = pm.load(tmp_path / "a.csv", source_rate=RATE)
    assert rows_of(motion.mirror(robot=two(tmp_path)))[0, 7:].tolist() == [0.25, 0.5]
    assert rows_of(motion.mirror(robot=two(tmp_path, other="0 -1 0")))[0, 7:].tolist() == [-0.25, -0.5]
    assert rows_of(motion.mirror(robot=two(tmp_path, axis="0 0 1", other="0 0 1")))[0, 7:].tolist() == [-0.25, -0.5]
    with pytest.raises(ValueError, match=r"about \(0, 1, 0\) and \(0, 0.6, 0.8\), which are no mirror images across y"):
        motion.mirror(robot=two(tmp_path, other="0 3 4"))
    with pytest.raises(ValueError, match="plane"):
        motion.mirror("w", robot=two(tmp_path))
    with pytest.raises(TypeError, match="robot"):
        motion.mirror(robot="two.xml")


def test_names_of_joints_and_bodies_that_disagree_are_refused(tmp_path):
    legs = ('<body name="left_leg" pos="0 1 1"><joint name="left_b"/><geom size=".1"/></body>'
            '<body name="right_leg" pos="0 -1 1"><joint name="right_a"/><geom size=".1"/></body>')
    (tmp_path / "a.csv").write_text("0,0,0,0,0,0,1,1,2,3,4\n", encoding="utf-8")
    motion = pm.load(tmp_path / "a.csv", source_rate=RATE)
    with pytest.raises(ValueError, match="'left_a' and 'right_a' are left and right by their names, bodies 'left_arm' and "
                                       "'right_arm' too"):
        motion.mirror(robot=two(tmp_path, left="left_a", right="right_b", more=legs))
