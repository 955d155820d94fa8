# SPDX-License-Identifier: MIT
"""Numbers with the same bits on every machine: a generator, and the functions that curves need.

Only integers and the operations that IEEE 754 rounds exactly are used: + - * / and the square root of doubles, one NumPy
call each, so that nothing is contracted or reordered. Quaternions are four arrays x, y, z, w.
"""

from math import factorial

import numpy as np

# Fractional parts of the square roots of 2 and 3, which are odd.
_ROOT_2, _ROOT_3 = np.uint64(0x6A09E667F3BCC909), np.uint64(0xBB67AE8584CAA73B)
# In powers of x^2: sin(x)/x and cos(x) to pi/2, asin(x)/x to 0.2; the next terms are below 1e-18. Each coefficient is
# rounded once: Python divides integers exactly.
_SINC = [(-1)**k / factorial(2 * k + 1) for k in range(13)]
_COS = [(-1)**k / factorial(2 * k) for k in range(13)]
_ASIN = [factorial(2 * k) / (4**k * factorial(k)**2 * (2 * k + 1)) for k in range(13)]


def _polynomial(coefficients, x):
    value = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value *= x
        value += coefficient
    return value


def random_bits(stream, indices):
    """64 bits of each index in the numbered stream: a function of both, so any part can be computed."""
    bits = np.array(indices, dtype=np.uint64) * _ROOT_2
    bits += np.array([stream], dtype=np.uint64) * _ROOT_3
    for factor, shift in ((_ROOT_3, 29), (_ROOT_2, 32), (_ROOT_3, 31)):
        bits ^= bits >> np.uint64(32)
        bits *= factor
        bits ^= bits >> np.uint64(shift)
    return bits


def random_integers(stream, indices, end):
    """int64 from 0 to end - 1."""
    return (random_bits(stream, indices) % np.uint64(end)).astype(np.int64)


def sinc(squared):
    """sin(x)/x of x^2, x at most pi/2."""
    return _polynomial(_SINC, squared)


def cosine(squared):
    """cos(x) of x^2, x at most pi/2."""
    return _polynomial(_COS, squared)


def asin_ratio(y):
    """asin(x)/x of y = x^2, at most 1/2. Halves the angle twice: sin(a/2) = sin a / (2 cos(a/2))."""
    ratio = np.ones_like(y)
    for _ in range(2):
        halves = (np.sqrt(1.0 - y) + 1.0) * 2.0
        y = y / halves
        ratio *= 2.0 / np.sqrt(halves)
    return ratio * _polynomial(_ASIN, y)


def dot(a, b):
    return ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]


def normalized(q):
    length = np.sqrt(dot(q, q))
    return [component / length for component in q]


def conjugate(q):
    return [-q[0], -q[1], -q[2], q[3]]


def product(a, b):
    """The Hamilton product."""
    return [((a[3] * b[0] + a[0] * b[3]) + a[1] * b[2]) - a[2] * b[1],
            ((a[3] * b[1] + a[1] * b[3]) + a[2] * b[0]) - a[0] * b[2],
            ((a[3] * b[2] + a[2] * b[3]) + a[0] * b[1]) - a[1] * b[0],
            ((a[3] * b[3] - a[0] * b[0]) - a[1] * b[1]) - a[2] * b[2]]


def planes(quaternions):
    """Four arrays of doubles of an array (..., 4)."""
    return [quaternions[..., k].astype(np.float64) for k in range(4)]


def interleaved(q, dtype):
    return np.stack(q, axis=-1).astype(dtype)
