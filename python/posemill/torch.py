# SPDX-License-Identifier: MIT
"""States of motion libraries as tensors of PyTorch, which is imported by this module alone.

On the CPU, tensors share the memory of the results. On an accelerator, all fields of a sample lie in one pinned block,
which one transfer on a stream of its own brings over; two blocks take turns, so that the next sample is computed
meanwhile.
"""
from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ._motion_library import MotionLibrary

__all__ = ["Ahead", "Sampler"]

_LINE = 64  # bytes: fields begin with a cache line
_HALVES = (torch.float16, torch.bfloat16)


def _on_cpu(value: Any) -> Any:
    """The memory of a tensor as an array; of one on an accelerator, a copy."""
    if isinstance(value, tuple):
        return tuple(_on_cpu(one) for one in value)
    return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value


@dataclass
class _Field:
    """Where a field lies in a block, behind the instances."""

    name: str
    first: int
    bytes: int
    shape: tuple[int, ...]
    dtype: torch.dtype

    def of(self, block: torch.Tensor) -> torch.Tensor:
        return block[self.first:self.first + self.bytes].view(self.dtype).view(self.shape)


class _Slot:
    """A pinned block, and the event behind which it is free again."""

    def __init__(self) -> None:
        self.block: torch.Tensor | None = None
        self.event: Any = None


class Ahead:
    """A sample that is computed on a thread.

    Examples
    --------
    >>> import posemill as pm
    >>> states = pm.torch.Sampler(pm.MotionLibrary.from_files("walk.bvh"))
    >>> ahead = states.prefetch([0, 0], [0.5, 1.0])
    >>> ahead.result()["body_pos"].shape
    torch.Size([2, 21, 3])
    """

    def __init__(self, sampler: Sampler, job: Future[Any]) -> None:
        self._sampler, self._job = sampler, job

    def result(self) -> dict[str, torch.Tensor]:
        """The tensors, once they are computed. What is then done on the current stream waits for their transfer.

        Examples
        --------
        >>> import posemill as pm
        >>> states = pm.torch.Sampler(pm.MotionLibrary.from_files("walk.bvh"), ["root_pos"])
        >>> states.prefetch([0], [0.5]).result()["root_pos"].shape
        torch.Size([1, 3])
        """
        return self._sampler._delivered(*self._job.result())


