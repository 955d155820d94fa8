# SPDX-License-Identifier: MIT
"""What the classes with names of other projects have in common: a library, its lengths as tensors, and two frames that
are mixed, as those projects do."""
from __future__ import annotations

import os
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from .._body_turns import bodies_that_turn
from .._engine import Engine
from .._library import ffi, lib
from .._motion_library import MotionLibrary
from .._skeleton import Skeleton

__all__ = ["Motions", "chosen", "slerp"]


def slerp(a: torch.Tensor, b: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """Between quaternions (..., 4), the shorter way; `t` (...)."""
    cosine = (a * b).sum(-1, keepdim=True)
    b, cosine = torch.where(cosine < 0, -b, b), cosine.abs().clamp(max=1.0)
    angle, t = torch.arccos(cosine), t[..., None]
    sine = torch.sin(angle)
    near = sine < 1e-4
    divisor = torch.where(near, torch.ones_like(sine), sine)
    first = torch.where(near, 1 - t, torch.sin((1 - t) * angle) / divisor)
    second = torch.where(near, t, torch.sin(t * angle) / divisor)
    found = first * a + second * b
    return found / found.norm(dim=-1, keepdim=True)


class Motions:
    """A library of files, or one that is given.

    Parameters
    ----------
    motions : MotionLibrary, path or paths
        A file of :meth:`MotionLibrary.save` is loaded; others are read as by :meth:`MotionLibrary.from_files`.
    robot : Skeleton or path
        Of files: its skeleton.
    device : str or torch.device
        Of all tensors.
    extras : sequence of str
        Names of columns that files must have.
    """

    def __init__(self, motions: Any, robot: Skeleton | os.PathLike[str] | str | None, device: Any,
                 extras: Sequence[str] = (), engine: Engine | None = None) -> None:
        self.device = torch.device(device)
        self.lib = _library_of(motions, robot, extras, engine)
        frames, rates = _frames_of(self.lib)
        self._steps, self._last = 1 / rates, frames - 1
        self.frames = self._tensor(frames)
        self.lengths = self._tensor(self._last * self._steps, torch.float32)
        self.steps = self._tensor(self._steps, torch.float32)
        self.weights = self._tensor(self.lib.weights / self.lib.weights.sum(), torch.float32)

    def _tensor(self, values: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
        return torch.as_tensor(np.array(values), dtype=dtype, device=self.device)

    def draw(self, count: int) -> torch.Tensor:
        """Random motions, by their weights."""
        return torch.multinomial(self.weights, count, replacement=True)

    def arrays(self, ids: Any, times: Any, fields: Sequence[str]) -> dict[str, Any]:
        """A sample on the CPU, at times from the motions' begins on."""
        return self.lib.sample(_numbers(ids), _numbers(times).astype(np.float64), fields=fields)

    def tensors(self, found: dict[str, Any]) -> dict[str, torch.Tensor]:
        return {name: torch.from_numpy(rows).to(self.device) for name, rows in found.items()}

    def around(self, ids: Any, times: Any) -> tuple[Any, Any, Any]:
        """The frames before and after times that are within the motions, and the fractions between them."""
        ids = _numbers(ids)
        place = np.clip(_numbers(times).astype(np.float64) / self._steps[ids], 0, self._last[ids])
        before = np.minimum(np.floor(place + 1e-9), self._last[ids])
        return before, np.minimum(before + 1, self._last[ids]), np.clip(place - before, 0, 1)

    def at_frames(self, ids: Any, frames: Any, fields: Sequence[str]) -> dict[str, Any]:
        return self.arrays(ids, _numbers(frames) * self._steps[_numbers(ids)], fields)

    @property
    def has_maps(self) -> bool:
        """Whether bodies have more than one hinge, or balls."""
        return any(len(body.turning) > 1 or body.is_ball for body in bodies_that_turn(self.lib._stored.skeleton))


def chosen(library: Any, bodies: Sequence[str], dofs: Sequence[str], engine: Engine | None) -> MotionLibrary:
    """The motions of a library or of its file, with other bodies and hinges as results."""
    if not isinstance(library, MotionLibrary):
        return MotionLibrary.load(library, bodies=list(bodies), dofs=list(dofs), engine=engine)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # where mapped files cannot be removed
        file = os.path.join(folder, "library.npz")
        library.save(file)
        return chosen(file, bodies, dofs, library._engine if engine is None else engine)


def _frames_of(library: MotionLibrary) -> tuple[Any, Any]:
    """Of each motion, how many frames it has, and their rate in Hz."""
    if len(library) != len(library.durations):
        raise ValueError("the library has ids of removed motions; subset(ids) numbers them anew")
    frames, rates, info = np.empty(len(library), np.int64), np.empty(len(library)), ffi.new("pm_library_motion_info *")
    for number in range(len(library)):
        if not lib.pm_library_get_motion(library._handle, number, info):
            raise ValueError(f"motion {number} has been removed")
        frames[number], rates[number] = info.motion.frames, info.motion.rate.num / info.motion.rate.den
    return frames, rates


def _numbers(values: Any) -> Any:
    return values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else np.asarray(values)


def _library_of(motions: Any, robot: Any, extras: Sequence[str], engine: Engine | None) -> MotionLibrary:
    if isinstance(motions, MotionLibrary):
        return motions
    if robot is None:
        if not str(motions).lower().endswith(".npz"):
            raise ValueError(f"robot: {motions!s:.200} is no file of a library; motions require the robot's skeleton")
        return MotionLibrary.load(motions, engine=engine)
    return MotionLibrary.from_files(motions, robot, extras=tuple(extras) or None, engine=engine)
