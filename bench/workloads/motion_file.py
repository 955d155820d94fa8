# SPDX-License-Identifier: MIT
"""The motion file of the task file: a BVH file whose numbers are integers over 10000, and the judge of
files that programs wrote from it.

The bytes of the file are reproducible; what is expected of results is computed in double precision with
the sine of NumPy, whose last bit does not matter here, so no expected results are stored.
"""

import re

import numpy as np

from . import content, curves
from .exact import product, random_integers
from .problems import Problem, cause_of, read_bytes

NAME = "motion.bvh"
RATE, FACTOR = 25, 4  # Hz, whose frame time has few decimals; the task's rate is four times as high
UNIT = 10000  # of degrees and metres
_ANGLES, _PLACE = 5000, 9000
_LARGEST_BYTES = 1 << 30
_CHANNELS = ("Zrotation", "Xrotation", "Yrotation")
_AXES = {f"{axis}rotation": index for index, axis in enumerate("XYZ")}
_MOVES = {f"{axis}position": index for index, axis in enumerate("XYZ")}


def _text(number):
    return f"{number / UNIT:.4f}"


def _smooth(stream, frames, most):
    """Integers up to 3/2 of `most`, smooth over 16 frames."""
    return np.rint(content.wander(stream, frames, 16) * float(most)).astype(np.int64)


def _columns(joints, frames):
    """The root's place, and the angles of each joint about z, x and y."""
    place = [_smooth(_PLACE + axis, frames, UNIT) for axis in range(3)]
    angles = [_smooth(_ANGLES + k, frames, 30 * UNIT) for k in range(3 * joints)]
    return place + angles


def _order(parents):
    """Joints as a BVH file lists them: each before its children, in ascending order."""
    children = [[] for _ in parents]
    for joint, parent in enumerate(parents[1:], 1):
        children[parent].append(joint)
    return children


def _hierarchy(joint, children, offsets, depth, lines):
    indent, kind = "  " * depth, "JOINT" if joint else "ROOT"
    channels = [*([] if joint else _MOVES), *_CHANNELS]
    lines += [f"{indent}{kind} j{joint}", indent + "{",
              f"{indent}  OFFSET {' '.join(map(_text, offsets[joint]))}",
              f"{indent}  CHANNELS {len(channels)} {' '.join(channels)}"]
    order = [joint]
    for child in children[joint]:
        order += _hierarchy(child, children, offsets, depth + 1, lines)
    if not children[joint]:
        lines += [f"{indent}  End Site", indent + "  {", f"{indent}    OFFSET 0.0000 0.1000 0.0000",
                  indent + "  }"]
    lines.append(indent + "}")
    return order


def text_of(size):
    parents = content.make_parents(size.tracks)
    offsets = random_integers(_PLACE + 3, np.arange(3 * size.tracks), UNIT // 2).reshape(-1, 3) - UNIT // 4
    lines = ["HIERARCHY"]
    order = _hierarchy(0, _order(parents), offsets, 0, lines)
    lines += ["MOTION", f"Frames: {size.frames}", f"Frame Time: {1 / RATE:.2f}"]
    columns = _columns(size.tracks, size.frames)
    chosen = columns[:3] + [columns[3 + 3 * joint + k] for joint in order for k in range(3)]
    lines += [" ".join(map(_text, row)) for row in np.stack(chosen, axis=1).tolist()]
    return "\n".join(lines) + "\n"


# ---- reading ------------------------------------------------------------------------------------


def _refuse(path, why):
    raise Problem(path, f"cannot be read as BVH: {why}")


def _layout(path, header):
    """For each joint, by name: the columns of its channels."""
    joints, column, name = {}, 0, None
    for line in header.splitlines():
        words = line.split()
        if words[:1] in (["ROOT"], ["JOINT"]) and len(words) == 2:
            name = words[1]
        elif words[:1] == ["CHANNELS"]:
            found = words[2:]
            known = all(word in _AXES or word in _MOVES for word in found)
            if name is None or name in joints or not known or words[1:2] != [str(len(found))]:
                _refuse(path, "its channels are not those of joints")
            joints[name] = [(word, column + index) for index, word in enumerate(found)]
            column += len(found)
    return joints, column


def read(path):
    """The layout of the joints, the seconds of a frame, and the numbers (frames, columns)."""
    data = read_bytes(path, _LARGEST_BYTES)
    header, found, rest = data.partition(b"MOTION")
    match = re.match(rb"\s*Frames:\s*(\d{1,9})\s+Frame Time:\s*([0-9.eE+-]{1,40})\s", rest)
    if not found or not match:
        _refuse(path, "it has no MOTION with Frames and Frame Time")
    joints, columns = _layout(path, header.decode("utf-8", "replace"))
    try:
        frame_time, numbers = float(match[2]), np.array(rest[match.end():].split(), dtype=np.float64)
    except ValueError as error:
        _refuse(path, cause_of(error))
    frames = int(match[1])
    if not (np.isfinite(numbers).all() and np.isfinite(frame_time) and frame_time > 0):
        _refuse(path, "a number is not finite, or the frame time is not above 0")
    if columns == 0 or numbers.size != frames * columns:
        _refuse(path, f"it has {numbers.size} numbers; expected {frames} frames of {columns}")
    return joints, frame_time, numbers.reshape(frames, columns)


def rotations(channels, numbers):
    """(frames, 4): the product of the turns about axes in the order of the channels."""
    whole = [np.zeros(len(numbers)) for _ in range(3)] + [np.ones(len(numbers))]
    for word, column in channels:
        if word in _AXES:
            half = np.radians(numbers[:, column]) / 2
            turn = [np.zeros(len(numbers)) for _ in range(3)] + [np.cos(half)]
            turn[_AXES[word]] = np.sin(half)
            whole = product(whole, turn)
    return np.stack(whole, axis=-1)


def place(channels, numbers):
    moves = [np.zeros(len(numbers))] * 3
    for word, column in channels:
        if word in _MOVES:
            moves[_MOVES[word]] = numbers[:, column]
    return np.stack(moves, axis=-1)


# ---- what is expected ---------------------------------------------------------------------------


def _cursors(frames):
    at = np.arange(FACTOR * (frames - 1) + 1)
    segments = np.minimum(at // FACTOR, frames - 2)
    return segments, (at - FACTOR * segments) / float(FACTOR)


def compared(motion, path):
    """Pairs of arrays for each joint, rotations found and expected, and the same of the root's place."""
    joints, frame_time, keys = read(motion)
    found_joints, found_time, found = read(path)
    frames = FACTOR * (len(keys) - 1) + 1
    if set(found_joints) != set(joints):
        _refuse(path, "its joints are not those of the motion")
    if len(found) != frames or not abs(found_time * FACTOR / frame_time - 1) <= 1e-3:
        _refuse(path, f"it has {len(found)} frames of {found_time:g} s; expected {frames} of "
                f"{frame_time / FACTOR:g} s")
    segments, u = _cursors(len(keys))
    pairs = []
    for name, channels in joints.items():
        source = rotations(channels, keys)
        ends = [[source[segments + k, c] for c in range(4)] for k in range(2)]
        pairs.append((rotations(found_joints[name], found), np.stack(curves.slerp(*ends, u), axis=-1)))
    root = next(iter(joints))
    moves = place(joints[root], keys)
    line = (1 - u[:, None]) * moves[segments] + u[:, None] * moves[segments + 1]
    return pairs, (place(found_joints[root], found), line)
