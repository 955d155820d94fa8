# SPDX-License-Identifier: MIT
"""The file of a motion library, which the C library writes and maps."""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import address
from ._description import KEY_FORMATS, METHODS, word
from ._engine import Engine, owned
from ._key_rows import KeyRows, columns
from ._library import Path, call, ffi, file_name, lib
from ._names import KeyFormat, Method
from ._options import Options
from ._rational import Number, rate_of, rational
from ._robot import bodies_of
from ._skeleton import Skeleton
from ._views import Array, view

__all__ = ["Stored", "build_library", "describe_robot", "open_library", "owned_library", "read_library", "replacing",
           "save_library", "stored_of", "write_library"]

_name = columns("pm_motion_name", {"text": ("text",), "size": ("size",)}, np.uint64)
_motion = columns("pm_library_motion", {"text": ("name", "text"), "size": ("name", "size")}, np.uint64)
_rows = columns("pm_library_motion", {"first": ("first",), "frames": ("frames",)}, np.int64)
_rates = columns("pm_library_motion", {"rate": ("rate",)}, (np.int64, 2))
_numbers = columns("pm_library_motion", {"weight": ("weight",), "loop": ("loop",)}, np.float64)
_METHODS: dict[int, Any] = {number: name for name, number in METHODS.items()}
_KEY_FORMATS: dict[int, Any] = {number: name for name, number in KEY_FORMATS.items()}


class _FileNames(Sequence[str]):
    """Of the motions of a file, as they lie in it."""

    def __init__(self, motions: Array) -> None:
        self._motions = motions

    def __len__(self) -> int:
        return len(self._motions)

    def __getitem__(self, i: Any) -> Any:
        one = self._motions[i]
        return ffi.buffer(ffi.cast("char *", int(one["text"])), int(one["size"]))[:].decode("utf-8", "surrogateescape")

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return tuple, (tuple(self),)


@dataclass(frozen=True)
class Stored:
    """What a file holds. The arrays of motions and their names may lie in the file."""

    skeleton: Skeleton
    names: Sequence[str]
    rows: KeyRows
    bodies: list[int]
    dofs: list[int]
    points: Array | None
    weights: Array
    method: Method
    keys: KeyFormat
    extras: dict[str, Array]


# ---- writing ----


def _put_names(rows: Array, names: Sequence[str], keep: list[Any]) -> Array:
    """Fills the texts and sizes of names, whose bytes `keep` receives."""
    encoded = [name.encode("utf-8", "surrogateescape") for name in names]
    text = np.frombuffer(b"".join(encoded) + b"\0", np.uint8)
    rows["size"] = [len(name) for name in encoded]
    rows["text"] = text.ctypes.data + np.cumsum(rows["size"]) - rows["size"]
    keep += [text, rows]
    return rows


def _motions_of(stored: Stored, keep: list[Any]) -> Array:
    rows = _put_names(np.zeros(len(stored.names), _motion), stored.names, keep)
    places, numbers = rows.view(_rows), rows.view(_numbers)
    places["first"], places["frames"] = stored.rows.first, stored.rows.frames
    rows.view(_rates)["rate"] = stored.rows.rates
    numbers["weight"], numbers["loop"] = stored.weights, stored.rows.loops
    return rows


def _extras_of(extras: dict[str, Array], keep: list[Any]) -> Any:
    made = ffi.new("pm_library_extra[]", len(extras))
    names = _put_names(np.zeros(len(extras), _name), list(extras), keep)
    for extra, name, column in zip(made, names, extras.values(), strict=True):
        extra.name = {"text": ffi.cast("char *", int(name["text"])), "size": int(name["size"])}
        extra.type, extra.rank, extra.data = column.dtype.str.encode(), column.ndim, address(column)
        extra.shape[0:column.ndim] = column.shape
    keep.append(made)
    return made


def _pointer(values: Any, dtype: Any, keep: list[Any], kind: str = "void *") -> Any:
    if values is None:
        return ffi.NULL
    array = np.ascontiguousarray(values, dtype)
    keep.append(array)
    return ffi.cast(kind, array.ctypes.data)


