# SPDX-License-Identifier: MIT
"""The files of a batch: finding, checking, dividing and counting them."""
from __future__ import annotations

import heapq
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ._batch_task import raise_code, take, take_failure
from ._library import Path, ffi, file_name, lib

__all__ = ["Line", "divide", "find_files", "merge", "temporary_list"]


@dataclass(frozen=True)
class Line:
    """A file of a list: its line, and its size in bytes."""

    text: bytes
    size: int


@contextmanager
def temporary_list(lines: Sequence[Line]) -> Iterator[bytes]:
    """The path of a list while the block runs."""
    with tempfile.TemporaryDirectory(prefix="posemill-") as folder:
        path = os.path.join(os.fsencode(folder), b"list.jsonl")
        with open(path, "wb") as file:
            file.writelines(line.text for line in lines)
        yield path


def _with_absolute_path(text: str) -> Line:
    """Workers may have another working folder."""
    entry: dict[str, Any] = json.loads(text)
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


def find_files(paths: Sequence[Path], out_dir: bytes, *, files_from: Path | None,
               match: str | None, format: int, may_exist: bool) -> list[Line]:
    """All files of a batch, checked as `posemill resample` does before it writes."""
    names = [ffi.new("char[]", os.fsencode(path)) for path in paths]
    operands = ffi.new("char *[]", names or 1)
    rest = [ffi.NULL if value is None else ffi.new("char[]", value) for value in (
        None if files_from is None else file_name(files_from),
        None if match is None else os.fsencode(match), out_dir)]
    sources = ffi.new("native_sources *", [operands, len(names), *rest, format, may_exist])
    found, failure = ffi.new("char **"), ffi.new("char **")
    code = lib.native_list(sources, found, failure)
    text, message = take(found), take_failure(failure)
    if code != 0:
        raise_code(code, message)
    return [_with_absolute_path(line) for line in text.split("\n") if line]


def divide(lines: Sequence[Line], count: int) -> list[list[Line]]:
    """Parts of about equal size: the largest files first, each to the smallest part so far."""
    parts: list[list[Line]] = [[] for _ in range(min(count, len(lines)))]
    heap = [(0, i) for i in range(len(parts))]
    for line in sorted(lines, key=lambda one: (-one.size, one.text)):
        size, part = heapq.heappop(heap)
        parts[part].append(line)
        heapq.heappush(heap, (size + line.size + 1, part))
    return parts


def merge(lines: Sequence[Line], out_dir: bytes, records: bytes | None) -> dict[str, Any]:
    """What `posemill merge` says about the files, from all records of the folder."""
    found, failure = ffi.new("char **"), ffi.new("char **")
    with temporary_list(lines) as path:
        code = lib.native_merge(out_dir, ffi.NULL if records is None else records, path, found,
                                failure)
    text, message = take(found), take_failure(failure)
    if code != 0:
        raise_code(code, message)
    result: dict[str, Any] = json.loads(text)
    return result
