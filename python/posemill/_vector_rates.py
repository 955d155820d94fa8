# SPDX-License-Identifier: MIT
"""Derivatives of positions and scales.

Between two keys these curves are polynomials. Samples at as many places as a polynomial has
coefficients give it, and its derivatives have the accuracy of the samples, which are float32.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._names import Doubles

__all__ = ["derivatives"]

# Degree of the polynomials, by the vector method; 3 of the others.
_DEGREES = {"step": 0, "linear": 1, "parabolas-c2": 5, "parabolas-c3": 7}


def _places(count: int) -> Doubles:
    """Within (-1, 1), where interpolation is well conditioned."""
    return -np.cos(np.pi * (np.arange(count) + 0.5) / count)


def _weights(degree: int, at: Doubles, order: int) -> Doubles:
    """(times, places): what a value at each place adds to the derivative at each time."""
    chebyshev = np.polynomial.chebyshev
    inverse = np.linalg.inv(chebyshev.chebvander(_places(degree + 1), degree))
    derived = chebyshev.chebder(inverse, order)
    return np.asarray(chebyshev.chebvander(at, len(derived) - 1) @ derived, np.float64)


def derivatives(sample: Callable[[Doubles], Doubles], keys: Doubles, period: float | None,
                method: str, seconds: Doubles, order: int) -> Doubles:
    """Of the values at any times: those of the segment that a time is in, at a key of the one that
    begins there. Outside the keys of an open curve they are 0.

    Parameters
    ----------
    sample : callable
        The values at times of any shape, of shape (*times, ...).
    keys : array
        Key times.
    period : float or None
        Of a loop.
    """
    degree = _DEGREES.get(method, 3)
    knots = keys if period is None or keys[-1] >= keys[0] + period else np.append(
        keys, keys[0] + period)
    if period is not None:
        seconds = keys[0] + np.mod(seconds - keys[0], period)
    inside = (seconds >= knots[0]) & (seconds < knots[-1])
    shape = sample(keys[:1]).shape[1:]
    found = np.zeros((len(seconds), *shape))
    if degree < order or not inside.any():
        return found
    at = seconds[inside]
    segments = np.searchsorted(knots, at, side="right") - 1
    used, index = np.unique(segments, return_inverse=True)
    lengths = np.diff(knots)
    values = sample(knots[used][:, np.newaxis]
                    + lengths[used][:, np.newaxis] * (_places(degree + 1) + 1) / 2)
    local = 2 * (at - knots[segments]) / lengths[segments] - 1
    scale = (2 / lengths[segments]) ** order
    found[inside] = np.einsum("tp,tp...->t...", scale[:, np.newaxis] * _weights(
        degree, local, order), values[index])
    return found
