# SPDX-License-Identifier: MIT
"""Motions of SMPL on their models in simulators: bodies of MuJoCo are turned and placed as SMPL's joints are, whatever the
model's axes, the order of its bodies and hinges, and whether it has hinges or balls."""
from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import posemill as pm
import pytest
from posemill.learning import exponential_maps
from scipy.spatial.transform import Rotation

PARENTS = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21]
NAMES = ("Pelvis L_Hip R_Hip Torso L_Knee R_Knee Spine L_Ankle R_Ankle Chest L_Toe R_Toe Neck L_Thorax R_Thorax Head "
         "L_Shoulder R_Shoulder L_Elbow R_Elbow L_Wrist R_Wrist L_Hand R_Hand").split()
COUNTS = {24: "poses of SMPL", 52: "poses of SMPL-H", 55: "poses of SMPL-X"}
#: Axes of the model: what x (left), y (up) and z (forward) of SMPL are in it.
UPRIGHT = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
AS_SMPL = np.eye(3, dtype=int)


def offsets(rng: np.random.Generator) -> np.ndarray:
    """Of a figure in the T-pose in SMPL's axes: x is left, y up."""
    found = rng.normal(0, 0.02, (24, 3))
    for n, direction in ((1, (0.1, -0.1, 0)), (2, (-0.1, -0.1, 0)), (3, (0, 0.1, 0)), (6, (0, 0.15, 0)), (9, (0, 0.1, 0)),
                         (12, (0, 0.2, 0)), (15, (0, 0.1, 0)), (4, (0, -0.4, 0)), (5, (0, -0.4, 0)), (16, (0.15, 0, 0)),
                         (17, (-0.15, 0, 0)), (18, (0.3, 0, 0)), (19, (-0.3, 0, 0))):
        found[n] += direction
    return found


