# SPDX-License-Identifier: MIT
"""Quaternions x y z w of skeletons that are read, in double precision."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._views import Array

__all__ = ["product", "rotated"]


def product(a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    """The Hamilton product ab, by components: numbers, or arrays of one shape."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def rotated(q: Array, v: Array) -> Array:
    """Vectors (..., 3), rotated by unit quaternions (..., 4)."""
    u, w = q[..., :3], q[..., 3:]
    return np.asarray(v + 2 * np.cross(u, np.cross(u, v) + w * v))
