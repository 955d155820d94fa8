# SPDX-License-Identifier: MIT
"""Judges results of a task: every sample against the definition, and some against the stored files.

The definition is computed again from the keys, block by block, so that a wrong sample is found wherever
it is. The stored expected results are for programs that do not have this one; they must be the same bits.
"""

from typing import NamedTuple

import numpy as np

from . import content, folder, manifest, npy
from .problems import Problem


class Judgement(NamedTuple):
    error: float       # the largest angle in rad; NaN where a result is not finite
    norm: float        # the largest difference of a norm from 1
    position: int      # of the mistake; else of the largest angle
    mistake: str       # empty where the results pass


def angles(found, expected):
    """Radians between rotations of which `expected` is unit, whatever their signs."""
    found = found / np.sqrt(np.sum(found * found, axis=-1, keepdims=True))
    near = np.where(np.sum(found * expected, axis=-1, keepdims=True) < 0, -found, found)
    return 4.0 * np.arctan2(np.linalg.norm(near - expected, axis=-1),
                            np.linalg.norm(near + expected, axis=-1))


def _place(task, position):
    if len(task["shape"]) == 2:
        return f"sample {position}"
    return f"sample {position // task['shape'][1]}, track {position % task['shape'][1]}"


def _judgement(task, error, worst, norm, longest):
    """From the largest errors and their positions."""
    if not error <= manifest.TOLERANCE_RAD:
        return Judgement(error, norm, worst, f"the largest error is {error:.7g} rad at {_place(task, worst)}; "
                         f"expected {manifest.TOLERANCE_RAD:g} at most")
    if not norm <= manifest.TOLERANCE_NORM:
        return Judgement(error, norm, longest, f"a norm differs from 1 by {norm:.7g} at "
                         f"{_place(task, longest)}; expected {manifest.TOLERANCE_NORM:g} at most")
    return Judgement(error, norm, worst, "")


def judge(task, samples, results):
    """Of results (..., 4) with the task's shape. Numbers too large to square are no rotations."""
    with np.errstate(all="ignore"):
        return _judge(task, samples, results)


def _judge(task, samples, results):
    flat = results.reshape(-1, 4)
    error, norm, worst, longest = 0.0, 0.0, 0, 0
    for begin in range(0, samples.count, content.BLOCK):
        positions = np.arange(begin, min(begin + content.BLOCK, samples.count), dtype=np.int64)
        found = flat[begin:begin + len(positions)].astype(np.float64)
        lengths = np.sqrt(np.sum(found * found, axis=-1))
        bad = ~(np.isfinite(lengths) & (lengths > 0.5))
        if bad.any():
            first = begin + int(np.argmax(bad))
            return Judgement(np.nan, np.nan, first,
                             f"the result at {_place(task, first)} is no rotation: "
                             f"{', '.join(str(n) for n in flat[first])}")
        turned = angles(found, samples.expected(task["method"], positions))
        off = np.abs(lengths - 1.0)
        if off.max() > norm:
            norm, longest = float(off.max()), begin + int(np.argmax(off))
        if turned.max() > error:
            error, worst = float(turned.max()), begin + int(np.argmax(turned))
    return _judgement(task, error, worst, norm, longest)


def check_stored(where, files, task, samples):
    """The definition, computed here, must give the bits of the stored expected results."""
    stored = folder.load(where, [task["positions"], task["expected"]], files)
    positions, expected = (stored[task[key][:-len(".npy")]] for key in ("positions", "expected"))
    here = samples.expected(task["method"], np.array(positions))
    if here.tobytes() != expected.tobytes():
        raise Problem(task["expected"], "this machine computes other bits than are stored; "
                      "its arithmetic or its NumPy does not round as IEEE 754 does")


def samples_of(task, inputs):
    return content.Samples(task["name"].partition("/")[0], inputs)


def judge_file(where, files, task, path):
    results = npy.read(path, manifest.RESULT_TYPES, task["shape"])
    samples = samples_of(task, folder.load_inputs(where, files))
    check_stored(where, files, task, samples)
    return judge(task, samples, results)
