# SPDX-License-Identifier: MIT
"""Tensors: those of the CPU share memory with the results; those of an accelerator come in one transfer, on a stream of its
own, and are read behind it. A stand-in for the accelerator, whose memory is the host's, records and delays what it does."""
from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import posemill as pm
import pytest
from motion_files import WALK

torch = pytest.importorskip("torch")
FIELDS = ["body_pos", "body_rot", "root_vel", "local_ang_vel", "contacts", "phase"]


@pytest.fixture(scope="module")
def lib() -> pm.MotionLibrary:
    whole = pm.MotionLibrary.from_files(WALK)
    frames = int(whole._stored.rows.frames[0])
    return pm.MotionLibrary.from_files(WALK, extras={"contacts": {"walk": np.arange(2 * frames).reshape(frames, 2) % 3 == 0},
                                                     "phase": {"walk": np.linspace(0, 1, frames)}})


def pairs(lib: pm.MotionLibrary, count: int, seed: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return torch.zeros(count, dtype=torch.int64), torch.from_numpy(rng.uniform(0, lib.durations[0], count))


def test_torch_is_imported_by_its_module_alone() -> None:
    code = ("import sys, posemill as pm; assert 'torch' not in sys.modules; pm.torch.Sampler; assert 'torch' in sys.modules\n"
            "try: pm.nothing\nexcept AttributeError: pass\nelse: raise SystemExit(1)")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tensors_of_the_cpu_share_the_memory_of_results(lib: pm.MotionLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    states, (ids, times) = pm.torch.Sampler(lib, FIELDS), pairs(lib, 50)
    given: dict[str, Any] = {}
    own = lib.sample
    monkeypatch.setattr(lib, "sample", lambda ids, times, *more, **options: given.update(
        ids=ids, times=times, found=own(ids, times, *more, **options)) or given["found"])
    found = states.sample(ids, times, offsets=torch.tensor([0.0, 0.1]))
    assert given["ids"].ctypes.data == ids.data_ptr() and given["times"].ctypes.data == times.data_ptr()
    for name in FIELDS:
        assert found[name].data_ptr() == given["found"][name].ctypes.data
        assert tuple(found[name].shape) == given["found"][name].shape
    wanted = own(np.zeros(50, int), times.numpy(), np.float32([0.0, 0.1]), FIELDS)
    assert all(np.array_equal(found[name].numpy(), wanted[name]) for name in FIELDS)


def test_results_are_shared_by_dlpack_and_the_array_interface(lib: pm.MotionLibrary) -> None:
    ids, times = pairs(lib, 9)
    found = lib.sample(ids, times)["body_pos"]
    assert torch.from_dlpack(found).data_ptr() == found.__array_interface__["data"][0] == np.from_dlpack(found).ctypes.data
    into = {"body_pos": torch.full(found.shape, torch.nan)}
    lib.sample(ids, times, fields=["body_pos"], out=into)
    assert np.array_equal(into["body_pos"].numpy(), found)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_are_the_floats_rounded(lib: pm.MotionLibrary, dtype: Any) -> None:
    ids, times = pairs(lib, 30)
    whole, half = (pm.torch.Sampler(lib, FIELDS, dtype=d).sample(ids, times) for d in (None, dtype))
    for name in FIELDS:
        is_float = whole[name].dtype == torch.float32
        assert half[name].dtype == (dtype if is_float else whole[name].dtype)
        assert torch.equal(half[name], whole[name].to(half[name].dtype))


def test_what_the_library_has_not_is_refused_at_once(lib: pm.MotionLibrary) -> None:
    with pytest.raises(ValueError, match="nothing"):
        pm.torch.Sampler(lib, ["nothing"])
    with pytest.raises(TypeError, match="dtype"):
        pm.torch.Sampler(lib, dtype=torch.int32)
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device: torch finds no 'cuda' here"):
            pm.torch.Sampler(lib, device="cuda")
    states = pm.torch.Sampler(lib)
    with pytest.raises(ValueError, match="none of 1"):
        states.prefetch([5], [0.0]).result()
    with pytest.raises(ValueError, match="none of 1"):
        states.sample([5], [0.0])
    assert states.sample([0], [0.0])["body_pos"].shape == (1, 21, 3)  # goes on


def test_prefetched_samples_are_those_of_their_arguments(lib: pm.MotionLibrary) -> None:
    states = pm.torch.Sampler(lib, FIELDS, wrap=True)
    given = [pairs(lib, 20 + n, n) for n in range(12)]
    ahead = [states.prefetch(*one, offsets=[0, 3.0]) for one in given]
    for one, later in zip(given, ahead):
        wanted, found = states.sample(*one, offsets=[0, 3.0]), later.result()
        assert all(torch.equal(found[name], wanted[name]) for name in FIELDS)
    assert threading.active_count() < 20


def test_samplers_go_to_other_processes(lib: pm.MotionLibrary) -> None:
    states = pm.torch.Sampler(lib, ["body_pos"], dtype=torch.float16, wrap=True)
    states.prefetch([0], [0.1]).result()
    for other in (pickle.loads(pickle.dumps(states)), copy.copy(states)):
        assert torch.equal(other.sample([0], [9.5])["body_pos"], states.sample([0], [9.5])["body_pos"])


# ---- the stand-in ----


class Standin:
    """Streams that run when they are waited for: until then the memory of a transfer has a pattern."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.here = threading.local()
        self.main = self.Stream("main")
        self.transfers = 0

    def Stream(self, name: str = "side", device: Any = None) -> Any:
        stream = type("Stream", (), {})()
        stream.name, stream.work = name, []
        stream.wait_event = lambda event: (self.log.append(f"{name} waits"), stream.work.append(event.run))
        return stream

    def run(self, stream: Any) -> None:
        while stream.work:
            stream.work.pop(0)()

    def Event(self) -> Any:
        event = type("Event", (), {})()
        event.stream = None

        def record(stream: Any) -> None:
            event.stream, event.until = stream, len(stream.work)
            self.log.append(f"record on {stream.name}")

        event.record = record
        event.run = lambda: self.run(event.stream)
        event.synchronize = lambda: (self.log.append("synchronize"), event.run())
        return event

    @contextmanager
    def stream(self, stream: Any) -> Any:
        before, self.here.now = getattr(self.here, "now", self.main), stream
        yield
        self.here.now = before

    def current_stream(self, device: Any = None) -> Any:
        return getattr(self.here, "now", self.main)


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Standin:
    fake = Standin()
    own_empty, own_copy = torch.empty, torch.Tensor.copy_

    def empty(*size: Any, device: Any = None, pin_memory: bool = False, **more: Any) -> Any:
        made = own_empty(*size, **more)
        if device is not None and torch.device(device).type == "cuda":
            assert fake.current_stream().name == "side"
            made.fill_(255)
            made.is_there = True
            made.record_stream = lambda stream: fake.log.append(f"kept for {stream.name}")
        return made

    def copy_(self: Any, other: Any, non_blocking: bool = False) -> Any:
        if getattr(self, "is_there", False):
            assert non_blocking
            fake.transfers += 1
            fake.log.append(f"transfer on {fake.current_stream().name}")
            fake.current_stream().work.append(lambda: own_copy(self, other))
            return self
        return own_copy(self, other)

    monkeypatch.setattr(torch, "empty", empty)
    monkeypatch.setattr(torch.Tensor, "copy_", copy_)
    monkeypatch.setattr(pm.torch.Sampler, "_streams_of", staticmethod(lambda device: fake))
    monkeypatch.setattr(pm.torch.Sampler, "_pinned", staticmethod(lambda size: own_empty(size, dtype=torch.uint8).fill_(77)))
    return fake


@pytest.mark.parametrize("dtype", [None, torch.float16])
def test_an_accelerator_gets_one_transfer_and_waits_for_it(lib: pm.MotionLibrary, standin: Standin, dtype: Any) -> None:
    ids, times = pairs(lib, 33)
    wanted = pm.torch.Sampler(lib, FIELDS, dtype=dtype).sample(ids, times, offsets=[0, 0.1])
    states = pm.torch.Sampler(lib, FIELDS, device="cuda", dtype=dtype)
    standin.log.clear()
    standin.transfers = 0
    found = states.sample(ids, times, offsets=[0, 0.1])
    assert standin.log == ["synchronize"] * ("synchronize" in standin.log) + [
        "transfer on side", "record on side", "main waits", "kept for main"] and standin.transfers == 1
    assert all((found[name].contiguous().view(torch.uint8) == 255).all() for name in FIELDS if name != "contacts")
    standin.run(standin.main)
    for name in FIELDS:
        assert found[name].dtype == wanted[name].dtype and torch.equal(found[name], wanted[name])
        assert found[name].data_ptr() % 64 == found["body_pos"].data_ptr() % 64


def test_two_blocks_take_turns_and_are_free_behind_their_transfers(lib: pm.MotionLibrary, standin: Standin) -> None:
    states = pm.torch.Sampler(lib, FIELDS, device="cuda")
    given, found = [pairs(lib, 25, n) for n in range(7)], []
    standin.log.clear()
    ahead = [states.prefetch(*one) for one in given]
    found = [one.result() for one in ahead]
    assert standin.log.count("synchronize") >= 5  # from the third sample on a block is used again
    assert len({slot.block.data_ptr() for slot in states._slots}) == 2
    standin.run(standin.main)
    for one, there in zip(given, found):
        wanted = lib.sample(one[0], one[1], fields=FIELDS)
        assert all(np.array_equal(there[name].numpy(), wanted[name]) for name in FIELDS)


# ---- workers ----


class States(torch.utils.data.Dataset):  # type: ignore[misc]
    def __init__(self, lib: pm.MotionLibrary) -> None:
        self.lib = lib
        self.states = pm.torch.Sampler(lib, ["body_pos", "body_vel"])

    def __len__(self) -> int:
        return 6

    def __getitem__(self, n: int) -> dict[str, Any]:
        arguments = torch.zeros(700, dtype=torch.int64), torch.linspace(0, 1, 700) * (n + 1) / 6
        ahead = self.states.prefetch(*arguments)  # on a thread, which a forked process has not
        found = self.states.sample(*arguments)
        assert all(torch.equal(rows, found[name]) for name, rows in ahead.result().items())
        return found


@pytest.mark.processes
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader(method: str, tmp_path: Path) -> None:
    path = tmp_path / "walk.npz"
    pm.MotionLibrary.build(path, WALK)
    data = States(pm.MotionLibrary.load(path))
    wanted = [data[n] for n in range(6)]  # the default engine has been used before the workers are there
    loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=2, multiprocessing_context=method)
    found = list(loader)
    assert len(found) == 6
    for a, b in zip(found, wanted):
        assert all(torch.equal(a[name], b[name]) for name in b)
