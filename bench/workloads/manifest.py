# SPDX-License-Identifier: MIT
"""What workload.json says: the files with their digests, the tasks, and how they are timed and judged.

The text is a part of the format, and the digest of the manifest names a workload: a change requires
another version in content.py, and new manifests here.
"""

import hashlib
import json
from pathlib import Path

from . import content, motion_file, poses
from .record import LEAST_SECONDS, SHORTEST_REPETITIONS

NAME = "workload.json"
COMMITTED = Path(__file__).resolve().parent
RESULT_TYPES = ("<f4", "<f8")

_INPUTS = {
    "keys": "rotations of the keys: key, track, and x y z w of a unit quaternion",
    "key_times": "seconds of the keys, the same for all tracks: key i at i / 30",
    "controls": "squad's inner control point of each key, as keys",
    "uniform_times": "seconds of the samples of uniform: sample k at k / 120",
    "large_times": "seconds of the samples of large: sample k at k / 480",
    "random_times": "seconds of the samples of times, in no order, the same for all tracks; of crowd, of the "
                    "instances",
    "parents": "the parent of each joint of crowd, -1 of the root; parents come first. Joint j turns as track j",
    "rest": "metres from the parent of each joint of crowd, x y z",
    "pair_times": "seconds of the samples of pairs, in no order",
    "pair_tracks": "the track of each sample of pairs, from 0",
}

_CONVENTIONS = [
    "Quaternions are x y z w, Hamilton product, unit; q and -q are the same rotation.",
    "Neighbouring keys of a track have a positive dot product: no sign needs to change.",
    "Keys and control points are float32 and are normalised in double precision before use.",
    "Segment i runs from key i to key i+1; u = (t - t_i) / (t_{i+1} - t_i) in double precision. The last "
    "key time belongs to the last segment. In uniform, sample k lies in segment k div 4 at u = (k mod 4) / 4, in large in k div 16 at (k mod 16) / 16.",
    "All files are .npy, version 1.0, little-endian, C order.",
]

_DEFINITIONS = {
    "slerp": "sin((1-u) th)/sin(th) q_i + sin(u th)/sin(th) q_{i+1}, cos th = dot(q_i, q_{i+1})",
    "nlerp": "((1-u) q_i + u q_{i+1}) / |(1-u) q_i + u q_{i+1}|",
    "squad": "slerp(slerp(q_i, q_{i+1}, u), slerp(s_i, s_{i+1}, u), 2u(1-u)), s = controls; no slerp flips. "
             "s_i = q_i exp((log(q_{i-1}^-1 q_i) - log(q_i^-1 q_{i+1})) / 4), at both ends q_i: Shoemake's",
    "crowd": "M_j = M_parent(j) (R(q_j) | rest_j), of the root (R(q_0) | rest_0), q_j = the value of track j by "
             "the task's method; R of x y z w has the rows (1-2(yy+zz), 2(xy-zw), 2(xz+yw)), (2(xy+zw), 1-2(xx+zz), "
             "2(yz-xw)), (2(xz-yw), 2(yz+xw), 1-2(xx+yy)). A result is 3 by 4, row after row",
    "file": "motion.bvh at 100 Hz: frame k is k/100 s after the first, to the last frame. A rotation is the product "
            "of the turns of the joint's channels in their order, and is interpolated by slerp; the place of the root "
            "linearly. Results are a BVH file of the same joints, whose channels may have another order",
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
    "to-file": "from the path of motion.bvh to a whole file of another path; reading and writing are timed",
    "repetitions": f"at least {SHORTEST_REPETITIONS}, and at least {LEAST_SECONDS:g} s in all; all are in the record, "
                   "in seconds, in their order",
    "build": "lossy: the seconds from keys in memory to what is sampled, compression included, are a column",
    "judged": "the results of the last timed repetition",
}

_ROTATIONS = {"exact": {"radians": 1e-6, "norm": 2e-6}, "lossy": {"radians": 1e-2, "norm": 1e-3}}
_POSES = {"exact": {"radians": 1e-5, "metres": 1e-5}, "lossy": {"radians": 1e-1, "metres": 1e-1}}

