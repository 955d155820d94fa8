# SPDX-License-Identifier: MIT
"""Motion libraries for learning: the states of thousands of bodies at any time, in one call."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import as_array
from ._engine import Engine, engine_of_states
from ._extras import Extras, extras_of
from ._key_rows import KeyRows
from ._keys import Keys
from ._library import Path, call, ffi, file_name, lib
from ._library_build import Progress, Wanted, build_from_sources
from ._library_file import (
    Stored,
    open_library,
    owned_library,
    read_library,
    replacing,
    save_library,
    stored_of,
    write_library,
)
from ._library_job import Job, Up, Wrap
from ._names import AngleFormat, KeyFormat, Method, Singles
from ._options import Options
from ._quaternions import product, rotated
from ._rational import Number, rate_of
from ._shared import Shared
from ._skeleton import Skeleton
from ._views import Array

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import LibraryOptions

__all__ = ["MotionLibrary"]

_FIELDS: tuple[str, ...] = ("body_pos", "body_rot", "body_vel", "body_ang_vel")
# Whether rotations are w x y z, velocities those of centres of mass, and the order breadth first.
_FLAVORS = {"mjlab": (True, False, False), "isaaclab2": (True, True, True),
            "isaaclab3": (False, True, True)}


class _Motions(NamedTuple):
    """Which motions there are. But for `ids`, arrays and names are by id."""

    ids: npt.NDArray[np.int64]
    exist: npt.NDArray[np.bool_]
    durations: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]


class MotionLibrary(Shared):
    """Motions of one skeleton, to sample states of bodies at (motion, time) pairs.

    Positions are forward kinematics of the interpolated rotations, and velocities the derivatives of
    these curves. Motions may be added and removed while other threads sample, each of which gets the states
    before the change or those after it. Thread-safe.

    Parameters
    ----------
    skeleton : Skeleton
        Joints with their rest pose.
    motions : mapping of name to Keys
        Each with a rate, and joints in the order of the skeleton.
    engine : Engine, optional
        Default: the best GPU there is, else plain C.
    method : str
        Of rotations, with the vector method that matches. Velocities of ``"slerp"`` are constant
        between keys; those of ``"squad"`` and ``"spline"`` are continuous, and nearer to those of a
        body.
    keys : str
        How rotations are stored: ``"float32"``, or with ``"slerp"`` or ``"nlerp"`` ``"log48"`` or
        ``"smallest48"``.
    bodies : sequence of int or str, optional
        The joints of the results, and their order. Default: the skeleton's bodies.
    dofs : sequence of int or str, optional
        The hinges of the results, and their order. Default: those of the skeleton.
    points : array, optional
        (joints, 3): centres of mass in the joints' own frames. Default: those of the skeleton.
    weights : array, optional
        (motions,) of :meth:`sample_times`. Default: all are equal.
    extras : mapping of name to mapping of motion to array, optional
        Columns of frames, such as contacts and phases: for each name an array (frames, ...) of each
        motion. Floats are interpolated linearly; integers and booleans are those of the nearest frame
        that is not later.

    Attributes
    ----------
    ids : array of int64
        Of the motions, ascending. Ids of removed motions are never used again.
    names : tuple of str
        Of the motions, by id; those of removed motions are ``""``.
    body_names, dof_names : tuple of str
        Of the bodies and the hinges, in the order of the results.
    ball_names : tuple of str
        Of the ball joints of a robot.
    extra_names : tuple of str
        Of the columns of frames.
    durations : array of float64
        By id: seconds from the first key of each motion to its last, or of a loop its period. 0 for removed
        motions.
    weights : array of float64
        By id, of :meth:`sample_times` and :class:`Curriculum`; they can be set. 0 for removed motions.

    Examples
    --------
    >>> import numpy as np, posemill as pm
    >>> lib = pm.MotionLibrary.from_files(["walk.bvh"], method="squad")
    >>> ids, times = lib.sample_times(4096, np.random.default_rng(7))
    >>> s = lib.sample(ids, times, offsets=[0, 0.02], fields=["body_pos", "root_ang_vel"])
    >>> s["body_pos"].shape, s["root_ang_vel"].shape
    ((4096, 2, 21, 3), (4096, 2, 3))
    """

    def __init__(self, skeleton: Skeleton, motions: Mapping[str, Keys], *,
                 engine: Engine | None = None, method: Method = "slerp",
                 keys: KeyFormat = "float32", bodies: Sequence[int | str] | None = None,
                 dofs: Sequence[int | str] | None = None, points: npt.ArrayLike | None = None,
                 weights: npt.ArrayLike | None = None, extras: Extras | None = None) -> None:
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"skeleton: expected Skeleton, found {type(skeleton).__name__}")
        if not motions:
            raise ValueError("motions: expected at least one")
        _check_motions(motions)
        numbers = _chosen(bodies, skeleton.names, skeleton.bodies, "bodies", "joint")
        hinges = _chosen(dofs, skeleton.hinge_names, range(len(skeleton.hinges)), "dofs", "hinge")
        centres = skeleton.points if points is None else np.array(points, np.float32)
        columns = extras_of(extras or {}, {name: len(keys.rotations) for name, keys in motions.items()})
        if not numbers:
            raise ValueError("bodies: expected at least one")
        with _written(Stored(skeleton, tuple(motions), KeyRows.of(skeleton, list(motions.values())), numbers,
                             hinges, centres, _weights_of(weights, len(motions)), method, keys, columns)) as file:
            self._open(file, engine)

    def _open(self, file: Path, engine: Engine | None, *, method: Method | None = None, keys: KeyFormat | None = None,
              bodies: Sequence[int | str] | None = None, dofs: Sequence[int | str] | None = None,
              ids: Array | None = None) -> None:
        """Maps a file."""
        numbers = hinges = None
        if bodies is not None or dofs is not None:
            skeleton = read_library(file).skeleton
            numbers = None if bodies is None else _chosen(bodies, skeleton.names, (), "bodies", "joint")
            hinges = None if dofs is None else _chosen(dofs, skeleton.hinge_names, (), "dofs", "hinge")
            if numbers == []:
                raise ValueError("bodies: expected at least one")
        self._own(open_library(file, engine_of_states(engine), method, keys, numbers, hinges, ids), engine)

    def _own(self, handle: Any, engine: Engine | None, root_moves: bool = False) -> None:
        self._handle, self._engine, self._root_moves = handle, engine, root_moves
        stored = self._stored = stored_of(handle)
        skeleton = stored.skeleton
        self.extra_names = tuple(stored.extras)
        self.body_names = tuple(skeleton.names[n] for n in stored.bodies)
        self.dof_names = tuple(skeleton.hinge_names[n] for n in stored.dofs)
        self.ball_names = skeleton.ball_names
        self._changing = Lock()
        self._names: tuple[str, ...] | None = None
        self._note()

    def _note(self) -> None:
        """Takes what there is from the library, after a change."""
        count = lib.pm_library_list(self._handle, ffi.NULL, 0)
        ids = np.empty(count, np.uint32)
        lib.pm_library_list(self._handle, ffi.from_buffer("uint32_t[]", ids), count)
        durations, weights = np.zeros(int(ids[-1]) + 1), np.zeros(int(ids[-1]) + 1)
        exist, found = np.zeros(len(durations), bool), np.empty((2, count))
        lib.array_motions(self._handle, ffi.from_buffer("uint32_t[]", ids), ffi.from_buffer("double[]", found[0]),
                          ffi.from_buffer("double[]", found[1]), count)
        exist[ids], durations[ids], weights[ids] = True, found[0], found[1]
        for array in (exist, durations, weights):
            array.flags.writeable = False
        self._names = None
        self._motions = _Motions(ids.astype(np.int64), exist, durations, weights)

    @property
    def ids(self) -> npt.NDArray[np.int64]:
        return self._motions.ids

    @property
    def names(self) -> tuple[str, ...]:
        with self._changing:
            if self._names is None:
                texts, info = [""] * len(self._motions.exist), ffi.new("pm_library_motion_info *")
                for number in self._motions.ids.tolist():
                    if lib.pm_library_get_motion(self._handle, number, info):
                        name = info.motion.name
                        texts[number] = ffi.buffer(name.text, name.size)[:].decode("utf-8", "surrogateescape")
                self._names = tuple(texts)
            return self._names

    @property
    def durations(self) -> npt.NDArray[np.float64]:
        return self._motions.durations

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        return self._motions.weights

    @weights.setter
    def weights(self, weights: npt.ArrayLike) -> None:
        """By id; those of removed motions have no effect."""
        with self._changing:
            motions = self._motions
            found = _weights_of(weights, len(motions.exist))[motions.ids]
            ids = motions.ids.astype(np.uint32)
            call(lib.pm_library_set_weights, self._handle, ffi.from_buffer("uint32_t[]", ids),
                 ffi.from_buffer("double[]", found), len(ids))
            self._note()

    @classmethod
    def from_files(cls, paths: Path | Iterable[Path], skeleton: Path | Skeleton | None = None, *,
                   method: Method = "slerp", keys: KeyFormat = "float32",
                   bodies: Sequence[int | str] | None = None,
                   dofs: Sequence[int | str] | None = None, rate: Number | None = None,
                   points: npt.ArrayLike | None = None, weights: npt.ArrayLike | None = None,
                   extras: Extras | Sequence[str] | None = None, pelvis: npt.ArrayLike | None = None,
                   engine: Engine | None = None, **options: Unpack[LibraryOptions]) -> MotionLibrary:
        """Read motion files; each clip becomes a motion, in a temporary file that is mapped, as of :meth:`build`.

        Parameters
        ----------
        paths : path or iterable of paths
            Files, folders, patterns such as ``"takes/**/*.pkl"``, and YAML with weights and clips of time, as of
            ProtoMotions and MimicKit. Files have joints with the same names. Names of motions are those of the files,
            with the clip's where a file has several.
        skeleton : path or Skeleton, optional
            Joints for files without them, as of :func:`load`; or the skeleton of a robot, whose
            hinges are the numbers of the files, such as the columns of CSV. Names decide which is which
            where files have them; otherwise they are in the order of the skeleton. Paths of ``.xml`` and ``.urdf`` are
            robots. Motions of SMPL become those of a robot that has SMPL's joints.
        method, keys, bodies, dofs, points, weights, engine
            As of :class:`MotionLibrary`. Default of weights: those of a YAML, else all are equal.
        extras : mapping or sequence of str, optional
            As of :class:`MotionLibrary`, or the names of columns that the files have.
        pelvis : array, optional
            (3,) place of the pelvis at rest in SMPL's axes, which is added to the root's path where motions of SMPL
            become those of a robot.
        rate : number, optional
            Frames per second to which motions are resampled first. Required for clips whose keys
            have times of their own.
        **options
            Those of :func:`load`, such as ``layout``; ``scale``, such as 0.01 from centimetres to metres; and
            ``to_up`` with ``up``, which turns the world so that another axis points up. ``source_rate`` is of files
            that do not state theirs, such as CSV; a file that states another is refused.

        Returns
        -------
        MotionLibrary

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files("walk.bvh")
        >>> lib.names, len(lib.body_names)
        (('walk',), 21)
        """
        names = None if extras is None or isinstance(extras, Mapping) else tuple(extras)
        made, columns = cls.__new__(cls), extras if names is None else None
        with _scratch() as file:
            cls._build_file(file, paths, Wanted(method, keys, skeleton, rate, options, extras=names, pelvis=pelvis))
            if points is None and not columns:
                made._open(file, engine, bodies=bodies, dofs=dofs)
            else:
                stored = _finished(read_library(file), Wanted(method, keys, skeleton, rate, options, extras=columns))
                with _written(stored if points is None else replace(stored, points=np.array(points, np.float32))) as again:
                    made._open(again, engine, bodies=bodies, dofs=dofs)
        if weights is not None:
            made.weights = weights
        return made

    @staticmethod
    def build(output: Path, paths: Path | Iterable[Path], skeleton: Path | Skeleton | None = None, *,
              method: Method = "slerp", keys: KeyFormat = "float32", rate: Number | None = None,
              coded: bool = False, weights: npt.ArrayLike | None = None, extras: Extras | Sequence[str] | None = None,
              bodies: Sequence[int | str] | None = None, dofs: Sequence[int | str] | None = None,
              pelvis: npt.ArrayLike | None = None, resume: bool = False, progress: bool | Progress | None = None,
              **options: Unpack[LibraryOptions]) -> None:
        """Write the file that :meth:`from_files` and :meth:`save` give, on all cores and with memory that does
        not grow with the number of files: a core holds one of them. A file that fails is named.

        Parameters
        ----------
        output : path
            Of the file, which replaces one of that name.
        paths, skeleton, method, keys, rate, weights, extras, bodies, dofs, pelvis, **options
            As of :meth:`from_files`.
        coded : bool
            As of :meth:`save`.
        resume : bool
            What was made of each file is kept beside the output, in a folder with ``.parts`` behind its name, until the
            output is whole: a build that ended early goes on with the files that are left.
        progress : bool or callable, optional
            True: the number of files that are done is printed. A function is called with it and the number of all.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.MotionLibrary.build("all.npz", ["walk.bvh"])
        >>> pm.MotionLibrary.load("all.npz").names
        ('walk',)
        """
        MotionLibrary._build_file(output, paths, Wanted(method, keys, skeleton, rate, options, coded, weights, extras,
                                                        bodies, dofs, pelvis), resume, progress)

    @staticmethod
    def _build_file(output: Path, paths: Path | Iterable[Path], wanted: Wanted, resume: bool = False,
                    progress: bool | Progress | None = None) -> None:
        given, skeleton = Options("library", wanted.options), wanted.skeleton
        if isinstance(skeleton, (str, os.PathLike)) and os.fsdecode(skeleton).lower().endswith((".xml", ".urdf")):
            read = Skeleton.from_urdf if os.fsdecode(skeleton).lower().endswith(".urdf") else Skeleton.from_mjcf
            wanted = replace(wanted, skeleton=read(skeleton))
        if isinstance(wanted.skeleton, Skeleton) and ("scale" in given or "to_up" in given):
            raise ValueError("scale, to_up: the skeleton of a robot has its own unit and axes")
        build_from_sources(output, paths, wanted, resume, progress, lambda stored: _finished(stored, wanted))

    def __len__(self) -> int:
        return len(self._motions.ids)

    def sample(self, ids: npt.ArrayLike, times: npt.ArrayLike | None = None,
               offsets: npt.ArrayLike | None = None,
               fields: Sequence[str] = _FIELDS, *, steps: npt.ArrayLike | None = None,
               rate: Number | None = None,
               at: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
               speed: npt.ArrayLike | None = None, wrap: Wrap = False, up: Up | None = None,
               scalar_first: bool = False, velocity_at: str = "origin",
               out: Mapping[str, Any] | None = None) -> dict[str, Array]:
        """Sample states of bodies at (motion, time) pairs.

        Parameters
        ----------
        ids : array of int
            (N,) indices of motions. One that does not exist is refused.
        times : array, optional
            (N,) seconds from the first key of the motion. NaN is 0.
        offsets : array, optional
            (K,) seconds that are added to each time: results have an axis more.
        fields : sequence of str
            ``"body_pos"``, ``"body_rot"``, ``"body_vel"``, ``"body_ang_vel"``: in the world;
            ``"local_rot"``, ``"local_ang_vel"``: relative to the parents, angular velocities in the
            joints' own axes; ``"root_pos"`` and so on: of the first body alone, of robots that move freely
            of the root; ``"dof_pos"``, ``"dof_vel"``: angles of hinges and their rates; ``"dof_rot"``,
            ``"dof_ang_vel"``: rotations of a robot's balls from the rest pose, and angular velocities in
            their own axes; and the names of extras.
        steps : array of int, optional
            (N,) with `rate`, in place of times: exact times ``steps / rate``.
        at : pair of arrays, optional
            (N, 3) positions and (N, 4) rotations of the instances in the world.
        speed : float or array, optional
            (N,) factors of velocities. Times are not changed.
        wrap : bool or str
            True: times are taken modulo the duration. ``"continue"``: so they are, and the way goes on: lap k is the
            motion moved by what moves its root from the start to the end, k times: a turn about the vertical, and a
            shift on the ground. Default: times are clamped, and velocities at and past an end are those of the inner
            side.
        up : str, optional
            ``"y"`` or ``"z"``: which axis is vertical, with ``wrap="continue"``. Default: z for skeletons with
            hinges; others require it.
        scalar_first : bool
            Rotations are w x y z, those of `at` too.
        velocity_at : str
            ``"origin"`` of the bodies' frames, or ``"com"``: ``"body_vel"`` is that of the points.
        out : mapping, optional
            Arrays, or tensors in the memory of the CPU, which receive the fields.

        Returns
        -------
        dict
            Float32 arrays: (N, bodies, 3), of rotations (N, bodies, 4), of roots (N, 3) and (N, 4),
            of hinges (N, dofs), of balls (N, balls, 3) and (N, balls, 4); with offsets (N, K, ...). Extras
            (N, ...) have the type of their integers or booleans; those of motions that do not exist are 0.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files("walk.bvh")
        >>> exact = lib.sample([0, 0], steps=[10, 20], rate=50)
        >>> exact["body_rot"].shape
        (2, 21, 4)
        """
        if velocity_at not in ("origin", "com"):
            raise ValueError(f"velocity_at: {velocity_at!r} is unknown; expected 'origin' or 'com'")
        if velocity_at == "com" and self._stored.points is None:
            raise ValueError("velocity_at: the library has no points")
        job = Job(self._stored, self._ids_of(ids), times, steps, rate, offsets, wrap, up)
        job.place(at, speed, scalar_first)
        found = job.outputs(fields, out, scalar_first, velocity_at == "com")
        call(lib.pm_library_sample, self._handle, job.handle)
        if "dof_rot" in found:
            found["dof_rot"][...] = self._from_rest(found["dof_rot"], scalar_first)
        return found

    def _ids_of(self, ids: npt.ArrayLike) -> Array:
        """Ids of motions, all of which exist."""
        numbers, exist = as_array(ids, "ids"), self._motions.exist
        if numbers.ndim != 1:
            raise ValueError(f"ids: expected one axis, found shape {numbers.shape}")
        if numbers.size and numbers.dtype.kind not in "iu":
            raise TypeError(f"ids: expected integers, found {numbers.dtype}")
        if numbers.size and (numbers.min() < 0 or numbers.max() >= len(exist) or not exist[numbers].all()):
            wrong = (numbers < 0) | (numbers >= len(exist))
            wrong |= ~exist[np.where(wrong, 0, numbers).astype(np.int64)]
            first = np.flatnonzero(wrong)[0]
            raise ValueError(f"ids: {numbers[first]} at {first} is none of {len(self)} motions")
        return np.ascontiguousarray(numbers, np.uint32)

    def _from_rest(self, rotations: Array, scalar_first: bool) -> Array:
        """Rotations of the balls from the rest pose, from those relative to their parents."""
        skeleton = self._stored.skeleton
        back = np.asarray(skeleton.rotations)[skeleton.balls] * [-1, -1, -1, 1]
        turns = np.moveaxis(np.roll(rotations, -1, axis=-1) if scalar_first else rotations, -1, 0)
        sides = back.T.reshape(4, *[1] * (rotations.ndim - 2), -1)
        found = np.stack(product(sides, turns.astype(np.float64)), axis=-1)
        return np.roll(found, 1, axis=-1) if scalar_first else found

    def export_npz(self, path: Path, motion: int | str, rate: Number, flavor: str = "mjlab") -> None:
        """Write a motion of a robot at a rate, as trackers read it: ``fps``, ``joint_pos``, ``joint_vel``,
        ``body_pos_w``, ``body_quat_w``, ``body_lin_vel_w``, ``body_ang_vel_w``, and the names of both.

        Parameters
        ----------
        path : path
            Of the result, which replaces a file of that name.
        motion : int or str
            Its index or name.
        rate : number
            Frames per second.
        flavor : str
            ``"mjlab"``: rotations w x y z, velocities of the bodies' origins, the library's order;
            ``"isaaclab2"``: rotations w x y z, velocities of the centres of mass, bodies and joints
            breadth first, as PhysX counts them; ``"isaaclab3"``: the same with rotations x y z w.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> _ = open("arm.xml", "w").write('''<mujoco><worldbody>
        ...   <body name="base"><freejoint/>
        ...     <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/></body>
        ...   </body></worldbody></mujoco>''')
        >>> robot = pm.Skeleton.from_mjcf("arm.xml")
        >>> turns = np.tile([0.0, 0.0, 0.0, 1.0], (31, 1))
        >>> keys = pm.Keys(turns, np.zeros((31, 3)), rate=30, angles=np.linspace(0, 1, 31)[:, None])
        >>> lib = pm.MotionLibrary(robot, {"bend": keys})
        >>> lib.export_npz("bend.npz", "bend", rate=50, flavor="mjlab")
        >>> np.load("bend.npz")["body_pos_w"].shape
        (51, 2, 3)
        """
        if flavor not in _FLAVORS:
            raise ValueError(f"flavor: {flavor!r} is unknown; expected {', '.join(_FLAVORS)}")
        if not self.dof_names or self.ball_names:
            raise ValueError(f"export_npz: the skeleton has balls, such as {self.ball_names[0]!r}" if self.ball_names
                             else "export_npz: the skeleton has no hinges")
        number = int(self._numbers_of([motion], "motion")[0])
        scalar_first, at_com, breadth_first = _FLAVORS[flavor]
        exact = rate_of(rate)
        count = int(Fraction(round(self.durations[number] * 2**32) + 1, 2**32) * exact) + 1
        s = self.sample(np.full(count, number), steps=np.arange(count), rate=exact,
                        fields=[*_FIELDS, "dof_pos", "dof_vel"], scalar_first=scalar_first,
                        velocity_at="com" if at_com else "origin")
        bodies, dofs = list(range(len(self.body_names))), list(range(len(self.dof_names)))
        if breadth_first:
            bodies, dofs = _breadth_first(self._stored.skeleton, self._stored.bodies, self._stored.dofs)
        members: dict[str, Any] = {
            "fps": np.array([float(exact)]), "joint_pos": s["dof_pos"][:, dofs],
            "joint_vel": s["dof_vel"][:, dofs],
            **{name: s[field][:, bodies] for name, field in
               (("body_pos_w", "body_pos"), ("body_quat_w", "body_rot"),
                ("body_lin_vel_w", "body_vel"), ("body_ang_vel_w", "body_ang_vel"))},
            "joint_names": np.array([self.dof_names[n] for n in dofs]),
            "body_names": np.array([self.body_names[n] for n in bodies])}
        with replacing(path) as file:
            np.savez(file, **members)

    def qpos(self, sample: Mapping[str, Any]) -> Singles:
        """MuJoCo's ``qpos`` of a robot, of the size and in the order of its model's: from a sample with
        ``"root_pos"`` and ``"root_rot"`` where the root moves freely, ``"dof_pos"`` where there are hinges, all
        of which the library has, and ``"dof_rot"`` where there are balls. Rotations of the sample are x y z w.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> _ = open("arm.xml", "w").write('''<mujoco><worldbody>
        ...   <body name="base"><freejoint/>
        ...     <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/></body>
        ...   </body></worldbody></mujoco>''')
        >>> robot = pm.Skeleton.from_mjcf("arm.xml")
        >>> turns = np.tile([0.0, 0.0, 0.0, 1.0], (31, 1))
        >>> keys = pm.Keys(turns, np.zeros((31, 3)), rate=30, angles=np.linspace(0, 1, 31)[:, None])
        >>> lib = pm.MotionLibrary(robot, {"bend": keys})
        >>> sample = lib.sample([0], [0.5], fields=("root_pos", "root_rot", "dof_pos"))
        >>> lib.qpos(sample).shape
        (1, 8)
        """
        root = [sample["root_pos"], np.roll(sample["root_rot"], 1, axis=-1)] if self._root_is_free("qpos") else []
        balls = [np.roll(sample["dof_rot"], 1, axis=-1)] if self.ball_names else []
        return self._joined(root, sample["dof_pos"] if self.dof_names else None, balls)

    def qvel(self, sample: Mapping[str, Any]) -> Singles:
        """MuJoCo's ``qvel``, likewise from ``"root_rot"`` (x y z w), ``"root_vel"`` and ``"root_ang_vel"``,
        ``"dof_vel"``, and ``"dof_ang_vel"``. Angular velocities are in the joints' own axes.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> _ = open("arm.xml", "w").write('''<mujoco><worldbody>
        ...   <body name="base"><freejoint/>
        ...     <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/></body>
        ...   </body></worldbody></mujoco>''')
        >>> robot = pm.Skeleton.from_mjcf("arm.xml")
        >>> turns = np.tile([0.0, 0.0, 0.0, 1.0], (31, 1))
        >>> keys = pm.Keys(turns, np.zeros((31, 3)), rate=30, angles=np.linspace(0, 1, 31)[:, None])
        >>> lib = pm.MotionLibrary(robot, {"bend": keys})
        >>> sample = lib.sample([0], [0.5], fields=("root_rot", "root_vel", "root_ang_vel", "dof_vel"))
        >>> lib.qvel(sample).shape
        (1, 7)
        """
        root: list[Array] = []
        if self._root_is_free("qvel"):
            inverse = np.asarray(sample["root_rot"]) * np.array([-1, -1, -1, 1], np.float32)
            own = rotated(inverse, np.asarray(sample["root_ang_vel"]))
            root = [sample["root_vel"], own.astype(np.float32)]
        balls = [np.asarray(sample["dof_ang_vel"])] if self.ball_names else []
        return self._joined(root, sample["dof_vel"] if self.dof_names else None, balls)

    def _root_is_free(self, name: str) -> bool:
        """Refuses skeletons that are of no robot, and motions of a fixed root that moves."""
        skeleton = self._stored.skeleton
        if not len(skeleton.coordinates):
            raise ValueError(f"{name}: the skeleton has neither hinges nor balls of a robot")
        if not skeleton.root_is_free and (self._root_moves or self._stored.rows.moves_root(skeleton)):
            raise ValueError(f"{name}: the model has no free joint, but motions move {skeleton.names[skeleton.root]!r}")
        return skeleton.root_is_free

    def _joined(self, root: list[Array], angles: Any, balls: list[Array]) -> Singles:
        """Numbers of the root, hinges and balls, which are one after another, in the order of the coordinates."""
        skeleton, dofs = self._stored.skeleton, self._stored.dofs
        first = sum(np.shape(part)[-1] for part in root)
        hinges, missing = {int(skeleton.hinges[n]): first + k for k, n in enumerate(dofs)}, []
        width, ball = balls[0].shape[-1] if balls else 0, first + len(dofs)
        columns: list[int] = []
        for joint, name in zip(skeleton.coordinates.tolist(), skeleton.coordinate_names, strict=True):
            if joint in hinges:
                columns.append(hinges[joint])
            elif joint in skeleton.hinges:
                missing.append(name)
            elif joint == skeleton.root:
                columns += range(first)
            else:
                columns += range(ball, ball + width)
                ball += width
        if missing:
            raise ValueError(f"dofs: expected all hinges; {', '.join(map(repr, missing))} are missing")
        parts = [*root, *([] if angles is None else [angles]), *(b.reshape(*b.shape[:-2], -1) for b in balls)]
        found: Singles = np.concatenate(parts, axis=-1)
        return found if columns == list(range(found.shape[-1])) else found[..., columns]

    def sample_times(self, n: int, rng: np.random.Generator | int | None = None, *,
                     weights: npt.ArrayLike | None = None,
                     truncate: float = 0.0) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Draw random motions, and a uniform time within each.

        Parameters
        ----------
        n : int
            How many.
        rng : numpy.random.Generator or int, optional
            Or a seed.
        weights : array, optional
            By id, from 0 on. Default: those of the library.
        truncate : float
            Seconds before the end of a motion that are left out, such as the longest offset.

        Returns
        -------
        ids, times : array
            (n,) of int64 and of float64.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files("walk.bvh")
        >>> ids, times = lib.sample_times(4096, rng=1)
        >>> ids.shape, bool((times <= lib.durations[ids]).all())
        ((4096,), True)
        """
        if n < 0:
            raise ValueError(f"n: expected 0 or more, found {n}")
        generator = np.random.default_rng(rng)
        motions = self._motions
        chances = motions.weights if weights is None else _weights_of(weights, len(motions.exist)) * motions.exist
        if not chances.sum() > 0:
            raise ValueError("weights: expected numbers from 0 on, not all 0")
        ids = generator.choice(len(chances), size=n, p=chances / chances.sum())
        room = np.maximum(motions.durations[ids] - truncate, 0.0)
        return ids.astype(np.int64), generator.random(n) * room

    def check(self, ids: npt.ArrayLike) -> None:
        """Raises ValueError unless all motions exist; names the first that does not.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.MotionLibrary.from_files("walk.bvh").check([0, 0])
        """
        self._ids_of(ids)

    def save(self, path: Path, *, angles: AngleFormat = "float32", coded: bool = False) -> None:
        """Write a stored NPZ whose members begin at multiples of 64 bytes: ``numpy.load`` reads it.

        Parameters
        ----------
        path : path
            Of the file, which replaces one of that name.
        angles : str
            How angles of hinges are stored: ``"float32"``, or ``"int16"`` in steps, which are of each
            hinge its largest angle / 32767. Angles are then off by half a step at most, before they are
            rounded to float32.
        coded : bool
            Whether rotations are stored in the format of `keys`, of 48 bits, so that loading encodes
            nothing; not those of robots. Libraries that were loaded from such a file are saved so.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.MotionLibrary.from_files("walk.bvh").save("walk.pml.npz")
        """
        if angles not in ("float32", "int16"):
            raise ValueError(f"angles: {angles!r} is unknown; expected 'float32' or 'int16'")
        if angles == "int16" and self._stored.rows.angles is None:
            raise ValueError("angles: the skeleton has no hinges")
        if coded and self._stored.rows.angles is not None:
            raise ValueError("coded: the skeleton has hinges")
        if coded and self._stored.keys == "float32":
            raise ValueError("coded: keys of the library are float32")
        save_library(self._handle, path, short_angles=angles == "int16", coded=coded)

    def append(self, path: Path) -> None:
        """Add all motions of the library behind those of a file.

        The file keeps the form of its keys. A new file is written beside it, and takes its place when it is
        complete and flushed: after a crash there is one of the two, whole. Libraries that have mapped the old file
        keep it. Of two processes that append at the same time, the motions of one may be lost.

        Parameters
        ----------
        path : path
            A file of :meth:`save`, of the same joints and extras. Names of motions must differ from its own.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files(["walk.bvh", "walk.bvh"])
        >>> lib.subset(["walk"]).save("grows.npz")
        >>> lib.subset(["walk_2"]).append("grows.npz")
        >>> pm.MotionLibrary.load("grows.npz").names
        ('walk', 'walk_2')
        """
        call(lib.pm_library_append, file_name(path), self._handle)

    def add(self, motions: Mapping[str, Keys] | MotionLibrary, *, weights: npt.ArrayLike | None = None,
            extras: Extras | None = None, replace: bool = False) -> npt.NDArray[np.int64]:
        """Add motions while other threads sample. Takes about as long as building these.

        Parameters
        ----------
        motions : mapping of name to Keys, or MotionLibrary
            As of :class:`MotionLibrary`, or all motions of another library with the same joints and extras. Where
            this one stores positions of the root alone, no other joint may move.
        weights : array, optional
            Of these motions. Default: 1, or those of the other library.
        extras : mapping of name to mapping of motion to array, optional
            Of these motions, with the names and types of the library's.
        replace : bool
            Motions of the library with the names of these are removed in the same step. Default: such names are
            refused.

        Returns
        -------
        array of int64
            The ids of the motions: the next ones that no motion has had.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files(["walk.bvh", "walk.bvh"])
        >>> other = pm.MotionLibrary.from_files("walk.bvh")
        >>> lib.add(other, replace=True)
        array([2])
        >>> lib.names, lib.ids
        (('', 'walk_2', 'walk'), array([1, 2]))
        """
        if isinstance(motions, MotionLibrary):
            if extras is not None:
                raise ValueError("extras: those of the other library are added")
            return self._change(motions._handle, motions._stored, motions.ids, motions.names, weights, replace)
        if not isinstance(motions, Mapping):
            raise TypeError(f"motions: expected a mapping of Keys or a MotionLibrary, found {type(motions).__name__}")
        if not motions:
            return np.zeros(0, np.int64)
        _check_motions(motions)
        mine = self._stored
        columns = extras_of(extras or {}, {name: len(keys.rotations) for name, keys in motions.items()})
        if set(columns) == set(self.extra_names):
            columns = {name: columns[name] for name in self.extra_names}
        stored = Stored(mine.skeleton, tuple(motions), KeyRows.of(mine.skeleton, list(motions.values())), mine.bodies,
                        mine.dofs, mine.points, _weights_of(weights, len(motions)), mine.method, mine.keys, columns)
        with _written(stored) as file:
            handle = open_library(file, None)
        ids = np.arange(len(motions))
        return self._change(handle, stored_of(handle), ids, tuple(motions), None, replace)

    def _change(self, handle: Any, stored: Stored, ids: Array, names: Sequence[str], weights: npt.ArrayLike | None,
                replace: bool) -> npt.NDArray[np.int64]:
        given = None if weights is None else _weights_of(weights, len(ids))
        wanted = set(names[number] for number in ids.tolist()) if replace else set()
        skeleton = self._stored.skeleton
        moves = bool(len(skeleton.coordinates) and not skeleton.root_is_free and stored.rows.moves_root(skeleton))
        mine = self.names if replace else ()
        with self._changing:
            removed = [number for number in self._motions.ids.tolist() if replace and mine[number] in wanted]
            made = np.empty(len(ids), np.uint32)
            called = ids.astype(np.uint32)
            gone = ffi.new("uint32_t[]", removed)
            call(lib.pm_library_change, self._handle, ffi.new("pm_library_edit *", {
                "removed": gone, "removed_count": len(removed), "from": handle,
                "motions": ffi.from_buffer("uint32_t[]", called), "motion_count": len(called)}),
                ffi.from_buffer("uint32_t[]", made))
            if given is not None:
                call(lib.pm_library_set_weights, self._handle, ffi.from_buffer("uint32_t[]", made),
                     ffi.from_buffer("double[]", given), len(made))
            self._root_moves = self._root_moves or moves
            self._note()
        return made.astype(np.int64)

    def remove(self, ids: Iterable[int | str]) -> None:
        """Remove motions, at least one of which must be left, while other threads sample.

        Parameters
        ----------
        ids : iterable of int or str
            Ids or names.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files(["walk.bvh", "walk.bvh"])
        >>> lib.remove(["walk"])
        >>> len(lib), lib.ids
        (1, array([1]))
        """
        numbers = self._numbers_of(ids, "ids")
        with self._changing:
            call(lib.pm_library_change, self._handle, ffi.new("pm_library_edit *", {
                "removed": ffi.from_buffer("uint32_t[]", numbers), "removed_count": len(numbers)}), ffi.NULL)
            self._note()

    def _numbers_of(self, ids: Iterable[int | str], name: str) -> Array:
        """Ids of motions by their ids or names."""
        if isinstance(ids, str):
            raise TypeError(f"{name}: expected a sequence, found a text")
        given = list(ids)
        names = self.names if any(isinstance(one, str) for one in given) else ()
        exist = self._motions.exist
        numbers = []
        for one in given:
            number = names.index(one) if isinstance(one, str) and one in names else one
            if not isinstance(number, (int, np.integer)) or not 0 <= number < len(exist) or not exist[number]:
                raise ValueError(f"{name}: {one!r} is none of {len(self)} motions")
            numbers.append(int(number))
        return np.array(numbers, np.uint32)

    def subset(self, ids: Iterable[int | str], *, engine: Engine | None = None) -> MotionLibrary:
        """Make a library of some motions, which have the ids 0, 1, 2 and so on. Files are shared.

        Parameters
        ----------
        ids : iterable of int or str
            Ids or names, in the order of the result.
        engine : Engine, optional
            Default: as of this library.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files(["walk.bvh", "walk.bvh"])
        >>> lib.subset([1]).names
        ('walk_2',)
        """
        numbers, given = self._numbers_of(ids, "ids"), self._engine if engine is None else engine
        on, handle = engine_of_states(given), ffi.new("pm_library **")
        call(lib.pm_library_select, on.handle, self._handle, ffi.from_buffer("uint32_t[]", numbers), len(numbers),
             handle)
        made = MotionLibrary.__new__(MotionLibrary)
        made._own(owned_library(handle[0], on), given, self._root_moves)
        return made

    def shard(self, rank: int, world: int, *, engine: Engine | None = None) -> MotionLibrary:
        """Make the library of process `rank` of `world`. Together they have all motions, and the hours of two
        differ by no more than the longest motion.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files(["walk.bvh"] * 5)
        >>> [len(lib.shard(rank, 2)) for rank in range(2)]
        [3, 2]
        """
        ids, count = np.empty(len(self._motions.exist), np.uint32), ffi.new("size_t *")
        call(lib.pm_library_shard, self._handle, rank, world, ffi.from_buffer("uint32_t[]", ids), len(ids), count)
        if not count[0]:
            raise ValueError(f"world: process {rank} of {world} would have no motion; there are {len(self)}")
        return self.subset(ids[:count[0]].tolist(), engine=engine)

    @classmethod
    def merge(cls, libraries: Iterable[MotionLibrary], *, engine: Engine | None = None) -> MotionLibrary:
        """Make a library of the motions of several, one after another, with the method, bodies and keys of the
        first. Names of motions must differ.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files(["walk.bvh"] * 2)
        >>> pm.MotionLibrary.merge([lib.subset([1]), lib.subset([0])]).names
        ('walk_2', 'walk')
        """
        given = list(libraries)
        if not given:
            raise ValueError("libraries: expected at least one")
        made = given[0].subset(given[0].ids.tolist(), engine=engine)
        for other in given[1:]:
            made.add(other)
        return made

    @classmethod
    def load(cls, path: Path, *, engine: Engine | None = None, method: Method | None = None,
             keys: KeyFormat | None = None, bodies: Sequence[int | str] | None = None,
             dofs: Sequence[int | str] | None = None) -> MotionLibrary:
        """Load what :meth:`save` wrote. A member that is damaged is refused by its name.

        The file is mapped, and must not change while the library exists; :meth:`save` and renaming replace
        it without changing it.

        Parameters
        ----------
        path : path
            A file of :meth:`save`.
        engine, method, keys, bodies, dofs
            As of :class:`MotionLibrary`. Default: those of the library that was saved.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.MotionLibrary.from_files("walk.bvh").save("one.npz")
        >>> pm.MotionLibrary.load("one.npz").names
        ('walk',)
        """
        made = cls.__new__(cls)
        made._open(path, engine, method=method, keys=keys, bodies=bodies, dofs=dofs)
        return made

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        with _scratch() as file, self._changing:
            call(lib.pm_library_save, self._handle, ffi.NULL, file_name(file))
            with open(file, "rb") as saved:
                return _made_again, (saved.read(), self._motions.ids, self._engine)

    def __repr__(self) -> str:
        count, bodies = len(self), len(self.body_names)
        seconds = float(self.durations.sum())
        return (f"MotionLibrary({count} motion{'' if count == 1 else 's'}, {bodies} "
                f"bod{'y' if bodies == 1 else 'ies'}, {seconds:.6g} s, {self._stored.method})")


def _finished(made: Stored, wanted: Wanted) -> Stored:
    """What files gave, with the bodies, weights and columns that the caller gives."""
    counts = dict(zip(made.names, made.rows.frames.tolist(), strict=True))
    columns = extras_of(wanted.extras, counts) if isinstance(wanted.extras, Mapping) else {}
    return replace(
        made, extras={**made.extras, **columns},
        bodies=_chosen(wanted.bodies, made.skeleton.names, made.bodies, "bodies", "joint"),
        dofs=_chosen(wanted.dofs, made.skeleton.hinge_names, made.dofs, "dofs", "hinge"),
        weights=made.weights if wanted.weights is None else _weights_of(wanted.weights, len(counts)))


def _made_again(data: bytes, ids: Array, engine: Engine | None) -> MotionLibrary:
    made = MotionLibrary.__new__(MotionLibrary)
    with _scratch() as file:
        with open(file, "wb") as copy:
            copy.write(data)
        made._open(file, engine, ids=ids)
    return made


@contextmanager
def _scratch() -> Iterator[str]:
    """The path of a file that is mapped, and has no name afterwards."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # where mapped files cannot be removed
        yield os.path.join(folder, "library.npz")


@contextmanager
def _written(stored: Stored) -> Iterator[str]:
    """A file of a library. Rows are then in its pages, which the system drops where memory is scarce."""
    with _scratch() as file:
        write_library(file, stored)
        yield file


def _check_motions(motions: Mapping[str, Keys]) -> None:
    for name, motion in motions.items():
        if not isinstance(motion, Keys):
            raise TypeError(f"motions: {name!r}: expected Keys, found {type(motion).__name__}")
        if motion.rate is None:
            raise ValueError(f"motions: {name!r} has times, expected a rate")


def _weights_of(weights: npt.ArrayLike | None, count: int) -> npt.NDArray[np.float64]:
    if weights is None:
        return np.ones(count)
    found = np.array(weights, np.float64)
    if found.shape != (count,):
        raise ValueError(f"weights: expected {count}, one for each motion, found shape {found.shape}")
    if not (np.isfinite(found).all() and (found >= 0).all() and found.sum() > 0):
        raise ValueError("weights: expected numbers from 0 on, not all 0")
    return found


def _chosen(given: Sequence[int | str] | None, names: Sequence[str], default: Iterable[Any],
            name: str, kind: str) -> list[int]:
    """Indices of what is given by index or name."""
    if given is None:
        return [int(number) for number in default]
    if isinstance(given, str):
        raise TypeError(f"{name}: expected a sequence of {kind}s, found a text")
    numbers = []
    for one in given:
        if isinstance(one, str):
            if one not in names:
                raise ValueError(f"{name}: no {kind} is named {one!r}")
            one = names.index(one)
        if not 0 <= int(one) < len(names):
            raise ValueError(f"{name}: {one} is none of {len(names)} {kind}s")
        numbers.append(int(one))
    return numbers


def _breadth_first(skeleton: Skeleton, bodies: Sequence[int],
                   dofs: Sequence[int]) -> tuple[list[int], list[int]]:
    """The places of bodies and hinges in the order of their bodies' depth."""
    is_body = np.zeros(len(skeleton), bool)
    is_body[skeleton.bodies] = True
    depths = np.zeros(len(skeleton), int)
    for joint in range(len(skeleton)): # parents come first
        parent = int(skeleton.parents[joint])
        depths[joint] = 0 if parent < 0 else depths[parent] + is_body[parent]
    hinges = [int(skeleton.hinges[n]) for n in dofs]
    return (sorted(range(len(bodies)), key=lambda n: (depths[bodies[n]], bodies[n])),
            sorted(range(len(hinges)), key=lambda n: (depths[hinges[n]], hinges[n])))
