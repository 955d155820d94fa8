# SPDX-License-Identifier: MIT
"""Left for right of motions of robots, whose files have no joints."""
from __future__ import annotations

from typing import Any

from ._content import Content
from ._library import call, ffi, lib
from ._library_file import describe_robot
from ._options import Options
from ._skeleton import Skeleton

__all__ = ["mirrored_robot"]


def mirrored_robot(content: Content, robot: Skeleton, options: Options) -> Content:
    """Of all clips."""
    if not isinstance(robot, Skeleton):
        raise TypeError(f"robot: expected a Skeleton, found {type(robot).__name__}")
    keep: list[Any] = []
    made = ffi.new("pm_motion **")
    call(lib.pm_library_mirror_robot, content.handle, describe_robot(robot, keep), options.values.mirror, made,
         ffi.NULL)
    return Content(made[0], (mirrored_robot, (content, robot, options)), sources=[content])
