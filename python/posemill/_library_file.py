# SPDX-License-Identifier: MIT
"""The file of a motion library: a stored NPZ whose members begin at multiples of 64 bytes."""
from __future__ import annotations

import io
import json
import math
import mmap
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._extras import check_extra
from ._key_rows import KeyRows
from ._keys import root_of
from ._library import Path, printable
from ._names import AngleFormat, KeyFormat, Method
from ._skeleton import Skeleton
from ._views import Array

__all__ = ["Stored", "read_library", "replacing", "write_library"]

_FORMAT = "posemill motion library"
_VERSION = 1
_LINE = 64
_npy: Any = np.lib.format
_MEMBER_HEADER = 30 # bytes of a ZIP member before its name
_MOST_HEADER = 1 << 17 # bytes of an NPY member before its numbers, and more
_EXTRAS = "extras/"
_BLOCK = 1 << 14 # rows
_MOST_STEPS = 32767
_LARGEST_STEP = 1e33 # so that angles fit float32; keys have magnitudes up to 1e37


@dataclass(frozen=True)
class Stored:
    """What a file holds."""

    skeleton: Skeleton
    names: tuple[str, ...]
    rows: KeyRows
    bodies: list[int]
    dofs: list[int]
    points: Array | None
    weights: Array
    method: Method
    keys: KeyFormat
    extras: dict[str, Array]


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


def _places(rows: KeyRows, skeleton: Skeleton) -> Array:
    """Positions (frames, joints, 3), where the joints may be the first root alone."""
    if rows.positions is None:
        root = np.asarray(skeleton.positions, np.float32)[root_of(skeleton)]
        return np.broadcast_to(root, (len(rows.rotations), 1, 3))
    return rows.positions[:, None] if rows.positions.ndim == 2 else rows.positions


def _rows_of(rows: KeyRows, skeleton: Skeleton, angles: AngleFormat) -> dict[str, Array]:
    """The keys of all frames: of robots those of the root, and the angles; else rotations, and
    positions of the first root alone, unless others move."""
    places = _places(rows, skeleton)
    if rows.angles is not None:
        members = {"root_rot": rows.rotations, "root_pos": places[:, 0]}
        return members | (_encoded(rows.angles) if angles == "int16" else {"dof": rows.angles})
    chosen = [root_of(skeleton)] if places.shape[1] == 1 else range(len(skeleton))
    return {"rot": rows.rotations, "pos": places, "pos_joints": np.array(chosen, np.uint32)}


def _blocks(count: int) -> Iterator[slice]:
    """Rows that are converted together, so that what is between two types stays small."""
    for begin in range(0, count, _BLOCK):
        yield slice(begin, begin + _BLOCK)


def _encoded(angles: Array) -> dict[str, Array]:
    """Angles in steps: of each hinge its largest angle / 32767."""
    largest = np.maximum(angles.max(axis=0), -angles.min(axis=0)).astype(np.float64)
    steps = np.where(largest > 0, largest / _MOST_STEPS, 1.0)
    codes = np.empty(angles.shape, np.int16)
    for rows in _blocks(len(angles)):
        codes[rows] = np.rint(angles[rows] / steps)
    return {"dof": codes, "dof_scale": steps}


def _decoded(codes: Array, steps: Array) -> Array:
    if not ((steps > 0) & (steps < _LARGEST_STEP)).all():
        raise ValueError(f"dof_scale: expected numbers above 0 and below {_LARGEST_STEP:g}")
    angles = np.empty(codes.shape, np.float32)
    for rows in _blocks(len(codes)):
        angles[rows] = codes[rows] * steps
    return angles


def write_library(path: Path, stored: Stored, angles: AngleFormat) -> None:
    """Writes a file beside its place, and moves it there once it is whole."""
    skeleton, rows = stored.skeleton, stored.rows
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
        **{f"motions/name_{k}": v for k, v in _texts(stored.names).items()},
        "motions/first": rows.first.astype(np.uint64), "motions/frames": rows.frames.astype(np.uint64),
        "motions/rate_num": rows.rates[:, 0], "motions/rate_den": rows.rates[:, 1],
        "motions/weight": np.asarray(stored.weights, np.float64), "motions/loop": rows.loops,
        **_rows_of(rows, skeleton, angles),
        **{f"extras/{name}": column for name, column in stored.extras.items()}}
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
    """The members as arrays over the mapped file, once their digests have been checked."""
    found: dict[str, Array] = {}
    with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        if sum(entry.file_size for entry in entries) > len(data):
            raise ValueError("is damaged: its members are larger than the file")
        for entry in entries:
            name = entry.filename.removesuffix(".npy")
            if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
                raise ValueError(f"{name}: is compressed or encrypted")
            try:
                found[name] = _array_of(_bytes_of(data, entry))
            except Exception as error: # the readers of NPY raise many types for damaged bytes
                raise ValueError(f"{name}: is damaged") from error
    return found


