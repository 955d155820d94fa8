# SPDX-License-Identifier: MIT
"""mjlab's MotionCommand for many motions: the frames of a library one after another are the frames of its one motion.

mjlab counts frames of its motion, at the environment's steps. Here a number stands for a motion and a step in it;
arrays of frames, which mjlab indexes by these numbers, sample the library. An environment on the last step of a motion
goes past the end of all, so that mjlab draws anew.
"""
from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from mjlab.tasks.tracking.mdp.commands import MotionCommand as _MotionCommand
from mjlab.tasks.tracking.mdp.commands import MotionCommandCfg as _MotionCommandCfg

from .._engine import Engine
from .._motion_library import MotionLibrary
from ._motions import chosen

__all__ = ["Frames", "MotionCommand", "MotionCommandCfg"]

_FIELDS = {"joint_pos": "dof_pos", "joint_vel": "dof_vel", "body_pos_w": "body_pos", "body_quat_w": "body_rot",
           "body_lin_vel_w": "body_vel", "body_ang_vel_w": "body_ang_vel"}


class _Rows:
    """An array of all frames, of which those that are asked for are sampled."""

    def __init__(self, frames: Frames, field: str) -> None:
        self._frames, self._field = frames, field

    def __getitem__(self, index: Any) -> torch.Tensor:
        rows, rest = (index[0], index[1:]) if isinstance(index, tuple) else (index, ())
        found = self._frames.at(rows)[self._field]
        return found[(slice(None), *rest)] if rest else found

    @property
    def shape(self) -> torch.Size:
        return torch.Size((self._frames.time_step_total, *self.__getitem__(torch.zeros(1, dtype=torch.long)).shape[1:]))


class Frames:
    """The motions of a library at steps of `step` seconds, one after another; in place of mjlab's MotionLoader.

    Attributes
    ----------
    starts, counts : tensor of int64
        Of each motion: its first frame among all, and how many it has.
    """

    def __init__(self, lib: MotionLibrary, step: float, device: Any) -> None:
        self.lib, self.device = lib, torch.device(device)
        counts = np.floor(lib.durations / step + 1e-6).astype(np.int64) + 1
        self._starts, self._step = np.cumsum(counts) - counts, step
        self._ends = self._starts + counts
        self.starts, self.counts = (torch.as_tensor(n, device=self.device) for n in (self._starts, counts))
        self.time_step_total = int(counts.sum())
        self._held: tuple[Any, int, dict[str, torch.Tensor]] | None = None

    def motions_of(self, frames: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Which motions frames are of, and the seconds in them."""
        numbers = np.clip(frames.cpu().numpy(), 0, self.time_step_total - 1)
        ids = np.searchsorted(self._ends, numbers, side="right")
        return torch.from_numpy(ids), torch.from_numpy((numbers - self._starts[ids]) * self._step)

    def at(self, frames: torch.Tensor) -> dict[str, torch.Tensor]:
        """States of frames. Those that were last asked for are kept, until the tensor changes."""
        if self._held is None or self._held[0] is not frames or self._held[1] != frames._version:
            ids, times = self.motions_of(frames)
            made = self.lib.sample(ids, times, fields=tuple(_FIELDS.values()), scalar_first=True)
            self._held = frames, frames._version, {
                name: torch.from_numpy(made[field]).to(self.device) for name, field in _FIELDS.items()}
        return self._held[2]

    def __getattr__(self, name: str) -> Any:
        if name in _FIELDS:
            return _Rows(self, name)
        raise AttributeError(name)


class MotionCommand(_MotionCommand):  # type: ignore[misc]
    """mjlab's command on the motions of a library. Adaptive bins lie over all motions, one after another."""

    def __init__(self, cfg: MotionCommandCfg, env: Any) -> None:
        robot = env.scene[getattr(cfg, "entity_name", None) or cfg.asset_name]
        with tempfile.TemporaryDirectory() as folder:  # mjlab reads a motion; it is replaced below
            file = os.path.join(folder, "first.npz")
            whole = chosen(cfg.library, robot.body_names, robot.joint_names, cfg.engine)
            whole.export_npz(file, 0, 1 / env.step_dt, "mjlab")
            super().__init__(replace(cfg, motion_file=file), env)
        self.cfg = cfg
        lib = chosen(cfg.library, cfg.body_names, robot.joint_names, cfg.engine)
        self.motion = Frames(lib, env.step_dt, self.device)
        self.bin_count = int(self.motion.time_step_total // (1 / env.step_dt)) + 1
        self.bin_failed_count = torch.zeros(self.bin_count, dtype=torch.float, device=self.device)
        self._current_bin_failed = torch.zeros(self.bin_count, dtype=torch.float, device=self.device)

    @property
    def motion_ids(self) -> torch.Tensor:
        """The motion of each environment."""
        return self.motion.motions_of(self.time_steps)[0].to(self.device)

    def _update_command(self, env_ids: Any = None) -> None:
        """Of some environments, as mjlab does after a reset, or of all."""
        ends = self.motion.starts + self.motion.counts - 1
        among = slice(None) if env_ids is None else env_ids
        steps = self.time_steps[among]
        last = ends[torch.searchsorted(ends, steps).clamp(max=len(ends) - 1)] == steps
        self.time_steps[among] = torch.where(last, self.motion.time_step_total - 1, steps)
        super()._update_command(env_ids)


@dataclass(kw_only=True)
class MotionCommandCfg(_MotionCommandCfg):  # type: ignore[misc]
    """mjlab's configuration with `library`, a MotionLibrary or the path of its file, in place of ``motion_file``."""

    library: Any = None
    engine: Engine | None = None
    motion_file: str = ""
    class_type: type[Any] = MotionCommand

    def build(self, env: Any) -> MotionCommand:
        return MotionCommand(self, env)
