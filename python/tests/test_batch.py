# SPDX-License-Identifier: MIT
"""Batches: the records and the digest of the command, on any executor, whatever ends."""
from __future__ import annotations

import json
import os
import pickle
import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import posemill as pm
import pytest
from motion_files import COMMAND, WALK, bvh_text, command, needs_command
from posemill import _batch_task
from posemill._batch_list import Line, divide
from posemill._batch_task import Outcome, Task, run_task
from posemill._library import lib

FILES = 40


@pytest.fixture(autouse=True)
def plain_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers inherit it."""
    monkeypatch.setenv("POSEMILL_DEVICE", "none")


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 files of different sizes in folders."""
    folder = tmp_path_factory.mktemp("takes")
    for i in range(FILES):
        path = folder / f"day{i % 3}" / f"take{i}.bvh"
        path.parent.mkdir(exist_ok=True)
        path.write_text(bvh_text(i, 20 + 15 * (i % 7)))
    return folder


@pytest.fixture(scope="module")
def long_takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that take long enough to be interrupted."""
    folder = tmp_path_factory.mktemp("long")
    for i in range(FILES):
        (folder / f"take{i}.bvh").write_text(bvh_text(i, 2000))
    return folder


def processes(count: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


@contextmanager
def no_executor() -> Iterator[None]:
    yield None


def outputs(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.bvh"))}


def records(folder: Path, kills: int = 0) -> list[dict[str, object]]:
    """All records. Each kill may have torn the line that was being written."""
    found, torn = [], 0
    for path in (folder / ".posemill").glob("records-*.jsonl"):
        for line in filter(str.strip, path.read_text(errors="replace").splitlines()):
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                torn += 1
    assert torn <= kills
    return found


# ---- the same as the command -----------------------------------------------------------------


@pytest.fixture(scope="module")
def expected(takes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, bytes]]:
    """The digest and the outputs of the command."""
    if not COMMAND:
        pytest.skip("POSEMILL_COMMAND is not set")
    out = tmp_path_factory.mktemp("command") / "out"
    assert command("resample", takes, "--out-dir", out, "--rate", "x2", "--method", "squad",
                   "--quiet").returncode == 0
    return json.loads(command("merge", "--json", out).stdout)["digest"], outputs(out)


@pytest.mark.parametrize("make", [no_executor, lambda: ThreadPoolExecutor(3),
                                  lambda: processes(2)], ids=["none", "threads", "processes"])
def test_the_digest_is_that_of_the_command(make: Callable[[], Executor], takes: Path,
                                           expected: tuple[str, dict[str, bytes]],
                                           tmp_path: Path) -> None:
    with make() as executor:
        result = pm.batch.run(takes, tmp_path / "out", "x2", method="squad", executor=executor)
    assert result.complete and result.done == FILES and not result.failures
    assert (result.digest, outputs(tmp_path / "out")) == expected
    assert result.joint_samples == 2 * result.frames > 0 and result.bytes_written > 0
    merged = json.loads(command("merge", "--json", tmp_path / "out").stdout)
    assert merged["digest"] == result.digest and merged["complete"]
    assert len(records(tmp_path / "out")) == FILES
    # The command keeps what this run did, and this run keeps what the command did.
    told = command("resample", takes, "--out-dir", tmp_path / "out", "--rate", "x2", "--method",
                   "squad", "--resume", "--json")
    assert told.stdout.count(b'"status": "kept"') + told.stdout.count(b'"status":"kept"') == FILES
    assert pm.batch.run(takes, tmp_path / "out", "x2", method="squad").digest == result.digest
    assert [r["status"] for r in records(tmp_path / "out")].count("done") == FILES


@pytest.mark.processes
def test_dask(takes: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None,
                                  processes=True) as cluster, distributed.Client(cluster) as client:
        result = pm.batch.run(takes, tmp_path / "a", 30, executor=client)
    assert result.complete
    assert result.digest == pm.batch.run(takes, tmp_path / "b", 30).digest
    names = {p.name for p in (tmp_path / "a" / ".posemill").glob("*.jsonl")}
    assert "records-0.jsonl" not in names and all(n.startswith("records-") for n in names)


# ---- inputs ----------------------------------------------------------------------------------


@needs_command
def test_lists_and_options(takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(takes)
    (tmp_path / "list").write_text("day0/take0.bvh\n./day1/take1.bvh\n"
                                   '{"path": "day2/take2.bvh", "source_rate": "60", "out": "x/y.bvh"}\n')
    with ThreadPoolExecutor(2) as executor:
        result = pm.batch.run(None, tmp_path / "a", Fraction(30000, 1001), executor=executor,
                              files_from=tmp_path / "list", to="gltf", start="1/60",
                              scale=0.01)
    told = command("resample", "--files-from", tmp_path / "list", "--out-dir", tmp_path / "b",
                   "--rate", "30000/1001", "--to", "gltf", "--start", "1/60", "--scale", 0.01)
    assert told.returncode == 0, told.stderr
    assert sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*.gltf")) == [
        Path("day0/take0.gltf"), Path("day1/take1.gltf"), Path("x/y.gltf")]
    assert json.loads(command("merge", "--json", tmp_path / "b").stdout)["digest"] == result.digest
    options = {r["options_digest"] for f in "ab" for r in records(tmp_path / f)
               if str(r["name"]).startswith("day")}
    assert len(options) == 1


@pytest.mark.parametrize("make", [no_executor, lambda: nullcontext("processes"), lambda: ThreadPoolExecutor(2)],
                         ids=["none", "processes", "threads"])
def test_nothing_is_printed(make: Callable[[], Executor], takes: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What fails is in the result, in words of Python."""
    (tmp_path / "bad.bvh").write_text(WALK.read_text().replace("Frame Time: 0.0333333", "Frame Time: 0"))
    with make() as executor:
        result = pm.batch.run([WALK, takes, tmp_path / "bad.bvh", tmp_path / "none.bvh"], tmp_path / "out", 60,
                              executor=executor, jobs=1, trim_start=40)
    assert capfd.readouterr() == ("", "")
    errors = {failure.name: failure.error for failure in result.failures}
    assert "No such file" in errors["none.bvh"] and "frame time" in errors["bad.bvh"].lower()
    assert any("trim_start: 40 removes all" in error for error in errors.values())
    assert not any("--" in error for error in errors.values()) and result.done > 0
    assert not result.complete and not result.missing
    assert {failure.code for failure in result.failures} == {4}
    assert pickle.loads(pickle.dumps(result)) == result
    alone = pm.batch.run([tmp_path / "bad.bvh"], tmp_path / "out2", 60)
    assert alone.done == 0 and len(alone.failures) == 1


