# SPDX-License-Identifier: MIT
"""The files of a batch: finding, checking, dividing and counting them."""
from __future__ import annotations

import heapq
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._library import Path, call, ffi, file_name, lib, text

__all__ = ["Line", "divide", "find_files", "list_of", "merge"]


@dataclass(frozen=True)
class Line:
    """A file of a list: its line, and its size in bytes."""

    text: bytes
    size: int


def _with_absolute_path(line: str) -> Line:
    """Workers may have another working folder."""
    entry: dict[str, Any] = json.loads(line)
    given = (bytes.fromhex(entry.pop("path_bytes")) if "path_bytes" in entry
             else entry["path"].encode())
    if given == b"-":
        raise ValueError("paths: standard input cannot be read by workers")
    path = os.path.abspath(given)
    entry["path"] = path.decode("utf-8", "replace")
    if entry["path"].encode() != path:
        entry["path_bytes"] = path.hex()
    if os.path.exists(entry.get("layout", "")):
        entry["layout"] = os.path.abspath(entry["layout"])
    return Line(json.dumps(entry, ensure_ascii=False).encode() + b"\n",
                int(entry.get("bytes", 0)))


def _find(**fields: Any) -> Any:
    """A pm_motion_batch_list of sources."""
    made = ffi.new("pm_motion_batch_list **")
    call(lib.pm_motion_batch_list_create, ffi.new("pm_motion_batch_sources *", fields), made)
    return ffi.gc(made[0], lambda found: lib.pm_motion_batch_list_destroy(
        ffi.new("pm_motion_batch_list **", found)))


def list_of(lines: bytes) -> Any:
    """A pm_motion_batch_list of lines."""
    text = ffi.new("char[]", lines)
    return _find(list=text, list_size=len(lines))


def find_files(paths: Sequence[Path], options: Any, *, files_from: Path | None,
               match: str | None) -> list[Line]:
    """All files of a batch, checked as it is before it writes. `options` are a pm_motion_batch_options."""
    names = [ffi.new("char[]", os.fsencode(path)) for path in paths]
    operands = ffi.new("char *[]", names or 1)
    rest = [ffi.NULL if value is None else ffi.new("char[]", value) for value in (
        None if files_from is None else file_name(files_from),
        None if match is None else os.fsencode(match))]
    found = _find(paths=operands, path_count=len(names), files_from=rest[0], match=rest[1],
                  out_dir=options.out_dir)
    count = ffi.new("size_t *")
    lib.pm_motion_batch_list_get_items(found, count)
    if count[0] == 0:
        raise ValueError("paths: no motion files were found")
    call(lib.pm_motion_batch_check, found, options)
    text = lib.pm_motion_batch_list_text(found)
    if text == ffi.NULL:
        raise MemoryError("out of memory")
    return [_with_absolute_path(line) for line in bytes(ffi.string(text)).decode().split("\n") if line]


def divide(lines: Sequence[Line], count: int) -> list[list[Line]]:
    """Parts of about equal size: the largest files first, each to the smallest part so far."""
    parts: list[list[Line]] = [[] for _ in range(min(count, len(lines)))]
    heap = [(0, i) for i in range(len(parts))]
    for line in sorted(lines, key=lambda one: (-one.size, one.text)):
        size, part = heapq.heappop(heap)
        parts[part].append(line)
        heapq.heappush(heap, (size + line.size + 1, part))
    return parts


_STATES = {lib.PM_MOTION_BATCH_FAILED: "failed", lib.PM_MOTION_BATCH_MISSING: "missing",
           lib.PM_MOTION_BATCH_CONFLICTING: "conflicting"}
_SUMS = ("done", "frames", "joint_samples", "bytes_read", "bytes_written")


def merge(lines: Sequence[Line], out_dir: bytes, records: bytes | None) -> dict[str, Any]:
    """What the records of the folder say about the files; "files" are those that are not done."""
    expected = list_of(b"".join(line.text for line in lines))
    names = [ffi.new("char[]", place) for place in (out_dir, records) if place is not None]
    places = ffi.new("char *[]", names)
    made = ffi.new("pm_motion_batch_merge **")
    call(lib.pm_motion_batch_merge_create, ffi.new("pm_motion_batch_merge_options *", {
        "records": places, "record_count": len(places), "may_be_missing": True,
        "list": expected}), made)
    found = lib.pm_motion_batch_merge_get_merged(made[0])
    result: dict[str, Any] = {name: int(getattr(found, name)) for name in _SUMS}
    result.update(complete=bool(found.is_complete), digest=text(found.digest),
                  seconds=float(found.seconds), files=[
        {"name": text(file.name), "state": _STATES[file.state], "code": int(file.code),
         "error": text(file.failure) if file.failure else ""}
        for file in found.files[0:found.file_count] if file.state in _STATES])
    lib.pm_motion_batch_merge_destroy(made)
    return result
