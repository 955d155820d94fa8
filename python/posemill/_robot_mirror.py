# SPDX-License-Identifier: MIT
"""Left for right of motions of robots, whose files have no joints."""
from __future__ import annotations

import os
from typing import Any

from ._content import Content
from ._library import Path, call, ffi, file_name, lib
from ._library_file import describe_robot
from ._root import AXES
from ._skeleton import Skeleton

__all__ = ["mirrored_robot"]


def mirrored_robot(content: Content, robot: Skeleton, plane: str | None, pairs: Path | None) -> Content:
    """Of all clips."""
    if not isinstance(robot, Skeleton):
        raise TypeError(f"robot: expected a Skeleton, found {type(robot).__name__}")
    if plane not in (None, *AXES):
        raise ValueError(f"plane: {plane!r} is unknown; expected 'x', 'y' or 'z'")
    keep: list[Any] = []
    path = ffi.NULL if pairs is None else ffi.new("char[]", file_name(pairs))
    options = ffi.new("pm_motion_mirror_options *", {"normal": AXES[plane] if plane else 0, "pairs": path})
    made = ffi.new("pm_motion **")
    call(lib.pm_library_mirror_robot, content.handle, describe_robot(robot, keep), options, made, ffi.NULL)
    again = None if pairs is None else os.path.abspath(os.fsdecode(pairs))
    return Content(made[0], (mirrored_robot, (content, robot, plane, again)), sources=[content])
