# SPDX-License-Identifier: MIT
"""Motions that are mirrored, joined, cut, and filled."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._content import Content
from ._library import Path, call, ffi, file_name, lib, printable
from ._rational import Number, rational, seconds_of
from ._root import AXES, UPS

__all__ = ["cut_of", "edited", "fill_options", "filled", "join_contents", "mirrored"]


def mirrored(content: Content, plane: str | None, pairs: Path | None) -> Content:
    """Left for right, of all clips."""
    if plane not in (None, *AXES):
        raise ValueError(f"plane: {plane!r} is unknown; expected 'x', 'y' or 'z'")
    path = ffi.NULL if pairs is None else ffi.new("char[]", file_name(pairs))
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_mirror, content.handle, ffi.new("pm_motion_mirror_options *", {
        "normal": AXES[plane] if plane else 0, "pairs": path}), made, ffi.NULL)
    again = None if pairs is None else os.path.abspath(os.fsdecode(pairs))
    return Content(made[0], (mirrored, (content, plane, again)), sources=[content])


def join_contents(contents: list[Content], names: list[str], blend: float, continue_root: bool,
                  up: str | None) -> Content:
    """Clips one after another."""
    if up not in UPS:
        raise ValueError(f"up: {up!r} is unknown; expected 'y' or 'z'")
    texts = [ffi.new("char[]", printable(name).encode()) for name in names]
    options = ffi.new("pm_motion_join_options *", {
        "blend": blend, "continue_root": bool(continue_root), "up": UPS[up]})
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_join, ffi.new("pm_motion *[]", [c.handle for c in contents]), len(contents),
         ffi.new("char *[]", texts), options, made)
    return Content(made[0], (join_contents, (contents, names, blend, continue_root, up)), sources=contents)


def cut_of(start: Number | None, end: Number | None, frames: tuple[int | None, int | None] | None) -> dict[str, Any]:
    """The fields of a cut."""
    if frames is None:
        return {"start_after_first_key": rational(None if start is None else seconds_of(start, "start")),
                "end_after_first_key": rational(None if end is None else seconds_of(end, "end"))}
    if start is not None or end is not None:
        raise ValueError("frames: cannot be combined with start and end")
    if len(frames) != 2 or any(f is not None and (not isinstance(f, int) or f < 0) for f in frames):
        raise ValueError(f"frames: {frames!r} is no pair of frames; expected integers from 0 on, or None")
    ends = [{"num": 0, "den": 0} if f is None else {"num": f, "den": 1} for f in frames]
    return {"start_after_first_key": ends[0], "end_after_first_key": ends[1], "cut_frames": True}


def edited(content: Content, cut: dict[str, Any], repeat: int, blend: float, continue_root: bool,
           joints: Iterable[str] | None, rename: Mapping[str, str] | None) -> Content:
    """Cut, repeated, with some joints, by other names."""
    if isinstance(joints, str):
        raise TypeError("joints: expected a sequence of names, found one name")
    if not isinstance(repeat, int) or repeat < 1:
        raise ValueError(f"repeat: {repeat!r} is no number of times; expected an integer from 1 on")
    kept = None if joints is None else list(joints)
    if kept is not None and not kept:
        raise ValueError("joints: expected at least one")
    pairs = [name for pair in (rename or {}).items() for name in pair]
    for name in [*(kept or []), *pairs]:
        if not isinstance(name, str) or "\0" in name:
            raise ValueError(f"joints: {name!r} is no name")
    texts = [ffi.new("char[]", name.encode("utf-8", "surrogateescape")) for name in [*(kept or []), *pairs]]
    count = len(kept or [])
    lists = [ffi.new("char *[]", texts[:count]), ffi.new("char *[]", texts[count:])]
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_edit, content.handle, ffi.new("pm_motion_edit_options *", {
        **cut, "repeat": repeat, "blend": blend, "continue_root": bool(continue_root),
        "joints": lists[0], "joint_count": count, "renames": lists[1],
        "rename_count": len(pairs) // 2}), made)
    return Content(made[0], (edited, (content, cut, repeat, blend, continue_root, kept, rename)), sources=[content])


def fill_options(fill: str | bool, longest: float | None) -> Any:
    """A pm_motion_fill_options."""
    made = ffi.new("pm_motion_fill_options *", {"longest": longest or 0.0})
    for word in ("nan" if fill is True else str(fill)).split(","):
        name, _, number = word.partition(":")
        if name == "frozen" and number.isdecimal() and int(number) > 0:
            made.frozen = int(number)
        elif name == "jumps" and (word == "jumps" or _is_angle(number)):
            made.jumps, made.jump_degrees = True, float(number or 0)
        elif word != "nan":
            raise ValueError(f"fill: {fill!r} is invalid; expected 'nan', 'frozen:N', N above 0, 'jumps' or "
                             "'jumps:DEGREES', or several with commas")
    if longest is not None and not 0.0 < longest < float("inf"):
        raise ValueError(f"fill_max: {longest!r} is not above 0")
    return made


def _is_angle(text: str) -> bool:
    try:
        return 0.0 < float(text) <= 180.0
    except ValueError:
        return False


def filled(content: Content, fill: str | bool, longest: float | None) -> tuple[Content, dict[str, Any]]:
    """Without gaps, and what the gaps were."""
    report = ffi.new("pm_motion_fill_report *")
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_fill, content.handle, fill_options(fill, longest), made, report)
    numbers: dict[str, Any] = {name: getattr(report, name) for name in
                               ("nan_gaps", "nan_keys", "frozen_gaps", "frozen_keys", "longest")}
    numbers["jumps"] = [_jump(made[0], report.jumps[i]) for i in range(report.jump_count)]
    return Content(made[0], (_filled_again, (content, fill, longest)), sources=[content]), numbers


def _jump(motion: Any, jump: Any) -> dict[str, Any]:
    """As the command's JSON has it."""
    content = lib.pm_motion_get_content(motion)
    channel = content.clips[jump.clip].channels[jump.channel]
    name = content.nodes[channel.node].name if channel.node >= 0 else channel.name
    turns = channel.path == lib.PM_MOTION_ROTATION
    return {"kind": ("back", "stays", "start")[jump.kind], "clip": jump.clip,
            "joint": ffi.buffer(name.text, name.size)[:].decode("utf-8", "surrogateescape"),
            "key": jump.key, "keys": jump.key_count, "at": jump.time, "size": jump.size,
            "unit": "degrees" if turns else "units"}


def _filled_again(content: Content, fill: str | bool, longest: float | None) -> Content:
    return filled(content, fill, longest)[0]
