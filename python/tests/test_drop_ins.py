# SPDX-License-Identifier: MIT
"""Classes with the names of other projects give the numbers of these: small evaluators compute them from the arrays of
the files, as those projects document them."""
from __future__ import annotations

import pickle
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import posemill as pm
import pytest
from scipy.spatial.transform import Rotation, Slerp
from test_smpl_robots import UPRIGHT, Figure, amass, poses_of
from test_ways_in import RATE, Case, packed, tensors

torch = pytest.importorskip("torch")
from posemill.learning import exponential_maps  # noqa: E402
from posemill.learning.mimickit import MotionLib as MimicKitLib  # noqa: E402
from posemill.learning.protomotions import MotionLib as ProtoLib  # noqa: E402


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.chdir(tmp_path)
    return Case(5, tmp_path)


def same_turns(a: Any, b: Any, size: float = 1e-6) -> bool:
    return bool(np.abs(np.sum(np.asarray(a, float) * np.asarray(b, float), axis=-1)).min() > 1 - size)


def blend(times: Any, frames: int) -> tuple[Any, Any, Any]:
    place = np.clip(times * RATE, 0, frames - 1)
    first = np.minimum(np.floor(place + 1e-9).astype(int), frames - 1)
    return first, np.minimum(first + 1, frames - 1), place - first


