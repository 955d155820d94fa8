# SPDX-License-Identifier: MIT
"""Libraries of many files of any format: each file becomes a part, a library of its own, on all cores; then the parts
are joined. A core holds one file at a time, and the joined rows are in files that are mapped. The C library builds
plain lists of files that it reads at once."""
from __future__ import annotations

import hashlib
import math
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ._engine import Engine
from ._extras import check_extra, extras_of
from ._key_rows import KeyRows
from ._keys import Keys
from ._library import Path, printable, warn
from ._library_file import Stored, build_library, open_library, read_library, save_library, write_library
from ._names import KeyFormat, Method
from ._options import Options
from ._rational import Number, rate_of
from ._skeleton import Skeleton
from ._sources import Source, sources_of
from ._takes import PICKLES, check_around, is_of_coordinates, keys_of, members_of, takes_of, write_take
from ._views import Array

__all__ = ["Wanted", "build_from_sources"]

_OWN_FILE = re.compile(r"[0-9a-f]{32}\.npz|whole\.npz|[a-z0-9-]+\.rows|tmp\w+")  # in the folder of parts
_OFF_FRAMES = 0.01  # of a frame, by which a clip's ends may miss one without a warning
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Wanted:
    """What a library is to be. `extras`: columns by name and motion, or names of columns that the files have.
    `pelvis`: of SMPL on robots."""

    method: Method
    keys: KeyFormat
    skeleton: Path | Skeleton | None
    rate: Number | None
    options: Any
    coded: bool = False
    weights: npt.ArrayLike | None = None
    extras: Mapping[str, Any] | Sequence[str] | None = None
    bodies: Sequence[int | str] | None = None
    dofs: Sequence[int | str] | None = None
    pelvis: npt.ArrayLike | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of columns that the files have."""
        return () if self.extras is None or isinstance(self.extras, Mapping) else tuple(self.extras)

    @property
    def robot(self) -> Skeleton | None:
        return self.skeleton if isinstance(self.skeleton, Skeleton) and len(self.skeleton.coordinates) else None


def build_from_sources(output: Path, paths: Any, wanted: Wanted, resume: bool, progress: bool | Progress | None,
                       finish: Callable[[Stored], Stored]) -> None:
    """Writes the library of all files. `finish` gives it with what the caller wants of motions, whose names it has."""
    sources = sources_of(paths)
    is_plain = all(source.is_plain and not _is_read_here(source.path, wanted) for source in sources)
    is_whole = all(one is None for one in (wanted.weights, wanted.extras, wanted.bodies, wanted.dofs))
    if is_plain and is_whole and not resume and not progress:
        for message in build_library(output, [s.path for s in sources], wanted.method, wanted.keys, wanted.coded,
                                     wanted.skeleton, wanted.rate, Options("library", wanted.options)):
            warn(message)
        return
    target = os.path.abspath(os.fsdecode(output))
    folder = f"{target}.parts" if resume else tempfile.mkdtemp(prefix=".posemill-", dir=os.path.dirname(target))
    os.makedirs(folder, exist_ok=True)
    odd = [name for name in os.listdir(folder) if not _OWN_FILE.fullmatch(name)]
    if odd:
        raise ValueError(f"resume: {folder!r} has {printable(odd[0])!r}, which is of no build")
    try:
        files = _make_parts(sources, folder, wanted, _shown(progress))
        _join(output, [(source, files[source.path, source.rate]) for source in sources], folder, wanted, finish)
    except BaseException:
        if not resume:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _is_read_here(path: str, wanted: Wanted) -> bool:
    low = path.lower()
    return low.endswith(PICKLES) or (low.endswith(".npz") and is_of_coordinates(path, wanted.robot is not None))


def _shown(progress: bool | Progress | None) -> Progress:
    def show(done: int, total: int) -> None:
        print(f"\r{done} of {total} files", end="\n" if done == total else "", file=sys.stderr, flush=True)
    return progress if callable(progress) else show if progress else lambda done, total: None


# ---- parts ----


def _digest(source: Source, wanted: Wanted) -> str:
    """Of a file and of all that decides what its part is."""
    found, robot = os.stat(source.path), wanted.skeleton
    if isinstance(robot, Skeleton):
        robot = repr([robot.names, robot.hinge_names, robot.coordinate_names] + [np.asarray(a).tobytes() for a in (
            robot.parents, robot.rotations, robot.positions, robot.axes, robot.references, robot.points,
            robot.continuous)])
    text = repr([os.path.abspath(source.path), found.st_size, found.st_mtime_ns, source.rate, wanted.method,
                 wanted.keys, robot, wanted.rate, sorted(wanted.options.items()), wanted.columns,
                 None if wanted.pelvis is None else np.asarray(wanted.pelvis).tolist()])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _make_parts(sources: Sequence[Source], folder: str, wanted: Wanted, progress: Progress) -> dict[Any, str]:
    """The part of each file. The first failure ends the work."""
    single = {(source.path, source.rate): source for source in sources}
    warned: dict[str, list[str]] = {}  # by what they say of any file
    found: dict[Any, str] = {}
    progress(0, len(single))
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        jobs = {pool.submit(_make_part, source, folder, wanted): key for key, source in single.items()}
        waiting = set(jobs)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_EXCEPTION, timeout=0.2)
            for job in done:
                found[jobs[job]], messages = job.result()
                for message in messages:
                    warned.setdefault(message.replace(jobs[job][0], ""), []).append(message)
            progress(len(found), len(single)) if done else None
    finally:
        pool.shutdown(cancel_futures=True)
    for same in sorted(map(sorted, warned.values())):
        warn(same[0] if len(same) == 1 else f"{same[0]}; so in {len(same)} files")
    return found


def _make_part(source: Source, folder: str, wanted: Wanted) -> tuple[str, list[str]]:
    part = os.path.join(folder, f"{_digest(source, wanted)}.npz")
    if os.path.exists(part):
        return part, []
    with tempfile.TemporaryDirectory(dir=folder) as own:
        try:
            made = os.path.join(own, "part.npz")
            if _is_read_here(source.path, wanted):
                messages = _part_of_takes(made, source, own, wanted)
            else:
                messages = _build(made, [source.path], source, wanted, {})
                _add_columns(made, [_of_file(source.path, wanted.columns)], wanted)
        except (ValueError, TypeError, KeyError, MemoryError) as error:
            text = _of_source(str(error), own, source)
            raise ValueError(printable(text if source.path in text else f"{source.path}: {text}")) from error
        os.replace(made, part)
    return part, [_of_source(text, own, source) for text in messages]


def _of_source(text: str, own: str, source: Source) -> str:
    """A message with the name of the file in place of that of what was made of it."""
    return re.sub(re.escape(own) + r"[/\\]\d+[/\\][^/\\:]*\.npz", lambda _: source.path, text)


def _build(made: str, paths: Sequence[str], source: Source, wanted: Wanted, more: dict[str, Any]) -> list[str]:
    options = {**wanted.options, **more}
    if source.rate is not None:
        stated = options.get("source_rate")
        if stated is not None and rate_of(stated) != rate_of(source.rate):
            raise ValueError(f"the list says {source.rate:g} frames per second, but source_rate is {stated}")
        options["source_rate"] = source.rate
    return build_library(made, paths, wanted.method, wanted.keys, False, wanted.skeleton, wanted.rate,
                         Options("library", options))


def _file_name(name: str, number: int) -> str:
    """A name of a motion as that of a file, which the C library makes the motion's name again."""
    plain = "".join(c if c.isprintable() and c not in '/\\' else "_" for c in name)[:120]
    return os.path.join(str(number), f"{plain or 'motion'}.npz")


