# SPDX-License-Identifier: MIT
"""Poses at points' times: trajectories of sensors, cameras and robots, and points that they move."""
from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ._arrays import Array, address, as_array, as_seconds, is_rotation
from ._description import FRAMES, Description, word
from ._engine import Engine, checked_engine, plain_engine
from ._library import Path, call, ffi, lib
from ._motion import Motion, load, motion_of_text
from ._names import Frame, Method, Tangents, VectorMethod
from ._rational import Number
from ._resampling import count_of
from ._shared import Shared

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import LoadOptions, ReduceOptions, SaveOptions

__all__ = ["TimedPoses", "Trajectory", "fixed_pose"]

Outside = Literal["refuse", "clamp", "extrapolate", "invalid"]

_OUTSIDE = {"refuse": lib.PM_OUTSIDE_REFUSE, "clamp": lib.PM_OUTSIDE_CLAMP,
            "extrapolate": lib.PM_OUTSIDE_EXTRAPOLATE, "invalid": lib.PM_OUTSIDE_INVALID}
_STAMPS = {np.dtype(np.int64): lib.PM_STAMP_INT64, np.dtype(np.uint64): lib.PM_STAMP_UINT64,
           np.dtype(np.uint32): lib.PM_STAMP_UINT32, np.dtype(np.float64): lib.PM_STAMP_FLOAT64,
           np.dtype(np.float32): lib.PM_STAMP_FLOAT32}
_COORDINATES = {np.dtype(np.float32): lib.PM_COORDINATE_FLOAT32, np.dtype(np.float64): lib.PM_COORDINATE_FLOAT64,
                np.dtype(np.int32): lib.PM_COORDINATE_INT32}


class TimedPoses(NamedTuple("TimedPoses", [("rotations", Array), ("positions", Array), ("valid", Array)])):
    """Poses at times.

    Attributes
    ----------
    rotations : array
        Quaternions x y z w of shape (..., 4), NaN where a time is not valid.
    positions : array
        Of shape (..., 3), likewise.
    valid : array of bool
        Of shape (...,): False where a time has no pose.

    Examples
    --------
    >>> import posemill as pm
    >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
    >>> car.at([0.5, 2.0], outside="invalid").valid
    array([ True, False])
    """


def _parsed(texts: Any) -> Array:
    stamp, found = ffi.new("int64_t *"), np.empty(texts.size, np.int64)
    for i, text in enumerate(texts.ravel().tolist()):
        if not lib.pm_stamp_parse(text.encode(), stamp):
            raise ValueError(f"times: {text!r} is no decimal number of seconds that fits int64 of ns")
        found[i] = stamp[0]
    return found.reshape(texts.shape)


def _times(value: Any, name: str = "times") -> Array:
    """Times as the library reads them: integers of ns, or seconds."""
    array = as_array(value, name)
    if array.dtype.kind == "U":
        return _parsed(array)
    if array.dtype.kind == "M":
        if np.isnat(array).any():
            raise ValueError(f"{name}: has a time that is NaT")
        stamps = array.astype("datetime64[ns]").view(np.int64)
        if (stamps.view("datetime64[ns]").astype(array.dtype) != array).any():
            raise ValueError(f"{name}: has a time that does not fit int64 of ns")
        return np.asarray(stamps)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected integers of ns, seconds, datetime64 or decimal texts, found {array.dtype}")
    if array.dtype in _STAMPS and array.dtype.isnative:
        return array
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def _stamp(value: Any, name: str) -> int:
    """One stamp in ns."""
    array = _times(value, name)
    if array.size != 1:
        raise ValueError(f"{name}: expected one time, found shape {array.shape}")
    if array.dtype.kind == "f":
        array = _rounded(array, name)
    return int(array.ravel()[0])


def _rounded(seconds: Array, name: str) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):
        ns = np.rint(seconds.astype(np.float64) * 1e9)
    if not (np.abs(ns) < 2.0**63).all():
        raise ValueError(f"{name}: has a time that is not finite, or does not fit int64 of ns")
    return ns.astype(np.int64)


def _duration(value: Any, name: str) -> int:
    """Seconds as ns, above 0; integers are ns."""
    found = _stamp(value, name)
    if found <= 0:
        raise ValueError(f"{name}: expected a time above 0, found {value!r}")
    return found


