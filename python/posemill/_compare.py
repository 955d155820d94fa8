# SPDX-License-Identifier: MIT
"""Differences between two motions."""
from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

from ._display import Row, table
from ._engine import Engine, engine_or_default
from ._library import Path, printable, warn
from ._motion import Motion, load
from ._options import Options
from ._pages import Page, Pair, Side, numbers_of, page_of
from ._resampling import clip_index, first_clip

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import CompareOptions

__all__ = ["Comparison", "compare"]


def _with_floats(measures: dict[str, Any]) -> dict[str, Any]:
    """JSON has 0 for 0.0."""
    return {name: float(value) if isinstance(value, int) else value
            for name, value in measures.items()}


class Comparison:
    """The differences between two motions, for each joint and for the whole clip.

    Made by :func:`compare`. A notebook shows a summary; :meth:`show` gives the page.

    Attributes
    ----------
    numbers : dict
        All that ``posemill compare --json`` prints.
    joints : list of dict
        Of each pair of joints, the largest angle first: ``name``, ``max_degrees``, ``rms_degrees``,
        ``time_of_max`` (seconds after the first key), ``max_distance``, ``rms_distance`` (units of
        the file) and so on. What is not known is None.
    clip : dict
        The same of all joints.

    Examples
    --------
    >>> import posemill as pm
    >>> walk = pm.load("walk.bvh")
    >>> found = pm.compare(walk, walk.resample(60))
    >>> found.clip["max_degrees"] < 0.001 and found.within(0.01, 0.1)
    True
    >>> found.show().save("walk60.html")
    """

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self.numbers: dict[str, Any] = json.loads(numbers_of(pair))
        self.joints = [_with_floats(joint) for joint in self.numbers["joints"]]
        self.clip = _with_floats(self.numbers["clip"])

    def within(self, degrees: float, millimetres: float) -> bool:
        """Whether no angle and no distance exceeds the bounds. Distances that are not known are ignored.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.compare("walk.bvh", "walk.bvh").within(degrees=0.01, millimetres=0.1)
        True
        """
        distance = self.clip["max_distance"] or 0.0
        if distance:  # of an unknown unit it is within no bound
            distance *= self.numbers["unit_mm"] or float("inf")
        return bool(self.clip["max_degrees"] <= degrees and distance <= millimetres)

    def show(self) -> Page:
        """The page that shows both motions over each other, and where they differ.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.compare("walk.bvh", "walk.bvh").show().save("compared.html")
        """
        return page_of(self._pair, f"posemill.compare of {self._pair.a.name} and "
                                   f"{self._pair.b.name}")

    def __repr__(self) -> str:
        worst, scale = self.joints[0], self.numbers["scales"]["degrees"]
        most = f"at most {scale['end']:.4g} degrees, and apart " if scale["times_beyond"] else ""
        return (f"Comparison({most}{self.clip['max_degrees']:.4g} degrees of {worst['name']!r} at "
                f"{worst['time_of_max']:.4g} s, {len(self.joints)} joints)")

    def _repr_html_(self) -> str:
        distance = self.clip["max_distance"]
        return table("Comparison", [
            Row("A", self._pair.a.name), Row("B", self._pair.b.name),
            Row("largest angle", f"{self.clip['max_degrees']:.4g} degrees, of "
                                 f"{self.joints[0]['name']}"),
            Row("largest distance", "" if distance is None else f"{distance:.4g} units"),
            Row("worst joints", ", ".join(f"{j['name']} {j['max_degrees']:.4g}"
                                          for j in self.joints[:5]))])


def _motion_of(given: Motion | Path | IO[bytes]) -> Motion:
    return given if isinstance(given, Motion) else load(given)


def _side(motion: Motion, clip: int | str | None) -> Side:
    content = motion._content
    if content.c.clip_count == 0:
        raise ValueError(f"{motion.name}: has no clips")
    # A file whose one clip has no name needs none.
    alone = content.c.clip_count == 1 and content.c.clips[0].name.size == 0
    index = (first_clip(content) if clip is None or (alone and isinstance(clip, str)) else
             clip_index(content, clip))
    return Side(content, index, motion.name)


def compare(a: Motion | Path | IO[bytes], b: Motion | Path | IO[bytes], *, clip: int | str | None = None,
            engine: Engine | None = None, **options: Unpack[CompareOptions]) -> Comparison:
    """Compare two motions joint by joint: angles, distances in the world, and speeds.

    Parameters
    ----------
    a, b : Motion, path or binary file object
        Of any formats. Joints are matched by name, else by order; lengths are not converted.
    clip : int or str, optional
        The clip of both. Default: the first.
    engine : Engine, optional
        Of ``method``. Default: the best device.
    **options
        Those of `posemill compare`: ``method`` (how `a` is interpolated), ``rate``, ``start``, ``end``,
        ``trim_start``, ``map``, ``unit``, ``up``, ``certify`` (``numbers["certified"]``), ``contacts``
        (``numbers["contacts"]``) and so on.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        The motions cannot be compared: there is no clip, no pair of joints, or no such part.

    Warns
    -----
    MotionWarning
        The axis that points up was guessed, or lengths do not fit: a height is not that of a body,
        or the figures of both are of other units.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.compare("walk.bvh", "walk.bvh").clip["max_degrees"]
    0.0
    """
    given = Options("compare", options)
    runs = options.get("method") not in (None, "authored")
    first, second = _motion_of(a), _motion_of(b)
    found = Comparison(Pair(_side(first, clip), _side(second, clip), given,
                            engine_or_default(engine) if runs else None))
    for hint in found.numbers["hints"]:
        warn(f"{printable(hint['file'])}: {printable(hint['hint'])}")
    return found
