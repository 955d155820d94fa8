# SPDX-License-Identifier: MIT
"""Pages that show motions, and the comparisons behind them."""
from __future__ import annotations

import os
import tempfile
import webbrowser
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path as File
from typing import Any

from ._content import Content
from ._engine import Engine
from ._library import Path, call, ffi, file_name, lib
from ._rational import Number, rational, seconds_of
from ._resampling import count_of

__all__ = ["Page", "Pair", "Part", "Side", "numbers_of", "page_of", "write_picture"]


class Page:
    """A page of HTML that needs no other files and no network.

    A notebook shows it where it is the value of a cell.

    Attributes
    ----------
    html : str
        The document.

    Examples
    --------
    >>> import posemill as pm
    >>> page = pm.load("walk.bvh").show()
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    >>> page.save("walk.html")
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: Path) -> None:
        """Save the page to a file, which appears once it is complete.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").show().save("walk.html")
        """
        text = self.html.encode()
        call(lib.native_save, file_name(path), text, len(text))

    def open(self) -> str:
        """Open the page in a web browser, from a temporary file.

        Returns
        -------
        str
            The path of the file, which remains.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").show().open()  # doctest: +SKIP
        '/tmp/posemill-k2v8.html'
        """
        descriptor, name = tempfile.mkstemp(prefix="posemill-", suffix=".html")
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(self.html)
        webbrowser.open(File(name).as_uri())
        return name

    def __repr__(self) -> str:
        return f"Page({len(self.html)} characters; save(path) or open() it)"

    def _repr_html_(self) -> str:
        """In a frame of its own, which cannot reach the notebook."""
        return ('<iframe sandbox="allow-scripts" style="width:100%;height:720px;border:0" '
                f'srcdoc="{escape(self.html)}"></iframe>')


@dataclass(frozen=True)
class Side:
    """A clip, and what people call it."""

    content: Content
    clip: int
    name: str


@dataclass(frozen=True)
class Part:
    """The part along the time, in seconds after the first key, and the axis that points up."""

    start: Fraction | None = None
    end: Fraction | None = None
    trim_start: int = 0
    up: int = 0  # 1 y, 2 z; 0: what the figures say

    @classmethod
    def of(cls, start: Number | None, end: Number | None, trim_start: int,
           up: str | None) -> Part:
        """From arguments, which are checked."""
        if up not in (None, "y", "z"):
            raise ValueError(f"up: {up!r} is unknown; expected 'y' or 'z'")
        return cls(None if start is None else seconds_of(start, "start"),
                   None if end is None else seconds_of(end, "end"),
                   count_of(trim_start, "trim_start"), {None: 0, "y": 1, "z": 2}[up])


@dataclass(frozen=True)
class Pair:
    """Two clips to compare; one clip twice is shown alone.

    Attributes
    ----------
    rate : Fraction or None
        Of the times; None: the key times of both.
    unit : float
        Millimetres per unit of length; 0: that of the format.
    map : bytes or None
        A file with pairs of joints.
    method : int or None
        A pm_method for A; None: its own interpolation.
    engine : Engine or None
        Of the method.
    part : Part
        What is looked at, and how.
    certify : bool
        Also bounds that no time exceeds.
    contacts : bytes or None
        Joints whose contacts are found.
    """

    a: Side
    b: Side
    rate: Fraction | None = None
    unit: float = 0.0
    map: bytes | None = None
    method: int | None = None
    engine: Engine | None = None
    part: Part = Part()
    certify: bool = False
    contacts: bytes | None = None


def _text(value: str) -> Any:
    """A C string. A NUL ends it."""
    return ffi.new("char[]", value.encode("utf-8", "surrogateescape").split(b"\0")[0])


@ffi.def_extern(name="python_keep_page")  # type: ignore[untyped-decorator]
def _keep_page(into: Any, page: Any, size: int) -> None:
    ffi.from_handle(into).append(bytes(ffi.buffer(page, size)))


def _options(pair: Pair, keep: list[Any]) -> Any:
    """A pm_motion_compare_options; `keep` receives what it points to."""
    name_a, name_b = _text(pair.a.name), _text(pair.b.name)
    joints = ffi.NULL if pair.map is None else ffi.new("char[]", pair.map)
    feet = ffi.NULL if pair.contacts is None else ffi.new("char[]", pair.contacts)
    keep += [name_a, name_b, joints, feet]
    return ffi.new("pm_motion_compare_options *", {
        "clip_a": pair.a.clip, "clip_b": pair.b.clip, "name_a": name_a, "name_b": name_b,
        "map": joints, "rate": rational(pair.rate), "unit_mm": pair.unit, "up": pair.part.up,
        "start_after_first_key": rational(pair.part.start), "end_after_first_key": rational(pair.part.end),
        "trim_start": pair.part.trim_start, "method": pair.method or 0, "certify": pair.certify,
        "contacts": feet, "spelling": lib.PM_SPELLING_KEYWORD,
        "engine": ffi.NULL if pair.engine is None else pair.engine.handle})


def numbers_of(pair: Pair) -> str:
    """The JSON of `posemill compare --json`."""
    keep: list[Any] = []
    made = ffi.new("pm_motion_comparison **")
    call(lib.pm_motion_compare, pair.a.content.handle, pair.b.content.handle, _options(pair, keep), made)
    found = bytes(ffi.string(lib.pm_motion_comparison_json(made[0]))).decode()
    lib.pm_motion_comparison_destroy(made)
    return found


VIEWS = {"front": lib.PM_MOTION_PICTURE_FRONT, "side": lib.PM_MOTION_PICTURE_SIDE,
         "top": lib.PM_MOTION_PICTURE_TOP, "back": lib.PM_MOTION_PICTURE_BACK}


def write_picture(pair: Pair, path: bytes, size: tuple[int, int], view: str, poses: int) -> None:
    """A picture of the poses of one motion."""
    if view not in VIEWS:
        raise ValueError(f"view: {view!r} is unknown; expected one of: {' '.join(VIEWS)}")
    keep: list[Any] = []
    shown = ffi.new("pm_motion_picture_options *", {
        "width": count_of(size[0], "size", 2**32), "height": count_of(size[1], "size", 2**32),
        "from": VIEWS[view], "poses": count_of(poses, "poses", 2**32)})
    call(lib.pm_motion_write_picture, pair.a.content.handle, _options(pair, keep), shown, path)


def page_of(pair: Pair, made_by: str, *, hides_poses: bool = False, joint: int = -1) -> Page:
    """A page, which says that `made_by` made it."""
    call_text = _text(made_by)
    keep: list[Any] = [call_text]
    parts: list[bytes] = []
    parts_user = ffi.new_handle(parts)
    shown = ffi.new("pm_motion_page_options *", {
        "made_by": call_text, "hides_poses": hides_poses, "has_joint": joint >= 0, "joint": max(joint, 0),
        "write": lib.python_keep_page, "write_user": parts_user})
    # A motion that is compared with itself, and by nothing that could differ, is shown alone.
    alone = (pair.a.content is pair.b.content and pair.a.clip == pair.b.clip
             and pair.method is None and pair.map is None)
    call(lib.pm_motion_write_page, pair.a.content.handle,
         ffi.NULL if alone else pair.b.content.handle, _options(pair, keep), shown, ffi.NULL, ffi.NULL)
    return Page(b"".join(parts).decode())