def _describe_skeleton(skeleton: Skeleton, bodies: Any, dofs: Any, points: Any, keep: list[Any]) -> dict[str, Any]:
    """The fields of content that are those of a skeleton."""
    def names(texts: Sequence[str]) -> Any:
        return _pointer(_put_names(np.zeros(len(texts), _name), texts, keep), _name, keep, "pm_motion_name *")

    axes = skeleton.axes
    plain = skeleton.coordinates.tolist() == skeleton._plain_coordinates(skeleton.hinges)
    coordinates: Sequence[int] | Array = [] if plain else skeleton.coordinates
    references = np.zeros(len(skeleton)) if skeleton.references is None else skeleton.references
    return {
        "joint_count": len(skeleton), "joint_names": names(skeleton.names),
        "parents": _pointer(skeleton.parents, np.int32, keep, "int32_t *"),
        "rotations": _pointer(skeleton.rotations, np.float64, keep, "double *"),
        "positions": _pointer(skeleton.positions, np.float64, keep, "double *"),
        "points": _pointer(points, np.float32, keep, "float *"), "axes": _pointer(axes, np.float64, keep, "double *"),
        "references": _pointer(None if axes is None else references, np.float64, keep, "double *"),
        "hinges": _pointer(skeleton.hinges, np.uint32, keep, "uint32_t *"),
        "hinge_names": names(skeleton.hinge_names), "hinge_count": len(skeleton.hinges),
        "continuous": _pointer(np.broadcast_to(skeleton.continuous, len(skeleton.hinges)), np.bool_, keep, "_Bool *"),
        "bodies": _pointer(bodies, np.uint32, keep, "uint32_t *"), "body_count": len(bodies),
        "dofs": _pointer(dofs, np.uint32, keep, "uint32_t *"), "dof_count": len(dofs),
        "coordinates": _pointer(coordinates, np.uint32, keep, "uint32_t *"),
        "coordinate_names": names(skeleton.coordinate_names), "coordinate_count": len(coordinates)}


def write_library(path: Path, stored: Stored) -> None:
    """Writes a file, which appears once it is whole."""
    skeleton, rows = stored.skeleton, stored.rows
    keep: list[Any] = []
    content = ffi.new("pm_library_content *", _describe_skeleton(
        skeleton, stored.bodies, stored.dofs, stored.points, keep) | {
        "motions": _pointer(_motions_of(stored, keep), _motion, keep, "pm_library_motion *"),
        "motion_count": len(stored.names), "method": word(stored.method, METHODS, "method"),
        "key_format": word(stored.keys, KEY_FORMATS, "keys"), "row_count": len(rows.rotations),
        "key_codes" if rows.is_coded else "root_rotations" if rows.rotations.ndim == 2 else "key_rotations":
            _pointer(rows.rotations, np.int16, keep) if rows.is_coded else
            _pointer(rows.rotations, np.float32, keep, "float *"),
        "key_positions": _pointer(rows.positions, np.float32, keep, "float *"),
        "position_count": len(skeleton) if rows.positions is not None and rows.positions.ndim == 3 else 1,
        "angles": _pointer(rows.angles, np.float32, keep, "float *"),
        "extras": _extras_of(stored.extras, keep), "extra_count": len(stored.extras)})
    call(lib.pm_library_write, content, ffi.NULL, file_name(path))


def save_library(owner: Any, path: Path, *, short_angles: bool = False, coded: bool = False) -> None:
    """Writes a library that is open."""
    call(lib.pm_library_save, owner, ffi.new("pm_library_write_options *", {
        "short_angles": short_angles, "coded_keys": coded}), file_name(path))


def describe_robot(robot: Skeleton, keep: list[Any]) -> Any:
    """A pm_library_content with the fields of a robot; `keep` receives what it points to."""
    return ffi.new("pm_library_content *", _describe_skeleton(
        robot, robot.bodies, range(len(robot.hinges)), robot.points, keep))


def _quarters(task: Any) -> int:
    """The turn of the world about x, in quarters."""
    if task.to_up in (lib.PM_MOTION_UP_FOUND, lib.PM_MOTION_UP_KEEP, task.up):
        return 0
    if task.up == lib.PM_MOTION_UP_FOUND:
        raise ValueError("to_up: requires up")
    return 1 if task.to_up == lib.PM_MOTION_UP_Z else -1


def build_library(output: Path, paths: Sequence[Path], method: Method, keys: KeyFormat, coded: bool,
                  skeleton: Path | Skeleton | None, rate: Number | None, given: Options) -> list[str]:
    """Writes the clips of motion files to a file; a thread holds one motion at a time. Gives what the files warn
    of.
    """
    for path in paths:
        os.stat(path) # raises what Python raises for files that are not there
    texts = [ffi.new("char[]", file_name(path)) for path in paths]
    task = given.values.task
    keep: list[Any] = []
    options = ffi.new("pm_library_build_options *", {
        "method": word(method, METHODS, "method"), "key_format": word(keys, KEY_FORMATS, "keys"),
        "scale": task.scale or 1.0, "quarter_turns": _quarters(task), "coded_keys": coded,
        "rate": rational(None if rate is None else rate_of(rate))})
    options.reading, options.fill = task.read, task.fill
    warned: dict[str, None] = {}
    handle = ffi.new_handle(warned)
    options.reading.log, options.reading.log_user = lib.python_note_warning, handle
    if isinstance(skeleton, Skeleton):
        keep.append(describe_robot(skeleton, keep))
        options.robot = keep[-1]
    elif skeleton is not None:
        keep.append(ffi.new("char[]", file_name(skeleton)))
        options.reading.skeleton = keep[-1]
    call(lib.pm_library_build, ffi.new("char *[]", texts), len(texts), options, file_name(output))
    del keep
    return sorted(warned)


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


# ---- reading ----


