# SPDX-License-Identifier: MIT
"""Curves of rotations, positions and scales through keys."""
from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Generic, Literal, overload

import numpy as np
import numpy.typing as npt

from ._arrays import (AnyRotation, Array, KeysOf, Numbers, address, as_array, as_seconds, is_rotation, new_result, normalized,
                      output, result_type, rotation_of, with_scalar_first)
from ._curve_clip import DEVICE_VALUES, Clips, OnePass
from ._description import FRAMES, Description, vector_method_name, word
from ._engine import Engine, checked_engine
from ._library import call, ffi, lib
from ._names import Doubles, EndRule, Ends, Floats, Frame, KeyFormat, Method, Tangents, VectorChannel, VectorMethod
from ._rates import Rate, count_samples, rate_of, seconds_of
from ._shared import Shared
from ._vector_rates import derivatives

__all__ = ["OneCurve", "RotationCurve"]

_LARGEST = float(np.finfo(np.float64).max)

# The output of a job, and the numbers of one value, by channel and order.
_OUTPUTS = {("rotations", 0): ("rotations", 4), ("rotations", 1): ("velocities", 3),
            ("rotations", 2): ("accelerations", 3),
            **{(channel, order): (channel, 3) for channel in ("positions", "scales")
               for order in (0, 1, 2)}}


# Fields of the description of the library, by the name of the argument.
_KEY_FIELDS = {"rotations": "rotations", "tangents_in": "tangents_in",
               "tangents_out": "tangents_out", "positions": "positions",
               "positions_in": "positions_in", "positions_out": "positions_out",
               "scales": "scales", "scales_in": "scales_in", "scales_out": "scales_out"}
_ARRAYS = (*_KEY_FIELDS, "times", "tangents", "axis")


def _output_of(channel: str, order: int) -> tuple[str, int]:
    try:
        return _OUTPUTS[channel, order]
    except (KeyError, TypeError):
        pass
    if channel not in ("rotations", "positions", "scales"):
        raise ValueError(f"channel: expected rotations, positions or scales, found {channel!r}")
    raise ValueError(f"order: expected 0, 1 or 2, found {order!r}")


