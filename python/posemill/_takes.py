# SPDX-License-Identifier: MIT
"""Motions of files that the C library does not read: pickles, files of ``torch.save``, and arrays of coordinates.

A row of the table is a format: by which members it is recognised, and what they are. What a row gives is written as
an NPZ file that the C library reads, so that names, rates and places are checked there as of any file of a robot; or
is made a motion here, where rotations become coordinates of a model's balls and hinges.
"""
from __future__ import annotations

import io
import math
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ._body_turns import bodies_that_turn, exp_of, keys_of_turns, multiply
from ._keys import Keys
from ._library import Path, printable
from ._pickles import load_pickle
from ._quaternions import rotated
from ._skeleton import Skeleton
from ._smpl import keys_of_smpl
from ._views import Array

__all__ = ["PICKLES", "Take", "check_around", "keys_of", "members_of", "takes_of", "write_take"]

PICKLES = (".pkl", ".pickle", ".joblib", ".motion", ".pt", ".pth")
_MOST_BYTES = 1 << 32
_OFF = 0.01  # m of a body
_LENGTH = 0.1  # by which quaternions may miss 1


@dataclass
class Take:
    """A motion: of the root or of all bodies `places` (frames, bodies, 3) and `turns` (frames, bodies, 4) x y z w with
    `angles` (frames, joints); or `poses` (frames, joints, 3) of SMPL with `places` (frames, 3). `around` are places of
    bodies in the root's frame, by name."""

    name: str
    rate: Any  # None: the file states none
    places: Array
    turns: Array | None = None
    angles: Array | None = None
    poses: Array | None = None
    joints: list[str] | None = None
    bodies: list[str] | None = None
    are_maps: bool = False  # angles of bodies with more than one hinge are rotation vectors
    at_pelvis: bool = False  # `places` of SMPL are those of the pelvis
    around: Mapping[str, Array] = field(default_factory=dict)  # (frames, 3)
    weight: float = 1.0
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def frames(self) -> int:
        return len(self.places)


@dataclass(frozen=True)
class _Row:
    """Members, or columns of one: (name, first, last)."""

    format: str
    known_by: tuple[str, ...]
    rate: str
    places: Any
    turns: Any = None
    order: str = "xyzw"  # of quaternions, or "map" for rotation vectors
    angles: Any = None
    poses: str | None = None
    are_maps: bool = False
    extras: tuple[tuple[str, str], ...] = ()  # ours, theirs


_ROWS = (
    _Row("ProtoMotions", ("rigid_body_pos", "rigid_body_rot", "fps"), "fps", "rigid_body_pos", "rigid_body_rot",
         angles="dof_pos", are_maps=True, extras=(("contacts", "rigid_body_contacts"), ("stored_dof_vel", "dof_vel"))),
    _Row("GMR", ("root_pos", "root_rot", "dof_pos", "fps"), "fps", "root_pos", "root_rot", angles="dof_pos"),
    _Row("PHC of robots", ("root_trans_offset", "root_rot", "dof", "fps"), "fps", "root_trans_offset", "root_rot",
         angles="dof", extras=(("contacts", "contact_mask"),)),
    _Row("PHC", ("pose_aa", "root_trans_offset", "fps"), "fps", "root_trans_offset", poses="pose_aa"),
    _Row("PHC", ("pose_aa", "trans", "fps"), "fps", "trans", poses="pose_aa"),
    _Row("MimicKit", ("frames", "fps", "loop_mode"), "fps", ("frames", 0, 3), ("frames", 3, 6), "map",
         ("frames", 6, None), are_maps=True),
    _Row("loco-mujoco", ("qpos", "frequency"), "frequency", ("qpos", 0, 3), ("qpos", 3, 7), "wxyz", ("qpos", 7, None)),
    _Row("AMASS", ("poses", "trans", "mocap_framerate"), "mocap_framerate", "trans", poses="poses"),
    _Row("AMASS", ("poses", "trans", "mocap_frame_rate"), "mocap_frame_rate", "trans", poses="poses"),
)
_PACKED = {"gts": "rigid_body_pos", "grs": "rigid_body_rot", "dps": "dof_pos", "contacts": "rigid_body_contacts",
           "gvs": "rigid_body_vel", "gavs": "rigid_body_ang_vel", "dvs": "dof_vel"}
