# SPDX-License-Identifier: MIT
"""Judges results of a task: every sample against the definition, and some against the stored files.

The definition is computed again from the keys, block by block, so that a wrong sample is found wherever
it is. The stored expected results are for programs that do not have this one; they must be the same bits.
"""

from typing import NamedTuple

import numpy as np

from . import content, folder, manifest, motion_file, npy
from .problems import Problem


class Judgement(NamedTuple):
    """Largest and mean errors; None for what a task does not have. `mistake` is empty where the results
    pass."""
    errors: dict
    mistake: str


def angles(found, expected):
    """Radians between rotations of which `expected` is unit, whatever their signs."""
    found = found / np.sqrt(np.sum(found * found, axis=-1, keepdims=True))
    near = np.where(np.sum(found * expected, axis=-1, keepdims=True) < 0, -found, found)
    return 4.0 * np.arctan2(np.linalg.norm(near - expected, axis=-1),
                            np.linalg.norm(near + expected, axis=-1))


def matrix_angles(found, expected):
    """Radians by the norm of the difference of the 3 by 3 parts of (n, 12): the angle between two rotations,
    and more where a result is none."""
    apart = (found - expected).reshape(-1, 3, 4)[:, :, :3]
    chord = np.sqrt(np.sum(apart * apart, axis=(1, 2))) / np.sqrt(8.0)
    return np.where(chord <= 1.0, 2.0 * np.arcsin(np.minimum(chord, 1.0)), np.inf)


def distances(found, expected):
    return np.linalg.norm((found - expected).reshape(-1, 3, 4)[:, :, 3], axis=-1)


class _Errors:
    """The largest of each kind, where it is, and the sum."""

    def __init__(self):
        self.largest, self.at, self.sums, self.counts = {}, {}, {}, {}

    def add(self, kind, values, begin):
        worst = int(np.argmax(values))
        if not values[worst] <= self.largest.get(kind, -1.0):
            self.largest[kind], self.at[kind] = float(values[worst]), begin + worst
        self.sums[kind] = self.sums.get(kind, 0.0) + float(np.sum(values))
        self.counts[kind] = self.counts.get(kind, 0) + len(values)

    def judgement(self, task, division, place):
        means = {kind: self.sums[kind] / self.counts[kind] for kind in self.sums}
        errors = {"max_error_rad": self.largest["radians"], "mean_error_rad": means["radians"],
                  "max_error_m": self.largest.get("metres"), "mean_error_m": means.get("metres"),
                  "max_norm_error": self.largest.get("norm")}
        texts = {"radians": "the largest error is {:.7g} rad", "metres": "the largest error is {:.7g} m",
                 "norm": "a norm differs from 1 by {:.7g}"}
        for kind, limit in task["limits"][division].items():
            if not self.largest[kind] <= limit:
                return Judgement(errors, f"{texts[kind].format(self.largest[kind])} at {place(self.at[kind])}; "
                                 f"expected {limit:g} at most")
        return Judgement(errors, "")


def _place(task, position):
    if task["tracks"]:
        return f"sample {position}"
    return f"sample {position // task['shape'][1]}, track {position % task['shape'][1]}"


def judge(task, samples, results, division="exact"):
    """Of results with the task's shape. Numbers too large to square are no rotations."""
    with np.errstate(all="ignore"):
        return _judge(task, samples, results, division)


def _judge(task, samples, results, division):
    flat, errors = results.reshape(-1, samples.numbers), _Errors()
    for begin in range(0, samples.count, content.BLOCK):
        positions = np.arange(begin, min(begin + content.BLOCK, samples.count), dtype=np.int64)
        found = flat[begin:begin + len(positions)].astype(np.float64)
        lengths = np.sqrt(np.sum(found * found, axis=-1))
        bad = ~(np.isfinite(lengths) & (lengths > 0.5))
        if bad.any():
            first = begin + int(np.argmax(bad))
            return Judgement({}, f"the result at {_place(task, first)} is no rotation: "
                             f"{', '.join(str(n) for n in flat[first])}")
        expected = samples.expected(task["method"], positions)
        if samples.numbers == 4:
            errors.add("radians", angles(found, expected), begin)
            errors.add("norm", np.abs(lengths - 1.0), begin)
        else:
            errors.add("radians", matrix_angles(found, expected), begin)
            errors.add("metres", distances(found, expected), begin)
    return errors.judgement(task, division, lambda position: _place(task, position))


def _judge_motion(where, task, path, division):
    errors = _Errors()
    rotations, (found, expected) = motion_file.compared(folder.path_of(where, task["motion"]), path)
    with np.errstate(all="ignore"):
        for found_turns, expected_turns in rotations:
            errors.add("radians", angles(found_turns, expected_turns), 0)
        errors.add("metres", np.linalg.norm(found - expected, axis=-1), 0)
    return errors.judgement(task, division, lambda position: f"frame {position}")


def check_stored(where, files, task, samples):
    """The definition, computed here, must give the bits of the stored expected results."""
    stored = folder.load(where, [task["positions"], task["expected"]], files)
    positions, expected = (stored[task[key][:-len(".npy")]] for key in ("positions", "expected"))
    here = samples.expected(task["method"], np.array(positions))
    if here.tobytes() != expected.tobytes():
        raise Problem(task["expected"], "this machine computes other bits than are stored; "
                      "its arithmetic or its NumPy does not round as IEEE 754 does")


def judge_results(where, files, task, inputs, results, division):
    """Of an array, or of the path of a motion file."""
    if task["motion"]:
        folder.check_file(where, task["motion"], files[task["motion"]])
        return _judge_motion(where, task, results, division)
    samples = content.Samples(task["name"].partition("/")[0], inputs)
    check_stored(where, files, task, samples)
    return judge(task, samples, results, division)


def judge_file(where, files, task, path, division):
    if task["motion"]:
        return judge_results(where, files, task, None, path, division)
    results = npy.read(path, manifest.RESULT_TYPES, task["shape"])
    return judge_results(where, files, task, folder.load_inputs(where, files), results, division)


def text_of(errors):
    """The errors in one line."""
    text = f"largest error {errors['max_error_rad']:.3g} rad, mean {errors['mean_error_rad']:.3g} rad"
    if errors["max_error_m"] is not None:
        text += f"; largest error {errors['max_error_m']:.3g} m, mean {errors['mean_error_m']:.3g} m"
    if errors["max_norm_error"] is not None:
        text += f"; largest difference of a norm from 1 {errors['max_norm_error']:.3g}"
    return text
