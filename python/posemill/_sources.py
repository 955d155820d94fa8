# SPDX-License-Identifier: MIT
"""What a library is built of: files, folders, patterns, and lists with weights and clips of time."""
from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ._library import Path, printable
from ._takes import PICKLES

__all__ = ["Source", "sources_of"]

_MOTIONS = (".bvh", ".gltf", ".glb", ".npz", ".csv", ".amc", ".usd", ".usda", ".usdc", *PICKLES)
_LISTS = (".yaml", ".yml")
_SHAPES = ("shape.npz", "stagei.npz")  # of AMASS, beside its motions
_PATTERN = frozenset("*?[")
_MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class Source:
    """A file, the weight of its motions, and which seconds of them. `rate` is what a list says that its frames are
    at."""

    path: str
    weight: float | None = None
    start: float = 0.0
    end: float = math.inf
    rate: float | None = None

    @property
    def is_plain(self) -> bool:
        return self == Source(self.path)


def sources_of(paths: Path | Iterable[Path]) -> list[Source]:
    """Files in the order given; of folders and patterns, sorted."""
    given = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
    found = [source for path in given for source in _sources_in(os.fsdecode(path))]
    if not found:
        raise ValueError("paths: expected at least one" if not given else
                         f"paths: {os.fsdecode(given[0])!r} has no motion files")
    return found


def _sources_in(path: str) -> list[Source]:
    if os.path.isdir(path):
        files = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
                 if not name.startswith(".") and not name.lower().endswith(_SHAPES))
        return [Source(file) for file in sorted(files) if file.lower().endswith(_MOTIONS)]
    if _PATTERN & set(path) and not os.path.exists(path):
        return [source for file in sorted(glob.glob(path, recursive=True)) for source in _sources_in(file)]
    if path.lower().endswith(_LISTS):
        return _listed(path)
    os.stat(path)  # raises what Python raises for files that are not there
    return [Source(path)]


def _number(entry: Mapping[str, Any], name: str, default: Any, at: str) -> Any:
    value = entry.get(name, default)
    if value is default:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise ValueError(f"{at}: {name}: expected a number from 0 on, found {str(value)[:40]!r}")
    return float(value)


def _listed(path: str) -> list[Source]:
    """The motions of a YAML file, as of ProtoMotions and MimicKit."""
    import yaml

    if os.path.getsize(path) > _MOST_BYTES:
        raise ValueError(f"{path}: is larger than 64 MiB")
    with open(path, "rb") as stream:
        try:
            whole = yaml.safe_load(stream)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise ValueError(printable(f"{path}: {error}")) from error
    entries = whole.get("motions") if isinstance(whole, Mapping) else None
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{path}: expected a list of 'motions'")
    found = []
    for n, entry in enumerate(entries):
        at = f"{path}: motions[{n}]"
        if not isinstance(entry, Mapping) or not isinstance(entry.get("file"), str):
            raise ValueError(f"{at}: expected a mapping with 'file'")
        parts = entry.get("sub_motions") or [{}]
        if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
            raise ValueError(f"{at}: sub_motions: expected a list of mappings")
        file = _beside(path, entry["file"], at)
        for part in parts:
            both = {**entry, **part}
            times = both.get("timings", both)
            if not isinstance(times, Mapping):
                raise ValueError(f"{at}: timings: expected start and end")
            start, end = _number(times, "start", 0.0, at), _number(times, "end", math.inf, at)
            if end <= start:
                raise ValueError(f"{at}: start is {start:g}, but end is {end:g}")
            found.append(Source(file, _number(both, "weight", None, at), start, end, _number(both, "fps", None, at)))
    return found


def _beside(path: str, file: str, at: str) -> str:
    """A file of a list: beside the list as in ProtoMotions, or in the working folder as in MimicKit."""
    options = dict.fromkeys(os.path.normpath(one) for one in (os.path.join(os.path.dirname(path), file), file))
    there = [one for one in options if os.path.exists(one)]
    if not there:
        raise FileNotFoundError(f"{at}: there is neither {' nor '.join(map(repr, options))}")
    if len(there) > 1 and not os.path.samefile(*there):
        raise ValueError(f"{at}: could be {there[0]!r} or {there[1]!r}")
    return there[0]
