# SPDX-License-Identifier: MIT
"""Low-passes of arrays of rotations."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

from ._arrays import address, as_floats, fill_rows, new_result, normalized, output, result_type
from ._engine import Engine, checked_engine, plain_engine
from ._library import call, ffi, lib
from ._names import Floats
from ._rates import Rate, Span, count_samples, rate_of
from ._rational import rational

__all__ = ["cutoff_of", "filter_rotations", "filtered"]


def cutoff_of(value: Any, name: str, source: Fraction, target: Fraction) -> float:
    """A cut-off in Hz; ``"auto"`` is 0.45 of the smaller rate."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name}: {value!r} is no cut-off; expected 'auto' or a number of Hz")
        return 0.45 * float(min(source, target))
    return float(value)


def filtered(q: Any, source: Fraction, target: Fraction, cutoff: float, end_rule: str, out: Any,
             dtype: Any, engine: Engine | None) -> Floats:
    """Frames of (frames, ..., 4) at another rate, through a low-pass."""
    keys = as_floats(q, "q")
    if keys.ndim < 2 or keys.shape[-1] != 4 or keys.size == 0:
        raise ValueError(f"q: expected shape (frames, ..., 4), found {keys.shape}")
    is_double = result_type(dtype, out)
    span = Span(Fraction(len(keys) - 1) / source)
    count, extra = count_samples(span, target, Fraction(0), None, end_rule)
    shape = (count + (extra is not None), *keys.shape[1:])
    result = new_result(shape) if out is None else output(out, shape, keys)
    timeline = ffi.new("pm_timeline *", {"key_count": len(keys), "rate": rational(source)})
    desc = ffi.new("pm_clip_desc *", {"track_count": keys[0].size // 4, "timelines": timeline})
    packed = fill_rows(desc.rotations, keys)
    used = checked_engine(engine) or plain_engine()
    handle = ffi.new("pm_filter **")
    call(lib.pm_filter_create, used.handle, desc, cutoff, handle)
    try:
        job = ffi.new("pm_sample_job *", {
            "sample_count": count, "rate": rational(target),
            "rotations": ffi.cast("float *", address(result))})
        call(lib.pm_filter_sample, handle[0], job)
        if extra is not None:
            job.sample_count, job.start_after_first_key = 1, rational(extra)
            job.rotations = ffi.cast("float *", address(result[count:]))
            call(lib.pm_filter_sample, handle[0], job)
    finally:
        lib.pm_filter_destroy(handle)
    del packed
    return normalized(result) if is_double else result


def filter_rotations(q: Any, rate: Rate, cutoff: float, *, out: Any = None, dtype: Any = None,
                     engine: Engine | None = None) -> Floats:
    """Remove what is faster than a cut-off from rotations, without a delay.

    A low-pass of rotations, which does not depend on their signs or on axes: up to 0.8 of the cut-off
    amplitudes change by at most 0.1 %, from 1.2 of it on at least 60 dB are removed. Constant velocity
    and both end values remain.

    Parameters
    ----------
    q : array_like
        Quaternions x y z w of shape (frames, ..., 4), at uniform times.
    rate : str, int, float or Fraction
        Frames per second.
    cutoff : float
        In Hz, at most half of ``rate``.
    out : array, optional
        Of the shape of ``q``, float32: where results are written.
    dtype : numpy.float32 or numpy.float64, optional
        Of the result; None: float32.
    engine : Engine, optional
        Default: plain C.

    Returns
    -------
    array
        Of the shape of ``q``.

    Examples
    --------
    >>> import numpy as np
    >>> import posemill as pm
    >>> pm.filter_rotations(np.tile([0.0, 0.0, 0.0, 1.0], (121, 22, 1)), 120, 6).shape
    (121, 22, 4)
    """
    exact = rate_of(rate, "rate")
    return filtered(q, exact, exact, cutoff_of(cutoff, "cutoff", exact, exact), "fit", out, dtype,
                    engine)