_JUDGING = {
    "divisions": "exact: every result is within the task's limits of exact. lossy: keys are stored in another form, "
                 "results are within those of lossy, and the largest and mean error, the bytes of a key and the "
                 "seconds of building are columns",
    "radians": "of quaternions 4 atan2(|a - b|, |a + b|) of the normalised result a and the expected b, with the sign "
               "of a that is nearer to b; of matrices 2 asin(|A - B| / sqrt(8)), by the root of the sum of the squares "
               "of the 3 by 3 parts. The largest and the mean over all samples",
    "metres": "the distance of the places: of every joint of crowd, of the root of file",
    "norm": "the largest difference of a quaternion's norm from 1",
    "bytes_per_key": "lossy: bytes of what is stored to sample all tracks, over keys times tracks; of float32 16",
    "reason": "Rounding an exact result to float32 turns it by up to 1e-7 rad. Ten times that admits any "
              "careful float32 arithmetic. Another curve is outside, and so are times held as float32 seconds "
              "over the length of the standard workload. Chains of joints and decimals of files add up to "
              "more, so crowd and file admit ten times as much.",
}


def expected_name(group, method):
    return f"expected_{group}_{method}"


def _task(group, method, size):
    samples = content.Samples.count_of(group, size)
    width = [size.tracks] if group != "pairs" else []
    inner = [3, 4] if group == "crowd" else [4]
    numbers = poses.NUMBERS if group == "crowd" else 4
    return {"name": f"{group}/{method}", "method": method, "times": f"{content.TIMES_OF[group]}.npy",
            "tracks": "pair_tracks.npy" if group == "pairs" else None,
            "controls": "controls.npy" if method == "squad" else None, "motion": None,
            "shape": [samples // (width or [1])[0], *width, *inner], "samples": samples,
            "result_bytes": {"float32": 4 * numbers * samples, "float64": 8 * numbers * samples},
            "limits": _POSES if group == "crowd" else _ROTATIONS,
            "positions": f"positions_{group}.npy", "expected": f"{expected_name(group, method)}.npy"}


def _file_task(size):
    frames = motion_file.FACTOR * (size.frames - 1) + 1
    return {"name": "file/slerp", "method": "slerp", "times": None, "tracks": None, "controls": None,
            "motion": motion_file.NAME, "shape": None, "samples": frames * size.tracks, "result_bytes": None,
            "limits": _POSES, "positions": None, "expected": None}


def tasks_of(size):
    return [_task(group, method, size) for group, methods in content.METHODS_OF.items()
            for method in methods] + [_file_task(size)]


def describe(name, files):
    """The manifest of a workload; files has what each file is: dtype, shape, bytes, sha256."""
    size = content.SIZES[name]
    purposes = {f"{key}.npy": text for key, text in _INPUTS.items()}
    purposes[motion_file.NAME] = "the motion of file: 25 Hz, metres"
    for task in tasks_of(size):
        if task["motion"]:
            continue
        purposes[task["positions"]] = ("positions of the stored expected results in the order of the results: "
                                       "sample * tracks + track, in pairs the sample")
        purposes[task["expected"]] = f"expected results of {task['name']} at its positions"
    return {"format": "posemill-workload", "version": content.VERSION, "name": name,
            "units": {"time": "s", "angle": "rad", "rotation": "unit quaternion x y z w"},
            "tracks": size.tracks, "keys": size.keys, "key_rate": content.KEY_RATE,
            "conventions": _CONVENTIONS, "definitions": _DEFINITIONS,
            "timing": _TIMING, "judging": _JUDGING, "tasks": tasks_of(size),
            "files": {file: {**files[file], "what": purposes[file]} for file in sorted(files)}}


def _lines(value):
    """An object or a list with a line for each of its elements, anything else in one line."""
    if isinstance(value, dict) and value:
        parts, ends = [f"{json.dumps(key)}: {json.dumps(inner)}" for key, inner in value.items()], "{}"
    elif isinstance(value, list):
        parts, ends = [json.dumps(inner) for inner in value], "[]"
    else:
        return json.dumps(value)
    return ends[0] + "\n  " + ",\n  ".join(parts) + "\n " + ends[1]


def text_of(manifest):
    """Of a record too."""
    members = [f" {json.dumps(key)}: {_lines(value)}" for key, value in manifest.items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def digest_of(text):
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def committed(name):
    """The text of the manifest that this version of the format has."""
    return (COMMITTED / f"{name}.json").read_text(encoding="ascii")
