# SPDX-License-Identifier: MIT
"""Curricula: which motions and times of a library episodes begin at."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._arrays import as_array, as_seconds
from ._engine import owned
from ._library import call, ffi, lib
from ._library_file import keep_new
from ._motion_library import MotionLibrary

__all__ = ["Curriculum"]

Rule = Literal["weights", "mjlab", "phc"]
_RULES = {"weights": lib.PM_CURRICULUM_WEIGHTS, "mjlab": lib.PM_CURRICULUM_MJLAB, "phc": lib.PM_CURRICULUM_PHC}


def _destroy(handle: Any) -> None:
    lib.pm_curriculum_destroy(ffi.new("pm_curriculum **", handle))


class Curriculum:
    """Draws of (motion, time) pairs of a library by the weights of its motions, or by where policies fail.

    A motion has bins of equal time, a bin a chance, and times are uniform within a bin. Thread-safe.

    Parameters
    ----------
    library : MotionLibrary
        Its motions and weights are those of now; :meth:`follow` takes later ones.
    rule : str
        ``"weights"``: the chance of a motion is proportional to its weight, whatever its length.

        ``"mjlab"``: that of mjlab 1.6 (``MotionCommand`` of its tracking task) and of BeyondMimic. A bin has an
        exponential average c of its failures, ``c = average * failures + (1 - average) * c`` at each report. Its
        chance is proportional to the weight of the motion times a mean of ``c + ratio / number of bins`` over this
        bin and the `kernel_size` - 1 bins after it in the motion, with weights ``decay ** i``. Bins past the last one
        count as that one.

        ``"phc"``: that of PHC (``update_sampling_prob`` of its motion library). The chance of a motion is proportional
        to its weight times its share of the failures of the last report, which is that of an evaluation, but at
        least to ``floor / number of motions``. While nothing has failed it is that of the weights.
    bin : float
        Seconds: a motion has the fewest bins that are no longer.
    window : float
        Seconds before the end of each motion in which no time is drawn, such as the longest offset of
        :meth:`MotionLibrary.sample`. Motions that are shorter have the time 0 alone.
    exclude : iterable of int, optional
        Ids of motions that are not drawn, such as those of an evaluation.
    seed : int
        From 0 to 2^64 - 1. Draws depend on it, on the library, on arguments and reports, and on nothing else.
    average, ratio, decay, kernel_size, floor
        Of the rules. Default: those of mjlab; of the floor 0.1.

    Examples
    --------
    >>> import numpy as np, posemill as pm
    >>> lib = pm.MotionLibrary.from_files(["walk.bvh"] * 3)
    >>> curriculum = pm.Curriculum(lib, "mjlab", bin=0.5, exclude=[2])
    >>> ids, times = curriculum.draw(4096)
    >>> curriculum.report(ids, times, failed=times > 0.5)
    >>> bool(curriculum.chances(0)[0] < 0.01 < curriculum.chances(0)[1]) # times below 0.5, and from there on
    True
    """

    def __init__(self, library: MotionLibrary, rule: Rule = "weights", *, bin: float = 1.0, window: float = 0.0,
                 exclude: Iterable[int] | None = None, seed: int = 0, average: float = 0.001, ratio: float = 0.1,
                 decay: float = 0.8, kernel_size: int = 1, floor: float = 0.1) -> None:
        if not isinstance(library, MotionLibrary):
            raise TypeError(f"library: expected MotionLibrary, found {type(library).__name__}")
        if rule not in _RULES:
            raise ValueError(f"rule: {rule!r} is unknown; expected {', '.join(_RULES)}")
        numbers = {"average": average, "ratio": ratio, "lambda": decay, "floor": floor}
        for name, value in {**numbers, "kernel_size": kernel_size}.items():
            if not value > 0: # which the library takes for one that is not given
                raise ValueError(f"{'decay' if name == 'lambda' else name}: expected a number above 0, found {value}")
        desc = ffi.new("pm_curriculum_desc *", {"rule": _RULES[rule], "bin_seconds": bin, "window": window,
                                                "seed": seed, "kernel_size": kernel_size, **numbers})
        made = ffi.new("pm_curriculum **")
        call(lib.pm_curriculum_create, library._handle, desc, made)
        self._handle = owned(made[0], _destroy)
        self._rule = rule
        if exclude is not None:
            self.exclude(exclude)

    def draw(self, n: int | None = None, *, of: npt.ArrayLike | None = None) \
            -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Draw pairs, with replacement.

        Parameters
        ----------
        n : int
            How many.
        of : array of int, optional
            (n,) ids in place of `n`: times alone are drawn in these motions, by the chances of their bins, and
            uniformly where these are 0, as in excluded motions.

        Returns
        -------
        ids, times : array
            (n,) of int64 and of float64.

        Examples
        --------
        >>> import posemill as pm
        >>> curriculum = pm.Curriculum(pm.MotionLibrary.from_files("walk.bvh"))
        >>> ids, times = curriculum.draw(3)
        >>> curriculum.draw(of=[0, 0])[0]
        array([0, 0])
        """
        if (n is None) == (of is None):
            raise ValueError("n: expected a number or motions, and not both")
        given = None if of is None else _ids_of(of, "of")
        count = int(n) if given is None else len(given) # type: ignore[arg-type]
        if count < 0:
            raise ValueError(f"n: expected 0 or more, found {n}")
        ids, times = np.empty(count, np.uint32), np.empty(count)
        call(lib.pm_curriculum_draw, self._handle, ffi.NULL if given is None else _pointer("uint32_t[]", given), count,
             _pointer("uint32_t[]", ids), _pointer("double[]", times))
        return ids.astype(np.int64), times

    def report(self, ids: npt.ArrayLike, times: npt.ArrayLike, failed: npt.ArrayLike) -> None:
        """Tell what became of episodes: where in the motions they ended, and whether they failed there.

        Parameters
        ----------
        ids : array of int
            (n,). Those of motions that were removed are passed over.
        times : array
            (n,) seconds from the first key of the motion.
        failed : array of bool
            (n,).

        Examples
        --------
        >>> import posemill as pm
        >>> curriculum = pm.Curriculum(pm.MotionLibrary.from_files("walk.bvh"), "phc")
        >>> curriculum.report([0, 0], [0.5, 1.0], [True, False])
        """
        numbers, seconds = _ids_of(ids, "ids"), as_seconds(times, "times")
        which = np.ascontiguousarray(as_array(failed, "failed"))
        for name, array in (("times", seconds), ("failed", which)):
            if array.shape != numbers.shape:
                raise ValueError(f"{name}: expected {len(numbers)}, one for each id, found shape {array.shape}")
        if which.size and which.dtype != np.bool_:
            raise TypeError(f"failed: expected booleans, found {which.dtype}")
        call(lib.pm_curriculum_report, self._handle, _pointer("uint32_t[]", numbers), _pointer("double[]", seconds),
             _pointer("_Bool[]", which.astype(np.bool_, copy=False)), len(numbers))

    def exclude(self, ids: Iterable[int]) -> None:
        """Set the motions that are not drawn, in place of those before.

        Examples
        --------
        >>> import posemill as pm
        >>> curriculum = pm.Curriculum(pm.MotionLibrary.from_files(["walk.bvh"] * 2))
        >>> curriculum.exclude([0])
        >>> curriculum.excluded
        array([0])
        """
        numbers = _ids_of(ids if isinstance(ids, np.ndarray) else list(ids), "exclude")
        call(lib.pm_curriculum_exclude, self._handle, _pointer("uint32_t[]", numbers), len(numbers))

    @property
    def excluded(self) -> npt.NDArray[np.int64]:
        """Ids of the motions that are not drawn."""
        state = self._state("motions", "excluded")
        found: npt.NDArray[np.int64] = state["motions"][state["excluded"]].astype(np.int64)
        return found

    def chances(self, motion: int) -> npt.NDArray[np.float64]:
        """The chances of the bins of a motion. Those of all motions add up to 1.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.Curriculum(pm.MotionLibrary.from_files("walk.bvh"), bin=1.0).chances(0)
        array([0.5, 0.5])
        """
        state = self._state("motions", "bins", "chances")
        place = np.flatnonzero(state["motions"] == motion)
        if len(place) == 0:
            raise ValueError(f"motion: {motion!r} is none of {len(state['motions'])} motions")
        first = int(state["bins"][:place[0]].sum())
        found: npt.NDArray[np.float64] = state["chances"][first:first + int(state["bins"][place[0]])]
        return found

    def follow(self, library: MotionLibrary) -> None:
        """Take motions and weights of the library as they are now. Motions that stay keep their failures.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files(["walk.bvh"] * 2)
        >>> curriculum = pm.Curriculum(lib)
        >>> lib.remove([0])
        >>> curriculum.follow(lib)
        >>> set(curriculum.draw(99)[0].tolist())
        {1}
        """
        call(lib.pm_curriculum_follow, self._handle, library._handle)

    def state_dict(self) -> dict[str, Any]:
        """What the curriculum goes on from, for a checkpoint: arrays of NumPy.

        Examples
        --------
        >>> import posemill as pm
        >>> lib = pm.MotionLibrary.from_files("walk.bvh")
        >>> one, other = pm.Curriculum(lib, seed=1), pm.Curriculum(lib)
        >>> other.load_state_dict(one.state_dict())
        >>> bool((one.draw(9)[1] == other.draw(9)[1]).all())
        True
        """
        return {"rule": self._rule, **self._state("motions", "bins", "excluded", "failures")}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of a curriculum with the same rule, motions and bins; others are refused.

        Parameters
        ----------
        state : mapping
            Of :meth:`state_dict`.

        Examples
        --------
        >>> import posemill as pm
        >>> curriculum = pm.Curriculum(pm.MotionLibrary.from_files("walk.bvh"))
        >>> state = curriculum.state_dict()
        >>> curriculum.draw(3)[0]
        array([0, 0, 0])
        >>> curriculum.load_state_dict(state)
        """
        if state["rule"] != self._rule:
            raise ValueError(f"rule: the state is of {state['rule']!r}, and the curriculum of {self._rule!r}")
        arrays = {name: np.ascontiguousarray(state[name], kind) for name, (kind, _) in _STATE.items()
                  if name != "chances"}
        generator = np.asarray(state["generator"], np.uint64).tolist()
        motions, bins = len(arrays["motions"]), len(arrays["failures"])
        if len(arrays["bins"]) != motions or len(arrays["excluded"]) != motions:
            raise ValueError(f"state: expected bins and excluded of {motions} motions")
        given = ffi.new("pm_curriculum_state *", {
            "generator": generator, "motion_count": motions, "bin_count": bins,
            **{name: _pointer(_STATE[name][1], array) for name, array in arrays.items()}})
        call(lib.pm_curriculum_set_state, self._handle, given)

    def _state(self, *wanted: str) -> dict[str, Any]:
        keep: list[Any] = []
        state = keep_new(keep, "pm_curriculum_state *", {})
        call(lib.pm_curriculum_get_state, self._handle, state)
        counts = {"failures": int(state.bin_count), "chances": int(state.bin_count)}
        arrays = {name: np.empty(counts.get(name, int(state.motion_count)), _STATE[name][0]) for name in wanted}
        for name, array in arrays.items():
            setattr(state, name, _pointer(_STATE[name][1], array))
        call(lib.pm_curriculum_get_state, self._handle, state)
        return {"generator": np.array(list(state.generator), np.uint64), **arrays}


_STATE: dict[str, tuple[Any, str]] = {
    "motions": (np.uint32, "uint32_t[]"), "bins": (np.uint32, "uint32_t[]"), "excluded": (np.bool_, "_Bool[]"),
    "failures": (np.float64, "double[]"), "chances": (np.float64, "double[]")}


def _pointer(kind: str, array: Any) -> Any:
    """The caller keeps the array."""
    return ffi.cast(kind.replace("[]", " *"), ffi.from_buffer(array))


def _ids_of(ids: Any, name: str) -> npt.NDArray[np.uint32]:
    numbers = as_array(ids, name)
    if numbers.ndim != 1:
        raise ValueError(f"{name}: expected one axis, found shape {numbers.shape}")
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected integers, found {numbers.dtype}")
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < 2**32):
        raise ValueError(f"{name}: expected ids of motions, found {numbers.min()} to {numbers.max()}")
    return np.ascontiguousarray(numbers, np.uint32)
