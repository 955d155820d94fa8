# SPDX-License-Identifier: MIT
"""ProtoMotions' MotionLib: its names, shapes and conventions, on a :class:`posemill.MotionLibrary`."""
from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from .._engine import Engine
from .._library import warn
from .._motion_library import MotionLibrary
from .._pickles import load_pickle
from .._skeleton import Skeleton
from .._sources import sources_of
from .._takes import PICKLES
from . import exponential_maps
from ._motions import Motions, slerp

__all__ = ["MotionLib", "State"]

_BODIES = {"rigid_body_pos": "body_pos", "rigid_body_rot": "body_rot", "rigid_body_vel": "body_vel",
           "rigid_body_ang_vel": "body_ang_vel"}
#: Columns of the library that `mixed` needs.
_STORED = {**{name: name for name in ("rigid_body_pos", "rigid_body_vel", "rigid_body_ang_vel")},
           "stored_dof_vel": "dof_vel"}


class State(SimpleNamespace):
    """States by name, as attributes and as items; what there is not is None."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class MotionLib:
    """In place of ``protomotions.components.motion_lib.MotionLib``. Rotations are x y z w.

    Parameters
    ----------
    config : object with ``motion_file``, path or MotionLibrary
        A ``.yaml``, ``.motion``, ``.pt`` or a folder; or any files of :meth:`posemill.MotionLibrary.from_files`.
    device : str or torch.device
    robot : Skeleton or path
        The robot's skeleton, MJCF or URDF; not of libraries.
    mixed : bool
        False: bodies are where forward kinematics of the interpolated coordinates has them, and velocities are the
        derivatives. True: theirs, numbers of two frames that are mixed; files have positions and velocities.
    engine : Engine, optional

    Notes
    -----
    Differences that `mixed` does not switch: times are float64; motions of one frame are allowed; ``slurmrank``,
    ``smooth_contacts`` and ``translate_all_motions_to_origin`` are not there.

    Examples
    --------
    >>> import numpy as np, torch, posemill as pm
    >>> from posemill.learning.protomotions import MotionLib
    >>> _ = open("arm.xml", "w").write('''<mujoco><worldbody>
    ...   <body name="base"><freejoint/>
    ...     <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/></body>
    ...   </body></worldbody></mujoco>''')
    >>> np.savez("bend.npz", root_pos=np.zeros((31, 3)), root_rot=np.tile([0.0, 0, 0, 1], (31, 1)), fps=30,
    ...          dof_pos=np.linspace(0, 1, 31)[:, None])
    >>> motions = MotionLib("bend.npz", device="cpu", robot="arm.xml")
    >>> state = motions.get_motion_state(torch.tensor([0, 0]), torch.tensor([0.0, 0.5]))
    >>> state.rigid_body_pos.shape, state.dof_pos[:, 0]
    (torch.Size([2, 2, 3]), tensor([0.0000, 0.5000]))
    """

    def __init__(self, config: Any, device: Any = "cpu", *, robot: Skeleton | os.PathLike[str] | str | None = None,
                 mixed: bool = False, engine: Engine | None = None) -> None:
        self.config, self.mixed = config, mixed
        self.motion_file = getattr(config, "motion_file", config)
        columns = list(_STORED) if mixed else []
        if robot is not None and _has_contacts(self.motion_file):
            columns.append("contacts")
        self._motions = Motions(self.motion_file, robot, device, columns, engine)
        self.device, self.lib = self._motions.device, self._motions.lib
        missing = [name for name in _STORED if mixed and name not in self.lib.extra_names]
        if missing:
            raise ValueError(f"mixed: the library has no column {missing[0]!r} of frames")
        self.motion_lengths, self.motion_dt = self._motions.lengths, self._motions.steps
        self.motion_num_frames = self._motions.frames
        self.motion_weights = torch.as_tensor(self.lib.weights.copy(), dtype=torch.float32, device=self.device)
        self.length_starts = torch.cumsum(self.motion_num_frames, 0) - self.motion_num_frames
        self.motion_files = self.lib.names
        self._has_maps = self._motions.has_maps
        marks = self.lib._stored.extras.get("contacts")
        self._has_contacts = marks is not None and bool(np.any(marks))
        if marks is not None and not self._has_contacts:
            warn("contacts: all are 0; states have none, as in ProtoMotions")

    def num_motions(self) -> int:
        return len(self.lib)

    def get_total_length(self) -> torch.Tensor:
        return self.motion_lengths.sum()

    def get_motion_length(self, motion_ids: Any = None) -> torch.Tensor:
        return self.motion_lengths if motion_ids is None else self.motion_lengths[motion_ids]

    def get_motion_num_frames(self, motion_ids: Any = None) -> torch.Tensor:
        return self.motion_num_frames if motion_ids is None else self.motion_num_frames[motion_ids]

    def sample_motions(self, n: int) -> torch.Tensor:
        """Random motions, by their weights."""
        return self._motions.draw(n)

    def sample_time(self, motion_ids: torch.Tensor, truncate_time: float = 0.0) -> torch.Tensor:
        """Random times within motions, up to `truncate_time` before their ends."""
        room = (self.motion_lengths[motion_ids] - truncate_time).clamp(min=0)
        return torch.rand(len(motion_ids), device=self.device) * room

    def get_motion_state(self, motion_ids: Any, motion_times: Any, joint_3d_format: str = "exp_map") -> State:
        """States at times in seconds, which are clamped to the motions. Of bodies with three hinges or a ball
        ``dof_pos`` is a rotation vector, and ``dof_vel`` the angular velocity in the body's own axes."""
        if joint_3d_format != "exp_map":
            raise ValueError(f"joint_3d_format: expected 'exp_map', found {joint_3d_format!r}")
        before, after, part = self._motions.around(motion_ids, motion_times)
        state = self._mixed(motion_ids, before, after, part) if self.mixed else self._sampled(
            self._motions.arrays(motion_ids, motion_times, self._fields()))
        if self._has_contacts:  # of either frame; numbers are averaged
            a, b = (self._motions.tensors(self._motions.at_frames(motion_ids, frame, ["contacts"]))["contacts"]
                    for frame in (before, after))
            state.rigid_body_contacts = a | b if a.dtype == torch.bool else (a + b) / 2
        return state

    def get_motion_state_exact_frame(self, motion_ids: Any, frame_indices: Any) -> State:
        """States on frames of motions."""
        state = self._sampled(self._motions.at_frames(motion_ids, frame_indices, self._fields()))
        wanted = [*(_STORED if self.mixed else ()), *(["contacts"] if self._has_contacts else [])]
        names = [name for name in self.lib.extra_names if name in wanted]
        for name, rows in self._motions.tensors(self._motions.at_frames(motion_ids, frame_indices, names)).items():
            state[_STORED.get(name, "rigid_body_contacts")] = rows
        return state

    def _fields(self) -> list[str]:
        return [*_BODIES.values(), *(() if self._has_maps or not self.lib.dof_names else ("dof_pos", "dof_vel"))]

    def _sampled(self, found: dict[str, Any]) -> State:
        dofs = exponential_maps(self.lib, found) if self._has_maps else {}
        made = self._motions.tensors({**found, **dofs})
        return State(**{theirs: made[ours] for theirs, ours in _BODIES.items()}, dof_pos=made.get("dof_pos"),
                     dof_vel=made.get("dof_vel"), rigid_body_contacts=None, local_rigid_body_rot=None)

    def _mixed(self, ids: Any, before: Any, after: Any, part: Any) -> State:
        a, b = (self.get_motion_state_exact_frame(ids, frame) for frame in (before, after))
        t = torch.as_tensor(part, dtype=torch.float32, device=self.device)

        def line(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            u = t.reshape(-1, *[1] * (x.ndim - 1))
            return (1 - u) * x + u * y

        found = State(**{name: line(a[name], b[name]) for name in _STORED.values()}, rigid_body_contacts=None,
                      local_rigid_body_rot=None)
        found.rigid_body_rot = slerp(a.rigid_body_rot, b.rigid_body_rot, t[:, None].expand(a.rigid_body_rot.shape[:-1]))
        if self._has_maps:
            rows = {"body_rot": found.rigid_body_rot.cpu().numpy()}
            found.dof_pos = self._motions.tensors(exponential_maps(self.lib, rows))["dof_pos"]
        else:
            found.dof_pos = line(a.dof_pos, b.dof_pos)
        return found


def _has_contacts(motion_file: Any) -> bool:
    """Whether the first file has contacts, which decides for all, as in ProtoMotions."""
    if isinstance(motion_file, MotionLibrary):
        return False
    first = sources_of(motion_file)[0].path
    data = load_pickle(first) if first.lower().endswith(PICKLES) else {}
    return isinstance(data, dict) and (data.get("rigid_body_contacts") is not None or data.get("contacts") is not None)
