# SPDX-License-Identifier: MIT
"""Clips and methods that arguments name."""
from __future__ import annotations

from ._content import Content
from ._library import ffi, lib
from ._names import methods
from ._views import name_of

__all__ = ["clip_index", "count_of", "first_clip", "is_authored", "method_number"]

_GLTF = (lib.PM_MOTION_GLTF, lib.PM_MOTION_GLB)


def method_number(name: str) -> int:
    """The pm_method of a name."""
    if not isinstance(name, str):
        raise TypeError(f"method: expected a text, found {type(name).__name__}")
    found = ffi.new("pm_method *")
    if "\0" in name or not lib.pm_method_find(name.encode(), found):
        raise ValueError(f"method: {name!r} is unknown; expected one of: {' '.join(methods())}")
    return int(found[0])


def is_authored(content: Content, method: str | None) -> bool:
    """Whether each channel follows its own interpolation: by default where that may be another than slerp."""
    if method is not None:
        return method == "authored"
    clips = (content.c.clips[i] for i in range(int(content.c.clip_count)))
    return content.c.format in _GLTF or any(
        clip.channels[i].interpolation == lib.PM_MOTION_CUBICSPLINE
        for clip in clips for i in range(int(clip.channel_count)))


def first_clip(content: Content) -> int:
    """The first clip with channels; 0 if none has any."""
    return next((i for i in range(int(content.c.clip_count))
                 if content.c.clips[i].channel_count > 0), 0)


def clip_index(content: Content, clip: int | str) -> int:
    """The clip of an index, or the first with a name."""
    count = int(content.c.clip_count)
    if isinstance(clip, str):
        names = [name_of(content.c.clips[i].name) for i in range(count)]
        if clip not in names:
            raise ValueError(f"clip: none is named {clip!r}")
        return names.index(clip)
    if isinstance(clip, bool) or not hasattr(clip, "__index__"):
        raise TypeError(f"clip: expected an index or a name, found {type(clip).__name__}")
    index = clip.__index__()
    if not -count <= index < count:
        raise ValueError(f"clip: {index} is none of {count}")
    return index % count


def count_of(value: int, name: str, end: int = 2**63) -> int:
    """An integer from 0 up to, but not including, `end`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected an integer, found {type(value).__name__}")
    if not 0 <= value.__index__() < end:
        raise ValueError(f"{name}: {value} is below 0, or too large")
    return value.__index__()
