# SPDX-License-Identifier: MIT
"""A tree of frames by name, of which some move."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._library import ffi
from ._quaternions import product, rotated
from ._trajectory import TimedPoses, Trajectory, fixed_pose
from ._views import Array

__all__ = ["Frames"]

_Pose = tuple[Array, Array]  # a quaternion x y z w and a position


def _times(a: _Pose, b: _Pose) -> _Pose:
    """First b, then a."""
    turn = np.stack(np.broadcast_arrays(*product(np.moveaxis(a[0], -1, 0), np.moveaxis(b[0], -1, 0))), -1)
    return turn, rotated(a[0], b[1]) + a[1]


def _inverse(pose: _Pose) -> _Pose:
    turn = pose[0] * [-1, -1, -1, 1]
    return turn, -rotated(turn, pose[1])


_NONE: _Pose = (np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3))


class Frames:
    """A tree of frames by name, as tf2 has it: each has a pose in its parent, which is fixed or moves.

    Notes
    -----
    Add all frames first: :meth:`add` is not thread-safe. Lookups are.

    Examples
    --------
    >>> import posemill as pm
    >>> frames = pm.Frames()
    >>> frames.add("car", "map", pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]]))
    >>> frames.add("lidar", "car", ([0, 0, 0, 1], [0.5, 0, 1.8]))
    >>> frames.lookup("map", "lidar", 0.5).positions
    array([5.5, 0. , 1.8])
    >>> frames.transform([[1.0, 0.0, 0.0]], [0.25], "map", "lidar")
    array([[4. , 0. , 1.8]])
    """

    def __init__(self) -> None:
        self._edges: dict[str, tuple[str, Trajectory | _Pose]] = {}

    def add(self, child: str, parent: str, pose: Any) -> None:
        """Add a frame.

        Parameters
        ----------
        child, parent : str
            Its name, and that of the frame in which it has the pose.
        pose : Trajectory, tuple or array_like
            A trajectory of one frame, or a fixed pose: a pair of a quaternion x y z w and a position, either of
            them None, or a matrix (4, 4).

        Raises
        ------
        ValueError
            The frame has a parent already, or would be above itself.

        Examples
        --------
        >>> import posemill as pm
        >>> frames = pm.Frames()
        >>> frames.add("camera", "base", ([0, 0, 0, 1], [0, 0, 1]))
        """
        if not isinstance(child, str) or not isinstance(parent, str):
            raise TypeError("child and parent: expected names")
        if child in self._edges:
            raise ValueError(f"child: {child!r} has the parent {self._edges[child][0]!r}, and would have {parent!r}")
        if child in self._above(parent):
            raise ValueError(f"child: {child!r} is above {parent!r}")
        if isinstance(pose, Trajectory):
            if len(pose._frames) != 1 or pose._frames[0][1] or pose._frames[0][0].tracks != 1:
                raise ValueError("pose: expected a trajectory of one frame and one track; add the frames of a chain "
                                 "one by one, and of an inverse the other frame as the child")
            self._edges[child] = parent, pose
            return
        made = ffi.new("pm_fixed_pose *")
        fixed_pose(pose, "pose", made)
        turn = np.array(list(made.rotation))
        turn = turn / np.linalg.norm(turn) if turn.any() else _NONE[0]
        self._edges[child] = parent, (turn, np.array(list(made.position)))

    @property
    def names(self) -> tuple[str, ...]:
        """All frames."""
        return tuple(dict.fromkeys(name for child, (parent, _) in self._edges.items() for name in (parent, child)))

    def _above(self, name: str) -> list[str]:
        """The frame, and those above it."""
        found = [name]
        while found[-1] in self._edges:
            found.append(self._edges[found[-1]][0])
        return found

    def _path(self, target: str, source: str) -> list[tuple[Trajectory | _Pose, bool]]:
        """The edges from target to source, and which of them are inverted: first all of these."""
        for word, name in (("target", target), ("source", source)):
            if name not in self.names:
                raise ValueError(f"{word}: there is no frame {name!r}; known are {', '.join(map(repr, self.names))}")
        ups, downs = self._above(target), self._above(source)
        if ups[-1] != downs[-1]:
            raise ValueError(f"source: {source!r} is below {downs[-1]!r}, and the target {target!r} below {ups[-1]!r}: "
                             "they are not connected")
        while len(ups) > 1 and len(downs) > 1 and ups[-2] == downs[-2]:
            ups.pop()
            downs.pop()
        return [(self._edges[name][1], True) for name in ups[:-1]] + \
            [(self._edges[name][1], False) for name in reversed(downs[:-1])]

    def _chain(self, target: str, source: str) -> tuple[_Pose, Trajectory | None, _Pose]:
        """A fixed pose in the target, the moving frames, and a fixed pose of the source in the last of them.

        A fixed pose between moving ones goes into the keys of one of them, on the left: of the one behind it or, of
        two inverted ones, of the one before. Curves follow a turn and a shift of all keys, so nothing is lost.
        """
        moving: list[tuple[Trajectory, bool]] = []
        left, fixed = _NONE, _NONE
        for edge, inverted in self._path(target, source):
            if not isinstance(edge, Trajectory):
                fixed = _times(fixed, _inverse(edge) if inverted else edge)
                continue
            if not inverted:
                moving.append((_moved(edge, fixed), False))
            elif moving:
                moving[-1] = _moved(moving[-1][0], _inverse(fixed)), True
                moving.append((edge, True))
            else:
                left = fixed
                moving.append((edge, True))
            fixed = _NONE
        chain = None
        for trajectory, inverted in moving:
            part = trajectory.inverse() if inverted else trajectory
            chain = part if chain is None else chain.compose(part)
        return left, chain, fixed

    def lookup(self, target: str, source: str, times: Any, **options: Any) -> TimedPoses:
        """The poses of a frame in another one: they move points from the source to the target.

        Parameters
        ----------
        target, source : str
            The frames, in the order of tf2. At most four between them move.
        times : array_like
            As of :meth:`Trajectory.at`.
        **options
            ``outside``, ``max_extrapolation`` and ``max_gap`` of :meth:`Trajectory.at`.

        Returns
        -------
        TimedPoses

        Raises
        ------
        ValueError
            A name is not known, the frames are not connected, or more than four move.

        Examples
        --------
        >>> import posemill as pm
        >>> frames = pm.Frames()
        >>> frames.add("car", "map", pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]]))
        >>> frames.lookup("car", "map", [0.0, 0.5]).positions + 0.0
        array([[ 0.,  0.,  0.],
               [-5.,  0.,  0.]])
        """
        left, chain, right = self._chain(target, source)
        if chain is None:
            chain, options = _still(), {"outside": "clamp"}
        poses = chain.at(times, **_known(options))
        turn, place = _times(_times(left, (poses.rotations, poses.positions)), right)
        return TimedPoses(turn, place, poses.valid)

    def transform(self, points: Any, times: Any, target: str, source: str, **options: Any) -> Any:
        """Points of a frame, each at its own time, in another one.

        Parameters
        ----------
        points, times
            As of :meth:`Trajectory.transform`.
        target, source : str
            As of :meth:`lookup`.
        **options
            Those of :meth:`Trajectory.transform` but ``to``, ``sensor`` and ``after``. ``origin`` is a position in the
            target.

        Returns
        -------
        array
            As of :meth:`Trajectory.transform`.

        Examples
        --------
        >>> import posemill as pm
        >>> frames = pm.Frames()
        >>> frames.add("car", "map", pm.Trajectory([0.0, 1.0], positions=[[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]]))
        >>> frames.transform([[0.0, 1.0, 0.0]], [1.0], "map", "car")
        array([[10.,  1.,  0.]])
        """
        if not {"to", "sensor", "after"}.isdisjoint(options):
            raise TypeError("transform(): to, sensor and after are those of Trajectory.transform; frames give them here")
        left, chain, right = self._chain(target, source)
        if chain is None:
            chain, options = _still(), {**options, "outside": "clamp"}
        if options.get("origin") is not None and left is not _NONE:
            raise ValueError(f"origin: {target!r} is fixed in a frame that moves; expected that frame as the target")
        return chain.transform(points, times, sensor=right, after=None if left is _NONE else left, **options)


def _known(options: dict[str, Any]) -> dict[str, Any]:
    unknown = set(options) - {"outside", "max_extrapolation", "max_gap"}
    if unknown:
        raise TypeError(f"lookup(): unexpected {', '.join(sorted(unknown))}")
    return options


def _moved(trajectory: Trajectory, by: _Pose) -> Trajectory:
    """A trajectory whose outer frame is another one."""
    if by is _NONE:
        return trajectory
    keys = trajectory._frames[0][0]
    poses = trajectory.at(keys.stamps)
    return Trajectory(keys.stamps, *_times(by, (poses.rotations, poses.positions)), **keys.method)


def _still() -> Trajectory:
    """Of frames between which nothing moves."""
    return Trajectory([0], [_NONE[0]], [_NONE[1]])