_ORDERS = ("root_rot_format", "root_quat_order", "quat_order", "quat_format")  # of members that forks of GMR add


_DAMAGE = (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, OverflowError, SyntaxError,
           zlib.error)


class _Members(Mapping[str, Any]):
    """The members of an NPZ file, read as they are asked for. Pickled ones are never loaded."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = zipfile.ZipFile(path)
        except _DAMAGE as error:
            raise ValueError(f"is no archive that can be read: {error}") from error
        self._names = {name.removesuffix(".npy"): name for name in self._archive.namelist() if name.endswith(".npy")}

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Any:
        try:
            return self._read(self._archive.getinfo(self._names[name]), f"member {name!r}")
        except _DAMAGE as error:
            raise ValueError(f"member {name!r}: {error}") from error

    def _read(self, info: zipfile.ZipInfo, what: str) -> Any:
        if info.file_size > _MOST_BYTES:
            raise ValueError(f"{what} has more than 4 GiB")
        file: Any = io.BytesIO(self._archive.read(info))
        form: Any = np.lib.format
        is_first = form.read_magic(file) == (1, 0)
        shape, _, dtype = (form.read_array_header_1_0 if is_first else form.read_array_header_2_0)(file)
        if dtype.hasobject:
            raise ValueError(f"{what} is pickled, which is not loaded")
        if math.prod(shape) * dtype.itemsize != len(file.getbuffer()) - file.tell():
            raise ValueError(f"{what} has another size than its shape {shape}")
        file.seek(0)
        return form.read_array(file, allow_pickle=False)

    def close(self) -> None:
        self._archive.close()


def members_of(path: Path) -> set[str]:
    """The names of the members of an NPZ file; none of what is no archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npy") for name in archive.namelist()}
    except _DAMAGE:
        return set()


def _row_of(data: Any) -> _Row | None:
    """The first row whose members are there; else one of which the rate alone is missing."""
    if not isinstance(data, Mapping):
        return None
    lacking = [(row, set(row.known_by) - set(data)) for row in _ROWS]
    return next((row for rate in (False, True) for row, names in lacking
                 if not names or (rate and names == {row.rate})), None)


def is_of_coordinates(path: Path, of_robot: bool) -> bool:
    """Whether an NPZ file is read here: coordinates of a robot, or SMPL where there is a robot."""
    names = members_of(path)
    row = _row_of(dict.fromkeys(names))
    return row is not None and row.format in ("GMR", "loco-mujoco", *(("AMASS",) if of_robot else ()))


def _numbers(data: Mapping[str, Any], at: Any, what: str) -> Array:
    name, first, last = at if isinstance(at, tuple) else (at, None, None)
    found = np.asarray(data[name])
    if found.dtype.kind not in "fiu" or found.ndim < 2 or not len(found):
        raise ValueError(f"{name!r}: expected numbers of frames for the {what}, found {found.dtype} of shape "
                         f"{found.shape}")
    found = found[:, first:last].astype(np.float64) if isinstance(at, tuple) else found.astype(np.float64)
    if not np.isfinite(found).all():
        raise ValueError(f"{name!r}: has a number that is not finite")
    return found


def _texts(data: Mapping[str, Any], *names: str) -> list[str] | None:
    for name in names:
        if name in data and data[name] is not None:
            values = np.asarray(data[name]).ravel().tolist()
            texts = [one.decode() if isinstance(one, bytes) else one for one in values]
            if texts and all(isinstance(one, str) for one in texts):
                return texts
    return None


def _rate_in(value: Any) -> Any:
    found = np.asarray(value)
    if found.size != 1 or found.dtype.kind not in "fiu" or not 0 < float(found.ravel()[0]) < 1e6:
        raise ValueError(f"a rate is {str(value)[:60]}, expected frames per second")
    return found.ravel()[0].item()


def _quaternions(values: Array, order: str, name: Any) -> Array:
    if order == "map":
        return exp_of(values)
    if values.shape[-1] != 4:
        raise ValueError(f"{name!r}: expected quaternions, found shape {values.shape}")
    found = np.roll(values, -1, axis=-1) if order == "wxyz" else values
    length = np.linalg.norm(found, axis=-1, keepdims=True)
    if np.abs(length - 1).max() > _LENGTH:
        raise ValueError(f"{name!r}: expected quaternions, found lengths of {length.min():.3g} to {length.max():.3g}")
    units: Array = found / length
    return units


