# SPDX-License-Identifier: MIT
"""Arrays of frames at another rate."""
from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from ._arrays import AnyRotation, Array, Numbers, address, as_floats, result_type
from ._curve import OneCurve
from ._description import METHODS, word
from ._filter import cutoff_of, filtered
from ._library import ffi, lib
from ._names import EndRule, Floats, Method
from ._option_types import CurveOptions
from ._rates import Rate, Span, count_samples, rate_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["resample", "resample_rotvec"]

_NOT_FINITE = "poses: a number is not finite"


@overload
def resample(q: AnyRotation, source_rate: Rate, rate: Rate, method: Method = "slerp", *,
             end_rule: EndRule = "fit", lowpass: None = None, out: None = None, dtype: None = None,
             **options: Unpack[CurveOptions]) -> AnyRotation: ...


@overload
def resample(q: Numbers, source_rate: Rate, rate: Rate, method: Method = "slerp", *,
             end_rule: EndRule = "fit", lowpass: float | Literal["auto"] | None = None,
             out: Any = None, dtype: npt.DTypeLike | None = None,
             **options: Unpack[CurveOptions]) -> Floats: ...


def resample(q: Any, source_rate: Rate, rate: Rate, method: Method = "slerp", *,
             end_rule: EndRule = "fit", lowpass: float | Literal["auto"] | None = None,
             out: Any = None, dtype: Any = None, **options: Any) -> Any:
    """Resample rotations to another rate, from the first frame to the last.

    They are computed on the host, in one pass over the frames, unless ``engine`` is given.

    Parameters
    ----------
    q : array_like or Rotation
        Quaternions x y z w of shape (frames, ..., 4).
    source_rate, rate : str, int, float or Fraction
        Of the frames, and of the result. Exact rates in Hz: ``120``, ``29.97`` or ``"30000/1001"``.
    method : str
        As of ``RotationCurve``.
    end_rule, out, dtype
        As of ``RotationCurve.uniform``.
    lowpass : float or "auto", optional
        Cut-off in Hz of a low-pass in place of a curve, as of ``filter_rotations``; ``"auto"``: 0.45 of
        the smaller rate, so that a lower rate does not alias. Frames are arrays then, and ``engine`` is
        the only option.
    **options
        All others of ``RotationCurve``.

    Returns
    -------
    array or Rotation
        Of shape (frames, ..., 4).

    Examples
    --------
    >>> import numpy as np
    >>> import posemill as pm
    >>> pm.resample(np.tile([0.0, 0.0, 0.0, 1.0], (121, 22, 1)), 120, "30000/1001").shape
    (30, 22, 4)
    """
    if lowpass is not None:
        source, target = rate_of(source_rate, "source_rate"), rate_of(rate, "rate")
        engine = options.pop("engine", None)
        for name in [*options, *(["method"] if method != "slerp" else [])]:
            raise TypeError(f"{name}: has no effect with lowpass, which is no curve")
        return filtered(q, source, target, cutoff_of(lowpass, "lowpass", source, target), end_rule,
                        out, dtype, engine)
    curve = OneCurve(None, q, method, rate=rate_of(source_rate, "source_rate"), **options)
    return curve.uniform(rate_of(rate, "rate"), end_rule=end_rule, out=out, dtype=dtype)


def _places(count: int, step: Fraction) -> tuple[Array, Array]:
    """Of each sample the source frame at or before it, and the part of the way to the next, as float32.

    Sample k is at k * step.
    """
    exact = np.int64 if count * step.numerator < 2**63 else object
    frames, rest = np.divmod(np.arange(count).astype(exact) * step.numerator, step.denominator)
    return (frames.astype(np.int64),
            (rest.astype(np.float64) / float(step.denominator)).astype(np.float32))


