# SPDX-License-Identifier: MIT
"""The cubics of a spline's first and last segment beyond its keys, in double.

A segment is q exp(rho), with a cubic rotation vector rho. The library holds the last key there, SciPy
continues the cubic.
"""
from __future__ import annotations

import numpy as np

from ._arrays import Array

__all__ = ["EndSegment", "angular_rate_inverse", "cubic_of", "product", "rotation_vector"]

_SMALL = 0.05  # radians: below it power series are more accurate than the formulas


def product(a: Array, b: Array) -> Array:
    """The product of quaternions x y z w."""
    v, w = a[..., :3], a[..., 3:]
    u, s = b[..., :3], b[..., 3:]
    vector: Array = w * u + s * v + np.cross(v, u)
    return np.concatenate([vector, w * s - (v * u).sum(axis=-1, keepdims=True)], axis=-1)


def _exponential(rho: Array) -> Array:
    """The quaternion of a rotation vector."""
    half = 0.5 * np.linalg.norm(rho, axis=-1, keepdims=True)
    return np.concatenate([0.5 * np.sinc(half / np.pi) * rho, np.cos(half)], axis=-1)


def rotation_vector(a: Array, b: Array) -> Array:
    """The shortest rotation vector from one unit quaternion to another, in the frame of the first."""
    q = product(a * [-1.0, -1.0, -1.0, 1.0], b)
    q = np.where(q[..., 3:] < 0, -q, q)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., 3:])
    vector: Array = np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 2.0) * q[..., :3]
    return vector


def angular_rate_inverse(rho: Array, rate: Array) -> Array:
    """The derivative of a rotation vector whose angular velocity in the body frame is ``rate``."""
    x = np.linalg.norm(rho, axis=-1, keepdims=True)
    y = np.where(x < _SMALL, 1.0, x)
    k = np.where(x < _SMALL, 1 / 12 + x**2 / 720, (1 - 0.5 * y / np.tan(0.5 * y)) / y**2)
    turned = np.cross(rho, rate)
    velocity: Array = rate + 0.5 * turned + k * np.cross(rho, turned)
    return velocity


def _by_series(x: Array, series: tuple[float, float, float], exact: Array) -> Array:
    a, b, c = series
    return np.where(x < _SMALL, a + x**2 * (b + x**2 * c), exact)


def cubic_of(length: Array, turn: Array, first: Array, last: Array) -> tuple[Array, Array, Array]:
    """The coefficients of the third, second and first power of the seconds since the first key, of a
    cubic from 0 to `turn` with the derivatives `first` and `last`.
    """
    return ((length * (first + last) - 2 * turn) / length**3,
            (3 * turn - length * (2 * first + last)) / length**2, first)


class EndSegment:
    """A segment between two keys, of any number of tracks.

    Parameters
    ----------
    time : float
        Of its first key.
    key : array
        Unit quaternions at the first key, of shape (..., 4).
    length : array
        Seconds to the next key, of a shape that broadcasts.
    turn, first, last : array
        The rotation vector between the keys, and its derivative at both, of shape (..., 3).
    """

    def __init__(self, time: float, key: Array, length: Array, turn: Array, first: Array,
                 last: Array) -> None:
        self._time, self._key = time, key
        self._cubic = cubic_of(length, turn, first, last)

    def at(self, times: Array, order: int) -> Array:
        """Rotations, angular velocities or accelerations in the body frame."""
        a, b, c = self._cubic
        t = (times - self._time).reshape((-1,) + (1,) * a.ndim)
        rho = t * (c + t * (b + t * a))
        if order == 0:
            return product(self._key, _exponential(rho))
        velocity = c + t * (2 * b + 3 * t * a)
        return _derivative(rho, velocity, None if order == 1 else 2 * b + 6 * t * a)


def _derivative(rho: Array, velocity: Array, acceleration: Array | None) -> Array:
    """The angular velocity of exp(rho), or the angular acceleration where that of rho is given."""
    x = np.linalg.norm(rho, axis=-1, keepdims=True)
    y = np.where(x < _SMALL, 1.0, x)
    b = _by_series(x, (1 / 2, -1 / 24, 1 / 720), (1 - np.cos(y)) / y**2)
    c = _by_series(x, (1 / 6, -1 / 120, 1 / 5040), (y - np.sin(y)) / y**3)
    once = np.cross(rho, velocity)
    result: Array = velocity - b * once + c * np.cross(rho, once)
    if acceleration is None:
        return result
    along = (rho * velocity).sum(axis=-1, keepdims=True)
    b_dot = along * _by_series(x, (-1 / 12, 1 / 180, -1 / 6720),
                               (y * np.sin(y) - 2 * (1 - np.cos(y))) / y**4)
    c_dot = along * _by_series(x, (-1 / 60, 1 / 1260, -1 / 60480),
                               (3 * np.sin(y) - y * np.cos(y) - 2 * y) / y**5)
    twice = np.cross(rho, acceleration)
    result = (acceleration - b * twice - b_dot * once + c_dot * np.cross(rho, once)
              + c * (np.cross(velocity, once) + np.cross(rho, twice)))
    return result
