# SPDX-License-Identifier: MIT
"""Slerp and RotationSpline with the arguments, attributes and exceptions of SciPy's."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Generic, Literal, overload

import numpy as np
import numpy.typing as npt

from ._arrays import AnyRotation, Array, KeysOf, Numbers, as_array, as_floats, as_seconds, is_rotation, normalized, rotation_of
from ._curve import RotationCurve
from ._engine import Engine
from ._extrapolate import EndSegment, angular_rate_inverse, cubic_of, rotation_vector
from ._names import Floats

__all__ = ["RotationSpline", "Slerp"]


def _keys_of(rotations: Any) -> Array:
    """Quaternions of a Rotation or an array."""
    if is_rotation(rotations):
        return np.asarray(rotations.as_quat())
    try:
        keys = as_floats(rotations, "rotations")
        if np.asarray(rotations).dtype.kind in "iu" and not (np.square(keys).sum(axis=-1) == 1).all():
            raise TypeError("integers are no quaternions of length 1")
        return keys
    except (TypeError, ValueError) as error:
        raise TypeError("`rotations` must be a `Rotation` instance or an array of float32, "
                        f"float64 or integers ({error}).") from error


def _check_keys(times: Array, keys: Array, too_few: str) -> None:
    if keys.ndim == 1 or len(keys) < 2:
        raise ValueError(too_few)
    if times.ndim != 1:
        raise ValueError("Expected times to be specified in a 1 dimensional array, got "
                         f"{times.ndim} dimensions.")
    if len(times) != len(keys):
        raise ValueError("Expected number of rotations to be equal to number of timestamps given, "
                         f"got {len(keys)} rotations and {len(times)} timestamps.")
    if (np.diff(times) <= 0).any():
        raise ValueError("Times must be in strictly increasing order.")


def _sample_times(times: Any) -> Array:
    seconds = as_seconds(times, "times")
    if seconds.ndim > 1:
        raise ValueError("`times` must be at most 1-dimensional.")
    return seconds


def _range(seconds: Array) -> tuple[float, float]:
    """The first and the last of some times. NaN where there is one."""
    if seconds.ndim == 0:
        return float(seconds), float(seconds)
    return float(seconds.min()), float(seconds.max())


def _shown(curve: Slerp[Any] | RotationSpline[Any]) -> str:
    return f"{type(curve).__name__}({len(curve.times)} keys, {curve.times[-1] - curve.times[0]:g} s)"


class Slerp(Generic[KeysOf]):
    """Spherical linear interpolation, in place of ``scipy.spatial.transform.Slerp``.

    Parameters
    ----------
    times : array_like
        Seconds of the keys, strictly increasing; at least 2.
    rotations : Rotation or array_like
        A Rotation of SciPy, or quaternions x y z w of shape (keys, ..., 4), float32 or float64.
    engine : Engine, optional
        As of ``RotationCurve``.

    Attributes
    ----------
    times, rotations
        As given; of the rotations all but the last, as in SciPy.
    timedelta : array
        Seconds between keys.

    Notes
    -----
    Results have float32 accuracy: within 4e-7 rad of SciPy's.

    Examples
    --------
    >>> import numpy as np
    >>> import posemill as pm
    >>> from scipy.spatial.transform import Rotation
    >>> f = pm.Slerp([0, 1], Rotation.from_euler("z", [[0], [90]], degrees=True))
    >>> f([0.0, 0.5, 1.0]).as_euler("xyz", degrees=True)[:, 2].round(4)
    array([ 0., 45., 90.])
    >>> g = pm.Slerp([0, 1], np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]))
    >>> g(0.5).round(4)
    array([0.    , 0.    , 0.7071, 0.7071], dtype=float32)
    """

    def __init__(self, times: Numbers, rotations: KeysOf, *, engine: Engine | None = None) -> None:
        keys = _keys_of(rotations)
        given = as_array(times, "times")
        _check_keys(given, keys, "`rotations` must be a sequence of at least 2 rotations.")
        self._curve = RotationCurve(given, keys, "slerp", engine=engine)
        self._gives_rotation = is_rotation(rotations)
        self._first, self._last = float(given[0]), float(given[-1])
        self.times = given
        self.timedelta = np.diff(given)
        given_keys: Any = rotations
        self.rotations = given_keys[:-1]
        self._keys = keys

    def __repr__(self) -> str:
        return _shown(self)

    @property
    def rotvecs(self) -> Array:
        """Rotation vectors from each key to the next."""
        keys = self._keys.astype(np.float64)
        keys /= np.linalg.norm(keys, axis=-1, keepdims=True)
        return rotation_vector(keys[:-1], keys[1:])

    @overload
    def __call__(self: Slerp[AnyRotation], times: Numbers, *, out: None = None,  # type: ignore[overload-overlap]
                 dtype: None = None) -> AnyRotation: ...

    @overload
    def __call__(self, times: Numbers, *, out: Any = None,
                 dtype: npt.DTypeLike | None = None) -> Floats: ...

    def __call__(self, times: Numbers, *, out: Any = None, dtype: Any = None) -> Any:
        """Interpolates rotations.

        Parameters
        ----------
        times : float or array_like
            Seconds within those of the keys, of at most 1 dimension.
        out, dtype
            As of ``RotationCurve``; the result is an array then.

        Returns
        -------
        Rotation or array
            A Rotation where the keys were one, else an array of shape (times, ..., 4).
        """
        seconds = _sample_times(times)
        is_plain = self._gives_rotation and out is None and dtype is None
        if is_plain:
            rotation = self._curve._rotation_within(seconds, self._first, self._last)
            if rotation is not None:
                return rotation
        if seconds.size > 0 and not self._contains(seconds):
            raise ValueError("Interpolation times must be within the range "
                             f"[{self.times[0]}, {self.times[-1]}], both inclusive.")
        values = self._curve(seconds, out=out, dtype=dtype)
        return rotation_of(normalized(values)) if is_plain else values

    def _contains(self, seconds: Array) -> bool:
        earliest, latest = _range(seconds)
        return self._first <= earliest and latest <= self._last


class RotationSpline(Generic[KeysOf]):
    """C2 interpolation, in place of ``scipy.spatial.transform.RotationSpline``.

    Parameters
    ----------
    times : array_like
        Seconds of the keys, strictly increasing; at least 2.
    rotations : Rotation or array_like
        A Rotation of SciPy, or quaternions x y z w of shape (keys, ..., 4), float32 or float64.
    engine : Engine, optional
        As of ``RotationCurve``.

    Attributes
    ----------
    times, rotations
        As given, times as float64.
    interpolator : scipy.interpolate.PPoly
        The rotation vector from the key before, as in SciPy; made when it is first asked for.

    Notes
    -----
    Results have float32 accuracy: within 4e-7 rad of SciPy's where its solver converges. It stops
    after ten iterations, which are too few where keys turn far. Outside the keys the cubics of the
    end segments continue, as in SciPy; they are computed in NumPy.

    Examples
    --------
    >>> import posemill as pm
    >>> from scipy.spatial.transform import Rotation
    >>> f = pm.RotationSpline([0, 1, 3], Rotation.from_euler("z", [[0], [30], [90]], degrees=True))
    >>> f([0.0, 1.0, 2.0]).as_euler("xyz", degrees=True)[:, 2].round(3)
    array([ 0., 30., 60.])
    >>> f(2.0, order=1).round(4)
    array([0.    , 0.    , 0.5236], dtype=float32)
    """

    def __init__(self, times: Numbers, rotations: KeysOf, *, engine: Engine | None = None) -> None:
        keys = _keys_of(rotations)
        seconds = as_seconds(times, "times")
        _check_keys(seconds, keys, "`rotations` must be a sequence of at least 2 rotations.")
        self._curve = RotationCurve(seconds, keys, "spline", engine=engine)
        self._gives_rotation = is_rotation(rotations)
        self._first, self._last = float(seconds[0]), float(seconds[-1])
        self.times = np.array(seconds)
        self.rotations = rotations
        self._ends: tuple[EndSegment, EndSegment] | None = None

    def __repr__(self) -> str:
        return _shown(self)

    @overload
    def __call__(self: RotationSpline[AnyRotation], times: Numbers, order: Literal[0] = 0, *,  # type: ignore[overload-overlap]
                 out: None = None, dtype: None = None) -> AnyRotation: ...

    @overload
    def __call__(self, times: Numbers, order: Literal[0, 1, 2] = 0, *, out: Any = None,
                 dtype: npt.DTypeLike | None = None) -> Floats: ...

    def __call__(self, times: Numbers, order: Any = 0, *, out: Any = None, dtype: Any = None) -> Any:
        """Computes interpolated values.

        Parameters
        ----------
        times : float or array_like
            Seconds, of at most 1 dimension.
        order : int
            0: rotations; 1: angular velocities in rad/s; 2: angular accelerations in rad/s^2, in the
            body frame.
        out, dtype
            As of ``RotationCurve``; the result is an array then.

        Returns
        -------
        Rotation or array
            For order 0 a Rotation where the keys were one; else an array of shape (times, ..., 4), of
            (times, ..., 3) for order 1 and 2.
        """
        if order not in (0, 1, 2):
            raise ValueError("`order` must be 0, 1 or 2.")
        seconds = _sample_times(times)
        is_plain = self._gives_rotation and order == 0 and out is None and dtype is None
        if is_plain:
            rotation = self._curve._rotation_within(seconds, self._first, self._last)
            if rotation is not None:
                return rotation
        values = self._curve(seconds, order, out=out, dtype=dtype)
        earliest, latest = _range(seconds) if seconds.size > 0 else (self._first, self._first)
        if not (self._first <= earliest and latest < self._last):
            self._fill_outside(np.atleast_1d(seconds), order,
                               values if seconds.ndim else values[np.newaxis])
        return rotation_of(normalized(values)) if is_plain else values

    def _fill_outside(self, seconds: Array, order: int, values: Array) -> None:
        """Replaces values outside the keys. At the last key, derivatives are those before it."""
        if not np.isfinite(seconds).all():
            raise ValueError("`times` must be finite.")
        if self._ends is None:
            self._ends = self._end_segments()
        late = seconds > self.times[-1] if order == 0 else seconds >= self.times[-1]
        for segment, chosen in zip(self._ends, (seconds < self.times[0], late)):
            if chosen.any():
                values[chosen] = segment.at(seconds[chosen], order)

    def _segments(self) -> tuple[Array, Array, Array, Array, Array]:
        """Of each segment: the unit quaternion at its first key, its length, its rotation vector, and
        the derivative of that at both keys. At the ends of the curve it is that of the chord.
        """
        keys = np.array(_keys_of(self.rotations), dtype=np.float64)
        keys /= np.linalg.norm(keys, axis=-1, keepdims=True)
        steps = np.diff(self.times).reshape(-1, *(1,) * (keys.ndim - 1))
        turns = rotation_vector(keys[:-1], keys[1:])
        rates = self._curve(self.times, 1, dtype=np.float64)
        first, last = rates[:-1].copy(), angular_rate_inverse(turns, rates[1:])
        first[0], last[-1] = turns[0] / steps[0], turns[-1] / steps[-1]
        return keys[:-1], steps, turns, first, last

    def _end_segments(self) -> tuple[EndSegment, EndSegment]:
        segments = self._segments()
        first, last = ([part[i] for part in segments] for i in (0, -1))
        return EndSegment(self.times[0], *first), EndSegment(self.times[-2], *last)

    @cached_property
    def interpolator(self) -> Any:
        """The cubics of all segments."""
        from scipy.interpolate import PPoly

        _, steps, turns, first, last = self._segments()
        cubics = cubic_of(steps, turns, first, last)
        return PPoly(np.stack([*cubics, np.zeros_like(turns)]), self.times)
