# SPDX-License-Identifier: MIT
"""Differences between two motions."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable
from fractions import Fraction
from typing import IO, Any

from ._display import Row, table
from ._engine import Engine, engine_or_default
from ._library import Path, file_name, printable
from ._motion import Motion, MotionWarning, load
from ._names import AuthoredMethod
from ._pages import Page, Pair, Part, Side, numbers_of, page_of
from ._rational import Number, rate_of
from ._resampling import clip_index, first_clip, method_number

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
        distance = (self.clip["max_distance"] or 0.0) * self.numbers["unit_mm"]
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


def _contacts(names: str | Iterable[str] | None) -> bytes | None:
    """Names as the library takes them."""
    if names is None:
        return None
    text = names if isinstance(names, str) else ",".join(names)
    if not text or "\0" in text:
        raise ValueError(f"contacts: {text!r} is not a list of names")
    return os.fsencode(text)


def compare(a: Motion | Path | IO[bytes], b: Motion | Path | IO[bytes], *,
            clip: int | str | None = None, rate: Number | None = None, method: AuthoredMethod = "authored",
            map: Path | None = None, unit: float | None = None, up: str | None = None,
            start: Number | None = None, end: Number | None = None, trim_start: int = 0,
            certify: bool = False, contacts: str | Iterable[str] | None = None,
            engine: Engine | None = None) -> Comparison:
    """Compare two motions joint by joint: angles, distances in the world, and speeds.

    Parameters
    ----------
    a, b : Motion, path or binary file object
        Of any formats. Joints are matched by name, else by order; lengths are not converted.
    clip : int or str, optional
        The clip of both. Default: the first.
    rate : number, optional
        Samples per second. Default: the key times of both.
    method : str
        How `a` is interpolated: ``"authored"``, by what its file says, or any method but
        cubicspline.
    map : path, optional
        Pairs of joints: on each line a name of `a`, a tab, and a name of `b`.
    unit : float, optional
        Millimetres per unit of length. Default: 10 where `a` is BVH, else 1000.
    up : str, optional
        The axis that points up: ``"y"`` or ``"z"``. Default: the one along which the figure
        stands, which is said where the format has the other.
    start, end : number, optional
        The part that is compared, in seconds after the first key. Default: all.
    trim_start : int
        The number of keys of `a` that are left out at the start, such as a T-pose.
    certify : bool
        Also bound the angles and distances at all times, between those that are compared too:
        ``numbers["certified"]``. Of whole clips that begin together, without splines in `a`. With the
        methods slerp, squad, hermite and spline only rotations follow `method`, as :func:`reduce` plays
        them; others are refused.
    contacts : str or iterable of str, optional
        Names of joints of `a`, or ``"feet"``: those with foot, toe or ankle in their names. When they are
        in contact with the ground, and how fast they slide: ``numbers["contacts"]``.
    engine : Engine, optional
        Of `method`. Default: the best device.

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
    if unit is not None and not 0.0 < unit < float("inf"):
        raise ValueError(f"unit: {unit!r} is not above 0")
    if method == "cubicspline":
        raise ValueError("method: 'cubicspline' requires tangents; 'authored' takes those of the "
                         "file")
    number = None if method == "authored" else method_number(method)
    first, second = _motion_of(a), _motion_of(b)
    exact: Fraction | None = None if rate is None else rate_of(rate)
    found = Comparison(Pair(_side(first, clip), _side(second, clip), exact, unit or 0.0,
                            None if map is None else file_name(os.fspath(map)), number,
                            None if number is None else engine_or_default(engine),
                            Part.of(start, end, trim_start, up), bool(certify), _contacts(contacts)))
    for hint in found.numbers["hints"]:
        warnings.warn(f"{printable(hint['file'])}: {printable(hint['hint'])}", MotionWarning, stacklevel=2)
    return found