class RotationCurve(Shared, Generic[KeysOf]):
    """Rotations through keys, by any method of the library.

    Parameters
    ----------
    times : array_like or None
        Seconds of the keys, strictly increasing. A list of arrays gives each track its own times.
        None: ``rate`` is given.
    rotations : array_like, Rotation or None
        Quaternions x y z w of shape (keys, ..., 4), float32 or float64; the axes between are tracks.
        With times of each track a list of arrays of shape (keys, 4).
    method : str
        ``"slerp"``, ``"step"``, ``"nlerp"``, ``"sterp"``, ``"squad"``, ``"circular"``,
        ``"circular-c1"``, ``"circular-c2"``, ``"circular-c3"``, ``"hermite"``, ``"spline"``,
        ``"bspline"``, ``"cubicspline"``, ``"ncubic"`` or ``"cubic"``.
    rate : str, int, float or Fraction, optional
        Keys per second, uniform from time 0 and exact: ``30``, ``"30000/1001"``.
    loop : float, optional
        Period in seconds of a closed track.
    tangents : str or array_like
        Velocities at keys: ``"bessel"``, ``"mean"``, ``"hold"``, ``"tcb"``, or an array of shape
        (keys, ..., 3) of half-angle rad/s in the body frame.
    tcb : sequence of float
        Tension, continuity and bias of ``tangents="tcb"``.
    ends : str
        At the ends of an open track: ``"chord"``, ``"natural"``, ``"parabola"`` or ``"zero"``.
    unlimited : bool
        Whether squad does not limit velocities.
    axis : array_like, optional
        Twist axis of sterp, of shape (3,) or (..., 3).
    axis_frame : str
        Frame of ``axis``: ``"body"`` or ``"parent"``.
    swing, twist : sequence of float
        The parts of a segment in which sterp swings and twists.
    tangents_in, tangents_out : array_like, optional
        Tangents of the rotations of cubicspline, per second, in the shape of ``rotations``.
    positions, scales : array_like, optional
        Curves with the same times, of shape (keys, ..., 3).
    positions_in, positions_out, scales_in, scales_out : array_like, optional
        Their tangents, for cubicspline.
    vector_method : str
        How positions and scales are interpolated: ``"auto"`` matches the method, or ``"step"``,
        ``"linear"``, ``"catmull-rom"``, ``"parabolas-c2"``, ``"parabolas-c3"``, ``"spline"``,
        ``"bspline"`` or ``"cubicspline"``.
    key_format : str
        How keys are stored: ``"float32"``, ``"log48"`` or ``"smallest48"``.
    scalar_first : bool
        Whether quaternions are w x y z, in keys, tangents and results.
    engine : Engine, optional
        Where the curve is computed. None: small jobs by plain C on the calling thread, large ones by
        the best device, and a Rotation by plain C on all processors.

    Notes
    -----
    Thread-safe. Results have float32 accuracy, and the bits of the library's C functions. Keys are
    read when the curve is made; later changes of the arrays do not matter.

    Examples
    --------
    >>> import numpy as np
    >>> import posemill as pm
    >>> keys = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
    >>> curve = pm.RotationCurve([0.0, 1.0], keys, method="squad")
    >>> curve([0.0, 0.5]).round(4)
    array([[0.    , 0.    , 0.    , 1.    ],
           [0.    , 0.    , 0.7071, 0.7071]], dtype=float32)
    >>> curve(0.5, order=1).round(4)
    array([0.    , 0.    , 3.1416], dtype=float32)
    """

    def __init__(self, times: Any, rotations: KeysOf, method: Method = "slerp", *,
                 rate: Rate | None = None, loop: float | None = None,
                 tangents: Tangents | npt.ArrayLike = "bessel",
                 tcb: Sequence[float] = (0.0, 0.0, 0.0), ends: Ends = "chord", unlimited: bool = False,
                 axis: Any = None, axis_frame: Frame = "body", swing: Sequence[float] = (0.0, 1.0),
                 twist: Sequence[float] = (0.0, 1.0), tangents_in: Any = None,
                 tangents_out: Any = None, positions: Any = None, positions_in: Any = None,
                 positions_out: Any = None, scales: Any = None, scales_in: Any = None,
                 scales_out: Any = None, vector_method: VectorMethod = "auto", key_format: KeyFormat = "float32",
                 scalar_first: bool = False, engine: Engine | None = None) -> None:
        arguments = {
            "times": times, "rotations": rotations, "method": method, "rate": rate, "loop": loop,
            "tangents": tangents, "tcb": tcb, "ends": ends, "unlimited": unlimited, "axis": axis,
            "axis_frame": axis_frame, "swing": swing, "twist": twist, "tangents_in": tangents_in,
            "tangents_out": tangents_out, "positions": positions, "positions_in": positions_in,
            "positions_out": positions_out, "scales": scales, "scales_in": scales_in,
            "scales_out": scales_out, "vector_method": vector_method, "key_format": key_format,
            "scalar_first": scalar_first, "engine": checked_engine(engine)}
        if self._keeps:
            arguments = {name: _own(value, name) for name, value in arguments.items()}
        self.method = method
        self._arguments = arguments
        self._scalar_first = scalar_first
        self._gives_rotation = is_rotation(rotations)
        self._build()

    _keeps = True  # its own copy of the arguments, for pickles and for other devices

    def _build(self) -> None:
        given = self._arguments
        keys = next((given[name] for name in ("rotations", "positions", "scales")
                     if given[name] is not None), None)
        if keys is None:
            raise TypeError("rotations: expected an array or a Rotation, found None")
        description = Description()
        description.set_method(given["method"], given["vector_method"], given["key_format"])
        description.set_times(given["times"], given["rate"], keys)
        for name, field in _KEY_FIELDS.items():
            if given[name] is not None:
                is_quaternion = field in ("rotations", "tangents_in", "tangents_out")
                description.set_keys(field, given[name], components=4 if is_quaternion else 3,
                                     name=name, scalar_first=given["scalar_first"]
                                     and not is_rotation(given[name]))
        description.set_loop(given["loop"])
        description.set_velocities(given["tangents"], given["tcb"], given["ends"], given["unlimited"])
        description.set_axis(given["axis"], given["axis_frame"], given["swing"], given["twist"])
        self._make_clips(description, given["engine"], _value_count(keys))
        self._shape = description.track_shape
        self._width = int(np.prod(self._shape, dtype=int))
        self._span = description.span
        self._key_count = description.key_count
        if not self._keeps:
            self._arguments = {}

    def _make_clips(self, description: Description, engine: Engine | None, keys: int) -> None:
        self._clips = Clips(description, engine, engine is None and keys < DEVICE_VALUES)

    def _computes(self) -> Clips | OnePass:
        return self._clips

    def __getstate__(self) -> dict[str, Any]:
        """What the clip of the library is made from once more; it has the same bits."""
        return {name: value for name, value in self.__dict__.items() if name != "_clips"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._build()

    def __repr__(self) -> str:
        tracks = f", {self._shape} tracks" if self._shape else ""
        return f"{type(self).__name__}({self.method}, {self._key_count} keys{tracks}, " \
               f"{float(self._span.period or self._span.seconds):g} s)"

    @property
    def times(self) -> Doubles | list[Doubles]:
        """Seconds of the keys; of tracks with times of their own, a list of arrays."""
        found = [np.array(seconds) for seconds in self._key_times()]
        return found if isinstance(self._arguments["times"], list) else found[0]

    @property
    def keys(self) -> Any:
        """The rotations as they were given, an array or a Rotation; None where there are none."""
        return self._arguments["rotations"]

    # A Rotation is sampled as one; the other keys, which are arrays, have no `as_quat`.
    @overload
    def __call__(self: RotationCurve[AnyRotation], times: Numbers, order: Literal[0] = 0, *,  # type: ignore[overload-overlap]
                 frame: Frame = "body", channel: Literal["rotations"] = "rotations",
                 tracks: None = None, subset: npt.ArrayLike | None = None, out: None = None,
                 dtype: None = None) -> AnyRotation: ...

    @overload
    def __call__(self, times: Numbers, order: Literal[0, 1, 2] = 0, *, frame: Frame = "body",
                 channel: VectorChannel = "rotations", tracks: Any = None,
                 subset: npt.ArrayLike | None = None, out: Any = None,
                 dtype: npt.DTypeLike | None = None) -> Floats: ...

    def __call__(self, times: Numbers, order: int = 0, *, frame: Frame = "body",
                 channel: VectorChannel = "rotations", tracks: Any = None,
                 subset: npt.ArrayLike | None = None, out: Any = None, dtype: Any = None) -> Any:
        """Computes the curve at times.

        Parameters
        ----------
        times : array_like
            Seconds in any order, of any shape. Outside the keys an open track holds its first or last
            key, and a loop repeats.
        order : int
            0: values; 1: angular velocities in rad/s; 2: angular accelerations in rad/s^2. Of
            positions and scales: their first and second derivatives by time.
        frame : str
            Frame of velocities and accelerations: ``"body"`` or ``"parent"``.
        channel : str
            ``"rotations"``, ``"positions"`` or ``"scales"``.
        tracks : array_like of int, optional
            A track for each time, in the order of C; the result has no axes of tracks then.
        subset : array_like of int, optional
            The tracks to compute, each at most once, in the order of C; the result has one axis of
            these alone, in their order. Not with ``tracks``.
        out : array, optional
            Float32, C-contiguous, of the result's shape; the library writes to it directly.
        dtype : numpy.float32 or numpy.float64, optional
            Of the result.

        Returns
        -------
        array or Rotation
            Of shape (times, ..., 4), for velocities, accelerations and vectors (times, ..., 3). A
            Rotation where the keys were one and neither ``out`` nor ``dtype`` is given.
        """
        seconds = as_seconds(times, "times")
        field, components = _output_of(channel, order)
        if self._gives_rotation and field == "rotations" and (
                tracks is None and subset is None and out is None and dtype is None):
            word(frame, FRAMES, "frame")
            rotation = self._rotation_within(seconds, -_LARGEST, _LARGEST)
            if rotation is not None:
                return rotation
        if order > 0 and channel != "rotations":
            return self._finish_rates(self._rates(seconds, order, channel, tracks, subset), out, dtype)
        job = ffi.new("pm_sample_job *")
        axes, _kept = self._choose(job, tracks, subset, seconds)
        shape = seconds.shape + axes + (components,)
        values = new_result(shape) if out is None else output(out, shape, seconds)
        is_double = result_type(dtype, out)
        if seconds.size == 0:
            return self._finished(values, field, out is None and dtype is None, is_double)
        job.sample_count = seconds.size
        job.times = ffi.from_buffer("double[]", seconds)
        self._sample(job, field, values, frame, values.size // components)
        return self._finished(values, field, out is None and dtype is None, is_double)

    @overload
    def uniform(self: RotationCurve[AnyRotation], rate: Rate, *, start: Rate = 0,  # type: ignore[overload-overlap]
                end: Rate | None = None, end_rule: EndRule = "fit", count: int | None = None,
                order: Literal[0] = 0, frame: Frame = "body",
                channel: Literal["rotations"] = "rotations", subset: npt.ArrayLike | None = None,
                out: None = None, dtype: None = None) -> AnyRotation: ...

    @overload
    def uniform(self, rate: Rate, *, start: Rate = 0, end: Rate | None = None,
                end_rule: EndRule = "fit", count: int | None = None, order: Literal[0, 1, 2] = 0,
                frame: Frame = "body", channel: VectorChannel = "rotations",
                subset: npt.ArrayLike | None = None, out: Any = None,
                dtype: npt.DTypeLike | None = None) -> Floats: ...

    def uniform(self, rate: Rate, *, start: Rate = 0, end: Rate | None = None,
                end_rule: EndRule = "fit", count: int | None = None, order: int = 0,
                frame: Frame = "body", channel: VectorChannel = "rotations",
                subset: npt.ArrayLike | None = None, out: Any = None, dtype: Any = None) -> Any:
        """Sample the curve at a rate, each sample at its exact time.

        Parameters
        ----------
        rate : str, int, float or Fraction
            Samples per second: ``60``, ``29.97`` or ``"30000/1001"``.
        start, end : str, int, float or Fraction
            Seconds after the first key. ``end`` None: the last key, or the end of the loop.
        end_rule : str
            ``"fit"``: the last sample is the last multiple that fits. ``"include"``: one more sample
            at the end itself, unless a multiple falls on it.
        count : int, optional
            Number of samples, also past the last key, instead of ``end``.
        order, frame, channel, subset, out, dtype
            As of a call.

        Returns
        -------
        array or Rotation
            As of a call.

        Examples
        --------
        >>> import numpy as np
        >>> import posemill as pm
        >>> keys = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
        >>> pm.RotationCurve(None, keys, rate="30000/1001").uniform("60000/1001").shape
        (3, 4)
        """
        exact, begin = rate_of(rate, "rate"), seconds_of(start, "start")
        last = None
        if count is None:
            stop = None if end is None else seconds_of(end, "end")
            count, last = count_samples(self._span, exact, begin, stop, end_rule)
        elif end is not None or not isinstance(count, (int, np.integer)) or count < 0:
            raise ValueError("count: expected a number of samples without end")
        field, components = _output_of(channel, order)
        if order > 0 and channel != "rotations":
            places = [*(begin + Fraction(k) / exact for k in range(count)),
                      *([] if last is None else [last])]
            seconds = self._key_times()[0][0] + np.array([float(p) for p in places])
            return self._finish_rates(self._rates(seconds, order, channel, None, subset), out, dtype)
        total = count + (last is not None)
        job = ffi.new("pm_sample_job *")
        axes, _kept = self._choose(job, None, subset)
        shape = (total, *axes, components)
        values = new_result(shape) if out is None else output(out, shape)
        is_double = result_type(dtype, out)
        for at, first, number in ((begin, 0, count), (last, count, 1)):
            if at is None or number == 0:
                continue
            job.sample_count = number
            job.rate = (exact.numerator, exact.denominator)
            job.start_after_first_key = (at.numerator, at.denominator)
            self._sample(job, field, values[first:first + number], frame, values.size // components)
        return self._finished(values, field, out is None and dtype is None, is_double)

    def enqueue(self, queue: Any, times: Any = None, *, rate: Rate | None = None, start: Rate = 0,
                count: int | None = None, order: int = 0, frame: Frame = "body",
                channel: VectorChannel = "rotations", tracks: Any = None,
                subset: npt.ArrayLike | None = None, out: Any, offset: int = 0,
                wait_for: Sequence[Any] | None = None) -> Any:
        """Enqueue a job on a pyopencl queue, without waiting.

        Parameters
        ----------
        queue : pyopencl.CommandQueue
            Of the context of the curve's engine. Curves that were given no engine, and are small,
            take any queue.
        times : array_like, optional
            Seconds, copied before the method returns. None: ``rate`` and ``count`` are given.
        out : pyopencl.array.Array or pyopencl.Buffer
            Receives float32; an array must have the result's shape and be C-contiguous.
        offset : int
            Bytes into a buffer, a multiple of 16.
        wait_for : sequence of pyopencl.Event, optional
            The job starts when they are complete.
        rate, start, count, order, frame, channel, tracks, subset
            As of ``uniform`` and of a call.

        Returns
        -------
        pyopencl.Event
            Complete when the results are written.

        Examples
        --------
        >>> import numpy as np
        >>> import posemill as pm
        >>> import pyopencl as cl
        >>> import pyopencl.array
        >>> queue = cl.CommandQueue(cl.create_some_context(interactive=False))
        >>> keys = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
        >>> curve = pm.RotationCurve(None, keys, rate=30)
        >>> out = cl.array.empty(queue, (2, 4), np.float32)
        >>> curve.enqueue(queue, rate=60, count=2, out=out).wait()
        >>> out.get().round(4)
        array([[0.    , 0.    , 0.    , 1.    ],
               [0.    , 0.    , 0.7071, 0.7071]], dtype=float32)
        """
        from ._interop import enqueue

        field, components = _output_of(channel, order)
        if order > 0 and channel != "rotations":
            raise ValueError("order: expected 0 of positions and scales on a queue")
        job = ffi.new("pm_sample_job *")
        job.velocity_frame = word(frame, FRAMES, "frame")
        if times is None:
            if rate is None or count is None:
                raise TypeError("times: expected times, or a rate and a count")
            exact, begin = rate_of(rate, "rate"), seconds_of(start, "start")
            job.rate = (exact.numerator, exact.denominator)
            job.start_after_first_key = (begin.numerator, begin.denominator)
            job.sample_count = count
            samples: tuple[int, ...] = (count,)
            axes, _kept = self._choose(job, None, subset)
        else:
            seconds = as_seconds(times, "times")
            job.sample_count = seconds.size
            job.times = ffi.from_buffer("double[]", seconds)
            samples = seconds.shape
            axes, _kept = self._choose(job, tracks, subset, seconds)
        if self._scalar_first and components == 4:
            raise ValueError("scalar_first: results on a queue are x y z w")
        return enqueue(self._clips.on_queue(queue), job, field, (*samples, *axes, components), queue,
                       out, offset, wait_for or ())

    def _rotation_within(self, seconds: Array, first: float, last: float) -> Any:
        """A Rotation at packed times, by plain C.

        None where a time is not a number from ``first`` to ``last``, or where the curve's engine is a
        device.
        """
        clip = self._clips.in_plain_c()
        if clip is None or seconds.size == 0:
            return None
        rotations = np.empty((*seconds.shape, *self._shape, 4))
        times = ffi.new("native_times *", (ffi.from_buffer("double[]", seconds), seconds.size,
                                           first, last))
        outside = ffi.new("size_t *")
        call(lib.native_rotations, clip, times, self._width,
             ffi.cast("double *", address(rotations)), outside)
        return rotation_of(rotations) if outside[0] == seconds.size else None

    def _key_times(self) -> list[Array]:
        """Of each track, where tracks have their own; else one array."""
        given = self._arguments
        if given["rate"] is not None:
            rate = rate_of(given["rate"], "rate")
            return [np.arange(self._key_count) * float(rate.denominator) / float(rate.numerator)]
        times = given["times"]
        return [as_seconds(t, "times") for t in (times if isinstance(times, list) else [times])]

    def _rates(self, seconds: Array, order: int, channel: VectorChannel, tracks: Any,
               subset: npt.ArrayLike | None) -> Array:
        """Derivatives of positions or scales, in float64."""
        keys = self._key_times()
        flat = seconds.ravel()
        axes, _kept = self._choose(ffi.new("pm_sample_job *"), tracks, subset, seconds)
        if tracks is None and len(keys) == 1:
            found = self._derived(keys[0], flat, order,
                                  lambda at: self(at, channel=channel, subset=subset))
            return found.reshape(*seconds.shape, *axes, 3)
        columns = np.arange(self._width) if subset is None else self._subset(subset)
        pairs = np.broadcast_to(columns, (flat.size, columns.size)) if \
            tracks is None else self._pairs(tracks, seconds).reshape(-1, 1)
        values = np.zeros((*pairs.shape, 3))
        for track in np.unique(pairs):
            own = keys[track if len(keys) > 1 else 0]
            chosen = pairs == track
            at = np.broadcast_to(flat[:, np.newaxis], pairs.shape)[chosen]
            values[chosen] = self._derived(own, at, order, lambda at, n=int(track): self(
                at, channel=channel, tracks=np.full(np.shape(at), n)))
        return values.reshape(*seconds.shape, *axes, 3)

    def _derived(self, keys: Array, at: Array, order: int, sample: Any) -> Array:
        period = None if self._span.period is None or self._span.closes else self._span.period
        looped = self._span.period is not None
        return derivatives(sample, keys, keys[-1] - keys[0] if looped and period is None else period,
                           vector_method_name(self.method, self._arguments["vector_method"]), at,
                           order)

    def _finish_rates(self, found: Array, out: Any, dtype: Any) -> Array:
        values = found if result_type(dtype, out) else found.astype(np.float32)
        if out is None:
            return values
        target = output(out, values.shape)
        target[...] = values
        return target

    def _choose(self, job: Any, tracks: Any, subset: npt.ArrayLike | None,
                seconds: Array | None = None) -> tuple[tuple[int, ...], Any]:
        """Sets the tracks of a job. Gives the axes of its results, and what the job refers to."""
        if tracks is not None and subset is not None:
            raise TypeError("subset: expected without tracks")
        if tracks is not None and seconds is not None:
            numbers = self._pairs(tracks, seconds)
            job.tracks = ffi.from_buffer("uint32_t[]", numbers)
            return (), numbers
        if subset is None:
            return self._shape, None
        numbers = self._subset(subset)
        job.subset, job.subset_count = ffi.from_buffer("uint32_t[]", numbers), numbers.size
        return numbers.shape, numbers

    def _pairs(self, tracks: Any, seconds: Array) -> Array:
        """Checked numbers of tracks, tightly packed."""
        numbers = self._numbers(tracks, "tracks")
        if numbers.shape != seconds.shape:
            raise ValueError(f"tracks: expected shape {seconds.shape}, as times, found "
                             f"{numbers.shape}")
        return numbers

    def _subset(self, subset: npt.ArrayLike) -> Array:
        """Likewise, each at most once."""
        numbers = self._numbers(subset, "subset")
        if numbers.ndim != 1 or numbers.size == 0:
            raise ValueError(f"subset: expected a list of tracks, found shape {numbers.shape}")
        if np.unique(numbers).size < numbers.size:
            raise ValueError("subset: a track is listed twice")
        return numbers

    def _numbers(self, tracks: Any, name: str) -> Array:
        numbers = as_array(tracks, name)
        if numbers.dtype.kind not in "iu":
            raise TypeError(f"{name}: expected integers, found {numbers.dtype}")
        if numbers.size > 0 and (numbers.min() < 0 or numbers.max() >= self._width):
            raise ValueError(f"{name}: expected numbers from 0 to {self._width - 1}")
        return np.asarray(numbers, dtype=np.uint32, order="C")

    def _sample(self, job: Any, field: str, values: Array, frame: str, size: int) -> None:
        job.velocity_frame = word(frame, FRAMES, "frame")
        setattr(job, field, ffi.from_buffer("float[]", values, require_writable=True))
        self._computes().sample(job, size)

    def _finished(self, values: Array, field: str, is_free: bool, is_double: bool) -> Any:
        if field == "rotations":
            if is_free and self._gives_rotation:
                return rotation_of(normalized(values))
            if self._scalar_first:
                values = with_scalar_first(values)
        return values.astype(np.float64) if is_double else values


def _own(value: Any, name: str) -> Any:
    """A copy of an array, or of each array of a list. Others cannot change."""
    if value is None or is_rotation(value) or isinstance(value, (str, Engine)) or np.isscalar(value):
        return value
    if isinstance(value, (list, tuple)) and len(value) > 0 and any(np.ndim(v) for v in value):
        return [_own(part, name) for part in value]
    if name not in _ARRAYS:
        return list(value) if isinstance(value, list) else value
    return np.array(as_array(value, name))


class OneCurve(RotationCurve[Any]):
    """A curve for one call, which has no copy of its keys. Without an engine it has no clip."""

    _keeps = False

    def _make_clips(self, description: Description, engine: Engine | None, keys: int) -> None:
        self._one_pass = OnePass(description) if engine is None else None
        if engine is not None:
            super()._make_clips(description, engine, keys)

    def _computes(self) -> Clips | OnePass:
        return self._one_pass or super()._computes()


def _value_count(keys: Any) -> int:
    """Keys of all tracks, as far as that can be told before they are checked."""
    if is_rotation(keys):
        return len(keys) if len(keys.as_quat().shape) > 1 else 1
    if isinstance(keys, (list, tuple)):
        return sum(np.shape(track)[0] if np.ndim(track) > 1 else 1 for track in keys)
    shape = as_array(keys, "rotations").shape
    return int(np.prod(shape[:-1], dtype=int))