def _strided(array: Array) -> Array:
    """An array of one record per index of the first axis, whose strides the library takes."""
    flat = array.reshape(-1, *array.shape[array.ndim - 1:]) if array.ndim > 2 else array
    fits = all(stride != 0 or size <= 1 for stride, size in zip(flat.strides, flat.shape))
    return flat if fits else np.ascontiguousarray(flat)


def _set_field(target: Any, array: Array, types: dict[Any, int]) -> None:
    target.data, target.type = address(array), types[array.dtype]
    target.stride = array.strides[0] if len(array) > 1 else 0


def _set_vectors(target: Any, array: Array) -> None:
    _set_field(target, array, _COORDINATES)
    target.step = array.strides[1]


def fixed_pose(value: Any, name: str, target: Any) -> None:
    """A rotation and a position, either of them None, or a matrix (4, 4)."""
    if value is None:
        return
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        matrix = as_seconds(value, name)
        if matrix.shape != (4, 4):
            raise ValueError(f"{name}: expected a pair of a rotation and a position, or a matrix (4, 4)")
        quaternion = ffi.new("double[4]")
        top = np.ascontiguousarray(matrix[:3, :3])
        turned = lib.pm_quat_from_matrix(ffi.cast("double *", address(top)), quaternion)
        back = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)]
                         for x, y, z, w in [list(quaternion)]])
        if not turned or (matrix[3] != (0, 0, 0, 1)).any() or np.abs(top @ top.T - np.eye(3)).max() > 1e-3 or \
                np.abs(back - top[:1]).max() > 1e-2:
            raise ValueError(f"{name}: is no rotation and translation")
        value = (np.array(list(quaternion)), matrix[:3, 3])
    rotation, position = value
    if rotation is not None:
        turn = as_seconds(rotation.as_quat() if is_rotation(rotation) else rotation, name)
        if turn.shape != (4,):
            raise ValueError(f"{name}: expected a quaternion x y z w, found shape {turn.shape}")
        norm = float(np.linalg.norm(turn))
        if not abs(norm - 1) <= 1e-3:
            raise ValueError(f"{name}: expected a quaternion with a norm of 1, found {norm:.9g}")
        target.rotation = turn.tolist()
    if position is not None:
        place = as_seconds(position, name)
        if place.shape != (3,):
            raise ValueError(f"{name}: expected a position x y z, found shape {place.shape}")
        target.position = place.tolist()


class _Keys:
    """The native trajectory, which is shared by all that is made of it, the stamps of its keys, and its method."""

    def __init__(self, handle: Any, engine: Engine, tracks: int, stamps: Array, method: dict[str, Any]) -> None:
        self.handle, self.engine, self.tracks, self.stamps, self.method = handle, engine, tracks, stamps, method

    def __del__(self) -> None:
        lib.pm_trajectory_destroy(self.handle)


