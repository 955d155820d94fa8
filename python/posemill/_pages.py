# SPDX-License-Identifier: MIT
"""Pages that show motions, and the comparisons behind them."""
from __future__ import annotations

import os
import tempfile
import webbrowser
from dataclasses import dataclass
from html import escape
from pathlib import Path as File
from typing import Any

from ._content import Content
from ._engine import Engine
from ._library import Path, call, ffi, file_name, lib
from ._options import Options

__all__ = ["Page", "Pair", "Side", "numbers_of", "page_of", "write_picture"]


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
class Pair:
    """Two clips to compare; one clip twice is shown alone.

    Attributes
    ----------
    options : Options or None
        Those of `posemill compare` or `posemill view`.
    engine : Engine or None
        Of the method for A.
    """

    a: Side
    b: Side
    options: Options | None = None
    engine: Engine | None = None


def _text(value: str) -> Any:
    """A C string. A NUL ends it."""
    return ffi.new("char[]", value.encode("utf-8", "surrogateescape").split(b"\0")[0])


@ffi.def_extern(name="python_keep_page")  # type: ignore[untyped-decorator]
def _keep_page(into: Any, page: Any, size: int) -> None:
    ffi.from_handle(into).append(bytes(ffi.buffer(page, size)))


def _options(pair: Pair, keep: list[Any]) -> Any:
    """A pm_motion_compare_options; `keep` receives what it points to."""
    keep += [_text(pair.a.name), _text(pair.b.name)]
    options = ffi.new("pm_motion_compare_options *")
    if pair.options is not None:
        options[0] = pair.options.values.compare[0]
    options.clip_a, options.clip_b = pair.a.clip, pair.b.clip
    options.name_a, options.name_b = keep[-2:]
    options.spelling = lib.PM_SPELLING_KEYWORD
    options.engine = ffi.NULL if pair.engine is None else pair.engine.handle
    return options


def numbers_of(pair: Pair) -> str:
    """The JSON of `posemill compare --json`."""
    keep: list[Any] = []
    made = ffi.new("pm_motion_comparison **")
    call(lib.pm_motion_compare, pair.a.content.handle, pair.b.content.handle, _options(pair, keep), made)
    found = bytes(ffi.string(lib.pm_motion_comparison_json(made[0]))).decode()
    lib.pm_motion_comparison_destroy(made)
    return found


def write_picture(pair: Pair, path: bytes) -> None:
    """A picture of the poses of one motion."""
    keep: list[Any] = []
    shown = ffi.NULL if pair.options is None else pair.options.values.picture
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
             and not (pair.options and any(name in pair.options for name in ("method", "map"))))
    call(lib.pm_motion_write_page, pair.a.content.handle,
         ffi.NULL if alone else pair.b.content.handle, _options(pair, keep), shown, ffi.NULL, ffi.NULL)
    return Page(b"".join(parts).decode())
