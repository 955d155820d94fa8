# SPDX-License-Identifier: MIT
"""Root motion that is extracted from a joint of a motion."""
from __future__ import annotations

from typing import Any

from ._content import Content
from ._library import call, ffi, lib

__all__ = ["AXES", "UPS", "axes_of", "extracted"]

UPS = {None: 0, "y": 1, "z": 2}
AXES = {"x": 1, "y": 2, "z": 4}


def axes_of(axes: str | None, name: str) -> int:
    """A sum of pm_motion_axis; None: 0."""
    if axes is None:
        return 0
    if not isinstance(axes, str):
        raise TypeError(f"{name}: expected a text, found {type(axes).__name__}")
    if not axes or len(set(axes)) != len(axes) or not set(axes) <= set(AXES):
        raise ValueError(f"{name}: {axes!r} is invalid; expected axes such as 'xz'")
    return sum(AXES[axis] for axis in axes)


def extracted(content: Content, options: dict[str, Any]) -> Content:
    """A motion whose root moves. `options` are fields of a pm_motion_root_options; names are texts."""
    keep = {name: ffi.new("char[]", value.encode()) for name, value in options.items()
            if isinstance(value, str)}
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_extract_root, content.handle,
         ffi.new("pm_motion_root_options *", {**options, **keep}), made, ffi.NULL)
    return Content(made[0], (extracted, (content, options)), sources=[content])