class Trajectory(Shared):
    """The pose of a moving frame over time: p_W = R(t) p + T(t).

    Parameters
    ----------
    times : array_like
        Of the keys, strictly increasing: int64 ns, datetime64, float seconds (rounded to ns once), or decimal texts
        of seconds, which keep all digits. A key that repeats the time and the pose before it is left out.
    rotations : array_like, Rotation or None
        Quaternions x y z w of shape (keys, 4), or (keys, ..., 4) for several tracks. None: no rotation.
    positions : array_like or None
        Of shape (keys, 3) or (keys, ..., 3). Float64 keeps its digits: positions at 6.4e6 m are exact within 1e-6 m.
    method : str
        As of :class:`RotationCurve`, or ``"screw"``: rotation and position together by the geodesic of SE(3), which is
        a motion of constant twist from key to key.
    vector_method : str
        Of positions: as of :class:`RotationCurve`; ``"auto"`` is ``"linear"`` with slerp and the screw.
    tangents : str
        Velocities at keys, by name, as of :class:`RotationCurve`.
    engine : Engine, optional
        Whose threads compute, and whose device, where it has a kernel for the points. None: plain C on all processors.

    Notes
    -----
    Thread-safe. Rotations are within 4e-7 rad of exact ones; everything else is computed in double.

    Examples
    --------
    >>> import numpy as np
    >>> import posemill as pm
    >>> car = pm.Trajectory([0, 10**9], [[0, 0, 0, 1], [0, 0, 1, 0]], [[0, 0, 0], [10, 0, 0]])
    >>> car.at(0.5).positions
    array([5., 0., 0.])
    >>> car.transform([[1.0, 0.0, 0.0]], [0.5]).round(4)
    array([[5., 1., 0.]])
    """

    def __init__(self, times: Any, rotations: Any = None, positions: Any = None,
                 method: Method | Literal["screw"] = "slerp", *, vector_method: VectorMethod = "auto",
                 tangents: Tangents = "bessel", engine: Engine | None = None) -> None:
        used = checked_engine(engine) or plain_engine()
        stamps = _times(times)
        if stamps.ndim != 1:
            raise ValueError(f"times: expected 1 dimension, found shape {stamps.shape}")
        arrays = [None if value is None else as_array(value.as_quat() if is_rotation(value) else value, name)
                  for value, name in ((rotations, "rotations"), (positions, "positions"))]
        for array, name in zip(arrays, ("rotations", "positions")):
            if array is not None and (array.ndim < 2 or len(array) != len(stamps)):
                raise ValueError(f"{name}: expected {len(stamps)} rows, as many as times, found shape {array.shape}")
        kept = _without_repeats(stamps, arrays)
        if kept is not None:
            stamps, arrays = stamps[kept], [None if array is None else array[kept] for array in arrays]
        made = Description()
        made.key_count = len(stamps)
        for array, name, components in zip(arrays, ("rotations", "positions"), (4, 3)):
            if array is not None:
                made.set_keys(name, array, components=components)
        made.set_method("slerp" if method == "screw" else method, vector_method, "float32")
        made.set_velocities(tangents, (0.0, 0.0, 0.0), "chord", False)
        desc = ffi.new("pm_trajectory_desc *")
        desc.motion = made.desc[0]
        desc.key_count, desc.screw = len(stamps), method == "screw"
        stamps = _strided(stamps)
        if len(stamps):
            _set_field(desc.stamps, stamps, _STAMPS)
        handle = ffi.new("pm_trajectory **")
        call(lib.pm_trajectory_create, used.handle, desc, handle)
        ns = _rounded(stamps, "times") if stamps.dtype.kind == "f" else stamps.astype(np.int64)
        how = {"method": method, "vector_method": vector_method, "tangents": tangents, "engine": engine}
        self._frames: tuple[tuple[_Keys, bool], ...] = ((_Keys(handle, used, desc.motion.track_count, ns, how), False),)
        self._track_shape = made.track_shape

    @classmethod
    def _of(cls, frames: tuple[tuple[_Keys, bool], ...], track_shape: tuple[int, ...]) -> Trajectory:
        if len(frames) > lib.PM_MAX_FRAMES:
            raise ValueError(f"a chain has at most {lib.PM_MAX_FRAMES} moving frames, found {len(frames)}")
        made = cls.__new__(cls)
        made._frames, made._track_shape = frames, track_shape
        return made

    def __reduce__(self) -> Any:
        raise TypeError("a Trajectory cannot be pickled: make it of its keys")

    @classmethod
    def load(cls, path: Path | IO[bytes], method: Method | Literal["screw"] = "slerp", *,
             vector_method: VectorMethod = "auto", engine: Engine | None = None,
             **options: Unpack[LoadOptions]) -> Trajectory:
        """Read a trajectory: TUM, EuRoC, KITTI with times, CSV with a header; or another motion of one node.

        Parameters
        ----------
        path : str, PathLike or binary file object
            As of :func:`posemill.load`.
        method, vector_method, engine
            As of :class:`Trajectory`.
        **options
            As of :func:`posemill.load`: ``layout="kitti:times.txt"`` names the file of times.

        Returns
        -------
        Trajectory
            With the stamps of the file, to the ns.

        Examples
        --------
        >>> import io
        >>> import posemill as pm
        >>> text = b"1305031098.6659 0 0 0 0 0 0 1\\n1305031098.7659 1 0 0 0 0 0 1\\n"
        >>> pm.Trajectory.load(io.BytesIO(text)).span
        (1305031098665900000, 1305031098765900000)
        """
        return cls.of(load(path, **options), method, vector_method=vector_method, engine=engine)

    @classmethod
    def of(cls, motion: Motion, method: Method | Literal["screw"] = "slerp", *, joint: int | str | None = None,
           clip: int | str = 0, vector_method: VectorMethod = "auto", engine: Engine | None = None) -> Trajectory:
        """The path of a node of a motion, relative to its parent.

        Parameters
        ----------
        motion : Motion
            As :func:`posemill.load` gives it.
        joint : int or str, optional
            The node. None: the only one.
        clip : int or str
            The clip, by its number or name.
        method, vector_method, engine
            As of :class:`Trajectory`. The interpolation that a file has is not taken.

        Returns
        -------
        Trajectory
            Stamps of a motion without them are the ns of its times.

        Examples
        --------
        >>> import posemill as pm
        >>> hips = pm.Trajectory.of(pm.load("walk.bvh"), joint="Hips")
        >>> hips.span
        (0, 2000000000)
        """
        if joint is None and len(motion.names) != 1:
            raise ValueError(f"joint: the motion has {len(motion.names)} nodes; expected the name of one")
        node = 0 if joint is None else motion._joint(joint)
        chosen = motion.clips[clip]
        found = {c.path: c for c in chosen.channels if c.node == node and c.path in ("rotation", "translation")}
        if not found:
            raise ValueError(f"joint: {motion.names[node]!r} has no keys")
        times = max((c.times for c in found.values()), key=len)
        content = motion._content.c
        stamps = _rounded(np.asarray(times), "times") + (int(content.epoch) if content.has_stamps else 0)
        rows = {path: c.at(times) for path, c in found.items()}
        turns, places = (rows[path] if path in rows else
                         np.broadcast_to(motion._content.rest(path)[node], (len(times), 4 if path == "rotation" else 3))
                         for path in ("rotation", "translation"))
        return cls(stamps, turns, places, method, vector_method=vector_method, engine=engine)

    def _stamps(self, times: Any) -> Array:
        if any(keys.tracks > 1 for keys, _ in self._frames):
            raise ValueError("the trajectory has several tracks; expected one")
        if times is not None:
            given = _times(times)
            return _rounded(given, "times") if given.dtype.kind == "f" else given.astype(np.int64)
        if len(self._frames) > 1:
            raise ValueError("times: a chain has no keys of its own; expected the times of rows")
        return self._frames[0][0].stamps

    def motion(self, times: Any = None) -> Motion:
        """A motion of one node, with a key at each time.

        Parameters
        ----------
        times : array_like, optional
            As of :class:`Trajectory`. None: those of the keys; a chain requires them.

        Returns
        -------
        Motion
            Which :func:`posemill.compare` takes, and which is saved, shown, cut and so on.

        Examples
        --------
        >>> import posemill as pm
        >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> car.motion().format
        'tum'
        """
        stamps = self._stamps(times)
        poses = self.at(stamps)
        rows = np.concatenate([poses.positions, poses.rotations], axis=1).tolist()
        text = "\n".join(f"{'-' if stamp < 0 else ''}{abs(stamp) // 10**9}.{abs(stamp) % 10**9:09d} "
                         + " ".join(map(repr, row)) for stamp, row in zip(stamps.tolist(), rows))
        return motion_of_text("# timestamp tx ty tz qx qy qz qw\n" + text + "\n", "tum")

    def save(self, path: Path, times: Any = None, **options: Unpack[SaveOptions]) -> None:
        """Write a file: ``.tum``, ``.csv`` with the columns of EuRoC, or another format of motions.

        Parameters
        ----------
        path : str or PathLike
            The format is that of the extension.
        times : array_like, optional
            As of :meth:`motion`.
        **options
            As of :meth:`Motion.save`.

        Examples
        --------
        >>> import posemill as pm
        >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> car.save("car.tum")
        """
        self.motion(times).save(path, **options)

    def _by(self, motion: Motion) -> Trajectory:
        """A motion as a trajectory of the method that this one has."""
        method = {name: value for name, value in self._frames[0][0].method.items() if name != "tangents"}
        return Trajectory.of(motion, **method)

    def reduce(self, **options: Unpack[ReduceOptions]) -> Trajectory:
        """Drop keys while slerps and lines between the others stay within a bound.

        Parameters
        ----------
        **options
            As of :meth:`Motion.reduce`: ``angle`` in degrees, ``position``.

        Returns
        -------
        Trajectory
            Of some of the keys.

        Examples
        --------
        >>> import numpy as np
        >>> import posemill as pm
        >>> car = pm.Trajectory(np.arange(100) * 10**7, positions=np.arange(300).reshape(100, 3) * 0.5)
        >>> len(car.reduce(position=0.001).motion().clips[0].times)
        2
        """
        options.setdefault("common", True)
        return self._by(self.motion().reduce(**options))

    def lowpass(self, lowpass: float, rate: Number) -> Trajectory:
        """Remove high frequencies, without a delay: the curve is sampled at a rate, and the samples are filtered.

        Parameters
        ----------
        lowpass : float
            The cut-off in Hz.
        rate : number
            Keys per second, of the samples and of the result.

        Returns
        -------
        Trajectory

        Examples
        --------
        >>> import numpy as np
        >>> import posemill as pm
        >>> shaking = np.sin(np.arange(100))[:, None] * [0, 0, 1]
        >>> car = pm.Trajectory(np.arange(100) * 10**7, positions=shaking)
        >>> bool(abs(car.lowpass(5, 100).at(0.5).positions[2]) < 0.05)
        True
        """
        return self._by(self.motion().resample(rate).lowpass(lowpass))

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last stamp in ns at which all frames have poses."""
        spans = []
        first, last = ffi.new("int64_t *"), ffi.new("int64_t *")
        for keys, _ in self._frames:
            lib.pm_trajectory_span(keys.handle[0], 0, first, last)
            spans.append((first[0], last[0]))
        return max(span[0] for span in spans), min(span[1] for span in spans)

    def inverse(self) -> Trajectory:
        """The pose of W in this frame.

        Returns
        -------
        Trajectory
            Which moves points from W to the frame.

        Examples
        --------
        >>> import posemill as pm
        >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> car.inverse().transform([[12.0, 1.0, 0.0]], [1.0])
        array([[2., 1., 0.]])
        """
        return self._of(tuple((keys, not flag) for keys, flag in reversed(self._frames)), self._track_shape)

    def compose(self, inner: Trajectory) -> Trajectory:
        """A chain: the pose of a frame that moves within this one.

        Parameters
        ----------
        inner : Trajectory
            The pose of the inner frame in this one, with keys of its own. A chain has at most four.

        Returns
        -------
        Trajectory
            The pose of the inner frame in W.

        Examples
        --------
        >>> import posemill as pm
        >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> lift = pm.Trajectory([0.0, 2.0], positions=[[0.0, 0.0, 0.0], [0.0, 0.0, 4.0]])
        >>> car.compose(lift).at(1.0).positions
        array([10.,  0.,  2.])
        """
        if not isinstance(inner, Trajectory):
            raise TypeError(f"inner: expected a Trajectory, found {type(inner).__name__}")
        return self._of(self._frames + inner._frames, self._track_shape or inner._track_shape)

    def relative_to(self, other: Trajectory) -> Trajectory:
        """The pose of this frame in another moving one.

        Parameters
        ----------
        other : Trajectory
            In the same W.

        Returns
        -------
        Trajectory
            ``other.inverse().compose(self)``.

        Examples
        --------
        >>> import posemill as pm
        >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> bus = pm.Trajectory([0.0, 1.0], positions=[[0.0, 3.0, 0.0], [8.0, 3.0, 0.0]])
        >>> bus.relative_to(car).at(0.5).positions
        array([-1.,  3.,  0.])
        """
        if not isinstance(other, Trajectory):
            raise TypeError(f"other: expected a Trajectory, found {type(other).__name__}")
        return other.inverse().compose(self)

    def _job(self, times: Any, base: Any, unit: Any, outside: Outside, max_extrapolation: Any, max_gap: Any,
             to: Any, origin: Any, tracks: Any) -> tuple[Any, tuple[int, ...], list[Any]]:
        """A job without points and outputs, the shape of the times, and what it points to."""
        stamps = _times(times)
        shape = stamps.shape
        stamps = _strided(stamps.reshape(-1) if stamps.ndim != 1 else stamps)
        job = ffi.new("pm_points_job *", {"count": len(stamps), "outside": word(outside, _OUTSIDE, "outside")})
        if len(stamps):
            _set_field(job.stamps, stamps, _STAMPS)
        if base is not None:
            job.stamps.base = _stamp(base, "base")
        if unit is not None:
            job.stamps.unit = count_of(unit, "unit", 2**32)
            if unit == 0:
                raise ValueError("unit: expected 1 ns or more, found 0")
        kept: list[Any] = [self, stamps]
        job.frame_count = len(self._frames)
        numbers = None
        if tracks is not None:
            numbers = as_array(tracks, "tracks")
            if numbers.dtype.kind not in "iu" or (numbers.size and (numbers.min() < 0 or numbers.max() >= 2**32)):
                raise ValueError("tracks: expected integers from 0 on")
            if numbers.dtype not in (np.uint8, np.uint16, np.uint32):
                numbers = numbers.astype(np.uint32)
            if numbers.shape not in ((), shape):
                raise ValueError(f"tracks: expected shape {shape}, found {numbers.shape}")
            numbers = _strided(np.broadcast_to(numbers, shape).reshape(-1))
            kept.append(numbers)
        elif any(keys.tracks > 1 for keys, _ in self._frames):
            raise ValueError("tracks: the trajectory has several tracks; expected the number of one for each time")
        for frame, (keys, flag) in zip(job.frames, self._frames):
            frame.trajectory, frame.inverse = keys.handle[0], flag
            if numbers is not None and keys.tracks > 1:
                frame.tracks.data, frame.tracks.bytes = address(numbers), numbers.itemsize
                frame.tracks.stride = numbers.strides[0] if len(numbers) > 1 else 0
        if to is not None and origin is not None:
            raise ValueError("to and origin: results are relative to one of them")
        if to is not None:
            job.to_reference, job.reference = True, _stamp(to, "to")
        if origin is not None:
            place = as_seconds(origin, "origin")
            if place.shape != (3,):
                raise ValueError(f"origin: expected a position x y z, found shape {place.shape}")
            job.origin = place.tolist()
        if (max_extrapolation is not None) != (outside == "extrapolate"):
            raise ValueError("max_extrapolation: goes with outside='extrapolate'")
        if max_extrapolation is not None:
            job.max_extrapolation = _duration(max_extrapolation, "max_extrapolation")
        if max_gap is not None:
            job.max_gap = _duration(max_gap, "max_gap")
        return job, shape, kept

    def at(self, times: Any, *, to: Any = None, origin: Any = None, tracks: Any = None,
           outside: Outside = "refuse", max_extrapolation: Any = None, max_gap: Any = None) -> TimedPoses:
        """Poses at times.

        Parameters
        ----------
        times : array_like
            As of the keys, in any order and shape: (frames, rows) for a rolling shutter.
        to : time, optional
            Poses relative to the pose at this time.
        origin : array_like, optional
            What is subtracted from positions, in double.
        tracks : array_like, optional
            Of several tracks, the number of one for each time, or for all.
        outside : str
            Times before the first key or behind the last: ``"refuse"``, ``"clamp"``, ``"extrapolate"`` by the constant
            twist at the end, or ``"invalid"``.
        max_extrapolation : float or int, optional
            Seconds as float, or ns as int, up to which is extrapolated; farther times are invalid.
        max_gap : float or int, optional
            Likewise: times within longer segments are invalid.

        Returns
        -------
        TimedPoses
            Float64 rotations x y z w and positions, and which are valid.

        Examples
        --------
        >>> import posemill as pm
        >>> car = pm.Trajectory(["17.000000001", "18.000000001"], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> car.at("17.500000001", to="17.000000001").positions.round(6)
        array([5., 0., 0.])
        """
        job, shape, kept = self._job(times, None, None, outside, max_extrapolation, max_gap, to, origin, tracks)
        rotations, positions = np.empty((job.count, 4)), np.empty((job.count, 3))
        valid = np.empty(job.count, np.bool_)
        if job.count:
            _set_vectors(job.rotations, rotations)
            _set_vectors(job.positions, positions)
            job.valid = ffi.cast("uint8_t *", address(valid))
            call(lib.pm_move_points, job)
        del kept
        return TimedPoses(rotations.reshape(*shape, 4), positions.reshape(*shape, 3), valid.reshape(shape))

    def velocity(self, times: Any, *, frame: Frame = "body", tracks: Any = None, outside: Outside = "refuse",
                 max_extrapolation: Any = None) -> tuple[Array, Array]:
        """Velocities and angular velocities at times.

        Parameters
        ----------
        times : array_like
            As of :meth:`at`.
        frame : str
            The axes: ``"body"`` or ``"parent"``, those of W.
        tracks, outside, max_extrapolation
            As of :meth:`at`. Clamped times are at rest.

        Returns
        -------
        tuple of array
            Units of length per second and rad/s, of shape (..., 3), float64.

        Examples
        --------
        >>> import posemill as pm
        >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> car.velocity(0.25)
        (array([10.,  0.,  0.]), array([0., 0., 0.]))
        """
        job, shape, kept = self._job(times, None, None, outside, max_extrapolation, None, None, None, tracks)
        job.velocity_frame = word(frame, FRAMES, "frame")
        linear, angular = np.empty((job.count, 3)), np.empty((job.count, 3))
        if job.count:
            _set_vectors(job.velocities, linear)
            _set_vectors(job.angular_velocities, angular)
            call(lib.pm_move_points, job)
        del kept
        return linear.reshape(*shape, 3), angular.reshape(*shape, 3)

    def transform(self, points: Any, times: Any, *, to: Any = None, origin: Any = None, sensor: Any = None,
                  after: Any = None, fields: Sequence[str] = ("x", "y", "z"), base: Any = None,
                  unit: int | None = None, tracks: Any = None, outside: Outside = "refuse",
                  max_extrapolation: Any = None, max_gap: Any = None, directions: bool = False,
                  out: Any = None, valid: Any = None) -> Any:
        """Points, each moved by the pose at its own time: from this frame to W, or to one pose.

        Parameters
        ----------
        points : array_like
            Of shape (n, 3), float32, float64 or int32, with any strides; or records with ``fields``. Nothing is copied.
        times : array_like or str
            As of :meth:`at`, of shape (n,), or the name of a field of the records.
        to : time, optional
            Results are relative to the pose at this time: a scan without the motion while it was taken.
        origin : array_like, optional
            Results are relative to this position in W, which is subtracted in double.
        sensor : tuple or array_like, optional
            The sensor's pose in this frame: a pair of a quaternion and a position, or a matrix (4, 4). With ``to``,
            results are in the moving frame; ``after`` takes them to the sensor.
        after : tuple or array_like, optional
            A pose that is applied to the results.
        fields : sequence of str
            The coordinates of records, of one type and at equal distances.
        base : time, optional
            What integers or seconds of ``times`` are relative to.
        unit : int, optional
            ns of 1 of integer times.
        tracks, outside, max_extrapolation, max_gap
            As of :meth:`at`.
        directions : bool
            Points are directions, which are turned and not moved.
        out : array, optional
            Float32 or float64 of shape (n, 3), or records with ``fields``: where results are written; also ``points``.
        valid : array, optional
            Of shape (n,), uint8 or bool, which receives whether each point is valid. Others are NaN, as points are with
            a coordinate that is not finite.

        Returns
        -------
        array
            ``out``, or a new array (n, 3) of the type of the points; float64 for integers.

        Examples
        --------
        >>> import numpy as np
        >>> import posemill as pm
        >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> scan = np.zeros(2, [("x", "f4"), ("y", "f4"), ("z", "f4"), ("t", "u4")])
        >>> scan["t"] = [0, 500000]  # us since the scan began
        >>> car.transform(scan, "t", base=0.0, unit=1000, to=0.5)
        array([[-5.,  0.,  0.],
               [ 0.,  0.,  0.]], dtype=float32)
        """
        given = as_array(points, "points")
        stamps = given[times] if isinstance(times, str) and given.dtype.names else times
        job, shape, kept = self._job(stamps, base, unit, outside, max_extrapolation, max_gap, to, origin, tracks)
        vectors = _vectors(given, fields, "points")
        if vectors.dtype not in _COORDINATES:
            if vectors.dtype.kind not in "iu":
                raise TypeError(f"points: expected float32, float64 or integers, found {vectors.dtype}")
            vectors = vectors.astype(np.float64)
        if vectors.shape != (*shape, 3):
            raise ValueError(f"points: expected shape {(*shape, 3)}, as times, found {vectors.shape}")
        flat = _strided(vectors)
        if out is None:
            result = target = np.empty(vectors.shape, np.float32 if vectors.dtype == np.float32 else np.float64)
        else:
            result = as_array(out, "out")
            target = _vectors(result, fields, "out")
            if target.dtype not in (np.float32, np.float64) or not target.flags.writeable or \
                    target.shape != vectors.shape:
                raise ValueError(f"out: expected float32 or float64 of shape {vectors.shape} that can be written, "
                                 f"found {target.dtype} of shape {target.shape}")
            is_same = target.dtype == vectors.dtype and target.strides == vectors.strides and \
                target.ctypes.data == vectors.ctypes.data
            if not is_same and (np.shares_memory(target, flat) or any(
                    isinstance(other, np.ndarray) and np.may_share_memory(target, other) and
                    np.shares_memory(target, other) for other in kept)):
                raise ValueError("out: shares memory with an input that is another field")
        written = target.reshape(-1, 3) if target.ndim > 2 else target
        if written.size and not np.may_share_memory(written, target):
            raise ValueError("out: has strides that cannot be written")
        fixed_pose(sensor, "sensor", job.before)
        fixed_pose(after, "after", job.after)
        job.directions = directions
        if valid is not None:
            mask = as_array(valid, "valid")
            if mask.shape != shape or mask.dtype.itemsize != 1 or mask.dtype.kind not in "bu" or mask.ndim != 1 or \
                    not mask.flags.writeable:
                raise ValueError(f"valid: expected uint8 or bool of shape {shape} with one dimension")
            job.valid = ffi.cast("uint8_t *", address(mask))
            job.valid_stride = mask.strides[0] if len(mask) > 1 else 0
        if job.count:
            _set_vectors(job.points, flat)
            _set_vectors(job.moved, written)
            call(lib.pm_move_points, job)
        del kept
        return result if out is None else out

    def resample(self, times: Any, method: Method | Literal["screw"] = "slerp", *,
                 vector_method: VectorMethod = "auto", outside: Outside = "refuse") -> Trajectory:
        """The poses at times as the keys of another trajectory; of a chain, in one.

        Parameters
        ----------
        times : array_like
            Of its keys, as of :class:`Trajectory`.
        method, vector_method : str
            As of :class:`Trajectory`.
        outside : str
            ``"refuse"`` or ``"clamp"``, as of :meth:`at`.

        Returns
        -------
        Trajectory

        Examples
        --------
        >>> import posemill as pm
        >>> car = pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
        >>> car.resample([0.25, 0.75]).span
        (250000000, 750000000)
        """
        if outside not in ("refuse", "clamp"):
            raise ValueError("outside: keys have poses; expected 'refuse' or 'clamp'")
        poses = self.at(times, outside=outside)
        return Trajectory(times, poses.rotations, poses.positions, method, vector_method=vector_method)


def _vectors(array: Array, fields: Sequence[str], name: str) -> Array:
    """Coordinates (..., 3), of records as a view of their fields."""
    if array.dtype.names is None:
        if array.ndim < 2 or array.shape[-1] != 3:
            raise ValueError(f"{name}: expected shape (n, 3) or records, found {array.dtype} of shape {array.shape}")
        return array
    try:
        kinds = [array.dtype.fields[field] for field in fields]  # type: ignore[index]
    except KeyError as error:
        raise ValueError(f"{name}: there is no field {error}; expected {tuple(fields)} of "
                         f"{array.dtype.names}") from None
    offsets = [int(kind[1]) for kind in kinds]
    if len(kinds) != 3 or len({kind[0] for kind in kinds}) != 1 or offsets[1] - offsets[0] != offsets[2] - offsets[1]:
        raise ValueError(f"{name}: the fields {tuple(fields)} are not three of one type at equal distances")
    first = array[fields[0]]
    return np.lib.stride_tricks.as_strided(first, (*first.shape, 3), (*first.strides, offsets[1] - offsets[0]),
                                           writeable=first.flags.writeable)


def _without_repeats(stamps: Array, arrays: list[Array | None]) -> Any:
    """Which keys do not repeat the stamp and the pose before them; None: all."""
    if len(stamps) < 2:
        return None
    ns = _rounded(stamps, "times") if stamps.dtype.kind == "f" else stamps
    repeats = ns[1:] == ns[:-1]
    if not repeats.any():
        return None
    for array in arrays:
        if array is not None:
            repeats &= (array[1:] == array[:-1]).reshape(len(array) - 1, -1).all(1)
    return np.concatenate([[True], ~repeats])