def _part_of_takes(made: str, source: Source, own: str, wanted: Wanted) -> list[str]:
    robot = wanted.robot
    notes: list[str] = []
    stated = wanted.options.get("source_rate")
    takes = takes_of(source.path)
    rate = stated if source.rate is None else source.rate
    if rate is None and any(take.rate is None for take in takes):
        raise ValueError("states no rate; source_rate= gives its frames per second")
    if rate is not None:
        takes = [replace(take, rate=float(rate_of(rate))) if take.rate is None else take for take in takes]
    for given, says in ((source.rate, "the list says"), (stated, "source_rate is")):
        if given is not None and any(rate_of(take.rate) != rate_of(given) for take in takes):
            raise ValueError(f"states {takes[0].rate:g} frames per second, but {says} {given}")
    if robot is None and any(take.poses is None for take in takes):
        raise ValueError("has coordinates of a robot, whose skeleton is required: skeleton=Skeleton.from_mjcf(...)")
    for take in takes:
        if robot is not None:
            check_around(take, robot)
    pelvis = None if wanted.pelvis is None else np.asarray(wanted.pelvis, np.float64)
    keys = None if robot is None else [
        _resampled(robot, keys_of(take, robot, pelvis, notes), wanted.rate) for take in takes]
    messages = [f"{source.path}: {note}" for note in dict.fromkeys(notes)]
    if robot is not None and keys is not None and all(one is not None for one in keys):
        write_library(made, Stored(
            robot, _free_names([take.name for take in takes]), KeyRows.of(robot, [one for one in keys if one]),
            [int(n) for n in robot.bodies], list(range(len(robot.hinges))), robot.points, np.ones(len(takes)),
            wanted.method, wanted.keys, {}))
    else:
        files = []
        for number, take in enumerate(takes):
            files.append(os.path.join(own, _file_name(take.name, number)))
            os.makedirs(os.path.dirname(files[-1]))
            write_take(take, files[-1])
        messages += _build(made, files, source, wanted, {} if robot is None else {"layout": "beyondmimic-xyzw"})
    weights = np.array([take.weight for take in takes])
    _add_columns(made, [{name: take.data.get(name) for name in wanted.columns} for take in takes], wanted,
                 weights if weights.sum() > 0 else np.ones(len(takes)))
    return messages