def test_refused(takes: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for arguments, kind, message in (
            ({"method": "best"}, ValueError, "method.*best"),
            ({"speed": 2}, TypeError, "speed"), ({"method": object()}, TypeError, "method"),
            ({"to": "mp4"}, ValueError, "to: 'mp4'"), ({"shard": "0/2"}, TypeError, "shard"),
            ({"executor": "threads"}, ValueError, "executor"),
            ({"executor": 3}, TypeError, "executor"),
            ({"jobs": 0}, ValueError, "jobs"), ({"verify": True, "resume": False}, ValueError,
                                                "verify"),
            ({"match": "*.glb"}, ValueError, "no motion files"),
            ({"device": "nonesuch"}, pm.DeviceError, "nonesuch|no OpenCL driver")):
        with pytest.raises(kind, match=message):
            pm.batch.run(takes, out, 30, **arguments)
        if "executor" not in arguments:
            with pytest.raises(kind, match=message), ThreadPoolExecutor(2) as executor:
                pm.batch.run(takes, out, 30, executor=executor, **arguments)
    with pytest.raises(ValueError, match="parts"), ThreadPoolExecutor(2) as executor:
        pm.batch.run(takes, out, 30, executor=executor, parts=0)
    with pytest.raises(ValueError, match="rate"):
        pm.batch.run(takes, out, "fast")
    with pytest.raises(ValueError, match="standard input"):
        pm.batch.run("-", out, 30, to="bvh")
    assert not outputs(out) if out.exists() else True


def test_parts_are_balanced() -> None:
    lines = [Line(b"%d" % i, size) for i, size in enumerate([90, 10, 20, 30, 40, 50])]
    parts = divide(lines, 3)
    assert sorted(sum(line.size for line in part) for part in parts) == [70, 80, 90]
    assert sorted(line.text for part in parts for line in part) == [b"%d" % i for i in range(6)]
    assert len(divide(lines, 100)) == 6


# ---- what ends in the middle -----------------------------------------------------------------


def done(out: Path) -> int:
    path = out / ".posemill" / "records-0.jsonl"
    return path.read_bytes().count(b'"done"') if path.exists() else 0


def die_once(task: Task) -> Outcome:
    """A task of a worker. The first one kills its worker halfway."""
    try:
        (Path(task.records).parents[2] / "died").touch(exist_ok=False)
    except FileExistsError:
        return run_task(task)
    lines = task.lines.splitlines(keepends=True)
    run_task(replace(task, lines=b"".join(lines[:len(lines) // 2])))
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


@pytest.fixture(scope="module")
def long_digest(long_takes: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return pm.batch.run(long_takes, tmp_path_factory.mktemp("whole") / "out", "x8").digest


@pytest.mark.processes
def test_a_killed_worker_of_the_caller(long_takes: Path, long_digest: str, tmp_path: Path,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(pm.batch, "run_task", die_once)
    with processes(2) as executor:
        with pytest.raises(pm.batch.WorkersLost, match="left|before") as lost:
            pm.batch.run(long_takes, out, "x8", executor=executor)
    left = lost.value.result.missing
    assert 0 < len(left) < FILES and lost.value.result.done == FILES - len(left)
    assert pickle.loads(pickle.dumps(lost.value)).result == lost.value.result
    monkeypatch.setattr(pm.batch, "run_task", run_task)
    result = pm.batch.run(long_takes, out, "x8")
    assert result.complete and result.digest == long_digest
    assert not list(out.rglob("*.part"))


@pytest.mark.processes
def test_a_killed_worker_of_its_own(long_takes: Path, long_digest: str, tmp_path: Path,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(pm.batch, "run_task", die_once)
    result = pm.batch.run(long_takes, out, "x8", executor="processes", jobs=2)
    assert result.complete and result.digest == long_digest and not list(out.rglob("*.part"))
    statuses = [r["status"] for r in records(out, kills=1)]
    assert statuses.count("done") >= FILES # those that the worker had done are kept
    assert (tmp_path / "died").exists()


@pytest.fixture
def interrupt() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt. Shells start background jobs with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.processes
@pytest.mark.usefixtures("interrupt")
@pytest.mark.parametrize("make", [no_executor, lambda: ThreadPoolExecutor(2)],
                         ids=["none", "threads"])
def test_ctrl_c(make: Callable[[], Executor], long_takes: Path, long_digest: str,
                tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files are done by then: no more is begun."""
    stops: list[str] = []

    class Library:
        def __getattr__(self, name: str) -> object:
            stops.extend([name] if name == "native_stop" else [])
            return getattr(lib, name)

    def interrupt(done: int, _: int) -> None:
        if done >= 3:
            os.kill(os.getpid(), signal.SIGINT)

    out = tmp_path / "out"
    monkeypatch.setattr(_batch_task if make is no_executor else pm.batch, "lib", Library())
    with pytest.raises(KeyboardInterrupt), make() as executor:
        pm.batch.run(long_takes, out, "x8", executor=executor, progress=interrupt)
    assert stops and done(out) >= 3 and not list(out.rglob("*.part"))
    monkeypatch.undo()
    monkeypatch.setenv("POSEMILL_DEVICE", "none")
    assert pm.batch.run(long_takes, out, "x8").digest == long_digest


@contextmanager
def forked() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as executor:
        yield executor


no_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@pytest.mark.parametrize("make", [no_executor, lambda: ThreadPoolExecutor(3), pytest.param(forked, marks=no_fork)],
                         ids=["none", "threads", "forked"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded")
def test_progress_is_told(make: Callable[[], Executor], takes: Path, tmp_path: Path) -> None:
    pm.devices()
    told: list[tuple[int, int]] = []
    with make() as executor:
        for _ in range(2): # the second run finds all done
            told.clear()
            result = pm.batch.run(takes, tmp_path / "out", 60, executor=executor,
                                  progress=lambda done, total: told.append((done, total)))
            assert result.complete and told[0] == (0, FILES) and told[-1] == (FILES, FILES)
            assert told == sorted(set(told))


def test_an_exception_of_progress_ends_a_run(long_takes: Path, long_digest: str,
                                             tmp_path: Path) -> None:
    def stop(done: int, _: int) -> None:
        if done > 0:
            raise RuntimeError("enough")

    out = tmp_path / "out"
    with pytest.raises(RuntimeError, match="enough"):
        pm.batch.run(long_takes, out, "x8", progress=stop)
    assert 0 < done(out) and not list(out.rglob("*.part"))
    assert pm.batch.run(long_takes, out, "x8").digest == long_digest


def test_progress_that_is_no_function_is_refused(takes: Path, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="progress"):
        pm.batch.run(takes, tmp_path / "out", 60, progress=True)


@needs_command
def test_reductions_are_those_of_the_command(takes: Path, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    result = pm.batch.reduce(takes, ours, distance=0.5, angle=1, curve="cubicspline", match="*.bvh",
                             executor=ThreadPoolExecutor(2))
    assert result.complete and result.done == FILES and not result.failures
    command("reduce", takes, "--out-dir", theirs, "--distance", "0.5", "--angle", "1", "--curve", "cubicspline")
    again = pm.batch.reduce(takes, theirs, distance=0.5, angle=1, curve="cubicspline")
    assert again.digest == result.digest
    made = sorted(path.relative_to(ours) for path in ours.rglob("*.glb"))
    assert len(made) == FILES
    assert all((ours / name).read_bytes() == (theirs / name).read_bytes() for name in made)
    with pytest.raises(ValueError, match="curve"):
        pm.batch.reduce(takes, tmp_path / "wrong", curve="nlerp")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="row for each frame"):
        pm.batch.reduce(takes, tmp_path / "wrong", to="bvh")
    with pytest.raises(TypeError, match="rate"):
        pm.batch.reduce(takes, tmp_path / "wrong", rate=60)
    assert not (tmp_path / "wrong").exists()


@pytest.mark.parametrize("watched", [True, False])
def test_an_exception_of_the_thread_reaches_the_caller(watched: bool, takes: Path, tmp_path: Path,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """The main thread waits for it, and must not wait for ever."""
    def failing(task: object, records: str) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr("posemill._batch_task._call", failing)
    with pytest.raises(MemoryError, match="no room"):
        pm.batch.run(takes, tmp_path / "out", 30, progress=(lambda done, of: None) if watched else None)


def test_flags_are_true_or_false(takes: Path, tmp_path: Path) -> None:
    for name in ("verify", "resume", "overwrite", "strict", "literal_rate", "unlimited", "keep_time", "check", "reference"):
        for wrong in ("yes", "", 0, 1, [], 1.0):
            with pytest.raises(TypeError, match=f"{name}: expected True or False"):
                pm.batch.run(takes, tmp_path / "out", 30, **{name: wrong})  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_a_frame_time_is_taken_as_written_without_snapping(tmp_path: Path) -> None:
    """0.033333 s is 30 Hz where it is snapped, and 1000000/33333 Hz otherwise."""
    walk = tmp_path / "walk.bvh"
    walk.write_text(re.sub("Frame Time: .*", "Frame Time: 0.033333", bvh_text(1, 90)))
    frames = {snap: pm.batch.run(walk, tmp_path / str(snap), "x1", literal_rate=not snap, method="spline").digest
              for snap in (True, False)}
    rates = {snap: pm.load(tmp_path / str(snap) / "walk.bvh", literal_rate=True).clips[0].rate
             for snap in (True, False)}
    assert frames[True] != frames[False] and rates[False] == Fraction(1000000, 33333) != rates[True]
