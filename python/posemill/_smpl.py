# SPDX-License-Identifier: MIT
"""Motions of SMPL, SMPL-H and SMPL-X on their models in simulators.

The model's rest pose is the T-pose in some axes, A from those of SMPL: up is from the pelvis to the head, left from the
right hip to the left one. A body that has the orientation W in the rest pose, and whose joint has the local rotation R
in SMPL, is turned from the rest pose by W^-1 A R A^-1 W; the root is turned to G A^-1 W.
"""
from __future__ import annotations

import re

import numpy as np

from ._body_turns import bodies_that_turn, exp_of, keys_of_turns, multiply
from ._keys import Keys
from ._quaternions import rotated
from ._rational import Number
from ._skeleton import Skeleton
from ._views import Array

__all__ = ["keys_of_smpl"]

_BODY = ("pelvis l_hip r_hip spine1 l_knee r_knee spine2 l_ankle r_ankle spine3 l_foot r_foot neck l_collar r_collar "
         "head l_shoulder r_shoulder l_elbow r_elbow l_wrist r_wrist").split()
_FINGERS = [f"{side}_{finger}{n}" for side in "lr" for finger in ("index", "middle", "pinky", "ring", "thumb")
            for n in (1, 2, 3)]
#: The joints of files, by their number: SMPL, SMPL-H, SMPL-X.
_JOINTS = {24: [*_BODY, "l_hand", "r_hand"], 52: _BODY + _FINGERS,
           55: [*_BODY, "jaw", "l_eye", "r_eye", *_FINGERS]}
#: Names that models in simulators have for joints of SMPL.
_ALIASES = {"torso": "spine1", "spine": "spine2", "chest": "spine3", "l_toe": "l_foot", "r_toe": "r_foot",
            "l_thorax": "l_collar", "r_thorax": "r_collar", "root": "pelvis", "hips": "pelvis"}
_CLEAR = 0.8  # cosine of a direction with an axis


def _known(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()).strip("_")
    plain = re.sub(r"^(left|right)_", lambda found: found[1][0] + "_", plain)
    return _ALIASES.get(plain, plain)


def _axis(direction: Array, what: str) -> Array:
    found = np.zeros(3)
    n = int(np.abs(direction).argmax())
    if np.abs(direction[n]) < _CLEAR * np.linalg.norm(direction) or not np.abs(direction[n]) > 0:
        raise ValueError(f"the robot's rest pose is not the T-pose: from {what} is {np.round(direction, 3).tolist()}")
    found[n] = np.sign(direction[n])
    return found


def _rest_of(skeleton: Skeleton) -> tuple[Array, Array]:
    """Orientations and places of the joints in the rest pose; the root is where it stands in the model."""
    turns, places = np.array(skeleton.rotations, np.float64), np.array(skeleton.positions, np.float64)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            places[joint] = places[parent] + rotated(turns[parent], places[joint])
            turns[joint] = multiply(turns[parent], turns[joint])
    return turns, places


def _quaternion_of(matrix: Array) -> Array:
    """Of a rotation that changes axes: the eigenvector of Bar-Itzhack's matrix."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    k = np.array([[a - e - i, d + b, g + c, h - f], [d + b, e - a - i, h + f, c - g],
                  [g + c, h + f, i - a - e, d - b], [h - f, c - g, d - b, a + e + i]])
    found: Array = np.linalg.eigh(k)[1][:, 3]
    return found


def keys_of_smpl(skeleton: Skeleton, poses: Array, trans: Array, rate: Number, notes: list[str],
                 pelvis: Array | None = None) -> Keys:
    """A robot's motion from rotation vectors (frames, joints, 3) of SMPL's joints, whose number says which model it is.
    `pelvis` (3,) is the place of the pelvis at rest, which the models add to `trans` (frames, 3)."""
    frames, count = poses.shape[:2]
    if count not in _JOINTS:
        raise ValueError(f"poses of {count} joints; those of SMPL have 24, of SMPL-H 52, of SMPL-X 55")
    joints = {name: n for n, name in enumerate(_JOINTS[count])}
    bodies = bodies_that_turn(skeleton)
    names = [_known(skeleton.names[body.joint]) for body in bodies]
    places_of = {name: n for n, name in enumerate(names)}
    for name in ("pelvis", "head", "l_hip", "r_hip"):
        if name not in places_of:
            raise ValueError(f"the robot has no body for {name!r} of SMPL; its bodies are "
                             f"{', '.join(skeleton.names[b.joint] for b in bodies)}")
    rest, where = _rest_of(skeleton)
    at = {name: where[bodies[n].joint] for name, n in places_of.items()}
    up = _axis(at["head"] - at["pelvis"], "the pelvis to the head")
    left = _axis(at["l_hip"] - at["r_hip"], "hip to hip")
    axes = _quaternion_of(np.stack([left, up, np.cross(left, up)], axis=1))  # SMPL: x is left, y up
    back = axes * [-1, -1, -1, 1]

    turns = np.zeros((frames, len(bodies), 4))
    turns[..., 3] = 1
    mapped = exp_of(poses)
    missing, loose = [], []
    for n, (body, name) in enumerate(zip(bodies, names, strict=True)):
        own = rest[body.joint]
        if name not in joints:
            missing += [skeleton.names[body.joint]] if body.turning else []
            continue
        turn = multiply(mapped[:, joints[name]], multiply(back, own))
        turns[:, n] = turn if name == "pelvis" else multiply(own * [-1, -1, -1, 1], multiply(axes, turn))
        if not body.turning and name != "pelvis":
            loose.append(n)
    unused = [name for name in joints if name not in places_of and np.abs(poses[:, joints[name]]).max(initial=0) > 1e-3]
    if missing:
        notes.append(f"{', '.join(missing)}: are no joints of the file, and stay in the rest pose")
    if unused:
        notes.append(f"{', '.join(unused)}: turn in the file, and are no bodies of the robot")
    if pelvis is None:
        notes.append("trans is where the robot's root is; pelvis= adds the place of the pelvis at rest, as the models "
                     "do")
    places = np.asarray(trans, np.float64) + (0 if pelvis is None else np.asarray(pelvis, np.float64))
    return keys_of_turns(skeleton, turns, places, rate, notes, loose)
