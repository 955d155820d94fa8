# SPDX-License-Identifier: MIT
"""Folders with a workload: written from nothing, and known by the digest of their manifest, workload.json, which has
the digests of the other files."""

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from records.text import CANNOT_WRITE, Refused, shown

from . import content, npy

NAME = "workload.json"
DIGESTS = {"small": "2ab19960917211a95f4a21ad5e5acf9760502cf4e1ae5923db1e709fb95f7a4b",
           "standard": "a13d9cb386ab306ebc3528099206d9dabf11ab9e9c73d0468a94278b22cfab9a"}


class Workload(NamedTuple):
    path: Path
    name: str
    tasks: list
    files: dict


def _sha256_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _fill(folder, name):
    """Writes the files; returns the digest of the manifest."""
    size, files = content.SIZES[name], {}
    for stem, array in content.make_inputs(size).items():
        path = folder / f"{stem}.npy"
        npy.write(path, array)
        files[path.name] = {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape),
                            "bytes": path.stat().st_size, "sha256": _sha256_of(path)}
    manifest = {"format": "posemill-workload", "version": content.VERSION, "name": name, "tracks": size.tracks,
                "keys": size.keys, "key_rate": content.KEY_RATE, "tasks": list(content.tasks_of(size)),
                "files": dict(sorted(files.items()))}
    (folder / NAME).write_text(json.dumps(manifest, indent=1) + "\n", encoding="ascii", newline="\n")
    return _sha256_of(folder / NAME)


def make(folder, name):
    """Writes a workload into a folder that does not exist; returns the manifest's digest."""
    if os.path.lexists(folder):
        raise Refused(f"{shown(folder)}: exists; name a folder that does not", CANNOT_WRITE)
    part = None
    try:
        part = Path(tempfile.mkdtemp(prefix=".posemill-", suffix=".part", dir=Path(folder).absolute().parent))
        digest = _fill(part, name)
        part.chmod(0o755)
        part.rename(folder)
    except OSError as error:
        raise Refused(f"{shown(folder)}: cannot be written: {error.strerror}", CANNOT_WRITE) from error
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    if digest != DIGESTS[name]:
        raise Refused(f"{shown(folder)}: was written, and is not the workload of this version: its SHA-256 is {digest}",
                      1)
    return digest


def open_in(folder):
    """The workload in a folder, whose manifest must have one of the known digests."""
    path = Path(folder) / NAME
    try:
        data = path.read_bytes() if path.stat().st_size < 1 << 20 else b""
    except OSError as error:
        raise Refused(f"{shown(path)}: cannot be read: {error.strerror}; bench/workload make writes such a "
                      "folder") from error
    for name, digest in DIGESTS.items():
        if hashlib.sha256(data).hexdigest() == digest:
            manifest = json.loads(data)
            return Workload(Path(folder), name, manifest["tasks"], manifest["files"])
    raise Refused(f"{shown(path)}: is of no workload of version {content.VERSION}: its bytes differ")


def load_inputs(workload):
    """The arrays that a library reads, in memory, after their digests were compared."""
    inputs = {}
    for name, entry in workload.files.items():
        path = workload.path / name
        array = npy.read(path, [entry["dtype"]], entry["shape"])
        found = _sha256_of(path)
        if found != entry["sha256"]:
            raise Refused(f"{shown(path)}: has the SHA-256 {found}; expected {entry['sha256']}")
        inputs[name.removesuffix(".npy")] = np.array(array)
    return inputs
