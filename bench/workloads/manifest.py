# SPDX-License-Identifier: MIT
"""What workload.json says: the files with their digests, the tasks, and how they are timed and judged.

The text is a part of the format, and the digest of the manifest names a workload: a change requires
another version in content.py, and new manifests here.
"""

import hashlib
import json
from pathlib import Path

from . import content
from .curves import METHODS
from .record import SHORTEST_REPETITIONS

NAME = "workload.json"
COMMITTED = Path(__file__).resolve().parent
TOLERANCE_RAD, TOLERANCE_NORM = 1e-6, 2e-6
RESULT_TYPES = ("<f4", "<f8")

_INPUTS = {
    "keys": "rotations of the keys: key, track, and x y z w of a unit quaternion",
    "key_times": "seconds of the keys, the same for all tracks: key i at i / 30",
    "controls": "squad's inner control point of each key, as keys",
    "uniform_times": "seconds of the samples of uniform: sample k at k / 120",
    "random_times": "seconds of the samples of times, in no order, the same for all tracks",
    "pair_times": "seconds of the samples of pairs, in no order",
    "pair_tracks": "the track of each sample of pairs, from 0",
}

_CONVENTIONS = [
    "Quaternions are x y z w, Hamilton product, unit; q and -q are the same rotation.",
    "Neighbouring keys of a track have a positive dot product: no sign needs to change.",
    "Keys and control points are float32 and are normalised in double precision before use.",
    "Segment i runs from key i to key i+1; u = (t - t_i) / (t_{i+1} - t_i) in double precision. The last "
    "key time belongs to the last segment. In uniform, sample k lies in segment k div 4 at u = (k mod 4) / 4.",
    "All files are .npy, version 1.0, little-endian, C order.",
]

_DEFINITIONS = {
    "slerp": "sin((1-u) th)/sin(th) q_i + sin(u th)/sin(th) q_{i+1}, cos th = dot(q_i, q_{i+1})",
    "nlerp": "((1-u) q_i + u q_{i+1}) / |(1-u) q_i + u q_{i+1}|",
    "squad": "slerp(slerp(q_i, q_{i+1}, u), slerp(s_i, s_{i+1}, u), 2u(1-u)), s = controls; no slerp flips. "
             "s_i = q_i exp((log(q_{i-1}^-1 q_i) - log(q_i^-1 q_{i+1})) / 4), at both ends q_i: Shoemake's",
}

_TIMING = {
    "before": "Untimed: keys, control points and key times are read, and curves of them are made in any "
              "form, where the library has it, on a device too. Sample times and tracks are in host memory. "
              "Memory of the results may be allocated. One run is not timed, and its results are erased before "
              "the timed ones.",
    "from": "the call that is given the sample times; for uniform it may be given the rate instead. Sorting, "
            "locating and uploading them is timed",
    "to-host": "until all results are in host memory, in the order of the task, as float32 or float64",
    "to-device": "until all results are in the device's memory, in the order of the task, and the host knows it",
    "repetitions": f"at least {SHORTEST_REPETITIONS}; all are in the record, in seconds, in their order",
    "judged": "the results of the last timed repetition",
}

_JUDGING = {
    "radians": {method: TOLERANCE_RAD for method in METHODS},
    "norm": TOLERANCE_NORM,
    "angle": "4 atan2(|a - b|, |a + b|) of the normalised result a and the expected b, with the sign of a that "
             "is nearer to b; the largest over all samples must not exceed radians",
    "reason": "Rounding an exact result to float32 turns it by up to 1e-7 rad. Ten times that admits any "
              "careful float32 arithmetic. Another curve is outside, and so are times held as float32 seconds "
              "over the length of the standard workload. "
              "Every result must be finite, and its norm must differ from 1 by at most norm: callers use "
              "results as they are.",
}


def expected_name(group, method):
    return f"expected_{group}_{method}"


def tasks_of(size):
    frames = content.FACTOR * (size.keys - 1)
    shapes = {"uniform": [frames, size.tracks, 4], "times": [size.times, size.tracks, 4],
              "pairs": [size.pairs, 4]}
    times = {"uniform": "uniform_times", "times": "random_times", "pairs": "pair_times"}
    return [{"name": f"{group}/{method}", "method": method, "times": f"{times[group]}.npy",
             "tracks": "pair_tracks.npy" if group == "pairs" else None,
             "controls": "controls.npy" if method == "squad" else None,
             "shape": shapes[group], "samples": _product(shapes[group][:-1]),
             "positions": f"positions_{group}.npy",
             "expected": f"{expected_name(group, method)}.npy"}
            for group in content.GROUPS for method in METHODS]


def _product(numbers):
    value = 1
    for number in numbers:
        value *= number
    return value


def describe(name, files):
    """The manifest of a workload; files has what each file is: dtype, shape, bytes, sha256."""
    size = content.SIZES[name]
    purposes = {f"{key}.npy": text for key, text in _INPUTS.items()}
    for task in tasks_of(size):
        purposes[task["positions"]] = ("positions of the stored expected results in the order of the results: "
                                       "sample * tracks + track, in pairs the sample")
        purposes[task["expected"]] = f"expected results of {task['name']} at its positions"
    return {"format": "posemill-workload", "version": content.VERSION, "name": name,
            "units": {"time": "s", "angle": "rad", "rotation": "unit quaternion x y z w"},
            "tracks": size.tracks, "keys": size.keys, "key_rate": content.KEY_RATE,
            "rate": content.RATE, "conventions": _CONVENTIONS, "definitions": _DEFINITIONS,
            "timing": _TIMING, "judging": _JUDGING, "tasks": tasks_of(size),
            "files": {file: {**files[file], "what": purposes[file]} for file in sorted(files)}}


def text_of(manifest):
    return json.dumps(manifest, indent=1) + "\n"


def digest_of(text):
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def committed(name):
    """The text of the manifest that this version of the format has."""
    return (COMMITTED / f"{name}.json").read_text(encoding="ascii")
