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

from ._batch_task import raise_code, take
from ._content import Content
from ._engine import Engine
from ._library import Path, ffi, file_name, lib
from ._rational import rational

__all__ = ["MOST_TIMES", "Page", "Pair", "Side", "numbers_of", "page_of"]

MOST_TIMES = 100_000_000


class Page:
    """A page of HTML that needs nothing else, and no network.

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
        """Writes the page to a file, which appears when it is complete."""
        failure = ffi.new("char **")
        text = self.html.encode()
        code = lib.native_save(file_name(path), text, len(text), failure)
        message = take(failure)
        if code != 0:
            raise_code(code, message)

    def open(self) -> str:
        """Opens the page in a web browser, from a temporary file.

        Returns
        -------
        str
            The path of the file, which remains.
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
    """

    a: Side
    b: Side
    rate: Fraction | None = None
    unit: float = 0.0
    map: bytes | None = None
    method: int | None = None
    engine: Engine | None = None


def _text(value: str) -> Any:
    """A C string. A NUL ends it."""
    return ffi.new("char[]", value.encode("utf-8", "surrogateescape").split(b"\0")[0])


def _compare(pair: Pair, page: dict[str, Any] | None) -> str:
    """The JSON of a comparison, or with the fields of a page the page."""
    keep = [_text(pair.a.name), _text(pair.b.name),
            ffi.NULL if pair.map is None else ffi.new("char[]", pair.map),
            _text(page["call"] if page else "")]
    has_method = pair.method is not None and pair.engine is not None
    what = ffi.new("native_comparison *", {
        "a": pair.a.content.handle, "b": pair.b.content.handle,
        "clip_a": pair.a.clip, "clip_b": pair.b.clip, "name_a": keep[0], "name_b": keep[1],
        "map": keep[2], "rate": rational(pair.rate), "max_times": MOST_TIMES,
        "unit_mm": pair.unit, "engine": pair.engine.handle if has_method and pair.engine else
        ffi.NULL, "method": pair.method or 0, "wants_page": page is not None, "call": keep[3],
        "hides_poses": bool(page and page["hides_poses"]),
        "joint": page["joint"] if page else -1})
    made, size, failure = ffi.new("char **"), ffi.new("size_t *"), ffi.new("char **")
    code = lib.native_compare(what, made, size, failure)
    message = take(failure)
    if code != 0:
        raise_code(code, message)
    text = bytes(ffi.buffer(made[0], size[0])).decode("utf-8")
    lib.native_free(made[0])
    return text


def numbers_of(pair: Pair) -> str:
    """The JSON of `posemill compare --json`."""
    return _compare(pair, None)


def page_of(pair: Pair, call: str, *, hides_poses: bool = False, joint: int = -1) -> Page:
    """A page, which says that `call` made it."""
    return Page(_compare(pair, {"call": call, "hides_poses": hides_poses, "joint": joint}))