class Sampler:
    """Samples of a library as tensors on a device.

    Parameters
    ----------
    lib : MotionLibrary
    fields : sequence of str
        As of :meth:`MotionLibrary.sample`.
    device : str or torch.device
        ``"cpu"``: tensors share the memory of the results. Others get one transfer for all fields.
    dtype : torch.dtype, optional
        ``torch.float16`` or ``torch.bfloat16`` of the fields that are float32. They are rounded before they are
        transferred.
    **options
        Of all samples: ``scalar_first``, ``velocity_at`` and ``wrap``, as of :meth:`MotionLibrary.sample`.

    Notes
    -----
    Each sample has memory of its own. Threads may share a sampler; samples are then computed one at a time.

    Examples
    --------
    >>> import posemill as pm
    >>> lib = pm.MotionLibrary.from_files("walk.bvh")
    >>> states = pm.torch.Sampler(lib, ["body_pos", "body_vel"], device="cpu")
    >>> s = states.sample([0, 0], [0.5, 1.0])
    >>> s["body_vel"].shape, s["body_vel"].dtype
    (torch.Size([2, 21, 3]), torch.float32)
    """

    def __init__(self, lib: MotionLibrary, fields: Sequence[str] = ("body_pos", "body_rot", "body_vel", "body_ang_vel"),
                 *, device: str | torch.device = "cpu", dtype: torch.dtype | None = None, **options: Any) -> None:
        if dtype not in (None, torch.float32, *_HALVES):
            raise TypeError(f"dtype: expected torch.float32, float16 or bfloat16, found {dtype}")
        self.lib, self.fields, self.device = lib, tuple(fields), torch.device(device)
        self._half = dtype if dtype in _HALVES else None
        self._options = options
        self._streams = None if self.device.type == "cpu" else self._streams_of(self.device)
        self._stream = None if self._streams is None else self._streams.Stream(device=self.device)
        self._slots, self._next = (_Slot(), _Slot()), 0
        self._known: dict[tuple[int, ...], list[_Field]] = {}
        self._begin()
        self.sample([], np.empty(0))  # refuses what the library has not

    def _begin(self) -> None:
        self._process, self._lock = os.getpid(), threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def _locked(self) -> threading.Lock:
        """The lock of this process: one that was forked has no threads of the other."""
        if self._process != os.getpid():
            self._begin()
        return self._lock

    @staticmethod
    def _streams_of(device: torch.device) -> Any:
        """The module with the streams of a kind of devices, such as torch.cuda."""
        found = getattr(torch, device.type, None)
        if found is None or not hasattr(found, "Stream"):
            raise ValueError(f"device: torch has no streams of {device.type!r}")
        if not found.is_available():
            raise ValueError(f"device: torch finds no {device.type!r} here")
        return found

    @staticmethod
    def _pinned(size: int) -> torch.Tensor:
        return torch.empty(size, dtype=torch.uint8, pin_memory=True)

    def __repr__(self) -> str:
        return f"Sampler({self.lib!r}, {', '.join(self.fields)}, {self.device})"

    def sample(self, ids: Any, times: Any = None, offsets: Any = None, **more: Any) -> dict[str, torch.Tensor]:
        """States of (motion, time) pairs, as of :meth:`MotionLibrary.sample`; arguments may be tensors. Tensors on an
        accelerator are copied from there, for which this call waits.

        Examples
        --------
        >>> import torch, posemill as pm
        >>> states = pm.torch.Sampler(pm.MotionLibrary.from_files("walk.bvh"), dtype=torch.float16)
        >>> states.sample(torch.tensor([0, 0]), torch.tensor([0.5, 1.0]), offsets=[0, 0.02])["body_rot"].shape
        torch.Size([2, 2, 21, 4])
        """
        return self._delivered(*self._sent(ids, times, offsets, more))

    def prefetch(self, ids: Any, times: Any = None, offsets: Any = None, **more: Any) -> Ahead:
        """Begins a sample on a thread. Arguments must not change before its result is there; samples are computed in
        the order of the calls.

        Examples
        --------
        >>> import posemill as pm
        >>> states = pm.torch.Sampler(pm.MotionLibrary.from_files("walk.bvh"))
        >>> ahead = [states.prefetch([0], [time]) for time in (0.5, 1.0)]
        >>> [one.result()["body_pos"].shape for one in ahead]
        [torch.Size([1, 21, 3]), torch.Size([1, 21, 3])]
        """
        with self._locked():
            if self._pool is None:
                self._pool = ThreadPoolExecutor(1, "posemill-prefetch")
        return Ahead(self, self._pool.submit(self._sent, ids, times, offsets, more))

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy in another process: threads, streams and blocks are made anew there."""
        return {"lib": self.lib, "fields": self.fields, "device": self.device, "dtype": self._half,
                "options": self._options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        options = state.pop("options")
        self.__init__(**state, **options)  # type: ignore[misc]

    def _sent(self, ids: Any, times: Any, offsets: Any, more: Mapping[str, Any]) -> tuple[Any, ...]:
        """Tensors of the CPU; or the block on the accelerator, its fields, and the event behind its transfer."""
        arguments = {name: _on_cpu(value) for name, value in {**self._options, **more}.items()}
        ids, times, offsets = _on_cpu(ids), _on_cpu(times), _on_cpu(offsets)
        ids = np.asarray(ids) if np.size(ids) else np.empty(0, np.int64)
        with self._locked():
            if self._streams is None:
                found = self.lib.sample(ids, times, offsets, self.fields, **arguments)
                return ({name: self._rounded(torch.from_numpy(rows)) for name, rows in found.items()},)
            fields = self._layout(len(ids), offsets)
            slot, self._next = self._slots[self._next], 1 - self._next
            if slot.event is not None:
                slot.event.synchronize()  # its block has been read
            size = sum(-(-field.bytes // _LINE) * _LINE for field in fields)
            if slot.block is None or len(slot.block) < size:
                slot.block = self._pinned(size)
            host = {field.name: field.of(slot.block) for field in fields}
            into = {name: torch.empty(rows.shape) if rows.dtype in _HALVES else rows for name, rows in host.items()}
            self.lib.sample(ids, times, offsets, self.fields, out=into, **arguments)
            for name, rows in into.items():
                if rows is not host[name]:
                    host[name].copy_(rows)
            with self._streams.stream(self._stream):
                there = torch.empty(size, dtype=torch.uint8, device=self.device)
                there.copy_(slot.block[:size], non_blocking=True)
                slot.event = self._streams.Event()
                slot.event.record(self._stream)
            return there, fields, slot.event

    def _delivered(self, made: Any, fields: Sequence[_Field] = (), event: Any = None) -> dict[str, torch.Tensor]:
        if self._streams is None:
            tensors: dict[str, torch.Tensor] = made
            return tensors
        current = self._streams.current_stream(self.device)
        current.wait_event(event)
        made.record_stream(current)  # its memory is not given away before what this stream does with it
        return {field.name: field.of(made) for field in fields}

    def _rounded(self, rows: torch.Tensor) -> torch.Tensor:
        return rows if self._half is None or rows.dtype != torch.float32 else rows.to(self._half)

    def _layout(self, count: int, offsets: Any) -> list[_Field]:
        """The fields of a block. Their shapes are those of a sample of nothing."""
        ahead = () if offsets is None else (len(np.asarray(offsets)),)
        key = (count, *ahead)
        if key not in self._known:
            none = self.lib.sample(np.empty(0, np.int64), np.empty(0), offsets, self.fields)
            fields, at = [], 0
            for name, rows in none.items():
                plain = torch.from_numpy(rows[:0]).dtype
                dtype = self._half if self._half is not None and plain == torch.float32 else plain
                shape = (count, *rows.shape[1:])
                size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
                fields.append(_Field(name, at, size, shape, dtype))
                at += -(-size // _LINE) * _LINE
            self._known[key] = fields
        return self._known[key]
