# SPDX-License-Identifier: MIT
"""The curves of the workload by their definitions, in double precision with exact.py's operations, and matrices.

Neighbouring keys of the workload have a positive dot product, so no curve changes a sign.
"""

import numpy as np

from .exact import (asin_ratio, conjugate, cosine, dot, interleaved, normalized, planes, product,
                    sinc)

METHODS = ("slerp", "nlerp", "squad")


def _chord(a, b):
    """sin^2 of half of the angle between a and b, for angles to 90 degrees."""
    difference = [y - x for x, y in zip(a, b)]
    y = dot(difference, difference) * 0.25
    if y.size and float(y.max()) > 0.5:
        raise ValueError("two quaternions of a curve are more than 90 degrees apart")
    return y


def slerp(a, b, u):
    """sin((1-u) th)/sin(th) a + sin(u th)/sin(th) b."""
    y = _chord(a, b)
    ratio = asin_ratio(y)
    squared = y * ratio * ratio * 4.0
    scale = ratio / np.sqrt(1.0 - y)
    rest = 1.0 - u
    weights = rest * scale * sinc(rest * rest * squared), u * scale * sinc(u * u * squared)
    return [weights[0] * x + weights[1] * z for x, z in zip(a, b)]


def nlerp(a, b, u):
    rest = 1.0 - u
    return normalized([rest * x + u * z for x, z in zip(a, b)])


def squad(a, b, inner_a, inner_b, u):
    """slerp(slerp(a, b, u), slerp(inner_a, inner_b, u), 2u(1-u))."""
    return slerp(slerp(a, b, u), slerp(inner_a, inner_b, u), 2.0 * u * (1.0 - u))


def logarithm(a, b):
    """The half-angle vector of conj(a) b."""
    y = _chord(a, b)
    scale = asin_ratio(y) / np.sqrt(1.0 - y)
    return [component * scale for component in product(conjugate(a), b)[:3]]


def exponential(v):
    squared = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]
    scale = sinc(squared)
    return [v[0] * scale, v[1] * scale, v[2] * scale, cosine(squared)]


def inner_controls(keys):
    """Shoemake's inner points q_i exp((L_{i-1} - L_i) / 4), at both ends the key; float32: squad's, for uniform keys
    whose velocity is the mean of both sides."""
    controls = keys.copy()
    if len(keys) > 2:
        before, here, after = (normalized(planes(keys[k:len(keys) - 2 + k])) for k in range(3))
        arriving, leaving = logarithm(before, here), logarithm(here, after)
        turn = exponential([(x - y) * 0.25 for x, y in zip(arriving, leaving)])
        controls[1:-1] = interleaved(normalized(product(here, turn)), np.float32)
    return controls


def evaluate(method, keys, controls, segments, tracks, u):
    """float64 (..., 4): the curve of each track in each segment at u; the three broadcast.

    keys and controls are (keys, tracks, 4) float32 and are normalised in double here.
    """
    u = np.asarray(u, dtype=np.float64)
    a, b = (normalized(planes(keys[segments + k, tracks])) for k in range(2))
    if method == "squad":
        inner = [normalized(planes(controls[segments + k, tracks])) for k in range(2)]
        value = squad(a, b, *inner, u)
    else:
        value = (slerp if method == "slerp" else nlerp)(a, b, u)
    return np.stack(value, axis=-1)


def locate(key_times, times):
    """The segment of each time, and u from 0 to 1 in it."""
    segments = np.searchsorted(key_times, times, side="right") - 1
    segments = np.clip(segments, 0, len(key_times) - 2)
    begin = key_times[segments]
    return segments, (times - begin) / (key_times[segments + 1] - begin)


def _matrices(q):
    """(..., 3, 3) of unit quaternions (..., 4)."""
    x, y, z, w = (q[..., k] for k in range(4))
    rows = ((1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
            (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
            (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def models(local, parents, rest):
    """(instances, joints, 12) of local rotations (instances, joints, 4): each joint's matrix, 3 by 4, is its
    parent's times (local rotation | rest). Parents come first."""
    turned = _matrices(local)
    found = np.empty((*local.shape[:-1], 3, 4))
    for joint, parent in enumerate(parents):
        place = rest[joint].astype(np.float64)[:, None]
        found[:, joint, :, :3], found[:, joint, :, 3:] = turned[:, joint], place
        if parent >= 0:
            found[:, joint] = found[:, parent, :, :3] @ found[:, joint]
            found[:, joint, :, 3] += found[:, parent, :, 3]
    return found.reshape(*local.shape[:-1], 12)
