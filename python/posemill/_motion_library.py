# SPDX-License-Identifier: MIT
"""Motion libraries for learning: the states of thousands of bodies at any time, in one call."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._arrays import as_array, as_seconds
from ._crowd import Crowd, crowd_instance, crowd_ticks
from ._engine import Engine, engine_of_states
from ._extras import Extras, FrameTimes, extras_of, sampled
from ._key_rows import KeyRows
from ._keys import Keys
from ._library import Path, lib, warn
from ._library_file import Stored, build_library, read_library, replacing, write_library
from ._names import AngleFormat, KeyFormat, Method, Singles, State
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

_BODIES, _ROOT, _HINGES, _BALLS = "bodies", "root_", "hinges", "balls"
_DOFS: dict[str, State] = {"dof_pos": "angle", "dof_vel": "angle_rate"}
_BALL_DOFS: dict[str, State] = {"dof_rot": "local_rot", "dof_ang_vel": "local_ang_vel"}
_CHANNELS = _DOFS | _BALL_DOFS
_FIELDS: tuple[str, ...] = ("body_pos", "body_rot", "body_vel", "body_ang_vel")
_ALL_FIELDS = (*_FIELDS, "local_rot", "local_ang_vel", "root_pos", "root_rot", "root_vel", "root_ang_vel", *_CHANNELS)
# Whether rotations are w x y z, velocities those of centres of mass, and the order breadth first.
_FLAVORS = {"mjlab": (True, False, False), "isaaclab2": (True, True, True),
            "isaaclab3": (False, True, True)}


class MotionLibrary(Shared):
    """Motions of one skeleton, to sample states of bodies at (motion, time) pairs.

    Positions are forward kinematics of the interpolated rotations, and velocities the derivatives of
    these curves. Thread-safe.

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
    names : tuple of str
        Of the motions.
    body_names, dof_names : tuple of str
        Of the bodies and the hinges, in the order of the results.
    ball_names : tuple of str
        Of the ball joints of a robot.
    extra_names : tuple of str
        Of the columns of frames.
    durations : array of float64
        Seconds from the first key of each motion to its last, or of a loop its period.
    weights : array of float64
        Of :meth:`sample_times`, which takes others. Read-only, as all of a library.

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
        for name, motion in motions.items():
            if not isinstance(motion, Keys):
                raise TypeError(f"motions: {name!r}: expected Keys, found {type(motion).__name__}")
            if motion.rate is None:
                raise ValueError(f"motions: {name!r} has times, expected a rate")
        numbers = _chosen(bodies, skeleton.names, skeleton.bodies, "bodies", "joint")
        hinges = _chosen(dofs, skeleton.hinge_names, range(len(skeleton.hinges)), "dofs", "hinge")
        centres = skeleton.points if points is None else np.array(points, np.float32)
        columns = extras_of(extras or {}, {name: len(keys.rotations) for name, keys in motions.items()})
        self._build(Stored(skeleton, tuple(motions), KeyRows.of(skeleton, list(motions.values())), numbers,
                           hinges, centres, _weights_of(weights, len(motions)), method, keys, columns), engine)

    def _build(self, stored: Stored, engine: Engine | None) -> None:
        skeleton, hinges = stored.skeleton, stored.dofs
        if not stored.bodies:
            raise ValueError("bodies: expected at least one")
        self._stored, self._engine = stored, engine
        self.extra_names = tuple(stored.extras)
        self.body_names = tuple(skeleton.names[n] for n in stored.bodies)
        self.dof_names = tuple(skeleton.hinge_names[n] for n in hinges)
        self.ball_names = skeleton.ball_names
        subsets = {_BODIES: stored.bodies, _ROOT: [skeleton.root] if skeleton.root_is_free else stored.bodies[:1]}
        if hinges:
            subsets[_HINGES] = [int(skeleton.hinges[n]) for n in hinges]
        if len(skeleton.balls):
            subsets[_BALLS] = skeleton.balls.tolist()
        self._crowd = Crowd(skeleton, [stored.rows], engine=engine_of_states(engine), method=stored.method,
                            subsets=subsets, points=stored.points, key_format=stored.keys)
        self._ticks = self._crowd.ticks
        self._frame_times = FrameTimes(stored.rows, self._ticks) if stored.extras else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self._stored.names)

    @cached_property
    def durations(self) -> npt.NDArray[np.float64]:
        return self._ticks / 2.0**32

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        found = np.asarray(self._stored.weights, np.float64).view()
        found.flags.writeable = False
        return found

    @weights.setter
    def weights(self, weights: npt.ArrayLike) -> None:
        raise AttributeError("weights: a library does not change; sample_times() takes weights=")

    @cached_property
    def _moves_root(self) -> bool:
        return self._stored.rows.moves_root(self._stored.skeleton)

    @classmethod
    def from_files(cls, paths: Path | Iterable[Path], skeleton: Path | Skeleton | None = None, *,
                   method: Method = "slerp", keys: KeyFormat = "float32",
                   bodies: Sequence[int | str] | None = None,
                   dofs: Sequence[int | str] | None = None, rate: Number | None = None,
                   points: npt.ArrayLike | None = None, weights: npt.ArrayLike | None = None,
                   extras: Extras | None = None, engine: Engine | None = None,
                   **options: Unpack[LibraryOptions]) -> MotionLibrary:
        """Read motion files; each clip becomes a motion, in a temporary file that is mapped, as of :meth:`build`.

        Parameters
        ----------
        paths : path or iterable of paths
            Files of joints with the same names. Names of motions are those of the files, with the
            clip's where a file has several.
        skeleton : path or Skeleton, optional
            Joints for files without them, as of :func:`load`; or the skeleton of a robot, whose
            hinges are the numbers of the files, such as the columns of CSV. Names decide which is which
            where files have them; otherwise they are in the order of the skeleton.
        method, keys, bodies, dofs, points, weights, extras, engine
            As of :class:`MotionLibrary`.
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
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # where mapped files cannot be removed
            file = os.path.join(folder, "library.npz")
            cls._build_file(file, paths, skeleton, method, keys, rate, False, options)
            made = read_library(file)
        counts = dict(zip(made.names, made.rows.frames.tolist(), strict=True))
        return _made_again(replace(
            _choosing(made, bodies, dofs),
            points=made.points if points is None else np.array(points, np.float32),
            weights=_weights_of(weights, len(counts)), extras=extras_of(extras or {}, counts)), engine)

    @staticmethod
    def build(output: Path, paths: Path | Iterable[Path], skeleton: Path | Skeleton | None = None, *,
              method: Method = "slerp", keys: KeyFormat = "float32", rate: Number | None = None,
              coded: bool = False, **options: Unpack[LibraryOptions]) -> None:
        """Write the file that :meth:`from_files` and :meth:`save` give, on all cores and with memory that does
        not grow with the number of files, which are read twice.

        Parameters
        ----------
        output : path
            Of the file, which replaces one of that name.
        paths, skeleton, method, keys, rate, **options
            As of :meth:`from_files`.
        coded : bool
            As of :meth:`save`.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.MotionLibrary.build("all.npz", ["walk.bvh"])
        >>> pm.MotionLibrary.load("all.npz").names
        ('walk',)
        """
        MotionLibrary._build_file(output, paths, skeleton, method, keys, rate, coded, options)

    @staticmethod
    def _build_file(output: Path, paths: Path | Iterable[Path], skeleton: Path | Skeleton | None, method: Method,
                    keys: KeyFormat, rate: Number | None, coded: bool, options: LibraryOptions) -> None:
        given = Options("library", options)
        if isinstance(skeleton, Skeleton) and ("scale" in given or "to_up" in given):
            raise ValueError("scale, to_up: the skeleton of a robot has its own unit and axes")
        for message in build_library(output, _files_of(paths), method, keys, coded, skeleton, rate, given):
            warn(message)

    def __len__(self) -> int:
        return len(self._ticks)

    def sample(self, ids: npt.ArrayLike, times: npt.ArrayLike | None = None,
               offsets: npt.ArrayLike | None = None,
               fields: Sequence[str] = _FIELDS, *, steps: npt.ArrayLike | None = None,
               rate: Number | None = None,
               at: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
               speed: npt.ArrayLike | None = None, wrap: bool = False, scalar_first: bool = False,
               velocity_at: str = "origin",
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
        wrap : bool
            Times are taken modulo the duration. Default: they are clamped, and velocities at and past
            an end are those of the inner side.
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
        if isinstance(fields, str):
            raise TypeError("fields: expected a sequence of texts, found one")
        self._check_fields(fields)
        numbers = _ids_of(ids, len(self))
        ticks = _ticks_of(len(numbers), times, steps, rate)
        ahead = None if offsets is None else crowd_ticks(as_seconds(offsets, "offsets"))
        shape: tuple[int, ...] = (len(numbers),)
        if ahead is not None:
            if ahead.ndim != 1:
                raise ValueError(f"offsets: expected one axis, found shape {ahead.shape}")
            shape = (len(numbers), len(ahead))
            ticks = _added(ticks[:, None], ahead[None, :]).reshape(-1)
        repeats = 1 if ahead is None else len(ahead)
        instances = np.zeros(len(ticks), crowd_instance)
        instances.reshape(len(numbers), repeats)["clip_a"] = numbers[:, None]
        instances["time_a"] = ticks
        instances["flags"] = 0 if wrap else lib.PM_CROWD_CLAMP_A
        if at is not None:
            if not isinstance(at, (tuple, list)) or len(at) != 2:
                raise TypeError("at: expected a pair: positions and rotations")
            at = (np.repeat(np.asarray(at[0]), repeats, axis=0),
                  np.repeat(np.asarray(at[1]), repeats, axis=0))
        if speed is not None:
            speed = np.repeat(np.broadcast_to(np.asarray(speed), (len(numbers),)), repeats)
        columns = [field for field in fields if field in self.extra_names]
        found: dict[str, Array] = self._sample_extras(columns, instances, wrap, shape, out)
        for subset in (_BODIES, _ROOT, _HINGES, _BALLS):
            names = [field for field in fields if field not in columns and _subset_of(field) == subset]
            if not names:
                continue
            if subset == _HINGES and not self.dof_names:
                raise ValueError(f"fields: {names[0]!r}: the skeleton has no hinges")
            if subset == _BALLS and not self.ball_names:
                raise ValueError(f"fields: {names[0]!r}: the skeleton has no balls")
            count = {_BODIES: len(self.body_names), _ROOT: 1, _HINGES: len(self.dof_names),
                     _BALLS: len(self.ball_names)}[subset]
            states = {name: _state_of(name) for name in names}
            made = self._crowd.states(
                instances, list(states.values()), subset=subset, placements=at,
                speeds=speed, scalar_first=scalar_first, at_points=velocity_at == "com",
                out=None if out is None else {
                    states[name]: _flat(out, name, shape, subset, count) for name in names})
            for name in names:
                rows = made[states[name]]
                if name == "dof_rot":
                    rows[...] = self._from_rest(rows, scalar_first)
                found[name] = rows.reshape(shape + _inner(subset, count, rows.shape[2]))
        return {name: found[name] for name in fields}

    def _check_fields(self, fields: Sequence[str]) -> None:
        for field in fields:
            if field not in _ALL_FIELDS and field not in self.extra_names:
                raise ValueError(f"fields: {field!r} is unknown; expected "
                                 f"{', '.join((*_ALL_FIELDS, *self.extra_names))}")

    def _from_rest(self, rotations: Array, scalar_first: bool) -> Array:
        """Rotations of the balls from the rest pose, from those relative to their parents."""
        skeleton = self._stored.skeleton
        back = np.asarray(skeleton.rotations)[skeleton.balls] * [-1, -1, -1, 1]
        turns = np.moveaxis(np.roll(rotations, -1, axis=-1) if scalar_first else rotations, -1, 0)
        found = np.stack(product(back.T[:, None], turns.astype(np.float64)), axis=-1)
        return np.roll(found, 1, axis=-1) if scalar_first else found

    def _sample_extras(self, names: list[str], instances: Array, wrap: bool, shape: tuple[int, ...],
                       out: Mapping[str, Any] | None) -> dict[str, Array]:
        found: dict[str, Array] = {}
        if not names or self._frame_times is None:
            return found
        before, after, u = self._frame_times.at(instances["clip_a"], instances["time_a"], wrap)
        for name in names:
            column = self._stored.extras[name]
            rows = sampled(column, before, after, u).reshape(shape + column.shape[1:])
            found[name] = rows if out is None else _given(out, name, rows.shape, rows.dtype)
            if out is not None:
                found[name][...] = rows
        return found

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
        number = self.names.index(motion) if isinstance(motion, str) and motion in self.names else motion
        if not isinstance(number, (int, np.integer)) or not 0 <= number < len(self):
            raise ValueError(f"motion: {motion!r} is none of {len(self)} motions")
        scalar_first, at_com, breadth_first = _FLAVORS[flavor]
        exact = rate_of(rate)
        count = int(Fraction(int(self._ticks[number]) + 1, 2**32) * exact) + 1
        s = self.sample(np.full(count, number), steps=np.arange(count), rate=exact,
                        fields=[*_FIELDS, *_DOFS], scalar_first=scalar_first,
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
        if not skeleton.root_is_free and self._moves_root:
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
            (motions,) from 0 on. Default: those of the library.
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
        generator = np.random.default_rng(rng)
        chances = self._stored.weights if weights is None else _weights_of(weights, len(self))
        ids = generator.choice(len(self), size=n, p=chances / chances.sum())
        room = np.maximum(self.durations[ids] - truncate, 0.0)
        return ids.astype(np.int64), generator.random(n) * room

    def check(self, ids: npt.ArrayLike) -> None:
        """Raises ValueError unless all motions exist; names the first that does not.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.MotionLibrary.from_files("walk.bvh").check([0, 0])
        """
        _ids_of(ids, len(self))

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
        write_library(path, self._stored, angles, coded)

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
        return _made_again(_choosing(read_library(path, method, keys), bodies, dofs), engine)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _made_again, (self._stored, self._engine)

    def __repr__(self) -> str:
        count, bodies = len(self), len(self.body_names)
        seconds = float(self.durations.sum())
        return (f"MotionLibrary({count} motion{'' if count == 1 else 's'}, {bodies} "
                f"bod{'y' if bodies == 1 else 'ies'}, {seconds:.6g} s, {self._stored.method})")


def _choosing(made: Stored, bodies: Sequence[int | str] | None, dofs: Sequence[int | str] | None) -> Stored:
    """A library with bodies and hinges that are given; None: its own."""
    return replace(
        made, bodies=_chosen(made.bodies if bodies is None else bodies, made.skeleton.names, (), "bodies", "joint"),
        dofs=_chosen(made.dofs if dofs is None else dofs, made.skeleton.hinge_names, (), "dofs", "hinge"))


def _made_again(stored: Stored, engine: Engine | None) -> MotionLibrary:
    made = MotionLibrary.__new__(MotionLibrary)
    made._build(stored, engine)
    return made


# ---- arguments of sample() ----


def _ids_of(ids: npt.ArrayLike, count: int) -> Array:
    """Numbers of clips, of which there are `count`."""
    numbers = as_array(ids, "ids")
    if numbers.ndim != 1:
        raise ValueError(f"ids: expected one axis, found shape {numbers.shape}")
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"ids: expected integers, found {numbers.dtype}")
    wrong = np.flatnonzero((numbers < 0) | (numbers >= count))
    if len(wrong):
        raise ValueError(f"ids: {numbers[wrong[0]]} at {wrong[0]} is none of {count} motions")
    return numbers.astype(np.uint32)


def _ticks_of(count: int, times: npt.ArrayLike | None, steps: npt.ArrayLike | None,
              rate: Number | None) -> npt.NDArray[np.int64]:
    if (times is None) == (steps is None):
        raise ValueError("times: expected times or steps, and not both")
    if (steps is None) != (rate is None):
        raise ValueError("steps: expected steps with a rate")
    values = as_seconds(times, "times") if steps is None else as_array(steps, "steps")
    if values.shape != (count,):
        name = "times" if steps is None else "steps"
        raise ValueError(f"{name}: expected {count}, one for each id, found shape {values.shape}")
    if steps is None:
        found: npt.NDArray[np.int64] = crowd_ticks(values)
        return found
    assert rate is not None
    return _exact_ticks(values, rate_of(rate))


def _exact_ticks(steps: Array, rate: Fraction) -> npt.NDArray[np.int64]:
    """The tick nearest to steps / rate; ties upwards."""
    if steps.size and steps.dtype.kind not in "iu":
        raise TypeError(f"steps: expected integers, found {steps.dtype}")
    limit = 2**62 // (rate.denominator << 32) * rate.numerator if rate.denominator < 2**30 else 0
    numbers = steps.astype(np.int64)
    if steps.size and max(abs(int(steps.min())), abs(int(steps.max()))) > min(limit, 2**62 // rate.denominator):
        raise ValueError("steps: times are out of range")
    whole, rest = np.divmod(numbers * rate.denominator, rate.numerator)
    if rate.numerator >= 2**30:
        parts = np.array([((int(r) << 33) // rate.numerator + 1) >> 1 for r in rest], np.int64)
    else:
        parts = ((rest << 33) // rate.numerator + 1) >> 1
    return (whole << 32) + parts


def _added(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sums, limited to what int64 holds."""
    total = a + b
    over = ((a ^ total) & (b ^ total)) < 0
    limits = np.where(np.broadcast_to(a, total.shape) < 0, np.iinfo(np.int64).min,
                      np.iinfo(np.int64).max)
    return np.where(over, limits, total)