def _bytes_of(data: memoryview, entry: zipfile.ZipInfo) -> memoryview:
    """The bytes of a member, which follow its name and extra field in the file."""
    header = data[entry.header_offset:entry.header_offset + _MEMBER_HEADER]
    name, extra = struct.unpack("<HH", header[-4:])
    begin = entry.header_offset + _MEMBER_HEADER + name + extra
    member = data[begin:begin + entry.file_size]
    if bytes(header[:4]) != b"PK\3\4" or len(member) != entry.file_size or zlib.crc32(member) != entry.CRC:
        raise ValueError("has another digest")
    return member


def _array_of(data: memoryview) -> Array:
    """The array of an NPY file, over its bytes where they are aligned."""
    head = io.BytesIO(data[:_MOST_HEADER])
    version = _npy.read_magic(head)
    shape, fortran, dtype = (_npy.read_array_header_1_0(head) if version == (1, 0) else
                             _npy.read_array_header_2_0(head))
    count = math.prod(shape)
    if fortran or dtype.hasobject or count * dtype.itemsize != len(data) - head.tell():
        raise ValueError("has another size than its header")
    if not count:
        return np.empty(shape, dtype)
    return np.require(np.frombuffer(data, dtype, count, head.tell()), requirements="A").reshape(shape)


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
    if len(set(motions)) != len(motions) or not motions:
        raise ValueError("motions/name: expected names that differ")
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
    rows = _key_rows(members, motions, skeleton)
    extras = {name.removeprefix(_EXTRAS): column for name, column in members.items()
              if name.startswith(_EXTRAS)}
    for name, column in extras.items():
        check_extra(name, column, len(rows.rotations))
    return Stored(skeleton, tuple(motions), rows,
                  [int(n) for n in _want(members, "skeleton/bodies", np.uint32, (None,))],
                  [int(n) for n in _want(members, "skeleton/dofs", np.uint32, (None,))], points,
                  _want(members, "motions/weight", np.float64, (len(motions),)), about["method"],
                  about["keys"], extras)


def _order_hinges(members: Mapping[str, Array], skeleton: Skeleton) -> None:
    hinges = _want(members, "skeleton/hinges", np.uint32, (len(skeleton.hinges),))
    names = _texts_of(members, "skeleton/hinge_name")
    if sorted(hinges) != sorted(skeleton.hinges) or len(names) != len(hinges):
        raise ValueError("skeleton/hinges: are not the joints that have an axis")
    skeleton.hinges, skeleton.hinge_names = np.array(hinges), tuple(names)


def _key_rows(members: Mapping[str, Array], names: list[str], skeleton: Skeleton) -> KeyRows:
    count, joints, hinges = len(names), len(skeleton), len(skeleton.hinges)
    first, frames, num, den, loops = (
        _want(members, f"motions/{name}", kind, (count,)) for name, kind in
        (("first", np.uint64), ("frames", np.uint64), ("rate_num", np.int64),
         ("rate_den", np.int64), ("loop", np.float64)))
    if hinges:
        rotations = _want(members, "root_rot", np.float32, (None, 4))
        positions = _want(members, "root_pos", np.float32, (len(rotations), 3))
    else:
        rotations = _want(members, "rot", np.float32, (None, joints, 4))
        positions = _positions_of(members, len(rotations), skeleton)
    total = len(rotations)
    exist = (frames > 0) & (frames <= total) & (first <= total - np.minimum(frames, total))
    wrong = np.flatnonzero(~(exist & (num > 0) & (den > 0)))
    if len(wrong):
        raise ValueError(f"motions: {names[wrong[0]]!r} has frames or a rate that do not exist")
    return KeyRows(rotations, positions, _angles_of(members, total, hinges) if hinges else None,
                   first.astype(np.int64), frames.astype(np.int64), np.stack([num, den], axis=1), loops)


def _angles_of(members: Mapping[str, Array], frames: int, hinges: int) -> Array:
    if "dof_scale" not in members:
        return _want(members, "dof", np.float32, (frames, hinges))
    return _decoded(_want(members, "dof", np.int16, (frames, hinges)),
                    _want(members, "dof_scale", np.float64, (hinges,)))


def _positions_of(members: Mapping[str, Array], frames: int, skeleton: Skeleton) -> Array:
    """Positions of the first root, or where the file has others those of all joints."""
    chosen = _want(members, "pos_joints", np.uint32, (None,))
    if np.any(chosen >= len(skeleton)):
        raise ValueError("pos_joints: has a joint that does not exist")
    positions = _want(members, "pos", np.float32, (frames, len(chosen), 3))
    if chosen.tolist() == [root_of(skeleton)]:
        return positions[:, 0]
    if chosen.tolist() == list(range(len(skeleton))):
        return positions
    places = np.tile(np.asarray(skeleton.positions, np.float32), (frames, 1, 1))
    places[:, chosen] = positions
    return places
