# SPDX-License-Identifier: MIT
"""Rotations in double precision by NumPy: quaternions x y z w in the last axis of arrays."""
import numpy as np


def quaternions(vectors):
    """Of rotation vectors."""
    v = np.asarray(vectors, float)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.sinc(angle / (2 * np.pi)) / 2 * v, np.cos(angle / 2)], -1)


def same_side(a, b):
    """b with the sign for which it is nearer to a."""
    return np.where(np.sum(a * b, -1, keepdims=True) < 0, -b, b)


def slerp(a, b, u):
    """Between unit quaternions, the shorter way; u is in (0, 1)."""
    b = same_side(a, b)
    angle = 2 * np.arctan2(np.linalg.norm(b - a, axis=-1), np.linalg.norm(b + a, axis=-1))[..., None]
    s = np.where(angle < 1e-9, 1, np.sin(angle))
    return np.where(angle < 1e-9, a + u * (b - a), (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / s)


def angles(a, b):
    """The angles between rotations in radians, whatever the lengths of their quaternions."""
    a, b = (q / np.linalg.norm(q, axis=-1, keepdims=True) for q in (a, b))
    b = same_side(a, b)
    return 4 * np.arctan2(np.linalg.norm(b - a, axis=-1), np.linalg.norm(b + a, axis=-1))


def matrices(q):
    x, y, z, w = np.moveaxis(q, -1, 0)
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
                     2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                     2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1).reshape(*q.shape[:-1], 3, 3)
