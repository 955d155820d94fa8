# SPDX-License-Identifier: MIT
"""Euler angles, matrices and rotation vectors from and to quaternions, for arrays of any shape."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import (Array, address, as_array, as_floats, result_type, with_scalar_first,
                      with_scalar_last)
from ._library import ffi, lib
from ._names import EULER_ORDERS, Floats

__all__ = ["as_euler", "as_matrix", "as_rotvec", "from_euler", "from_matrix", "from_rotvec"]


def _doubles(value: Any, name: str, tail: tuple[int, ...]) -> Floats:
    """A tightly packed copy or view in float64, whose last axes are ``tail``."""
    array = as_array(value, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected real numbers, found {array.dtype}")
    if array.ndim < len(tail) or array.shape[array.ndim - len(tail):] != tail:
        expected = ", ".join(["...", *(str(n) for n in tail)])
        raise ValueError(f"{name}: expected shape ({expected}), found {array.shape}")
    return np.asarray(array, dtype=np.float64, order="C")


def _finite(array: Array, name: str) -> Array:
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: a number is not finite")
    return array


def _quaternions(value: Any, scalar_first: bool) -> Array:
    array = as_floats(value, "quaternions")
    array = _finite(_doubles(array, "quaternions", (4,)), "quaternions")
    if not array.any(axis=-1).all():
        raise ValueError("quaternions: one is zero")
    return with_scalar_last(array) if scalar_first else array


def _doubles_at(array: Array) -> Any:
    return ffi.cast("double *", address(array))


def _result(array: Array, dtype: Any) -> Array:
    return array if result_type(dtype, None) else array.astype(np.float32)


def _result_quaternions(array: Array, scalar_first: bool, dtype: Any) -> Array:
    return _result(with_scalar_first(array) if scalar_first else array, dtype)


def _order(seq: str) -> tuple[str, bool]:
    """The axes in the order of intrinsic rotations, and whether ``seq`` is extrinsic."""
    if not isinstance(seq, str):
        raise TypeError(f"seq: expected a text, found {type(seq).__name__}")
    axes = seq.upper()
    known = 1 <= len(seq) <= 3 and set(axes) <= set("XYZ") and seq in (axes, seq.lower())
    if not known or any(a == b for a, b in zip(axes, axes[1:])):
        raise ValueError(f"seq: expected up to 3 axes such as 'ZYX' (intrinsic) or 'xyz' "
                         f"(extrinsic), no two equal side by side, found {seq!r}")
    is_extrinsic = seq != axes
    return (axes[::-1] if is_extrinsic else axes), is_extrinsic


def from_euler(seq: str, angles: Any, degrees: bool = False, *, scalar_first: bool = False,
               dtype: Any = None) -> Floats:
    """Convert Euler angles to quaternions.

    Parameters
    ----------
    seq : str
        1 to 3 axes, as in SciPy: upper case for intrinsic, lower case for extrinsic rotations.
    angles : array_like
        Of shape (..., axes), in the order of ``seq``; for one axis (...).
    degrees : bool
        Whether angles are degrees, not radians.
    scalar_first : bool
        Whether results are w x y z.
    dtype : numpy.float32 or numpy.float64, optional
        Of the result; computed in float64.

    Returns
    -------
    array
        Of shape (..., 4).

    Examples
    --------
    >>> import posemill as pm
    >>> pm.from_euler("ZYX", [90.0, 0.0, 0.0], degrees=True).round(4)
    array([0.    , 0.    , 0.7071, 0.7071], dtype=float32)
    """
    axes, is_extrinsic = _order(seq)
    given = _doubles(angles, "angles", () if len(seq) == 1 else (len(seq),))
    given = _finite(given[..., np.newaxis] if len(seq) == 1 else given, "angles")
    padded = np.zeros((*given.shape[:-1], 3))
    padded[..., :len(seq)] = given[..., ::-1] if is_extrinsic else given
    if degrees:
        padded = np.deg2rad(padded)
    for axis in "XYZ" * 2:  # axes of no angle, after the given ones
        if len(axes) < 3 and axis not in axes:
            axes += axis
    quaternions = np.empty((*padded.shape[:-1], 4))
    lib.array_from_euler(EULER_ORDERS[axes], _doubles_at(padded), _doubles_at(quaternions),
                         padded.size // 3)
    return _result_quaternions(quaternions, scalar_first, dtype)


def as_euler(quaternions: Any, seq: str, degrees: bool = False, *, scalar_first: bool = False,
             dtype: Any = None) -> Floats:
    """Convert quaternions to Euler angles.

    The first and the third angle are within half a turn of 0, the second within a quarter turn, and
    for sequences such as ``"ZXZ"`` from 0 to half a turn, as in SciPy. At gimbal lock one outer angle
    is 0.

    Parameters
    ----------
    quaternions : array_like
        x y z w of any length but 0, of shape (..., 4).
    seq : str
        3 axes, as of ``from_euler``.
    degrees : bool
        Whether results are degrees, not radians.
    scalar_first : bool
        Whether quaternions are w x y z.
    dtype : numpy.float32 or numpy.float64, optional
        Of the result; computed in float64.

    Returns
    -------
    array
        Of shape (..., 3), in the order of ``seq``.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.as_euler([0.0, 0.0, 1.0, 1.0], "ZYX", degrees=True)
    array([90.,  0.,  0.], dtype=float32)
    """
    axes, is_extrinsic = _order(seq)
    if len(axes) != 3:
        raise ValueError(f"seq: expected 3 axes, found {seq!r}")
    rows = _quaternions(quaternions, scalar_first)
    angles = np.empty((*rows.shape[:-1], 3))
    lib.array_to_euler(EULER_ORDERS[axes], _doubles_at(rows), _doubles_at(angles), rows.size // 4)
    angles = angles[..., ::-1] if is_extrinsic else angles
    return _result(np.rad2deg(angles) if degrees else angles, dtype)


def from_matrix(matrices: Any, *, scalar_first: bool = False, dtype: Any = None) -> Floats:
    """Convert matrices to the quaternions of the nearest rotations.

    Parameters
    ----------
    matrices : array_like
        Of shape (..., 3, 3), for column vectors, with a determinant above 0.
    scalar_first, dtype
        As of ``from_euler``.

    Returns
    -------
    array
        Of shape (..., 4), with w of 0 or more.

    Examples
    --------
    >>> import numpy as np
    >>> import posemill as pm
    >>> pm.from_matrix(np.eye(3))
    array([0., 0., 0., 1.], dtype=float32)
    """
    rows = _doubles(matrices, "matrices", (3, 3))
    quaternions = np.empty((*rows.shape[:-2], 4))
    refused = lib.array_from_matrix(_doubles_at(rows), _doubles_at(quaternions), rows.size // 9)
    if refused < rows.size // 9:
        index = tuple(int(i) for i in np.unravel_index(refused, rows.shape[:-2])) if \
            rows.ndim > 2 else ()
        raise ValueError(f"matrices: the one at {index} is not finite, or its determinant is not "
                         f"above 0")
    return _result_quaternions(quaternions, scalar_first, dtype)


def as_matrix(quaternions: Any, *, scalar_first: bool = False, dtype: Any = None) -> Floats:
    """Convert quaternions to matrices.

    Parameters
    ----------
    quaternions, scalar_first, dtype
        As of ``as_euler``.

    Returns
    -------
    array
        Of shape (..., 3, 3), for column vectors.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.as_matrix([0.0, 0.0, 1.0, 0.0])
    array([[-1.,  0.,  0.],
           [ 0., -1.,  0.],
           [ 0.,  0.,  1.]], dtype=float32)
    """
    rows = _quaternions(quaternions, scalar_first)
    matrices = np.empty((*rows.shape[:-1], 3, 3))
    lib.array_to_matrix(_doubles_at(rows), _doubles_at(matrices), rows.size // 4)
    return _result(matrices, dtype)


def from_rotvec(vectors: Any, *, scalar_first: bool = False, dtype: Any = None) -> Floats:
    """Quaternions of rotation vectors (axis-angle).

    Parameters
    ----------
    vectors : array_like
        Radians along axes, of shape (..., 3) and any length.
    scalar_first, dtype
        As of ``from_euler``.

    Returns
    -------
    array
        Of shape (..., 4).

    Examples
    --------
    >>> import posemill as pm
    >>> pm.from_rotvec([0.0, 0.0, 0.0])
    array([0., 0., 0., 1.], dtype=float32)
    """
    rows = _finite(_doubles(vectors, "vectors", (3,)), "vectors")
    quaternions = np.empty((*rows.shape[:-1], 4))
    lib.array_from_rotvec(_doubles_at(rows), _doubles_at(quaternions), rows.size // 3)
    return _result_quaternions(quaternions, scalar_first, dtype)


def as_rotvec(quaternions: Any, *, scalar_first: bool = False, dtype: Any = None) -> Floats:
    """Rotation vectors (axis-angle) of quaternions.

    Parameters
    ----------
    quaternions, scalar_first, dtype
        As of ``as_euler``.

    Returns
    -------
    array
        Radians along axes, of shape (..., 3), at most pi long.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.as_rotvec([0.0, 0.0, 1.0, 1.0]).round(4)
    array([0.    , 0.    , 1.5708], dtype=float32)
    """
    rows = _quaternions(quaternions, scalar_first)
    vectors = np.empty((*rows.shape[:-1], 3))
    lib.array_to_rotvec(_doubles_at(rows), _doubles_at(vectors), rows.size // 4)
    return _result(vectors, dtype)