def _texts_of(names: Any, count: int) -> list[str]:
    return [ffi.buffer(names[i].text, names[i].size)[:].decode("utf-8", "surrogateescape") for i in range(count)]


def _destroy(handle: Any) -> None:
    lib.pm_library_destroy(ffi.new("pm_library **", handle))


def _skeleton_of(c: Any, array: Any) -> Skeleton:
    joints = int(c.joint_count)
    turns = {} if c.axes == ffi.NULL else {"axes": array(c.axes, (joints, 3), np.float64),
                                           "references": array(c.references, (joints,), np.float64)}
    skeleton = Skeleton(_texts_of(c.joint_names, joints), array(c.parents, (joints,), np.int32),
                        rotations=array(c.rotations, (joints, 4), np.float64),
                        positions=array(c.positions, (joints, 3), np.float64), **turns)
    coordinates = array(c.coordinates, (int(c.coordinate_count),), np.uint32)
    if coordinates is not None:
        skeleton._set_coordinates(coordinates, _texts_of(c.coordinate_names, len(coordinates)))
    if turns or coordinates is not None:
        skeleton.bodies = np.array(bodies_of(skeleton.names), np.uint32)
    if turns and coordinates is None:
        plain = skeleton._plain_coordinates(array(c.hinges, (int(c.hinge_count),), np.uint32))
        names = _texts_of(c.hinge_names, int(c.hinge_count))
        skeleton._set_coordinates(plain, [skeleton.names[skeleton.root]] * (len(plain) - len(names)) + names)
    return skeleton


def open_library(path: Path, engine: Engine | None, method: Method | None = None, keys: KeyFormat | None = None,
                 bodies: Sequence[int] | None = None, dofs: Sequence[int] | None = None,
                 ids: Array | None = None) -> Any:
    """Maps a file of :func:`write_library`, once its digests have been checked. Errors have its name."""
    os.stat(path) # raises what Python raises for files that are not there
    made, options = ffi.new("pm_library **"), ffi.new("pm_library_open_options *")
    keep: list[Any] = []
    if method is not None:
        options.method = keep_new(keep, "pm_method *", word(method, METHODS, "method"))
    if keys is not None:
        options.key_format = keep_new(keep, "pm_key_format *", word(keys, KEY_FORMATS, "keys"))
    if bodies is not None:
        options.bodies, options.body_count = keep_new(keep, "uint32_t[]", list(bodies)), len(bodies)
    if dofs is not None:
        options.dofs, options.dof_count = keep_new(keep, "uint32_t[]", list(dofs)), len(dofs)
    if ids is not None:
        options.ids = keep_new(keep, "uint32_t[]", ids.tolist())
    call(lib.pm_library_open, ffi.NULL if engine is None else engine.handle, file_name(path), options, made)
    return owned_library(made[0], engine)


def owned_library(handle: Any, engine: Engine | None) -> Any:
    """A handle that is destroyed with what refers to it."""
    return owned(handle, _destroy, *([] if engine is None else [engine]))


def keep_new(keep: list[Any], kind: str, value: Any) -> Any:
    keep.append(ffi.new(kind, value))
    return keep[-1]


def read_library(path: Path) -> Stored:
    """What a file holds, without a copy of the rows."""
    return stored_of(open_library(path, None))


def stored_of(owner: Any) -> Stored:
    """What a library was opened from."""
    c = lib.pm_library_get_content(owner)

    def array(pointer: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        return None if pointer == ffi.NULL else view(owner, pointer, shape, dtype)

    joints, rows, places = int(c.joint_count), int(c.row_count), int(c.position_count)
    of_root, hinges = c.root_rotations != ffi.NULL, int(c.hinge_count)
    motions = array(c.motions, (int(c.motion_count),), f"V{_motion.itemsize}")
    numbers, spans = motions.view(_numbers), motions.view(_rows)
    extras = {_texts_of(ffi.addressof(e, "name"), 1)[0]:
              array(e.data, tuple(e.shape[0:e.rank]), ffi.string(e.type).decode())
              for e in ffi.unpack(c.extras, c.extra_count)}
    turns = (array(c.root_rotations, (rows, 4), np.float32) if of_root else
             array(c.key_rotations, (rows, joints, 4), np.float32) if c.key_codes == ffi.NULL else
             array(c.key_codes, (rows, lib.pm_keys_row_bytes(c.key_format, joints) // 2), np.int16))
    found = KeyRows(turns, array(c.key_positions, (rows, 3) if places == 1 else (rows, places, 3), np.float32),
                    array(c.angles, (rows, hinges), np.float32), spans["first"], spans["frames"],
                    motions.view(_rates)["rate"], numbers["loop"])
    return Stored(_skeleton_of(c, array), _FileNames(motions.view(_motion)), found,
        array(c.bodies, (int(c.body_count),), np.uint32).tolist(),
        array(c.dofs, (int(c.dof_count),), np.uint32).tolist(), array(c.points, (joints, 3), np.float32),
        numbers["weight"], _METHODS[c.method], _KEY_FORMATS[c.key_format], extras)
