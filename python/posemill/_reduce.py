# SPDX-License-Identifier: MIT
"""Fewer keys under a bound that holds at all times."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import address
from ._convert import _quaternions
from ._display import Row, table
from ._library import call, ffi, lib
from ._motion import Motion
from ._names import KeyCurve, ReducedCurve
from ._reducing import Reducing, bound, method_of, place_of
from ._resampling import count_of

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


def reduce(motion: Motion, *, angle: float | None = None, distance: float | None = None,
           at: float | str | None = None, position: float | None = None, scale: float | None = None,
           curve: ReducedCurve = "slerp", smooth: bool = False, common: bool = False,
           clips: Iterable[int | str] | None = None, threads: int = 0) -> Reduction:
    """Drop keys while the curve stays within a bound, which holds at every time.

    Experimental: it may change in any version.

    Parameters
    ----------
    motion : Motion
    angle : float, optional
        The largest angle between a joint's rotation and the source's, in degrees. Default: 0.5,
        and with a distance none.
    distance : float, optional
        The largest distance in model space of each joint's position and of points that move with it,
        with the whole hierarchy.
    at : float or str, optional
        These points: ``"mesh"``, the corners of boxes about the vertices that a joint moves, so that no
        vertex is farther from where it was; ``"joints"``, none; or a length along the joint's axes, in model
        space. Default: the mesh where there is one, else 10 cm, which are 10 units in BVH and 0.1 otherwise.
    position, scale : float, optional
        The largest distance of positions relative to the parent, and the largest part by which
        scales and weights differ. 0: keys are dropped only where nothing changes. Default: 1e-5 of
        the figure's size, and 1e-5; with a distance less.
    curve : str
        Of rotations: ``"slerp"``; ``"cubicspline"`` with fitted tangents and about a third of the
        keys, not with common keys; or ``"squad"``, ``"hermite"`` or ``"spline"`` through some of the keys.
        These are to be played with the same method, as by ``motion.at(times, method="squad")``, as no
        format names it. Where the source jumps, no smooth curve is near it: then ValueError names
        the joint.
    smooth : bool
        With cubicspline: the velocity is continuous at keys, but for corners, which
        ``numbers["channels"]`` counts.
    common : bool
        All joints of a clip have keys at the same times.
    clips : iterable of int or str, optional
        Indices or names of the clips to reduce; the others remain. Default: all.
    threads : int
        0: one per processor.

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
    bounds = {"distance": 0.0 if distance is None else bound(distance, "distance"),
              "at": 0.0 if at is None else place_of(at)}
    for name, value in {"angle": angle, "position": position, "scale": scale}.items():
        if value is not None:
            bounds[name] = bound(value, name)
    reducing = Reducing(motion._content, bounds, (curve, bool(smooth)), common, clips, threads)
    content = reducing.run()
    return Reduction(Motion._of(content, f"{motion.name}, reduced", reducing), reducing.numbers)


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
         bound(angle, "angle"), method_of(curve), count_of(threads, "threads", 2**32),
         ffi.cast("bool *", address(kept)), ffi.NULL)
    return kept