def turned(a: Any, b: Any, t: Any) -> Any:
    """Slerp of arrays (N, ..., 4) at t (N)."""
    flat = zip(a.reshape(-1, 4), b.reshape(-1, 4), np.repeat(t, a[0].size // 4))
    return np.array([Slerp([0, 1], Rotation.from_quat([x, y]))(u).as_quat() for x, y, u in flat]).reshape(a.shape)


# ---- ProtoMotions ----


class Config:
    def __init__(self, motion_file: str) -> None:
        self.motion_file = motion_file


def proto_files(case: Case, count: int = 3) -> list[dict[str, np.ndarray]]:
    found = []
    for n in range(count):
        m = case.motion(12 + n)
        s = case.bodies(m)
        rng = case.rng
        arrays = {"rigid_body_pos": s["body_pos"], "rigid_body_rot": s["body_rot"], "dof_pos": m["angles"],
                  **{name: rng.normal(size=shape).astype(np.float32) for name, shape in (
                      ("rigid_body_vel", s["body_pos"].shape), ("rigid_body_ang_vel", s["body_pos"].shape),
                      ("dof_vel", m["angles"].shape))},
                  "rigid_body_contacts": rng.random(s["body_pos"].shape[:2]) < 0.5}
        tensors({**arrays, "fps": RATE}, f"m{n}.motion")
        found.append(arrays)
    Path("all.yaml").write_text("motions:\n" + "".join(f"- {{file: m{n}.motion, weight: {n + 1}}}\n" for n in range(count)))
    return found


def test_protomotions_mixed_states_are_theirs(case: Case) -> None:
    files = proto_files(case)
    motions = ProtoLib(Config("all.yaml"), "cpu", robot=case.robot, mixed=True, engine=pm.Engine("none"))
    assert motions.num_motions() == 3 and motions.motion_weights.tolist() == [1, 2, 3]
    assert motions.motion_num_frames.tolist() == [12, 13, 14] and motions.length_starts.tolist() == [0, 12, 25]
    assert torch.allclose(motions.get_motion_length(torch.tensor([2, 0])), torch.tensor([13 / RATE, 11 / RATE]))
    ids = case.rng.integers(0, 3, 60)
    times = case.rng.uniform(-0.1, 0.6, 60)
    state = motions.get_motion_state(torch.from_numpy(ids), torch.from_numpy(times))
    for k in range(60):
        own = files[ids[k]]
        a, b, t = blend(times[k], len(own["dof_pos"]))
        for name in ("rigid_body_pos", "rigid_body_vel", "rigid_body_ang_vel", "dof_pos", "dof_vel"):
            wanted = (1 - t) * own[name][a] + t * own[name][b]
            assert np.abs(state[name][k].numpy() - wanted).max() < 1e-4, name
        turns = turned(own["rigid_body_rot"][a][None], own["rigid_body_rot"][b][None], np.array([t]))[0]
        assert same_turns(state.rigid_body_rot[k], turns)
        assert np.array_equal(state.rigid_body_contacts[k].numpy(), own["rigid_body_contacts"][a] | own["rigid_body_contacts"][b])
    exact = motions.get_motion_state_exact_frame(torch.tensor([1, 2]), torch.tensor([4, 13]))
    for k, (n, frame) in enumerate(((1, 4), (2, 13))):
        for name in ("rigid_body_pos", "rigid_body_vel", "dof_vel", "rigid_body_contacts"):
            assert np.abs(np.float32(exact[name][k].numpy()) - files[n][name][frame]).max() < 1e-5


def test_protomotions_states_are_derivatives_by_default(case: Case) -> None:
    files = proto_files(case, 1)
    motions = ProtoLib("m0.motion", robot="robot.xml", engine=pm.Engine("none"))
    times = case.rng.uniform(0.05, 0.3, 20)
    small = 1e-4
    before, now, after = (motions.get_motion_state(torch.zeros(20, dtype=torch.long), torch.from_numpy(times + d))
                          for d in (-small, 0, small))
    on_frame = np.abs(times * RATE - np.rint(times * RATE)) < 0.01
    for position, rate in (("rigid_body_pos", "rigid_body_vel"), ("dof_pos", "dof_vel")):
        found = (after[position] - before[position]).numpy() / (2 * small)
        assert np.abs(found - now[rate].numpy())[~on_frame].max() < 2e-2 * (1 + np.abs(found).max())
    lengths = np.linalg.norm(np.diff(now.rigid_body_pos.numpy(), axis=1), axis=-1)
    kept = np.linalg.norm(np.diff(files[0]["rigid_body_pos"][:1], axis=1), axis=-1)
    assert np.abs(lengths - kept).max() < 1e-5  # bones keep their lengths
    drawn = motions.sample_motions(9)
    assert drawn.tolist() == [0] * 9 and bool((motions.sample_time(drawn, 0.2) <= motions.motion_lengths[0] - 0.2).all())


def test_protomotions_takes_packed_files_and_libraries(case: Case) -> None:
    packed(case, [case.motion(9), case.motion(8)], "all.pt", [1.0, 3.0])
    pm.MotionLibrary.build("all.npz", "all.pt", case.robot)
    a, b = ProtoLib(Config("all.pt"), robot=case.robot), ProtoLib("all.npz")
    ids, times = torch.tensor([0, 1, 1]), torch.tensor([0.1, 0.0, 0.2])
    x, y = (one.get_motion_state(ids, times) for one in (a, b))
    assert torch.equal(x.rigid_body_pos, y.rigid_body_pos) and a.motion_weights.tolist() == [1, 3]
    with pytest.raises(ValueError, match="mixed"):
        ProtoLib("all.npz", mixed=True)
    with pytest.raises(ValueError, match="joint_3d_format"):
        a.get_motion_state(ids, times, "euler")
    with pytest.raises(ValueError, match=r"robot: all\.pt"):
        ProtoLib("all.pt")


def test_protomotions_models_of_smpl_have_exponential_maps(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    figure = Figure(rng, UPRIGHT, "hinges")
    robot = pm.Skeleton.from_mujoco(figure.model)
    amass(tmp_path / "a.npz", poses_of(rng, 12, 24, 0.1), rng.normal(size=(12, 3)))
    lib = pm.MotionLibrary.from_files(tmp_path / "a.npz", robot, pelvis=[0, 0, 0], engine=pm.Engine("none"))
    state = ProtoLib(lib).get_motion_state(torch.zeros(12, dtype=torch.long), torch.arange(12) / 30)
    s = lib.sample(np.zeros(12, int), steps=np.arange(12), rate=30)
    assert state.dof_pos.shape == (12, 69)
    assert np.abs(state.dof_pos.numpy() - exponential_maps(lib, s)["dof_pos"]).max() < 1e-5


# ---- MimicKit ----


class MimicKit:
    """From frames, as MimicKit documents them: `sizes` are 0, 1 or 3 numbers of each body below the root."""

    def __init__(self, frames: Any, sizes: Any, axes: Any, repeats: bool) -> None:
        self.places, self.root = frames[:, :3], Rotation.from_rotvec(frames[:, 3:6])
        self.repeats, at, self.sizes, self.axes = repeats, 6, sizes, axes
        self.joints = np.zeros((len(frames), len(sizes), 4))
        for n, size in enumerate(sizes):
            numbers = frames[:, at:at + size]
            at += size
            vectors = numbers if size == 3 else numbers * axes[n] if size else np.zeros((len(frames), 3))
            self.joints[:, n] = Rotation.from_rotvec(vectors).as_quat()
        self.length = (len(frames) - 1) / RATE

    def at(self, time: float) -> tuple[Any, ...]:
        phase = time / self.length
        lap = np.floor(phase) if self.repeats else 0
        phase = np.clip(phase - lap, 0, 1)
        count = len(self.places)
        a = int(phase * (count - 1) + 1e-9)
        b, t = min(a + 1, count - 1), phase * (count - 1) - a
        c = min(a, count - 2)
        place = (1 - t) * self.places[a] + t * self.places[b] + lap * (self.places[-1] - self.places[0]) * [1, 1, 0]
        turns = self.root.as_quat()
        rates = []
        for n, size in enumerate(self.sizes):
            step = (Rotation.from_quat(self.joints[c, n]).inv() * Rotation.from_quat(self.joints[c + 1, n])).as_rotvec() * RATE
            rates += list(step) if size == 3 else [step @ self.axes[n]] if size else []
        one = np.array([t])
        return (place, turned(turns[a][None], turns[b][None], one)[0], RATE * (self.places[c + 1] - self.places[c]),
                RATE * (self.root[c + 1] * self.root[c].inv()).as_rotvec(),
                turned(self.joints[a][None], self.joints[b][None], one)[0], np.array(rates))


MODEL = """<mujoco><compiler angle="radian"/><worldbody><body name="pelvis"><freejoint/><geom size=".1"/>
<body name="torso" pos="0 0 .2">{torso}<geom size=".1"/><body name="fixed" pos="0 .1 0" euler=".3 .2 0"><geom size=".1"/>
<body name="arm" pos="0 .3 0" euler="0 .5 .1"><joint name="elbow" axis="0 .6 .8"/><geom size=".1"/></body></body></body>
<body name="leg" pos="0 0 -.2"><joint name="leg" axis="1 0 0"/><geom size=".1"/></body></body></worldbody></mujoco>"""
TORSOS = {"hinges": "".join(f'<joint name="t{axis}" axis="{axes}"/>' for axis, axes in
                            (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1"))), "ball": '<joint name="t" type="ball"/>'}


@pytest.mark.parametrize("torso", TORSOS)
@pytest.mark.parametrize("mixed", [True, False])
def test_mimickit_frames(torso: str, mixed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    Path("model.xml").write_text(MODEL.format(torso=TORSOS[torso]))
    robot = pm.Skeleton.from_mujoco(mujoco.MjModel.from_xml_path("model.xml"))
    sizes, axes = [3, 0, 1, 1], [None, None, np.array([0, 0.6, 0.8]), np.array([1.0, 0, 0])]
    evaluators = []
    for n in range(3):
        frames = np.cumsum(rng.normal(0, 0.12, (int(rng.integers(5, 20)), 11)), axis=0)
        Path(f"m{n}.pkl").write_bytes(pickle.dumps({"loop_mode": n % 2, "fps": RATE, "frames": frames}))
        evaluators.append(MimicKit(frames, sizes, axes, n % 2 == 1))
    Path("all.yaml").write_text("motions:\n" + "".join(f"- {{file: m{n}.pkl, weight: {n + 1}}}\n" for n in range(3)))
    motions = MimicKitLib("all.yaml", robot, "cpu", mixed=mixed, engine=pm.Engine("none"))
    assert motions.get_num_motions() == 3 and motions.get_motion_loop_mode(torch.tensor([0, 1, 2])).tolist() == [0, 1, 0]
    assert torch.allclose(motions.get_motion_weights(), torch.tensor([1, 2, 3]) / 6)
    assert abs(motions.get_total_length() - sum(one.length for one in evaluators)) < 1e-5
    ids = rng.integers(0, 3, 50)
    lengths = np.array([one.length for one in evaluators])
    times = rng.uniform(-0.5, 2.7, 50) * lengths[ids]
    found = motions.calc_motion_frame(torch.from_numpy(ids), torch.from_numpy(times))
    phase = motions.calc_motion_phase(torch.from_numpy(ids), torch.from_numpy(times))
    for k in range(50):
        place, turn, velocity, rate, joints, dofs = evaluators[ids[k]].at(times[k])
        assert np.abs(found[0][k].numpy() - place).max() < 1e-4
        assert same_turns(found[1][k], turn)
        assert found[4][k].shape == joints.shape and found[5][k].shape == dofs.shape
        wanted = times[k] / lengths[ids[k]]
        wanted = wanted - np.floor(wanted) if ids[k] == 1 else np.clip(wanted, 0, 1)
        assert abs(float(phase[k]) - wanted) < 1e-4
        if mixed:
            assert same_turns(found[4][k], joints) and np.abs(found[2][k].numpy() - velocity).max() < 1e-2
            assert np.abs(found[3][k].numpy() - rate).max() < 1e-2 and np.abs(found[5][k].numpy() - dofs).max() < 1e-2
        else:  # hinges of one frame to the next, and what is on frames
            assert np.abs(np.sum(found[4][k].numpy() * joints, axis=-1)).min() > 1 - 1e-3
    on = torch.arange(4, dtype=torch.float64) / RATE
    joints = motions.calc_motion_frame(torch.zeros(4, dtype=torch.long), on)[4]
    frames = pickle.loads(Path("m0.pkl").read_bytes())["frames"]
    numbers = motions.joint_rot_to_dof(joints).numpy()
    wanted = frames[:4, 6:].copy()
    wanted[:, :3] = Rotation.from_rotvec(wanted[:, :3]).as_rotvec()
    assert np.abs(numbers - wanted).max() < 1e-4
    drawn = motions.sample_motions(50)
    assert bool((motions.sample_time(drawn, truncate_time=0.1) <= motions.get_motion_length(drawn)).all())


# ---- mjlab ----


class Arrays:
    """A motion's arrays, of which bodies are picked by their numbers."""

    def __init__(self, path: str, bodies: Any, device: str) -> None:
        with np.load(path) as members:
            self.names = members["body_names"].tolist()
            for name in ("joint_pos", "joint_vel"):
                setattr(self, name, torch.from_numpy(members[name]))
            for name in ("body_pos_w", "body_quat_w", "body_lin_vel_w", "body_ang_vel_w"):
                setattr(self, name, torch.from_numpy(members[name])[:, bodies])
        self.time_step_total = len(self.joint_pos)


class Command:
    """What mjlab documents: states on `time_steps`, which count on, and are drawn anew behind the motion's end."""

    def __init__(self, cfg: Any, env: Any) -> None:
        self.cfg, self._env, self.device = cfg, env, "cpu"
        self.robot = env.scene[cfg.entity_name]
        self.anchor = cfg.body_names.index(cfg.anchor_body_name)
        self.motion = Arrays(cfg.motion_file, [self.robot.body_names.index(n) for n in cfg.body_names], "cpu")
        assert self.motion.names == self.robot.body_names  # mjlab takes bodies by the robot's numbers
        self.time_steps = torch.zeros(env.num_envs, dtype=torch.long)
        self.bin_count = int(self.motion.time_step_total // (1 / env.step_dt)) + 1
        self.bin_failed_count = torch.zeros(self.bin_count)
        self._current_bin_failed = torch.zeros(self.bin_count)
        self.resampled: list[int] = []

    def __getattr__(self, name: str) -> Any:
        if name in ("joint_pos", "joint_vel", "body_pos_w", "body_quat_w", "body_lin_vel_w", "body_ang_vel_w"):
            return getattr(self.motion, name)[self.time_steps]
        raise AttributeError(name)

    @property
    def anchor_pos_w(self) -> Any:
        return self.motion.body_pos_w[self.time_steps, self.anchor]

    def _update_command(self, env_ids: Any = None) -> None:
        self.time_steps[slice(None) if env_ids is None else env_ids] += 1
        over = torch.where(self.time_steps >= self.motion.time_step_total)[0]
        self.resampled = over.tolist()
        self.time_steps[over] = 0


@dataclass(kw_only=True)
class CommandCfg:
    motion_file: str
    entity_name: str
    anchor_body_name: str
    body_names: list[str]


@pytest.fixture
def mjlab(monkeypatch: pytest.MonkeyPatch) -> Any:
    names = ["mjlab", "mjlab.tasks", "mjlab.tasks.tracking", "mjlab.tasks.tracking.mdp", "mjlab.tasks.tracking.mdp.commands"]
    for name in names:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules[names[-1]].MotionCommand, sys.modules[names[-1]].MotionCommandCfg = Command, CommandCfg  # type: ignore[attr-defined]
    monkeypatch.delitem(sys.modules, "posemill.learning.mjlab", raising=False)
    import posemill.learning.mjlab as module

    yield module
    sys.modules.pop("posemill.learning.mjlab", None)


def test_mjlab_has_many_motions(case: Case, mjlab: Any) -> None:
    motions = [case.motion(count) for count in (10, 16, 7)]
    pm.MotionLibrary(case.robot, {f"m{n}": pm.Keys(m["turns"], m["places"], rate=RATE, angles=m["angles"])
                                  for n, m in enumerate(motions)}).save("all.npz")
    lib = pm.MotionLibrary.load("all.npz", engine=pm.Engine("none"))
    robot = types.SimpleNamespace(body_names=list(lib.body_names), joint_names=list(lib.dof_names))
    env = types.SimpleNamespace(scene={"robot": robot}, num_envs=3, step_dt=0.02)
    bodies = [lib.body_names[2], lib.body_names[0]]
    cfg = mjlab.MotionCommandCfg(library="all.npz", entity_name="robot", anchor_body_name=bodies[1], body_names=bodies,
                                 engine=pm.Engine("none"))
    command = cfg.build(env)
    counts = [int((len(m["turns"]) - 1) / RATE / 0.02 + 1e-6) + 1 for m in motions]
    assert command.motion.counts.tolist() == counts and command.motion.time_step_total == sum(counts)
    assert command.bin_count == int(sum(counts) // 50) + 1 == len(command.bin_failed_count)
    where = [(0, 2), (1, 5), (2, 1)]
    command.time_steps[:] = torch.tensor([int(command.motion.starts[n]) + k for n, k in where])
    for _ in range(3):
        assert command.motion_ids.tolist() == [n for n, _ in where]
        s = lib.sample([n for n, _ in where], [k * 0.02 for _, k in where], scalar_first=True,
                       fields=["dof_pos", "dof_vel", "body_pos", "body_rot", "body_vel", "body_ang_vel"])
        for theirs, ours in (("joint_pos", "dof_pos"), ("joint_vel", "dof_vel"), ("body_pos_w", "body_pos"),
                             ("body_quat_w", "body_rot"), ("body_lin_vel_w", "body_vel"), ("body_ang_vel_w", "body_ang_vel")):
            wanted = s[ours] if theirs.startswith("joint") else s[ours][:, [2, 0]]
            assert np.abs(getattr(command, theirs).numpy() - wanted).max() < 1e-6, theirs
        assert np.abs(command.anchor_pos_w.numpy() - s["body_pos"][:, 0]).max() < 1e-6
        command._update_command()
        assert command.resampled == []
        where = [(n, k + 1) for n, k in where]
    command.time_steps[:] = torch.tensor([int(command.motion.starts[1]) - 1, int(command.motion.starts[1]),
                                          command.motion.time_step_total - 1])
    command._update_command()
    assert command.resampled == [0, 2]  # each on its motion's last step
    assert command.motion_ids[1] == 1
    steps = command.time_steps.clone()
    command.time_steps[2] = int(command.motion.starts[1]) - 1
    command._update_command(torch.tensor([2]))  # as after a reset: others wait
    assert command.resampled == [2] and torch.equal(command.time_steps[:2], steps[:2])
