# SPDX-License-Identifier: MIT
"""Folders with a workload: written from nothing, and checked against the committed manifest."""

import hashlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

import numpy as np

from . import content, manifest, motion_file, npy
from .problems import NO_OUTPUT, Problem, cause_of

_PIECE = 1 << 20


def sha256_of(path):
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        raise Problem(path, f"cannot be read: {cause_of(error)}") from None
    return digest.hexdigest()


def _arrays(size):
    """Name and array of each file, the inputs first."""
    inputs = content.make_inputs(size)
    yield from inputs.items()
    for group in content.GROUPS:
        samples = content.Samples(group, inputs)
        positions = samples.stored_positions(size.positions)
        yield f"positions_{group}", positions
        for method in content.METHODS_OF[group]:
            yield manifest.expected_name(group, method), samples.expected(method, positions)


def _fill(folder, name):
    files = {}
    for stem, array in _arrays(content.SIZES[name]):
        path = folder / f"{stem}.npy"
        npy.write(path, array)
        files[path.name] = {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape),
                            "bytes": path.stat().st_size, "sha256": sha256_of(path)}
    path = folder / motion_file.NAME
    path.write_text(motion_file.text_of(content.SIZES[name]), encoding="ascii", newline="\n")
    files[path.name] = {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
    text = manifest.text_of(manifest.describe(name, files))
    (folder / manifest.NAME).write_text(text, encoding="ascii", newline="\n")
    return text


def make(folder, name):
    """Writes a workload into a folder that does not exist; returns the manifest's text."""
    if os.path.lexists(folder):
        raise Problem(folder, "exists; name a folder that does not", NO_OUTPUT)
    part = None
    try:
        parent = Path(folder).absolute().parent
        part = Path(tempfile.mkdtemp(prefix=".posemill-", suffix=".part", dir=parent))
        text = _fill(part, name)
        part.chmod(0o755)
        part.rename(folder)
    except OSError as error:
        raise Problem(folder, f"cannot be written: {cause_of(error)}", NO_OUTPUT) from None
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    return text


def _is_file(path):
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def manifest_in(folder):
    """The name of the workload in a folder and its manifest, which must be a committed one."""
    path = Path(folder) / manifest.NAME
    if not _is_file(path):
        raise Problem(path, "is not there; bench/workload make writes such a folder")
    texts = {name: manifest.committed(name) for name in content.SIZES}
    longest = max(map(len, texts.values()))
    try:
        with open(path, "rb") as file:
            found = file.read(longest + 1)
    except OSError as error:
        raise Problem(path, f"cannot be read: {cause_of(error)}") from None
    for name, text in texts.items():
        if found == text.encode("ascii"):
            return name, text
    raise Problem(path, f"is of no workload of version {content.VERSION}: its bytes differ")


def path_of(folder, name):
    return Path(folder) / name


def check_file(folder, name, entry):
    path = Path(folder) / name
    if not _is_file(path):
        raise Problem(path, "is not there")
    if path.stat().st_size != entry["bytes"]:
        raise Problem(path, f"has {path.stat().st_size} bytes; expected {entry['bytes']}")
    found = sha256_of(path)
    if found != entry["sha256"]:
        raise Problem(path, f"has the SHA-256 {found}; expected {entry['sha256']}")


def load(folder, names, files):
    """The checked arrays of these files, mapped, by their stems."""
    for name in names:
        check_file(folder, name, files[name])
    return {name[:-len(".npy")]: npy.read(Path(folder) / name, [files[name]["dtype"]],
                                          files[name]["shape"]) for name in names}


def load_inputs(folder, files):
    """What a library reads, in memory."""
    names = [name for name in files if name.endswith(".npy") and not name.startswith(("expected_", "positions_"))]
    return {stem: np.array(array) for stem, array in load(folder, names, files).items()}
