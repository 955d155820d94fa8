# SPDX-License-Identifier: MIT
"""A few lines of HTML for notebooks."""
from __future__ import annotations

from html import escape
from typing import NamedTuple

from ._library import printable

__all__ = ["Row", "table"]

_LONGEST = 200


class Row(NamedTuple):
    """A line: what, and its value."""

    what: str
    value: str


def _cell(text: str) -> str:
    """Names come from files: control characters and markup must not reach the page."""
    return escape(printable(text[:_LONGEST])) + ("…" if len(text) > _LONGEST else "")


def table(title: str, rows: list[Row]) -> str:
    """A table without scripts or styles of its own. Rows without a value are left out."""
    lines = "".join(f"<tr><th style='text-align:left'>{_cell(r.what)}</th>"
                    f"<td style='text-align:left'>{_cell(r.value)}</td></tr>"
                    for r in rows if r.value)
    return f"<table><caption>{_cell(title)}</caption>{lines}</table>"
