# SPDX-License-Identifier: MIT
"""MimicKit's MotionLib: its names, shapes and conventions, on a :class:`posemill.MotionLibrary`."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch

from .._body_turns import log_of, multiply
from .._engine import Engine
from .._pickles import load_pickle
from .._skeleton import Skeleton
from .._sources import sources_of
from .._takes import PICKLES
from .._views import Array
from . import joint_turns
from ._motions import Motions, slerp

__all__ = ["MotionLib"]

_BACK = np.array([-1.0, -1.0, -1.0, 1.0])


class MotionLib:
    """In place of ``anim.motion_lib.MotionLib``. Rotations are x y z w.

    Parameters
    ----------
    motion_file : path or MotionLibrary
        A ``.pkl`` of MimicKit or a YAML of them; or any files of :meth:`posemill.MotionLibrary.from_files`, which do
        not repeat.
    kin_char_model : Skeleton or path
        The robot's skeleton, MJCF or URDF. Its bodies are in the order of the file, depth first, as MimicKit's.
    device : str or torch.device
    mixed : bool
        False: velocities are the derivatives at the time. True: theirs, the difference to the frame that follows, held
        until then; and rotations of three hinges are those of two frames, mixed.
    engine : Engine, optional

    Notes
    -----
    Differences that `mixed` does not switch: times of motions that do not repeat are clamped, before their begins too;
    ``sample_time`` never gives negative times.

    Examples
    --------
    >>> import pickle, numpy as np, torch
    >>> from posemill.learning.mimickit import MotionLib
    >>> _ = open("arm.xml", "w").write('''<mujoco><worldbody>
    ...   <body name="base"><freejoint/>
    ...     <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/></body>
    ...   </body></worldbody></mujoco>''')
    >>> frames = np.concatenate([np.zeros((31, 6)), np.linspace(0, 1, 31)[:, None]], axis=1)
    >>> _ = open("bend.pkl", "wb").write(pickle.dumps({"loop_mode": 0, "fps": 30, "frames": frames}))
    >>> motions = MotionLib("bend.pkl", "arm.xml", "cpu")
    >>> *_, joint_rot, dof_vel = motions.calc_motion_frame(torch.tensor([0]), torch.tensor([0.5]))
    >>> joint_rot.shape, round(float(dof_vel[0, 0]), 3)
    (torch.Size([1, 1, 4]), 1.0)
    """

    def __init__(self, motion_file: Any, kin_char_model: Skeleton | os.PathLike[str] | str | None = None,
                 device: Any = "cpu", *, mixed: bool = False, engine: Engine | None = None) -> None:
        self._motions = Motions(motion_file, kin_char_model, device, (), engine)
        self._device, self.lib, self.mixed = self._motions.device, self._motions.lib, mixed
        modes = np.zeros(len(self.lib), np.int64)
        if kin_char_model is not None:
            modes = _loop_modes(motion_file, len(self.lib))
        self._motion_loop_modes = torch.as_tensor(modes, dtype=torch.int, device=self._device)
        self._lengths = self._motions._last * self._motions._steps
        ends = [self._motions.arrays(range(len(self.lib)), time, ["root_pos"])["root_pos"]
                for time in (np.zeros(len(self.lib)), self._lengths)]
        self._wrap_delta = (ends[1] - ends[0]).astype(np.float64) * [1, 1, 0] * (modes == 1)[:, None]
        self._motion_files = self.lib.names

    def get_num_motions(self) -> int:
        return len(self.lib)

    def get_total_length(self) -> float:
        return float(self._motions.lengths.sum())

    def get_motion_file(self, motion_id: int) -> str:
        return self._motion_files[motion_id]

    def get_motion_length(self, motion_ids: Any) -> torch.Tensor:
        return self._motions.lengths[motion_ids]

    def get_motion_lengths(self) -> torch.Tensor:
        return self._motions.lengths

    def get_motion_weights(self) -> torch.Tensor:
        return self._motions.weights

    def get_motion_loop_mode(self, motion_ids: Any) -> torch.Tensor:
        return self._motion_loop_modes[motion_ids]

    def sample_motions(self, n: int) -> torch.Tensor:
        """Random motions, by their weights."""
        return self._motions.draw(n)

    def sample_time(self, motion_ids: torch.Tensor, truncate_time: float | None = None) -> torch.Tensor:
        """Random times within motions."""
        room = (self._motions.lengths[motion_ids] - (truncate_time or 0.0)).clamp(min=0)
        return torch.rand(motion_ids.shape, device=self._device) * room

    def calc_motion_phase(self, motion_ids: Any, times: Any) -> torch.Tensor:
        """From 0 to 1 over a motion; of those that repeat, over each lap."""
        phase = times / self._motions.lengths[motion_ids]
        repeats = self._motion_loop_modes[motion_ids] == 1
        return torch.where(repeats, phase - torch.floor(phase), phase).clip(0.0, 1.0)

    def calc_motion_frame(self, motion_ids: Any, motion_times: Any) -> tuple[torch.Tensor, ...]:
        """``root_pos``, ``root_rot``, ``root_vel``, ``root_ang_vel`` in the world, ``joint_rot`` (N, bodies - 1, 4)
        from the rest pose, and ``dof_vel``: of each body the rate of its hinge, or the angular velocity of its ball or
        three hinges in its own axes. Laps of motions that repeat go on from the place where the lap before ended."""
        ids, times = (np.asarray(torch.as_tensor(value).cpu()) for value in (motion_ids, motion_times))
        lengths, times = self._lengths[ids], times.astype(np.float64)
        laps = np.floor(np.divide(times, lengths, out=np.zeros_like(times), where=lengths > 0))
        repeats = self._wrap_delta_applies(ids)
        times = np.where(repeats, times - laps * lengths, times)
        fields = ["root_pos", "root_rot", "root_vel", "root_ang_vel", "body_rot", "body_ang_vel"]
        if self.mixed:
            found, joint_rot, dof_vel = self._held(ids, times)
        else:
            found = self._motions.arrays(ids, times, fields)
            joint_rot, rates, bodies = joint_turns(self.lib, found)
            assert rates is not None
            dof_vel = self._rates_of(rates, bodies)
        found["root_pos"] = found["root_pos"] + np.where(repeats, laps, 0)[:, None] * self._wrap_delta[ids]
        rows = (*(found[name] for name in fields[:4]), joint_rot, dof_vel)
        return tuple(torch.from_numpy(np.asarray(part, np.float32)).to(self._device) for part in rows)

    def joint_rot_to_dof(self, joint_rot: torch.Tensor) -> torch.Tensor:
        """Of each body the angle of its hinge, or the rotation vector of its ball or three hinges."""
        bodies = joint_turns(self.lib, {"body_rot": np.tile([0.0, 0, 0, 1], (1, len(self.lib.body_names), 1))})[2]
        maps = log_of(joint_rot.cpu().numpy())
        skeleton = self.lib._stored.skeleton
        found = self._rates_of(maps, bodies)
        at = 0
        for body in bodies:  # angles of the rest pose
            count = self._size_of(body)
            if count == 1 and skeleton.references is not None:
                found[..., at] += skeleton.references[body.turning[0]]
            at += count
        return torch.from_numpy(found.astype(np.float32)).to(joint_rot.device)

    def _wrap_delta_applies(self, ids: Any) -> Any:
        return np.asarray(self._motion_loop_modes.cpu())[ids] == 1

    @staticmethod
    def _size_of(body: Any) -> int:
        return 0 if not body.turning else 3 if body.is_ball or len(body.turning) > 1 else 1

    def _rates_of(self, rates: Array, bodies: Any) -> Array:
        """Numbers of joints (N, dofs), of vectors (N, bodies, 3) in their own axes."""
        columns, axes = [], np.asarray(self.lib._stored.skeleton.axes)
        for n, body in enumerate(bodies):
            if self._size_of(body) == 3:
                columns.append(rates[..., n, :])
            elif body.turning:
                columns.append((rates[..., n, :] @ axes[body.turning[0]])[..., None])
        return np.concatenate(columns, axis=-1)

    def _held(self, ids: Any, times: Any) -> tuple[dict[str, Any], Array, Array]:
        """Theirs: two frames mixed, and differences of frames held."""
        before, after, part = self._motions.around(ids, times)
        held = np.minimum(before, np.maximum(self._motions._last[ids] - 1, 0))  # on the last frame, that before it
        per_second = 1 / self._motions._steps[ids]
        names = ["root_pos", "root_rot", "body_rot"]
        a, b, c, d = (self._motions.at_frames(ids, frame, names) for frame in (
            before, after, held, np.minimum(held + 1, self._motions._last[ids])))
        joints = [joint_turns(self.lib, one) for one in (a, b, c, d)]
        t = torch.as_tensor(part)

        def mixed(x: Array, y: Array) -> Array:
            u = t.reshape(-1, *[1] * (x.ndim - 2)).expand(x.shape[:-1])
            one, other = (torch.from_numpy(rows.astype(np.float64)) for rows in (x, y))
            found: Array = slerp(one, other, u).numpy()
            return found

        found = {"root_pos": a["root_pos"] + part[:, None] * (b["root_pos"] - a["root_pos"]),
                 "root_rot": mixed(a["root_rot"], b["root_rot"]),
                 "root_vel": per_second[:, None] * (d["root_pos"] - c["root_pos"]),
                 "root_ang_vel": per_second[:, None] * log_of(multiply(d["root_rot"], c["root_rot"] * _BACK))}
        drot = log_of(multiply(joints[2][0] * _BACK, joints[3][0])) * per_second[:, None, None]
        return found, mixed(joints[0][0], joints[1][0]), self._rates_of(drot, joints[0][2])


def _loop_modes(motion_file: Any, count: int) -> Any:
    """Of each motion, what its file says: 1 repeats."""
    modes = []
    for source in sources_of(motion_file):
        data = load_pickle(source.path) if source.path.lower().endswith(PICKLES) else {}
        modes.append(int(data.get("loop_mode", 0)) if isinstance(data, dict) else 0)
    if any(modes) and len(modes) != count:
        raise ValueError(f"{len(modes)} files have {count} motions: which of them repeat is not known")
    return np.array(modes if any(modes) else [0] * count, np.int64)