def _resampled(robot: Skeleton, keys: Keys | None, rate: Number | None) -> Keys | None:
    """A motion of coordinates at another rate, by slerp and lines, as the C library resamples those of files."""
    if keys is None or rate is None or keys.rate == rate_of(rate):
        return keys
    from ._motion_library import MotionLibrary  # which builds with this module

    lib = MotionLibrary(robot, {"": keys}, engine=Engine("none"))
    count = int(lib.durations[0] * float(rate_of(rate)) + 1e-6) + 1
    fields = ["root_pos", "root_rot", *(["dof_pos"] if lib.dof_names else []), *(["dof_rot"] if lib.ball_names else [])]
    s = lib.sample(np.zeros(count, int), steps=np.arange(count), rate=rate, fields=fields)
    return Keys(s["root_rot"], s["root_pos"], rate=rate, angles=s.get("dof_pos"), balls=s.get("dof_rot"))


def _of_file(path: str, names: Sequence[str]) -> dict[str, Any]:
    """Columns of an NPZ file."""
    if not names:
        return {}
    there = members_of(path)
    missing = [name for name in names if name not in there]
    if missing:
        raise ValueError(f"extras: the file has no {missing[0]!r}")
    with np.load(path, allow_pickle=False) as members:
        return {name: members[name] for name in names}


def _add_columns(made: str, columns: Sequence[dict[str, Any]], wanted: Wanted, weights: Array | None = None) -> None:
    """Writes a part anew, with columns of each motion and with its weights."""
    if not wanted.columns and (weights is None or (weights == 1).all()):
        return
    part = read_library(made)
    if len(columns) != len(part.names):
        raise ValueError(f"extras: the file has {len(part.names)} motions, and columns of {len(columns)}")
    counts = dict(zip(part.names, part.rows.frames.tolist(), strict=True))
    for name in wanted.columns:
        missing = [motion for motion, own in zip(counts, columns, strict=True) if own.get(name) is None]
        if missing:
            raise ValueError(f"extras: {missing[0]!r} has no {name!r}")
    extras = extras_of({name: {motion: own[name] for motion, own in zip(counts, columns, strict=True)}
                        for name in wanted.columns}, counts)
    whole = replace(part, extras=extras, weights=part.weights if weights is None else weights)
    write_library(made + ".new", whole)
    os.replace(made + ".new", made)


# ---- joining ----


def _free_names(names: Sequence[str]) -> list[str]:
    """Names that are taken are numbered, as the C library does."""
    taken: dict[str, int] = {}
    found = []
    for name in names:
        one = name
        while one in taken:
            taken[name] += 1
            one = f"{name}_{taken[name]}"
        taken[one] = 1
        found.append(one)
    return found


@dataclass(frozen=True)
class _Piece:
    """Some frames of a motion of a part."""

    path: str
    file: str
    name: str
    first: int
    count: int
    rate: Array
    loop: float
    weight: float


def _pieces(source: Source, file: str, part: Stored) -> list[_Piece]:
    found, between = [], f"from {source.start:g} to {source.end:g} s"
    for n, name in enumerate(part.names):
        frames, rate = int(part.rows.frames[n]), part.rows.rates[n]
        per_second = rate[0] / rate[1]
        begin = round(source.start * per_second)
        end = frames - 1 if math.isinf(source.end) else round(source.end * per_second)
        if not begin <= end or begin >= frames or end > frames:
            raise ValueError(f"{source.path}: has {(frames - 1) / per_second:.6g} s, but its clip is {between}")
        end = min(end, frames - 1)  # a clip may name the time after the last frame
        ends = [at * per_second for at in (source.start, source.end) if math.isfinite(at)]
        off = max(abs(at - round(at)) for at in ends)
        if off > _OFF_FRAMES:
            warn(f"{source.path}: the clip {between} begins and ends on the nearest frames")
        found.append(_Piece(source.path, file, name, int(part.rows.first[n]) + begin, end - begin + 1, rate,
                            float(part.rows.loops[n]) if end - begin + 1 == frames else 0.0,
                            float(part.weights[n]) * (1.0 if source.weight is None else source.weight)))
    return found


