# SPDX-License-Identifier: MIT
"""posemill.learning.mjlab in mjlab's own tracking task of the G1. Skipped without mjlab, which requires PyTorch with
CUDA's wheels: install it into an environment of its own."""
from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import posemill as pm

torch = pytest.importorskip("torch")
pytest.importorskip("mjlab")

FIELDS = {"joint_pos": "dof_pos", "joint_vel": "dof_vel", "body_pos_w": "body_pos", "body_quat_w": "body_rot",
          "body_lin_vel_w": "body_vel", "body_ang_vel_w": "body_ang_vel"}
ENGINE = pm.Engine("none")


def motions() -> pm.MotionLibrary:
    """Of the G1 of mjlab, which stands and trembles."""
    from mjlab.asset_zoo.robots import get_g1_robot_cfg

    robot, rng = pm.Skeleton.from_mujoco(get_g1_robot_cfg().spec_fn().compile()), np.random.default_rng(1)

    def motion(count: int) -> pm.Keys:
        places = [0, 0, 0.78] + np.cumsum(rng.normal(0, 0.01, (count, 3)), axis=0)
        return pm.Keys(np.tile([0, 0, 0, 1.0], (count, 1)), places, rate=30,
                       angles=np.cumsum(rng.normal(0, 0.02, (count, len(robot.hinges))), axis=0))

    return pm.MotionLibrary(robot, {f"m{n}": motion(count) for n, count in enumerate((40, 70, 25))}, engine=ENGINE)


def task(file: str, ours: bool) -> tuple[Any, Any]:
    """The environment, and its command."""
    from mjlab.envs import ManagerBasedRlEnv
    from mjlab.tasks.tracking.config.g1.env_cfgs import unitree_g1_flat_tracking_env_cfg
    from posemill.learning.mjlab import MotionCommandCfg

    cfg = unitree_g1_flat_tracking_env_cfg()
    cfg.scene.num_envs = 4
    command = cfg.commands["motion"]
    command.motion_file = file
    if ours:
        same = {field.name: getattr(command, field.name) for field in fields(command) if field.name != "motion_file"}
        cfg.commands["motion"] = MotionCommandCfg(library=file, engine=ENGINE, **same)
    env = ManagerBasedRlEnv(cfg, device="cpu")
    env.reset()
    return env, env.command_manager.get_term("motion")


def step(env: Any) -> Any:
    return env.step(torch.zeros(env.num_envs, env.action_manager.total_action_dim))


def test_steps_show_states_of_many_motions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    motions().save("all.npz")
    env, command = task("all.npz", ours=True)
    lib = pm.MotionLibrary.load("all.npz", engine=ENGINE, bodies=command.cfg.body_names, dofs=command.robot.joint_names)
    seen, resets = set(), 0
    for _ in range(120):
        _, rewards, failed, timed_out, _ = step(env)
        ids, times = command.motion.motions_of(command.time_steps)
        states = lib.sample(ids, times, scalar_first=True, fields=tuple(FIELDS.values()))
        states["body_pos"] += env.scene.env_origins[:, None].numpy()
        for theirs, field in FIELDS.items():
            assert np.abs(getattr(command, theirs).numpy() - states[field]).max() < 1e-5, theirs
        assert bool(torch.isfinite(rewards).all())
        seen |= set(ids.tolist())
        resets += int((failed | timed_out).sum())
    assert seen == {0, 1, 2} and resets > 0


def test_one_motion_is_that_of_their_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one = motions().subset([1])
    one.save("ours.npz")
    env, command = task("ours.npz", ours=True)
    one.export_npz("theirs.npz", 0, 1 / env.step_dt, "mjlab")
    _, other = task("theirs.npz", ours=False)
    assert command.motion.time_step_total == other.motion.time_step_total and command.bin_count == other.bin_count
    for _ in range(40):
        step(env)
        other.time_steps[:] = command.time_steps
        for name in (*FIELDS, "anchor_pos_w", "anchor_quat_w", "anchor_lin_vel_w", "anchor_ang_vel_w", "command"):
            assert float((getattr(command, name) - getattr(other, name)).abs().max()) < 1e-5, name
