# SPDX-License-Identifier: MIT
"""Fewer keys under a bound that holds at all times."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._arrays import address
from ._convert import _quaternions
from ._display import Row, table
from ._description import METHODS, word
from ._library import call, ffi, lib
from ._motion import Motion
from ._names import KeyCurve
from ._rates import number_of
from ._resampling import count_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import ReduceOptions

__all__ = ["Reduction", "reduce", "reduce_keys"]


class Reduction:
    """A motion with fewer keys, and how far it is from its source.

    Made by :func:`reduce`.

    Attributes
    ----------
    motion : Motion
        In memory. Saved as glTF, with a source from a glTF file, it has that file's meshes and all
        else. NPZ holds common keys, with their times. BVH and CSV have a row for each frame and refuse it.
    numbers : dict
        All that ``posemill reduce --json`` prints.
    bound : dict
        For ``"angle"`` (degrees), ``"distance"`` and ``"position"`` (lengths) and ``"scale"`` (a
        part) the value that no time exceeds; None where nothing of the kind was bounded.

    Examples
    --------
    >>> import posemill as pm
    >>> reduced = pm.reduce(pm.load("walk.bvh"), angle=0.5)
    >>> reduced.bound["angle"] <= 0.5
    True
    """

    def __init__(self, motion: Motion, numbers: dict[str, Any]) -> None:
        self.motion = motion
        self.numbers = numbers
        names = {"angle": "angle_degrees", "distance": "distance", "position": "position",
                 "scale": "scale"}
        self.bound = {name: numbers[key] and float(numbers[key]["bound"])
                      for name, key in names.items()}

    def _keys(self) -> str:
        return f"{self.numbers['keys_before']} -> {self.numbers['keys_after']} keys"

    def __repr__(self) -> str:
        held = [f"{name} {value:.4g}" for name, value in self.bound.items() if value]
        return f"Reduction({', '.join([self._keys(), *held])})"

    def _repr_html_(self) -> str:
        return table("Reduction", [Row("keys", self._keys()), *(
            Row(name, f"at most {value:.4g}") for name, value in self.bound.items() if value)])


def reduce(motion: Motion, **options: Unpack[ReduceOptions]) -> Reduction:
    """Drop keys while the curve stays within a bound, which holds at every time.

    Experimental: it may change in any version.

    Parameters
    ----------
    motion : Motion
    **options
        Those of `posemill reduce`: ``preset``, ``angle``, ``distance``, ``at``, ``position``, ``scale_error``, ``curve``,
        ``smooth``, ``common``, ``loop``, ``additive``, ``quantize``, ``compress`` and ``clip``. The curves ``"squad"``,
        ``"hermite"`` and ``"spline"`` go through some of the keys and are to be played with the same method, as by
        ``motion.at(times, method="squad")``, as no format names it. A joint that jumps keeps slerp: ``note`` of its
        channel says so.

    Returns
    -------
    Reduction

    Examples
    --------
    >>> import posemill as pm
    >>> found = pm.reduce(pm.load("walk.bvh"), angle=0.5)
    >>> found.bound["angle"] <= 0.5
    True
    >>> found.motion.save("small.glb")
    """
    if not isinstance(motion, Motion):
        raise TypeError(f"motion: expected a Motion, found {type(motion).__name__}")
    reduced = motion.reduce(**options)
    numbers = reduced._content.reduction
    assert numbers is not None
    return Reduction(reduced, numbers)


def reduce_keys(times: npt.ArrayLike, quaternions: npt.ArrayLike, angle: float = 0.5, *,
                curve: KeyCurve = "slerp", scalar_first: bool = False,
                threads: int = 0) -> npt.NDArray[np.bool_]:
    """Return which keys a curve needs to stay within an angle.

    Experimental: it may change in any version.

    Parameters
    ----------
    times : array_like
        Of shape (keys,), in seconds; they rise, also in float32.
    quaternions : array_like
        Of shape (keys, ..., 4), of unit length within 1e-3.
    angle : float
        Degrees that no time exceeds, above 0. The keys that remain count as float32.
    curve : str
        The method through the keys that remain, with its own tangents and ends.
    scalar_first : bool
        Whether quaternions are w x y z.
    threads : int
        0: one per processor.

    Returns
    -------
    ndarray of bool
        Of shape (keys, ...): true for keys that remain, the first and the last one among them.

    Examples
    --------
    >>> import posemill as pm
    >>> keys = pm.from_euler("z", [0, 10, 20, 30], degrees=True)
    >>> pm.reduce_keys([0, 1, 2, 3], keys, 0.1).tolist()
    [True, False, False, True]
    """
    keys = _quaternions(quaternions, scalar_first)
    seconds = np.asarray(times, dtype=np.float64, order="C")
    if keys.ndim < 2 or seconds.shape != keys.shape[:1]:
        raise ValueError(f"times: expected shape ({keys.shape[0]},), found {seconds.shape}"
                         if keys.ndim >= 2 else
                         f"quaternions: expected shape (keys, ..., 4), found {keys.shape}")
    kept = np.zeros(keys.shape[:-1], np.bool_)
    if kept.size == 0:
        return kept
    packed = np.ascontiguousarray(keys)
    timeline = ffi.new("pm_timeline *", {"key_count": len(seconds),
                                         "times": ffi.cast("double *", address(seconds))})
    array = ffi.new("pm_array *", {"data": ffi.cast("void *", address(packed)),
                                   "type": lib.PM_FLOAT64})
    call(lib.pm_motion_reduce_rotations, timeline, array, kept.size // len(seconds),
         number_of(angle, "angle"), word(curve, METHODS, "curve"), count_of(threads, "threads", 2**32),
         ffi.cast("bool *", address(kept)), ffi.NULL)
    return kept