def _order_in(part: Stored, first: Stored, path: str) -> Array | None:
    """Of the joints of the first file in those of another; None: they are the same."""
    own, names = part.skeleton, first.skeleton.names
    if own.names == names and np.array_equal(own.parents, first.skeleton.parents):
        return None
    if sorted(own.names) != sorted(names) or len(set(names)) != len(names) or part.rows.angles is not None:
        raise ValueError(f"{path}: has joints {', '.join(own.names[:6])}..., but the first file has "
                         f"{', '.join(names[:6])}...")
    order = np.array([own.names.index(name) for name in names])
    back = np.argsort(order)
    above = np.array([-1 if p < 0 else back[p] for p in own.parents.tolist()])[order]
    wrong = np.flatnonzero(above != first.skeleton.parents)
    if len(wrong):
        raise ValueError(f"{path}: {names[wrong[0]]!r} has another parent than in the first file")
    return order


def _rest_moves(part: Stored, first: Stored, order: Array | None) -> bool:
    """Whether joints have other places at rest than in the first file, so that all need positions."""
    own = np.asarray(part.skeleton.positions, np.float32)
    own = own if order is None else own[order]
    others = np.arange(len(own)) != first.skeleton.root
    return not np.array_equal(own[others], np.asarray(first.skeleton.positions, np.float32)[others])


def _join(output: Path, files: Sequence[tuple[Source, str]], folder: str, wanted: Wanted,
          finish: Callable[[Stored], Stored]) -> None:
    first = read_library(files[0][1])
    pieces: list[_Piece] = []
    is_whole = has_places = False
    for source, file in files:
        part = read_library(file)
        order = _order_in(part, first, source.path)
        has_places |= part.rows.positions is not None
        is_whole |= part.rows.angles is None and (
            (part.rows.positions is not None and part.rows.positions.ndim == 3) or _rest_moves(part, first, order))
        pieces += _pieces(source, file, part)
    counts = np.array([piece.count for piece in pieces], np.int64)
    total, joints = int(counts.sum()), len(first.skeleton)

    def mapped(name: str, shape: tuple[int, ...], dtype: Any) -> Array:
        return np.memmap(os.path.join(folder, f"{name}.rows"), dtype, "w+", shape=(total, *shape))

    rows = first.rows
    turns = mapped("turns", rows.rotations.shape[1:], np.float32)
    places = mapped("places", (joints, 3) if is_whole else (3,), np.float32) if has_places or is_whole else None
    angles = None if rows.angles is None else mapped("angles", rows.angles.shape[1:], np.float32)
    extras = {name: mapped(f"extra-{n}", column.shape[1:], column.dtype) for n, (name, column) in enumerate(
        first.extras.items())}
    at, opened, part, order = 0, None, first, None
    for piece in pieces:
        if piece.file != opened:
            part, opened = read_library(piece.file), piece.file
            order = _order_in(part, first, piece.path)
        into, taken = slice(at, at + piece.count), slice(piece.first, piece.first + piece.count)
        at += piece.count
        turns[into] = _ordered(part.rows.rotations[taken], order)
        if places is not None:
            places[into] = _places(part, taken, order, is_whole, first.skeleton.root)
        if angles is not None and part.rows.angles is not None:
            angles[into] = part.rows.angles[taken]
        for name, column in extras.items():
            own = part.extras.get(name)
            if own is None or own.shape[1:] != column.shape[1:] or own.dtype != column.dtype:
                raise ValueError(f"{piece.path}: extras: {name!r} has another type or shape than in the first file")
            column[into] = own[taken]
    for name, column in extras.items():
        check_extra(name, column, total)
    joined = KeyRows(turns, places, angles, np.cumsum(counts) - counts, counts,
                     np.array([p.rate for p in pieces], np.int64), np.array([p.loop for p in pieces]))
    weights = np.array([piece.weight for piece in pieces])
    if not weights.sum() > 0:
        raise ValueError("weights: all motions have the weight 0")
    names = _free_names([piece.name for piece in pieces])
    whole = finish(replace(first, names=names, rows=joined, weights=weights, extras=extras))
    if wanted.coded:
        write_library(os.path.join(folder, "whole.npz"), whole)
        save_library(open_library(os.path.join(folder, "whole.npz"), None), output, coded=True)
    else:
        write_library(output, whole)


def _ordered(rows: Array, order: Array | None) -> Array:
    return rows if order is None else rows[:, order]


def _places(part: Stored, taken: slice, order: Array | None, is_whole: bool, root: int) -> Array:
    """Positions of all joints, or of the first one's root."""
    rest, own = np.asarray(part.skeleton.positions, np.float32), part.rows.positions
    if own is not None and own.ndim == 3:
        found = _ordered(own[taken], order)
        return found if is_whole else found[:, root]
    at = part.skeleton.root
    roots = np.broadcast_to(rest[at], (taken.stop - taken.start, 3)) if own is None else own[taken]
    if not is_whole:
        return roots
    found = np.tile(rest, (taken.stop - taken.start, 1, 1))
    found[:, at] = roots
    return _ordered(found, order)