def resample_rotvec(poses: Numbers, source_rate: Rate, rate: Rate, method: Method = "slerp", *,
                    dtype: npt.DTypeLike | None = None, **options: Unpack[CurveOptions]) -> Floats:
    """Resample rotation vectors (axis-angle), such as the poses of AMASS, to another rate.

    Vectors stay on the branch of the frame before them: they do not jump by a whole turn where the
    source does not. Samples that fall on a frame of the source are exact copies of it, unless the
    method is one that does not pass through its keys, as bspline.

    Parameters
    ----------
    poses : array_like
        Of shape (frames, 3 * joints) or (frames, ..., 3), float32 or float64.
    source_rate, rate : str, int, float or Fraction
        As of ``resample``.
    method : str
        As of ``RotationCurve``.
    dtype : numpy.float32 or numpy.float64, optional
        Of the result; None: of ``poses``.
    **options
        All others of ``RotationCurve`` but those of loops.

    Returns
    -------
    array
        Of the shape of ``poses``, with another number of frames.

    Examples
    --------
    >>> import numpy as np
    >>> import posemill as pm
    >>> poses = np.linspace(0.0, 4.0, 121)[:, None] * np.array([[1.0, 0.0, 0.0, 0.0, 0.5, 0.0]])
    >>> thirty = pm.resample_rotvec(poses, 120, 30)
    >>> bool((thirty == poses[::4]).all())
    True
    """
    source = as_floats(poses, "poses")
    if source.ndim < 2 or source.shape[-1] % 3 or (source.ndim > 2 and source.shape[-1] != 3):
        raise ValueError(f"poses: expected shape (frames, 3 * joints) or (frames, ..., 3), found "
                         f"{source.shape}")
    if source.size == 0:
        raise ValueError(f"poses: has no rotation, its shape is {source.shape}")
    if "loop" in options:
        raise TypeError("loop: is not an option of resample_rotvec")
    src, dst = rate_of(source_rate, "source_rate"), rate_of(rate, "rate")
    span = Span(Fraction(len(source) - 1) / src)
    count, _ = count_samples(span, dst, Fraction(0), None, "fit")
    frames, fractions = _places(count, src / dst)
    is_double = result_type(source.dtype if dtype is None else dtype, None)
    kind = np.float64 if is_double else np.float32
    number = word(method, METHODS, "method")
    copies = _keeps_frames(number) and not fractions.any()
    vectors = np.asarray(source, order="C").reshape(len(source), -1, 3)
    samples = None
    if options or not (copies or lib.native_samples_rotvecs(number)):
        samples = _sampled(vectors, src, dst, method, {**options})
    result = np.empty((count, *source.shape[1:]), dtype=kind)
    _convert(vectors, frames, fractions, number, samples, result)
    return result


def _keeps_frames(method: int) -> bool:
    """Whether samples on frames are the frames."""
    return bool(lib.pm_method_get_info(method).interpolating)


def _sampled(vectors: Array, src: Fraction, dst: Fraction, method: Method,
             options: dict[str, Any]) -> Array:
    """Quaternions at another rate."""
    exact = np.asarray(vectors, dtype=np.float64)
    keys = np.empty((*vectors.shape[:-1], 4))
    lib.array_from_rotvec(ffi.cast("double *", address(exact)),
                          ffi.cast("double *", address(keys)), vectors.size // 3)
    try:
        return np.asarray(OneCurve(None, keys, method, rate=src, **options).uniform(dst))
    except ValueError:  # curves refuse what is not finite
        if not np.isfinite(vectors).all():
            raise ValueError(_NOT_FINITE) from None
        raise


def _convert(vectors: Array, frames: Array, fractions: Array, method: int,
             samples: Array | None, result: Array) -> None:
    """Fills the result with copies of frames, and with vectors on the branches of their frames."""
    is_finite = ffi.new("bool *")
    status = lib.native_resample_rotvecs(ffi.new("native_rotvecs *", {
        "source": address(vectors), "source_size": vectors.itemsize,
        "frame_count": len(vectors), "columns": vectors.shape[1],
        "frames": ffi.cast("int64_t *", address(frames)),
        "fractions": ffi.cast("float *", address(fractions)), "rows": len(frames),
        "keeps_frames": _keeps_frames(method),
        "samples": ffi.NULL if samples is None else ffi.cast("float *", address(samples)),
        "method": method, "vectors": address(result), "result_size": result.itemsize,
    }), is_finite)
    if status != lib.PM_OK:
        raise MemoryError("out of memory")
    if not is_finite[0]:
        raise ValueError(_NOT_FINITE)