def _take(row: _Row, data: Mapping[str, Any], name: str) -> Take:
    if data.get("state_conversion", "common") != "common":
        raise ValueError("'state_conversion': bodies and joints are in an order of the simulator, which is not known")
    places = _numbers(data, row.places, "places")
    stated = data[row.rate] if row.rate in data else None
    rate = None if stated is None else _rate_in(stated)
    if row.poses is not None:
        poses = _numbers(data, row.poses, "poses")
        poses = poses.reshape(len(poses), -1)
        if poses.shape[1] % 3 or len(poses) != len(places) or places.shape[1:] != (3,):
            raise ValueError(f"{row.poses!r} has shape {poses.shape}, {row.places!r} {places.shape}; expected three "
                             "numbers for each joint, and as many frames")
        return Take(name, rate, places, poses=poses.reshape(len(places), -1, 3), data=data,
                    at_pelvis=row.places == "root_trans_offset")
    order = next((str(data[key]) for key in _ORDERS if key in data), row.order)
    if order not in ("xyzw", "wxyz", "map"):
        raise ValueError(f"the order of quaternions is {printable(order[:40])!r}, expected 'xyzw' or 'wxyz'")
    turns = _quaternions(_numbers(data, row.turns, "rotations"), order, row.turns)
    joints = _texts(data, "dof_names", "joint_names")
    if row.format == "loco-mujoco" and joints:
        joints = _hinges_of_loco(data, joints)
    angles = None
    if row.angles is not None and (isinstance(row.angles, tuple) or row.angles in data):
        angles = _numbers(data, row.angles, "angles")
        angles = angles.reshape(len(angles), -1)
    if places.ndim == 2:
        places, turns = places[:, None], turns[:, None]
    if places.shape[-1] != 3 or places.shape[:-1] != turns.shape[:-1] or (
            angles is not None and len(angles) != len(places)):
        raise ValueError(f"arrays of {row.format} have shapes {places.shape}, {turns.shape} and "
                         f"{None if angles is None else angles.shape}, which do not agree")
    return Take(name, rate, places, turns, angles, None, joints,
                _texts(data, "body_names") if places.shape[1] > 1 else None, row.are_maps, around=_around(data),
                data={**{ours: data[theirs] for ours, theirs in row.extras if theirs in data}, **data}
                if isinstance(data, dict) else data)


def _around(data: Mapping[str, Any]) -> dict[str, Array]:
    """GMR's places of bodies in the root's frame."""
    names = _texts(data, "link_body_list")
    if names is None or data.get("local_body_pos") is None:
        return {}
    places = _numbers(data, "local_body_pos", "places of bodies")
    if places.shape[1:] != (len(names), 3):
        raise ValueError(f"'local_body_pos' has shape {places.shape}, but 'link_body_list' {len(names)} names")
    return {name: places[:, n] for n, name in enumerate(names)}


def _hinges_of_loco(data: Mapping[str, Any], names: list[str]) -> list[str]:
    """The names of the joints behind the free one, which comes first."""
    kinds = np.asarray(data["jnt_type"]).ravel().tolist() if "jnt_type" in data else [0] + [3] * (len(names) - 1)
    if len(kinds) != len(names) or kinds[0] != 0 or any(kind != 3 for kind in kinds[1:]):
        raise ValueError("qpos: expected a free joint and hinges; other joints have other coordinates")
    return names[1:]


def _split(take: Take, starts: Any, what: str) -> list[Take]:
    bounds = np.asarray(starts).ravel().astype(np.int64).tolist()
    if not bounds or bounds[0] != 0 or bounds[-1] != take.frames or any(b <= a for a, b in zip(bounds, bounds[1:])):
        raise ValueError(f"{what!r}: expected rising frames from 0 to {take.frames}")
    if len(bounds) == 2:
        return [take]
    assert take.turns is not None and take.angles is not None
    return [replace(take, name=f"{take.name}-{n + 1}", places=take.places[a:b], turns=take.turns[a:b],
                    angles=take.angles[a:b], data={}) for n, (a, b) in enumerate(zip(bounds, bounds[1:]))]