def _subset_of(field: str) -> str:
    if field in _CHANNELS:
        return _HINGES if field in _DOFS else _BALLS
    return _ROOT if field.startswith(_ROOT) else _BODIES


def _state_of(field: str) -> State:
    """The state of crowds that a field is; of the root, that of a body."""
    if field in _CHANNELS:
        return _CHANNELS[field]
    name = "body_" + field.removeprefix(_ROOT) if field.startswith(_ROOT) else field
    return name  # type: ignore[return-value]


def _inner(subset: str, count: int, width: int) -> tuple[int, ...]:
    """The axes of a field behind those of instances and offsets."""
    return (width,) if subset == _ROOT else (count,) if subset == _HINGES else (count, width)


def _flat(out: Mapping[str, Any], name: str, shape: tuple[int, ...], subset: str,
          count: int) -> Array:
    """The array of a field with one axis of instances, and one of bodies."""
    width = 1 if subset == _HINGES else 4 if name.endswith("_rot") else 3
    array = _given(out, name, shape + _inner(subset, count, width))
    if not array.flags.c_contiguous:
        raise ValueError(f"out[{name!r}]: is not C-contiguous")
    rows = shape[0] * (shape[1] if len(shape) > 1 else 1)
    return array.reshape(rows, count, width)


def _given(out: Mapping[str, Any], name: str, shape: tuple[int, ...], dtype: Any = None) -> Array:
    if name not in out:
        raise ValueError(f"out: expected an array for {name!r}")
    array = as_array(out[name], f"out[{name!r}]")
    if array.shape != shape:
        raise ValueError(f"out[{name!r}]: expected shape {shape}, found {array.shape}")
    if dtype is not None and array.dtype != dtype:
        raise TypeError(f"out[{name!r}]: expected {dtype}, found {array.dtype}")
    return array


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


# ---- motions of files ----


def _files_of(paths: Path | Iterable[Path]) -> list[Path]:
    files = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
    if not files:
        raise ValueError("paths: expected at least one")
    return files
