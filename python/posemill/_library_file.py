# SPDX-License-Identifier: MIT
"""The file of a motion library: a stored NPZ whose members begin at multiples of 64 bytes."""
from __future__ import annotations

import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ._keys import Keys, are_still, root_of
from ._library import Path, printable
from ._names import KeyFormat, Method
from ._skeleton import Skeleton
from ._views import Array

__all__ = ["Stored", "read_library", "replacing", "write_library"]

_FORMAT = "posemill motion library"
_VERSION = 1
_LINE = 64
_npy: Any = np.lib.format
_MEMBER_HEADER = 30 # bytes of a ZIP member before its name


@dataclass
class Stored:
    """What a file holds."""

    skeleton: Skeleton
    motions: dict[str, Keys]
    bodies: list[int]
    dofs: list[int]
    points: Array | None
    weights: Array
    method: Method
    keys: KeyFormat


def _texts(values: Sequence[str]) -> dict[str, Array]:
    """Texts as bytes, and where each of them ends."""
    encoded = [value.encode("utf-8", "surrogateescape") for value in values]
    return {"bytes": np.frombuffer(b"".join(encoded), np.uint8),
            "ends": np.cumsum([len(value) for value in encoded], dtype=np.uint64)}


def _texts_of(members: Mapping[str, Array], name: str) -> list[str]:
    data = _want(members, f"{name}_bytes", np.uint8, (None,)).tobytes()
    ends = [int(end) for end in _want(members, f"{name}_ends", np.uint64, (None,))]
    if ends != sorted(ends) or (ends and ends[-1] != len(data)):
        raise ValueError(f"{name}_ends: does not ascend to the end of {name}_bytes")
    return [data[begin:end].decode("utf-8", "surrogateescape")
            for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


def _moves(keys: Keys, skeleton: Skeleton) -> bool:
    """Whether a joint that is no root leaves its rest position."""
    if keys.positions is None or keys.positions.ndim == 2:
        return False
    return not are_still(keys.positions, skeleton, np.asarray(skeleton.parents) >= 0)


def _rows_of(skeleton: Skeleton, motions: Mapping[str, Keys]) -> dict[str, Array]:
    """The keys of all frames: of robots those of the root, and the angles; else rotations, and
    positions of the roots alone, unless others move."""
    if len(skeleton.hinges):
        still = np.asarray(skeleton.positions, np.float32)[root_of(skeleton)]
        return {"root_rot": np.concatenate([_single(k.rotations) for k in motions.values()]),
                "root_pos": np.concatenate([
                    np.tile(still, (len(k.rotations), 1)) if k.positions is None
                    else _single(k.positions) for k in motions.values()]),
                "dof": np.concatenate([_single(k.angles) for k in motions.values()])}
    rest = np.asarray(skeleton.positions, np.float32)
    roots = np.asarray(skeleton.parents) < 0
    chosen = np.ones(len(skeleton), bool) if any(_moves(k, skeleton) for k in motions.values()) else roots
    whole = [k._whole(skeleton) for k in motions.values()]
    places = [np.broadcast_to(rest, (len(k.rotations), *rest.shape)) if w["positions"] is None
              else w["positions"] for k, w in zip(motions.values(), whole, strict=True)]
    return {"rot": np.concatenate([_single(k["rotations"]) for k in whole]),
            "pos": np.concatenate([_single(p[:, chosen]) for p in places]),
            "pos_joints": np.flatnonzero(chosen).astype(np.uint32)}


def _single(values: Any) -> Array:
    return np.asarray(values, np.float32)


def write_library(path: Path, stored: Stored) -> None:
    """Writes a file beside its place, and moves it there once it is whole."""
    skeleton, motions = stored.skeleton, stored.motions
    frames = np.array([len(k.rotations) for k in motions.values()], np.uint64)
    rates = [k.rate for k in motions.values()]
    assert all(rate is not None for rate in rates)
    about = {"format": _FORMAT, "version": _VERSION, "method": stored.method,
             "keys": stored.keys}
    members: dict[str, Array] = {
        "format": np.frombuffer(json.dumps(about).encode(), np.uint8),
        **{f"skeleton/name_{k}": v for k, v in _texts(skeleton.names).items()},
        "skeleton/parents": np.asarray(skeleton.parents, np.int32),
        "skeleton/rotations": np.asarray(skeleton.rotations, np.float64),
        "skeleton/positions": np.asarray(skeleton.positions, np.float64),
        "skeleton/bodies": np.array(stored.bodies, np.uint32),
        "skeleton/dofs": np.array(stored.dofs, np.uint32),
        **{f"motions/name_{k}": v for k, v in _texts(list(motions)).items()},
        "motions/first": np.concatenate([[0], np.cumsum(frames)[:-1]]).astype(np.uint64),
        "motions/frames": frames,
        "motions/rate_num": np.array([rate.numerator for rate in rates if rate], np.int64),
        "motions/rate_den": np.array([rate.denominator for rate in rates if rate], np.int64),
        "motions/weight": np.asarray(stored.weights, np.float64),
        "motions/loop": np.array([float(k.loop or 0) for k in motions.values()], np.float64),
        **_rows_of(skeleton, motions)}
    if stored.points is not None:
        members["skeleton/points"] = np.asarray(stored.points, np.float32)
    if skeleton.axes is not None:
        members["skeleton/axes"] = np.asarray(skeleton.axes, np.float64)
        members["skeleton/references"] = np.asarray(
            np.zeros(len(skeleton)) if skeleton.references is None else skeleton.references)
        members["skeleton/hinges"] = np.asarray(skeleton.hinges, np.uint32)
        members.update({f"skeleton/hinge_name_{k}": v
                        for k, v in _texts(skeleton.hinge_names).items()})
    with replacing(path) as file:
        _write_members(file, members)


@contextmanager
def replacing(path: Path) -> Iterator[Any]:
    """A file beside a path, which takes its place once all is written and flushed."""
    target = os.fsdecode(path)
    part = f"{target}.{os.getpid()}.part"
    file = open(part, "xb")
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:
        os.unlink(part)
        raise


def _write_members(file: Any, members: Mapping[str, Array]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in members.items():
            head = io.BytesIO()
            _npy.write_array_header_1_0(head, _npy.header_data_from_array_1_0(array))
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            size = _MEMBER_HEADER + len(entry.filename.encode()) + 4
            is_large = len(head.getvalue()) + array.nbytes > zipfile.ZIP64_LIMIT
            if is_large:
                size += 20 # zipfile adds the sizes of ZIP64
            room = -(file.tell() + size + len(head.getvalue())) % _LINE
            entry.extra = struct.pack("<HH", 0x4D50, room) + bytes(room)
            with archive.open(entry, "w", force_zip64=is_large) as to:
                to.write(head.getvalue())
                if array.size:
                    to.write(np.ascontiguousarray(array).data.cast("B"))


def _read_members(path: Path) -> dict[str, Array]:
    found: dict[str, Array] = {}
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > os.path.getsize(path):
            raise ValueError("is damaged: its members are larger than the file")
        for entry in entries:
            name = entry.filename.removesuffix(".npy")
            if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
                raise ValueError(f"{name}: is compressed or encrypted")
            try:
                found[name] = _array_of(archive.read(entry))
            except Exception as error: # the readers of ZIP and of NPY raise many types for damaged bytes
                raise ValueError(f"{name}: is damaged") from error
    return found


def _array_of(data: bytes) -> Array:
    """The array of an NPY file, over its bytes."""
    head = io.BytesIO(data)
    version = _npy.read_magic(head)
    shape, fortran, dtype = (_npy.read_array_header_1_0(head) if version == (1, 0) else
                             _npy.read_array_header_2_0(head))
    count = math.prod(shape)
    if fortran or dtype.hasobject or count * dtype.itemsize != len(data) - head.tell():
        raise ValueError("has another size than its header")
    return np.frombuffer(data, dtype, count, head.tell()).reshape(shape) if count else np.empty(shape, dtype)


def _want(members: Mapping[str, Array], name: str, dtype: Any, shape: tuple[int | None, ...]) -> Array:
    """A member of a type and a shape, of which None is any."""
    if name not in members:
        raise ValueError(f"{name}: is missing")
    array = members[name]
    fits = array.ndim == len(shape) and all(b is None or a == b for a, b in zip(array.shape, shape, strict=True))
    if array.dtype != np.dtype(dtype) or not fits:
        raise ValueError(f"{name}: found {array.dtype} of shape {array.shape}, expected "
                         f"{np.dtype(dtype)} of shape {shape}")
    return array


def read_library(path: Path) -> Stored:
    """Reads a file of :func:`write_library`. Errors have the name of the file."""
    try:
        return _stored_of(_read_members(path))
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise ValueError(printable(f"{os.fsdecode(path)}: {error}")) from error


def _about(members: Mapping[str, Array]) -> dict[str, Any]:
    text = _want(members, "format", np.uint8, (None,)).tobytes()
    try:
        about = json.loads(text)
    except RecursionError as error:
        raise ValueError("format: is damaged") from error
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise ValueError("is no motion library")
    if about.get("version") != _VERSION:
        raise ValueError(f"has version {about.get('version')!r}, expected {_VERSION}")
    if not (isinstance(about.get("method"), str) and isinstance(about.get("keys"), str)):
        raise ValueError("format: expected texts of method and keys")
    return about


def _stored_of(members: Mapping[str, Array]) -> Stored:
    about = _about(members)
    names = _texts_of(members, "skeleton/name")
    joints, motions = len(names), _texts_of(members, "motions/name")
    turns = {}
    if "skeleton/axes" in members:
        turns = {"axes": _want(members, "skeleton/axes", np.float64, (joints, 3)),
                 "references": _want(members, "skeleton/references", np.float64, (joints,))}
    skeleton = Skeleton(names, _want(members, "skeleton/parents", np.int32, (joints,)),
                        rotations=_want(members, "skeleton/rotations", np.float64, (joints, 4)),
                        positions=_want(members, "skeleton/positions", np.float64, (joints, 3)),
                        **turns)
    if turns:
        _order_hinges(members, skeleton)
    points = (_want(members, "skeleton/points", np.float32, (joints, 3))
              if "skeleton/points" in members else None)
    return Stored(skeleton, _motions_of(members, motions, skeleton),
                  [int(n) for n in _want(members, "skeleton/bodies", np.uint32, (None,))],
                  [int(n) for n in _want(members, "skeleton/dofs", np.uint32, (None,))], points,
                  _want(members, "motions/weight", np.float64, (len(motions),)), about["method"],
                  about["keys"])


def _order_hinges(members: Mapping[str, Array], skeleton: Skeleton) -> None:
    hinges = _want(members, "skeleton/hinges", np.uint32, (len(skeleton.hinges),))
    names = _texts_of(members, "skeleton/hinge_name")
    if sorted(hinges) != sorted(skeleton.hinges) or len(names) != len(hinges):
        raise ValueError("skeleton/hinges: are not the joints that have an axis")
    skeleton.hinges, skeleton.hinge_names = np.array(hinges), tuple(names)


def _motions_of(members: Mapping[str, Array], names: list[str], skeleton: Skeleton) -> dict[str, Keys]:
    if len(set(names)) != len(names) or not names:
        raise ValueError("motions/name: expected names that differ")
    count, joints = len(names), len(skeleton)
    columns = [_want(members, f"motions/{name}", kind, (count,)) for name, kind in
               (("first", np.uint64), ("frames", np.uint64), ("rate_num", np.int64),
                ("rate_den", np.int64), ("loop", np.float64))]
    is_robot = len(skeleton.hinges) > 0
    rotations = _want(members, "root_rot" if is_robot else "rot", np.float32,
                      (None, 4) if is_robot else (None, joints, 4))
    frames_all = len(rotations)
    chosen: Array = np.zeros(0, np.uint32)
    if is_robot:
        positions = _want(members, "root_pos", np.float32, (frames_all, 3))
        angles = _want(members, "dof", np.float32, (frames_all, len(skeleton.hinges)))
    else:
        chosen = _want(members, "pos_joints", np.uint32, (None,))
        positions = _want(members, "pos", np.float32, (frames_all, len(chosen), 3))
    if np.any(chosen >= joints):
        raise ValueError("pos_joints: has a joint that does not exist")
    rest = np.asarray(skeleton.positions, np.float32)
    roots = np.flatnonzero(np.asarray(skeleton.parents) < 0)
    found = {}
    for name, first, frames, num, den, loop in zip(names, *columns, strict=True):
        begin, end = int(first), int(first) + int(frames)
        if not 0 <= begin < end <= len(rotations) or num <= 0 or den <= 0:
            raise ValueError(f"motions: {name!r} has frames or a rate that do not exist")
        rate, period = Fraction(int(num), int(den)), float(loop) or None
        if is_robot:
            found[name] = Keys(rotations[begin:end], positions[begin:end], rate=rate, loop=period,
                               angles=angles[begin:end])
            continue
        places = positions[begin:end, 0]
        if not np.array_equal(chosen, roots[:1]):
            places = np.tile(rest, (end - begin, 1, 1))
            places[:, chosen] = positions[begin:end]
        found[name] = Keys(rotations[begin:end], places, rate=rate, loop=period)
    return found
