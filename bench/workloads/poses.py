# SPDX-License-Identifier: MIT
"""The matrices of a crowd in model space, with operations that IEEE 754 rounds exactly, in their order.

A matrix is 3 by 4, row after row: the rotation, and the joint's place in metres.
"""

import numpy as np

NUMBERS = 12


def matrices(q):
    """(..., 3, 3) of unit quaternions (..., 4)."""
    x, y, z, w = (q[..., k] for k in range(4))
    rows = ((1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
            (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
            (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _times(a, b):
    """a b of (..., 3, 3) and (..., 3, n)."""
    part = [a[..., :, k:k + 1] * b[..., k:k + 1, :] for k in range(3)]
    return (part[0] + part[1]) + part[2]


def models(local, parents, rest):
    """(instances, joints, 12) of local rotations (instances, joints, 4): each joint's matrix is its
    parent's times (local rotation | rest). Parents come first."""
    turned = matrices(local)
    found = np.empty((*local.shape[:-1], 3, 4))
    for joint, parent in enumerate(parents):
        place = rest[joint].astype(np.float64)[:, None]
        if parent < 0:
            found[:, joint, :, :3], found[:, joint, :, 3:] = turned[:, joint], place
        else:
            above = found[:, parent, :, :3]
            found[:, joint, :, :3] = _times(above, turned[:, joint])
            found[:, joint, :, 3:] = _times(above, place[None]) + found[:, parent, :, 3:]
    return found.reshape(*local.shape[:-1], NUMBERS)
