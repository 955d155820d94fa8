# SPDX-License-Identifier: MIT
"""Judges results of a task: every sample against the definition, which is computed again from the keys, block by
block, so that a wrong sample is found wherever it is."""

import numpy as np
from records.text import Refused

from . import content

RESULT_TYPES = ("<f4", "<f8")
BLOCK = 1 << 16  # samples that are computed at a time, so that arrays stay in a cache
# Rounding an exact result to float32 turns it by up to 1e-7 rad; ten times that admits any careful arithmetic in float32.
# Chains of joints add up to more.
LIMITS = {4: {"max_error_rad": 1e-6, "max_norm_error": 2e-6}, 12: {"max_error_rad": 1e-5, "max_error_m": 1e-5}}


def angles(found, expected):
    """Radians between rotations of which `expected` is unit, whatever their signs."""
    found = found / np.sqrt(np.sum(found * found, axis=-1, keepdims=True))
    near = np.where(np.sum(found * expected, axis=-1, keepdims=True) < 0, -found, found)
    return 4.0 * np.arctan2(np.linalg.norm(near - expected, axis=-1),
                            np.linalg.norm(near + expected, axis=-1))


def matrix_angles(apart):
    """Radians by the norm of the difference of the 3 by 3 parts: the angle between two rotations, and more where a
    result is none."""
    chord = np.sqrt(np.sum(apart * apart, axis=(1, 2))) / np.sqrt(8.0)
    return np.where(chord <= 1.0, 2.0 * np.arcsin(np.minimum(chord, 1.0)), np.inf)


def _errors_of(found, expected):
    """By the names of a record, the errors of each result."""
    if found.shape[1] == 4:
        return {"max_error_rad": angles(found, expected), "max_norm_error": np.abs(np.linalg.norm(found, axis=-1) - 1.0)}
    apart = (found - expected).reshape(-1, 3, 4)
    return {"max_error_rad": matrix_angles(apart[:, :, :3]), "max_error_m": np.linalg.norm(apart[:, :, 3], axis=-1)}


def _place(task, position):
    if task["tracks"]:
        return f"sample {position}"
    return f"sample {position // task['shape'][1]}, track {position % task['shape'][1]}"


def judge(task, inputs, results):
    """The largest errors, and the mean of the angles, of results with the task's shape; refuses wrong ones. Numbers too
    large to square are no rotations."""
    samples, numbers = content.Samples(task, inputs), 12 if task["shape"][-2:] == [3, 4] else 4
    flat, largest, total = results.reshape(-1, numbers), {}, 0.0
    for begin in range(0, task["samples"], BLOCK):
        positions = np.arange(begin, min(begin + BLOCK, task["samples"]), dtype=np.int64)
        found = flat[begin:begin + len(positions)].astype(np.float64)
        with np.errstate(all="ignore"):
            lengths = np.sqrt(np.sum(found * found, axis=-1))
            bad = ~(np.isfinite(lengths) & (lengths > 0.5))
            errors = {} if bad.any() else _errors_of(found, samples.expected(positions))
        if bad.any():
            first = begin + int(np.argmax(bad))
            raise Refused(f"{task['name']}: the result at {_place(task, first)} is no rotation: "
                          f"{', '.join(str(n) for n in flat[first])}", 1)
        for kind, values in errors.items():
            worst = int(np.argmax(values))
            largest[kind] = max(largest.get(kind, (-1.0, 0)), (float(values[worst]), begin + worst))
        total += float(np.sum(errors["max_error_rad"]))
    for kind, limit in LIMITS[numbers].items():
        value, at = largest[kind]
        if not value <= limit:
            raise Refused(f"{task['name']}: {kind} is {value:.7g} at {_place(task, at)}; expected {limit:g} at most", 1)
    return {**{kind: value for kind, (value, _) in largest.items()}, "mean_error_rad": total / task["samples"]}


def text_of(errors):
    """The errors in one line."""
    words = {"max_error_rad": "largest error {:.3g} rad", "mean_error_rad": "mean {:.3g} rad",
             "max_error_m": "largest error {:.3g} m", "max_norm_error": "largest difference of a norm from 1 {:.3g}"}
    return ", ".join(text.format(errors[kind]) for kind, text in words.items() if kind in errors)