class Figure:
    def __init__(self, rng: np.random.Generator, axes: np.ndarray, kind: str, tilted: bool = False) -> None:
        self.rng, self.axes = rng, axes
        self.offsets = offsets(rng)
        tilt = Rotation.random(24, random_state=3) if tilted else Rotation.identity(24)
        children: dict[int, list[int]] = {n: [k for k in range(24) if PARENTS[k] == n] for n in range(24)}
        for below in children.values():
            rng.shuffle(below)
        self.order: list[int] = []

        def joints(n: int) -> str:
            if n == 0:
                return "<freejoint/>"
            if kind == "balls":
                return f'<joint name="{NAMES[n]}" type="ball"/>'
            basis = np.eye(3) if kind == "hinges" else Rotation.random(random_state=n).as_matrix() * (-1) ** n
            picked = range(3) if kind == "hinges" else rng.permutation(3)
            return "".join(f'<joint name="{NAMES[n]}_{"xyz"[k]}" axis="{" ".join(f"{v:.17g}" for v in basis[k])}"/>' for k in picked)

        def element(n: int) -> str:
            self.order.append(n)
            above = tilt[PARENTS[n]] if n else Rotation.identity()
            place = above.inv().apply(axes @ self.offsets[n]) if n else [0.0, 0, 0.9]
            x, y, z, w = (above.inv() * tilt[n]).as_quat()
            return (f'<body name="{NAMES[n]}" pos="{" ".join(f"{v:.17g}" for v in place)}" '
                    f'quat="{w:.17g} {x:.17g} {y:.17g} {z:.17g}">{joints(n)}<geom size=".01"/>'
                    f'{"".join(element(k) for k in children[n])}</body>')

        self.text = f'<mujoco><compiler angle="radian"/><worldbody>{element(0)}</worldbody></mujoco>'
        self.tilt = tilt
        self.model = mujoco.MjModel.from_xml_string(self.text)
        self.data = mujoco.MjData(self.model)

    def states(self, qpos: np.ndarray, qvel: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Orientations (24, 3, 3) and places of SMPL's joints that MuJoCo gives."""
        self.data.qpos[:] = qpos
        if qvel is not None:
            self.data.qvel[:] = qvel
        mujoco.mj_forward(self.model, self.data)
        ids = [self.model.body(name).id for name in NAMES]
        return self.data.xmat[ids].reshape(-1, 3, 3), self.data.xpos[ids]

    def wanted(self, poses: np.ndarray, trans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of one frame: the bodies, from SMPL's definition."""
        turns, places = np.zeros((24, 3, 3)), np.zeros((24, 3))
        for n, parent in enumerate(PARENTS):
            own = Rotation.from_rotvec(poses[n]).as_matrix()
            turns[n] = own if n == 0 else turns[parent] @ own
            places[n] = trans if n == 0 else places[parent] + turns[parent] @ self.offsets[n]
        return turns @ self.axes.T @ self.tilt.as_matrix(), places


def poses_of(rng: np.random.Generator, frames: int, count: int, size: float = 0.25) -> np.ndarray:
    """Rotation vectors that go on, of 24 joints in a file of `count`."""
    found = np.zeros((frames, count, 3))
    walk = np.cumsum(rng.normal(0, size, (frames, 24, 3)), axis=0)
    found[:, :22] = walk[:, :22]
    if count == 24:
        found[:, 22:] = walk[:, 22:]
    return Rotation.from_rotvec(found.reshape(-1, 3)).as_rotvec().reshape(found.shape)


def amass(path: Path, poses: np.ndarray, trans: np.ndarray, rate: float = 30.0) -> Path:
    np.savez(path, poses=poses.reshape(len(poses), -1), trans=trans, mocap_framerate=rate, gender="neutral", betas=np.zeros(16))
    return path


KINDS = [("balls", UPRIGHT, False), ("hinges", UPRIGHT, False), ("hinges", AS_SMPL, False), ("other axes", UPRIGHT, True),
         ("balls", AS_SMPL, True)]


@pytest.mark.parametrize("kind, axes, tilted", KINDS, ids=str)
@pytest.mark.parametrize("count", COUNTS)
def test_bodies_of_mujoco_are_where_those_of_smpl_are(tmp_path: Path, count: int, kind: str, axes: Any, tilted: bool) -> None:
    rng = np.random.default_rng(count)
    figure, frames = Figure(rng, axes, kind, tilted), 40
    poses, trans = poses_of(rng, frames, count), np.cumsum(rng.normal(0, 0.1, (frames, 3)), axis=0)
    robot = pm.Skeleton.from_mujoco(figure.model)
    pelvis = np.array([0.01, -0.22, 0.03])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if count != 24:
            warnings.filterwarnings("ignore", ".*[LR]_Hand, [LR]_Hand")
        lib = pm.MotionLibrary.from_files(amass(tmp_path / "walk.npz", poses, trans), robot, pelvis=pelvis,
                                          engine=pm.Engine("none"))
    fields = ["root_pos", "root_rot", "root_vel", "root_ang_vel", "body_rot", "body_pos", "body_vel", "body_ang_vel"]
    fields += ["dof_rot", "dof_ang_vel"] if kind == "balls" else ["dof_pos", "dof_vel"]
    s = lib.sample(np.zeros(frames, int), steps=np.arange(frames), rate=30, fields=fields)
    qpos, places = lib.qpos(s), [NAMES.index(name) for name in lib.body_names]
    for k in range(frames):
        turns, wanted = figure.wanted(poses[k], trans[k] + pelvis)
        found, where = figure.states(qpos[k])
        assert np.abs(found - turns).max() < 2e-5 and np.abs(where - wanted).max() < 2e-5
        assert np.abs(s["body_pos"][k] - wanted[places]).max() < 2e-5
    if kind != "balls":
        assert np.abs(np.diff(s["dof_pos"].astype(float), axis=0)).max() < 2.5  # no jumps by turns
    at = rng.uniform(0, (frames - 1) / 30, 10)
    s = lib.sample(np.zeros(10, int), at, fields=fields)
    qpos, qvel = lib.qpos(s), lib.qvel(s)
    for k in range(10):  # velocities are MuJoCo's of the same coordinates
        figure.states(qpos[k], qvel[k])
        for n, name in enumerate(lib.body_names):
            found = np.zeros(6)
            mujoco.mj_objectVelocity(figure.model, figure.data, mujoco.mjtObj.mjOBJ_XBODY, figure.model.body(name).id, found, 0)
            scale = 1 + np.abs(s["body_ang_vel"]).max()
            assert np.abs(found[:3] - s["body_ang_vel"][k, n]).max() < 1e-4 * scale
            assert np.abs(found[3:] - s["body_vel"][k, n]).max() < 1e-4 * scale


@pytest.mark.parametrize("kind", ["balls", "hinges"])
def test_exponential_maps_are_those_of_the_joints(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(2)
    figure, frames = Figure(rng, UPRIGHT, kind), 30
    poses = poses_of(rng, frames, 24, 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lib = pm.MotionLibrary.from_files(amass(tmp_path / "a.npz", poses, np.zeros((frames, 3))),
                                          pm.Skeleton.from_mujoco(figure.model), engine=pm.Engine("none"), method="slerp")
    ids, times = np.zeros(frames, int), np.arange(frames) / 30
    found = exponential_maps(lib, lib.sample(ids, times, fields=["body_rot", "body_ang_vel"]))
    assert found["dof_pos"].shape == found["dof_vel"].shape == (frames, 69)
    inner = [NAMES.index(name) for name in lib.body_names[1:]]
    wanted = (UPRIGHT @ poses[:, inner, :, None])[..., 0]
    assert np.abs(found["dof_pos"] - wanted.reshape(frames, 69)).max() < 1e-4
    small = 1e-3  # differences of the rotations, in the body's own axes
    ids, times = ids[1:-1], times[1:-1] + 0.013
    before, after, now = (exponential_maps(lib, lib.sample(ids, times + t, fields=["body_rot", "body_ang_vel"]))
                          for t in (-small, small, 0))
    a, b = (Rotation.from_rotvec(x["dof_pos"].reshape(-1, 3).astype(float)) for x in (before, after))
    rates = (a.inv() * b).as_rotvec().reshape(now["dof_vel"].shape) / (2 * small)
    assert np.abs(now["dof_vel"] - rates).max() < 5e-3 * (1 + np.abs(rates).max())


def test_files_of_phc_are_those_of_amass(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    figure, poses, trans = Figure(rng, UPRIGHT, "hinges"), poses_of(rng, 12, 24), rng.normal(size=(12, 3))
    robot = pm.Skeleton.from_mujoco(figure.model)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps({"walk": {"pose_aa": poses.reshape(12, 72), "root_trans_offset": trans,
                                                            "fps": 30, "gender": "neutral", "beta": np.zeros(16)}}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # PHC's offset is that of the pelvis
        a = pm.MotionLibrary.from_files(tmp_path / "a.pkl", robot, pelvis=[5, 5, 5], engine=pm.Engine("none"))
    b = pm.MotionLibrary.from_files(amass(tmp_path / "b.npz", poses, trans), robot, pelvis=[0, 0, 0], engine=pm.Engine("none"))
    at = [0.1, 0.3]
    assert all(np.array_equal(x, y) for x, y in zip(a.sample([0, 0], at).values(), b.sample([0, 0], at).values(), strict=True))


@pytest.mark.parametrize("kind", ["balls", "hinges"])
def test_takes_are_resampled(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(12)
    figure = Figure(rng, UPRIGHT, kind)
    robot, options = pm.Skeleton.from_mujoco(figure.model), {"pelvis": [0, 0, 0], "engine": pm.Engine("none")}
    path = amass(tmp_path / "a.npz", poses_of(rng, 21, 24, 0.05), rng.normal(size=(21, 3)), 100.0)
    whole, half = (pm.MotionLibrary.from_files(path, robot, rate=rate, **options) for rate in (None, 50))
    assert np.allclose([half.durations, whole.durations], 0.2, atol=1e-9)
    at = np.arange(11)
    a, b = (lib.sample(np.zeros(11, int), steps=at, rate=50) for lib in (whole, half))
    assert np.abs(a["body_pos"] - b["body_pos"]).max() < 1e-5
    assert np.abs(half.sample([0], [0.01])["body_pos"] - (b["body_pos"][0] + b["body_pos"][1]) / 2).max() < 0.02
    with pytest.raises(ValueError, match="source_rate is 30"):
        pm.MotionLibrary.from_files(path, robot, source_rate=30, **options)


def test_phc_without_a_robot_is_a_motion_of_smpl(tmp_path: Path) -> None:
    rng = np.random.default_rng(13)
    poses, trans = poses_of(rng, 9, 24), rng.normal(size=(9, 3))
    (tmp_path / "a.pkl").write_bytes(pickle.dumps({"walk": {"pose_aa": poses, "trans": trans, "fps": 30}}))
    amass(tmp_path / "walk.npz", poses, trans)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the shape of the body is not known
        a, b = (pm.MotionLibrary.from_files(tmp_path / name, "smpl", engine=pm.Engine("none")) for name in ("a.pkl", "walk.npz"))
    x, y = (lib.sample([0, 0], [0.05, 0.2]) for lib in (a, b))
    assert a.names == b.names == ("walk",) and all(np.array_equal(x[name], y[name]) for name in x)


def test_rotations_of_protomotions_and_frames_of_mimickit_become_coordinates(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    for kind in ("balls", "hinges", "other axes"):
        figure, poses, trans = Figure(rng, UPRIGHT, kind), poses_of(rng, 15, 24), rng.normal(size=(15, 3))
        robot = pm.Skeleton.from_mujoco(figure.model)
        wanted = pm.MotionLibrary.from_files(amass(tmp_path / "b.npz", poses, trans), robot, pelvis=[0, 0, 0],
                                             engine=pm.Engine("none"))
        s = wanted.sample(np.zeros(15, int), steps=np.arange(15), rate=30)
        maps = exponential_maps(wanted, s)["dof_pos"]
        frames = np.concatenate([trans, Rotation.from_quat(s["body_rot"][:, 0]).as_rotvec(), maps], axis=1)
        for name, data in (("m", {"frames": frames, "fps": 30, "loop_mode": 0}),
                           ("p", {"rigid_body_pos": s["body_pos"], "rigid_body_rot": s["body_rot"], "fps": 30, "dof_pos": maps})):
            (tmp_path / f"{name}.pkl").write_bytes(pickle.dumps(data))
            found = pm.MotionLibrary.from_files(tmp_path / f"{name}.pkl", robot, engine=pm.Engine("none"))
            t = found.sample(np.zeros(15, int), steps=np.arange(15), rate=30)
            assert np.abs(t["body_pos"] - s["body_pos"]).max() < 1e-4, (kind, name)
            assert np.abs(np.sum(t["body_rot"] * s["body_rot"], axis=-1)).min() > 1 - 1e-6


def test_models_that_are_none_of_smpl_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    figure = Figure(rng, UPRIGHT, "balls")
    path = amass(tmp_path / "a.npz", poses_of(rng, 3, 24), np.zeros((3, 3)))
    for change, words in ((("Head", "Skull"), "head"), (("L_Hip", "LeftLeg"), "l_hip")):
        model = mujoco.MjModel.from_xml_string(figure.text.replace(*change))
        with pytest.raises(ValueError, match=words) as error:
            pm.MotionLibrary.from_files(path, pm.Skeleton.from_mujoco(model))
        assert "a.npz" in str(error.value)
    figure.text = figure.text.replace('<joint name="L_Knee" type="ball"/>', '<joint name="L_Knee" axis="0 1 0"/>')
    with pytest.raises(ValueError, match=r"L_Knee.*cannot turn as frame"):
        pm.MotionLibrary.from_files(path, pm.Skeleton.from_mujoco(mujoco.MjModel.from_xml_string(figure.text)))
    amass(path, np.zeros((3, 30, 3)), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="30 joints"):
        pm.MotionLibrary.from_files(path, pm.Skeleton.from_mujoco(figure.model))


def test_the_path_of_angles_is_that_of_a_walk_frame_by_frame() -> None:
    """For tame and for wild turns, with both sets of angles."""
    from posemill._body_turns import _nearest_path, _other

    for size in (0.1, 0.8, 3.0):
        angles = np.cumsum(np.random.default_rng(int(10 * size)).normal(0, size, (500, 3)), axis=0)
        inner = Rotation.from_euler("XYZ", angles).as_euler("XYZ")
        found, before = _nearest_path(inner), np.zeros(3)
        for k, own in enumerate(inner):
            options = np.stack([own, _other(own)]) if k else own[None]
            options += 2 * np.pi * np.rint((before - options) / (2 * np.pi))
            before = options[np.argmin(np.abs(options - before).sum(axis=1))]
            assert np.abs(found[k] - before).max() < 1e-9
        assert (Rotation.from_euler("XYZ", found) * Rotation.from_euler("XYZ", angles).inv()).magnitude().max() < 1e-6


def test_angles_go_on_through_locked_and_whole_turns(tmp_path: Path) -> None:
    """A body that turns by several turns about an axis, and through the pose in which two axes are one."""
    figure = Figure(np.random.default_rng(9), AS_SMPL, "hinges")
    frames = 240
    angles = np.zeros((frames, 3))
    angles[:, 0] = np.linspace(0, 12, frames)
    angles[:, 1] = np.linspace(-1.2, np.pi / 2, frames)  # ends at the lock
    angles[:, 2] = 0.3
    poses = np.zeros((frames, 24, 3))
    poses[:, 18] = Rotation.from_euler("XYZ", angles).as_rotvec()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lib = pm.MotionLibrary.from_files(amass(tmp_path / "a.npz", poses, np.zeros((frames, 3))),
                                          pm.Skeleton.from_mujoco(figure.model), engine=pm.Engine("none"))
    own = [lib.dof_names.index(f"L_Elbow_{axis}") for axis in "xyz"]
    found = lib.sample(np.zeros(frames, int), steps=np.arange(frames), rate=30, fields=["dof_pos"])["dof_pos"][:, own]
    assert np.abs(found[:-1] - angles[:-1]).max() < 1e-4
    assert np.abs(Rotation.from_euler("XYZ", found[-1]).as_rotvec() - poses[-1, 18]).max() < 1e-4
    assert np.abs(np.diff(found, axis=0)).max() < 0.2