def _packed(data: Mapping[str, Any]) -> Iterator[Take]:
    """The motions of ProtoMotions' packed file."""
    counts = np.asarray(data["motion_num_frames"]).ravel().astype(np.int64)
    ends = np.cumsum(counts)
    if (counts < 1).any() or ends[-1] != len(data["gts"]):
        raise ValueError(f"'motion_num_frames': {counts.sum()} frames, but 'gts' has {len(data['gts'])}")
    files = list(data.get("motion_files", ()))
    weights = np.asarray(data.get("motion_weights", np.ones(len(counts)))).ravel()
    steps = np.asarray(data["motion_dt"]).ravel()
    if len(steps) != len(counts) or len(weights) != len(counts):
        raise ValueError("'motion_dt', 'motion_weights': expected one for each motion")
    for n, (end, count) in enumerate(zip(ends.tolist(), counts.tolist(), strict=True)):
        part = {theirs: np.asarray(data[name])[end - count:end] for name, theirs in _PACKED.items()
                if data.get(name) is not None}
        name = os.path.splitext(os.path.basename(str(files[n])))[0] if n < len(files) else f"motion-{n}"
        rate = _exact(1 / float(steps[n]))
        found = _take(_ROWS[0], {**part, "fps": rate}, name)
        yield replace(found, weight=float(weights[n]))


def _exact(rate: float) -> float:
    """A rate from a time of a frame in float32: the whole number that it is within rounding."""
    return float(round(rate)) if round(rate) and abs(rate / round(rate) - 1) < 1e-6 else rate


def takes_of(path: Path) -> list[Take]:
    """The motions of a file."""
    name = os.path.splitext(os.path.basename(os.fsdecode(path)))[0]
    if os.fsdecode(path).lower().endswith(".npz"):
        members = _Members(path)
        try:
            row = _row_of(members)
            if row is None:
                raise ValueError("has no members that are known")
            take = _take(row, members, name)
            return _split(take, members["split_points"], "split_points") if "split_points" in members else [take]
        finally:
            members.close()
    data = load_pickle(path)
    row = _row_of(data)
    if row is not None:
        return [_take(row, data, name)]
    if isinstance(data, dict) and {"gts", "grs", "motion_num_frames", "motion_dt"} <= set(data):
        return list(_packed(data))
    rows = {key: _row_of(value) for key, value in data.items()} if isinstance(data, dict) else {}
    if not rows or not all(rows.values()):
        shown = type(data).__name__
        if isinstance(data, dict):
            shown = ", ".join(repr(str(key)[:40]) for key in list(data)[:8])
        raise ValueError(printable(f"is of no format that is known: has {shown}"))
    return [_take(row, data[key], str(key)) for key, row in rows.items() if row]


# ---- as motions of a robot ----


def keys_of(take: Take, robot: Skeleton, pelvis: Array | None, notes: list[str]) -> Keys | None:
    """The motion of a robot whose coordinates are not those of the file. None: the C library matches them by names.
    `notes` receives what is odd."""
    if take.poses is not None:
        return keys_of_smpl(robot, take.poses, take.places, take.rate, notes, np.zeros(3) if take.at_pelvis else pelvis)
    assert take.turns is not None
    bodies = bodies_that_turn(robot)
    if not len(robot.balls) and not (take.are_maps and any(len(body.turning) > 1 for body in bodies)):
        if take.joints is None and take.angles is not None and take.angles.shape[1] != len(robot.hinges):
            raise ValueError(f"has {take.angles.shape[1]} angles of joints a frame, expected {len(robot.hinges)} of "
                             "the robot")
        return None
    if take.turns.shape[1] == len(bodies) > 1:
        return keys_of_turns(robot, _from_rest(robot, take.turns), take.places[:, _root_of(robot)], take.rate, notes)
    if not take.are_maps or take.angles is None:
        raise ValueError("expected rotations of all bodies, or MimicKit's frames, for a robot with balls")
    return keys_of_turns(robot, _of_maps(robot, take), take.places[:, 0], take.rate, notes)


