# SPDX-License-Identifier: MIT
"""Motion libraries as other projects have them: numbers of their kinds, and classes with their names."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._body_turns import Body, bodies_that_turn, log_of, multiply
from .._motion_library import MotionLibrary
from .._names import Singles
from .._quaternions import rotated
from .._views import Array

__all__ = ["exponential_maps"]

_BACK = np.array([-1.0, -1.0, -1.0, 1.0])


def exponential_maps(lib: MotionLibrary, sample: Mapping[str, Any]) -> dict[str, Singles]:
    """Rotations of the bodies below the root as rotation vectors, and angular velocities in their own axes:
    ``dof_pos`` and ``dof_vel`` of PHC, and of ProtoMotions for models with three hinges or a ball a body.

    Parameters
    ----------
    lib : MotionLibrary
        Of a robot, with all of its bodies.
    sample : mapping
        With ``"body_rot"``, x y z w, and ``"body_ang_vel"`` for ``"dof_vel"``.

    Returns
    -------
    dict
        ``"dof_pos"``, and ``"dof_vel"`` in rad/s: (N, 3 * bodies that turn), in the order of the library's bodies.

    Examples
    --------
    >>> import numpy as np, posemill as pm
    >>> from posemill.learning import exponential_maps
    >>> _ = open("arm.xml", "w").write('''<mujoco><worldbody>
    ...   <body name="base"><freejoint/>
    ...     <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/></body>
    ...   </body></worldbody></mujoco>''')
    >>> robot = pm.Skeleton.from_mjcf("arm.xml")
    >>> keys = pm.Keys(np.tile([0.0, 0, 0, 1], (31, 1)), rate=30, angles=np.linspace(0, 1, 31)[:, None])
    >>> lib = pm.MotionLibrary(robot, {"bend": keys})
    >>> exponential_maps(lib, lib.sample([0], [1.0]))["dof_pos"].round(3)
    array([[0., 1., 0.]], dtype=float32)
    """
    turns, rates, bodies = joint_turns(lib, sample)
    picked = [n for n, body in enumerate(bodies) if body.turning]
    shape = (*turns.shape[:-2], 3 * len(picked))
    found = {"dof_pos": log_of(turns[..., picked, :]).reshape(shape).astype(np.float32)}
    if rates is not None:
        found["dof_vel"] = rates[..., picked, :].reshape(shape).astype(np.float32)
    return found


def joint_turns(lib: MotionLibrary, sample: Mapping[str, Any]) -> tuple[Array, Array | None, list[Body]]:
    """Of the library's bodies but the root: rotations from the rest pose relative to the parents (N, bodies, 4)
    x y z w, angular velocities (N, bodies, 3) in their own axes where the sample has those of bodies, and the
    bodies."""
    skeleton, chosen = lib._stored.skeleton, lib._stored.bodies
    turns = np.asarray(sample["body_rot"], np.float64)
    bodies = {body.joint: body for body in bodies_that_turn(skeleton)}
    places = {joint: n for n, joint in enumerate(chosen)}
    below, above, rest, found = [], [], [], []
    for joint in chosen:
        if joint == skeleton.root or joint not in bodies or bodies[joint].parent < 0:
            continue
        parent, first = int(skeleton.bodies[bodies[joint].parent]), joint
        if parent not in places:
            raise ValueError(f"{skeleton.names[joint]!r}: the library has not the body that it hangs from")
        while skeleton.parents[first] != parent:
            first = int(skeleton.parents[first])
        below.append(places[joint])
        above.append(places[parent])
        rest.append(skeleton.rotations[first])
        found.append(bodies[joint])
    own = turns[..., below, :]
    relative = multiply(multiply(turns[..., above, :], np.reshape(rest, (-1, 4))) * _BACK, own)
    if "body_ang_vel" not in sample:
        return relative, None, found
    rates = np.asarray(sample["body_ang_vel"], np.float64)
    return relative, rotated(own * _BACK, rates[..., below, :] - rates[..., above, :]), found