def check_around(take: Take, robot: Skeleton) -> None:
    """Compares `around` with forward kinematics of the angles at five frames, as the C library does with places in the
    world. Names of joints that are not those of the robot are left to the C library."""
    names = list(robot.hinge_names)
    joints = names if take.joints is None else take.joints
    if not take.around or take.angles is None or sorted(joints) != sorted(names) or take.angles.shape[1] != len(names):
        return
    frames = np.unique(np.linspace(0, take.frames - 1, 5).astype(int))
    order = [joints.index(name) for name in names]
    angles = dict(zip(robot.hinges.tolist(), take.angles[frames][:, order].T, strict=True))
    turns: dict[int, Array] = {robot.root: np.array([0.0, 0, 0, 1])}
    places: dict[int, Array] = {robot.root: np.zeros(3)}
    for joint, parent in enumerate(robot.parents.tolist()):
        if parent not in turns:
            continue
        places[joint] = places[parent] + rotated(turns[parent], np.asarray(robot.positions[joint], np.float64))
        turns[joint] = multiply(turns[parent], robot.rotations[joint])
        if joint in angles:
            assert robot.axes is not None
            reference = 0.0 if robot.references is None else robot.references[joint]
            turns[joint] = multiply(turns[joint], exp_of((angles[joint] - reference)[:, None] * robot.axes[joint]))
    for joint, place in places.items():
        if robot.names[joint] not in take.around:
            continue
        found = take.around[robot.names[joint]]
        if len(found) != take.frames:
            raise ValueError(f"'local_body_pos' has {len(found)} frames, expected {take.frames}")
        far = np.linalg.norm(found[frames] - place, axis=-1)
        if far.max() > _OFF:
            raise ValueError(
                f"body {robot.names[joint]!r} is {far.max():.3g} m from where the angles of the joints place it, at "
                f"frame {frames[far.argmax()]}; expected at most {_OFF} (the model is another one, or joints are in "
                "another order than its own, which dof_names in the file would say)")


def _root_of(robot: Skeleton) -> int:
    return int(np.flatnonzero(robot.bodies == robot.root)[0]) if robot.root in robot.bodies else 0


def _from_rest(robot: Skeleton, turns: Array) -> Array:
    """Rotations from the rest pose relative to the parents, of those in the world."""
    found = turns.copy()
    for n, body in enumerate(bodies_that_turn(robot)):
        if body.joint == robot.root or body.parent < 0:
            continue
        first = body.joint
        while robot.parents[first] != robot.bodies[body.parent]:
            first = int(robot.parents[first])
        above = multiply(turns[:, body.parent], robot.rotations[first])
        found[:, n] = multiply(above * [-1, -1, -1, 1], turns[:, n])
    return found


def _of_maps(robot: Skeleton, take: Take) -> Array:
    """MimicKit's numbers: of each body an angle, or a rotation vector of a ball or of three hinges."""
    assert take.turns is not None and take.angles is not None
    bodies = bodies_that_turn(robot)
    found = np.zeros((take.frames, len(bodies), 4))
    found[..., 3] = 1
    at = 0
    for n, body in enumerate(bodies):
        if body.joint == robot.root:
            found[:, n] = take.turns[:, 0]
        elif body.is_ball or len(body.turning) > 1:
            found[:, n] = exp_of(take.angles[:, at:at + 3])
            at += 3
        elif body.turning:
            assert robot.axes is not None
            joint = body.turning[0]
            reference = 0.0 if robot.references is None else robot.references[joint]
            found[:, n] = exp_of((take.angles[:, at:at + 1] - reference) * robot.axes[joint])
            at += 1
    if at != take.angles.shape[1]:
        raise ValueError(f"has {take.angles.shape[1]} numbers of joints a frame, expected {at} of the robot's")
    return found


def write_take(take: Take, path: Path) -> None:
    """Writes a motion as an NPZ file of the layout beyondmimic-xyzw, or of AMASS."""
    if take.poses is not None:
        np.savez(path, poses=take.poses.reshape(take.frames, -1), trans=take.places, mocap_framerate=take.rate)
        return
    if take.angles is None:
        raise ValueError("has no angles of joints")
    members: dict[str, Any] = {"fps": np.array([take.rate]), "joint_pos": take.angles, "body_pos_w": take.places,
                               "body_quat_w": take.turns}
    names = {"joint_names": take.joints, "body_names": take.bodies}
    members |= {name: np.array(texts) for name, texts in names.items() if texts}
    np.savez(path, **members)
