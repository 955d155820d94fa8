# SPDX-License-Identifier: MIT
"""Skeletons of robots: from bodies to joints; bodies of MuJoCo's models and of URDF, and what reading MJCF shares.

A joint of a skeleton has one hinge or ball, at its own origin. Further hinges of a body, and those whose
anchor is elsewhere, become joints of their own, which are no bodies. The first joint is the root: the body
that moves freely, or a frame that the first body hangs from.
"""
from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._library import Path
from ._quaternions import product, rotated
from ._views import Array

__all__ = ["BALL", "FREE", "HINGE", "IDENTITY", "SLIDE", "Hinge", "Part", "Table", "about", "add_joint", "bodies_of",
           "new_name", "numbers", "parsed", "parts_of_model", "parts_of_urdf", "table_of", "titled", "unit"]

_MAX_BYTES = 1 << 26
IDENTITY = (0.0, 0.0, 0.0, 1.0)
FREE, BALL, SLIDE, HINGE = range(4) # mjtJoint


@dataclass
class Hinge:
    """A joint of a part: a hinge, or a ball where it has no axis."""

    name: str
    axis: Sequence[float] | None
    anchor: Sequence[float] = (0.0, 0.0, 0.0)
    reference: float = 0.0
    continuous: bool = False # without limits


@dataclass
class Part:
    """A body: its place relative to the parent in the rest pose, quaternion x y z w, and its joints."""

    name: str
    parent: int
    position: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Sequence[float] = IDENTITY
    hinges: list[Hinge] = field(default_factory=list)
    is_free: bool = False
    com: Sequence[float] | None = (0.0, 0.0, 0.0) # None: not known


@dataclass
class Table:
    """The joints of a skeleton, as arrays. Coordinates are the joints of MuJoCo's qpos, in its order."""

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    positions: list[Array] = field(default_factory=list)
    rotations: list[Array] = field(default_factory=list)
    axes: list[Array] = field(default_factory=list)
    references: list[float] = field(default_factory=list)
    points: list[Array] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    coordinates: list[int] = field(default_factory=list)
    coordinate_names: list[str] = field(default_factory=list)
    continuous: set[int] = field(default_factory=set) # the hinges without limits

    def add(self, name: str, parent: int, position: Array, rotation: Any) -> int:
        self.names.append(name)
        self.parents.append(parent)
        self.positions.append(position)
        self.rotations.append(np.array(rotation, np.float64))
        self.axes.append(np.zeros(3))
        self.references.append(0.0)
        self.points.append(np.zeros(3))
        return len(self.names) - 1


def _root_first(parts: Sequence[Part]) -> list[int]:
    """The numbers of bodies: the one that moves freely and those below it come before all others."""
    free = [part for part in parts if part.is_free]
    for part in free:
        if part.parent >= 0 or part.hinges:
            raise ValueError(f"body {part.name!r}: a free joint is the only one of a body, which has no parent")
    if len(free) > 1:
        raise ValueError(f"bodies {free[0].name!r} and {free[1].name!r} move freely, expected one root that does")
    of_free: list[bool] = []
    for part in parts:
        of_free.append(part.is_free or (part.parent >= 0 and of_free[part.parent]))
    return sorted(range(len(parts)), key=lambda n: not of_free[n])


def _add_hinges(t: Table, part: Part, parent: int, place: Array, turn: Any) -> tuple[int, list[tuple[int, str]]]:
    """Adds the joints of a body; the last one is the body. Returns it, and the joints that turn with their names."""
    here, turning = parent, []
    anchor: Array = np.zeros(3)
    for number, hinge in enumerate(part.hinges):
        at = np.array(hinge.anchor, np.float64)
        is_last = number + 1 == len(part.hinges) and not at.any()
        shift = place + rotated(np.array(turn, np.float64), at) if number == 0 else at - anchor
        here = t.add(part.name if is_last else f"{part.name}#{hinge.name or number}", here, shift,
                     turn if number == 0 else IDENTITY)
        anchor = at
        turning.append((here, hinge.name))
        if hinge.axis is not None:
            axis = np.array(hinge.axis, np.float64)
            t.axes[here], t.references[here] = axis / np.linalg.norm(axis), hinge.reference
            if hinge.continuous:
                t.continuous.add(here)
    if not part.hinges:
        here = t.add(part.name, parent, place, turn)
    elif anchor.any():
        here = t.add(part.name, here, -anchor, IDENTITY)
    return here, turning


def table_of(parts: Sequence[Part]) -> Table:
    """The joints of bodies. Parents come before their children."""
    t = Table()
    joints: dict[int, int] = {} # of bodies, from which their children hang
    turning: dict[int, list[tuple[int, str]]] = {}
    for n in _root_first(parts):
        part = parts[n]
        parent = -1 if part.parent < 0 else joints[part.parent]
        place, turn = np.array(part.position, np.float64), part.rotation
        if not t.names and part.hinges: # keys of the root do not turn a body that its joints turn
            parent, place, turn = t.add(f"{part.name}#root", -1, place, turn), np.zeros(3), IDENTITY
        joints[n], turning[n] = _add_hinges(t, part, parent, place, turn)
        t.points[joints[n]] = np.full(3, np.nan) if part.com is None else np.array(part.com, np.float64)
        if part.is_free:
            turning[n] = [(joints[n], part.name)]
    t.bodies = [joints[n] for n in range(len(parts))]
    for n in range(len(parts)):
        t.coordinates += [joint for joint, _ in turning[n]]
        t.coordinate_names += [name for _, name in turning[n]]
    return t


def bodies_of(names: Sequence[str]) -> list[int]:
    """The joints of a table that are bodies: the names of others begin with that of one."""
    known = set(names)
    return [joint for joint, name in enumerate(names)
            if not any(c == "#" and name[:at] in known for at, c in enumerate(name))]


# ---- quaternions x y z w ----


def about(axis: Sequence[float], angle: float) -> tuple[float, float, float, float]:
    s = math.sin(angle / 2)
    return axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2)


def unit(values: Sequence[float], what: str) -> list[float]:
    norm = math.sqrt(sum(v * v for v in values))
    if not 1e-12 < norm < math.inf:
        raise ValueError(f"{what}: has no length that is usable")
    return [v / norm for v in values]


# ---- MuJoCo's models ----


def parts_of_model(model: Any) -> list[Part]:
    """The bodies of an mjModel, without the world."""
    parts = []
    for body in range(1, int(model.nbody)):
        w, x, y, z = (float(v) for v in model.body_quat[body])
        part = Part(str(model.body(body).name) or f"body{body}", int(model.body_parentid[body]) - 1,
                    [float(v) for v in model.body_pos[body]], unit((x, y, z, w), "body_quat"),
                    com=[float(v) for v in model.body_ipos[body]])
        first = int(model.body_jntadr[body])
        for j in range(first, first + int(model.body_jntnum[body])):
            add_joint(part, str(model.joint(j).name), int(model.jnt_type[j]), [float(v) for v in model.jnt_axis[j]],
                      [float(v) for v in model.jnt_pos[j]], float(model.qpos0[int(model.jnt_qposadr[j])]),
                      not model.jnt_limited[j])
        parts.append(part)
    return parts


def add_joint(part: Part, name: str, kind: int, axis: Sequence[float], anchor: Sequence[float],
              reference: float, continuous: bool) -> None:
    """Adds a joint of a kind of mjtJoint."""
    if kind == SLIDE:
        raise ValueError(f"joint {name!r}: slides, which is not supported")
    if part.is_free and kind == FREE:
        raise ValueError(f"body {part.name!r}: has two free joints")
    if kind == FREE:
        part.is_free = True
    else:
        part.hinges.append(Hinge(name, None, anchor) if kind == BALL else
                           Hinge(name, axis, anchor, reference, continuous))


# ---- files of XML ----


def parsed(path: Path) -> ElementTree.Element:
    with open(path, "rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError("is larger than 64 MiB")
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from error


def titled(element: ElementTree.Element) -> str:
    """An element as messages name it."""
    return f"{element.tag} {element.get('name', '')!r}"


def new_name(names: set[str], element: ElementTree.Element) -> None:
    """Notes the name of an element, which no other has."""
    name = element.get("name", "")
    if name in names:
        raise ValueError(f"{titled(element)}: the name is taken")
    if name:
        names.add(name)


def numbers(element: ElementTree.Element, name: str, count: int | tuple[int, ...],
            default: Sequence[float]) -> list[float]:
    """The numbers of an attribute, whose count is `count` or one of it."""
    counts = (count,) if isinstance(count, int) else count
    text = element.get(name)
    if text is None:
        return list(default)
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) not in counts or not all(math.isfinite(v) for v in values):
        wanted = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        raise ValueError(f"{titled(element)}: {name}: expected {wanted} numbers, found {text!r}")
    return values


# ---- URDF ----

_TURNING = ("revolute", "continuous")


def parts_of_urdf(path: Path) -> list[Part]:
    """The links of a URDF file, depth first; children in the order of the file."""
    root = parsed(path)
    if root.tag != "robot":
        raise ValueError(f"begins with {root.tag!r}, expected 'robot'")
    links = [link.get("name", "") for link in root.findall("link")]
    if len(set(links)) != len(links):
        raise ValueError("two links have the same name")
    joints: dict[str, list[ElementTree.Element]] = {name: [] for name in links}
    children, names = set(), set[str]()
    for joint in root.findall("joint"):
        new_name(names, joint)
        ends = [_link_of(joint, end, joints) for end in ("parent", "child")]
        if ends[1] in children:
            raise ValueError(f"link {ends[1]!r}: is the child of two joints")
        children.add(ends[1])
        joints[ends[0]].append(joint)
    tops = [name for name in links if name not in children]
    if len(tops) != 1:
        raise ValueError(f"has {len(tops)} links without a parent, expected 1")
    coms = {link.get("name", ""): _com_of(link) for link in root.findall("link")}
    floats = any(joint.get("type") == "floating" for joint in root.findall("joint"))
    parts = [Part(tops[0], -1, is_free=not floats, com=coms[tops[0]])]
    waiting = [(0, iter(joints[tops[0]]))]
    while waiting:
        parent, rest = waiting[-1]
        joint_or_none = next(rest, None)
        if joint_or_none is None:
            waiting.pop()
            continue
        name = _link_of(joint_or_none, "child", joints)
        parts.append(_part_of_joint(joint_or_none, name, parent, coms[name]))
        waiting.append((len(parts) - 1, iter(joints[name])))
    if floats and tops[0] == "world": # which is no body, as in MuJoCo
        del parts[0]
        for part in parts:
            part.parent = max(part.parent - 1, -1)
    return parts


def _link_of(joint: ElementTree.Element, end: str, links: Mapping[str, Any]) -> str:
    found = joint.find(end)
    name = "" if found is None else found.get("link", "")
    if name not in links:
        raise ValueError(f"joint {joint.get('name', '')!r}: there is no link {name!r}")
    return name


def _com_of(link: ElementTree.Element) -> Sequence[float] | None:
    """None: it would be that of the link's shapes."""
    origin = link.find("inertial/origin")
    if link.find("inertial") is None and link.find("collision") is not None:
        return None
    return (0.0, 0.0, 0.0) if origin is None else numbers(origin, "xyz", 3, (0, 0, 0))


def _part_of_joint(joint: ElementTree.Element, name: str, parent: int,
                   com: Sequence[float] | None) -> Part:
    part = Part(name, parent, com=com)
    origin = joint.find("origin")
    if origin is not None:
        part.position = numbers(origin, "xyz", 3, (0, 0, 0))
        roll, pitch, yaw = numbers(origin, "rpy", 3, (0, 0, 0))
        part.rotation = product(product(about((0, 0, 1), yaw), about((0, 1, 0), pitch)),
                                 about((1, 0, 0), roll))
    kind, what = joint.get("type", ""), titled(joint)
    mimic = joint.find("mimic")
    if mimic is not None:
        raise ValueError(f"{what}: mimics {mimic.get('joint', '')!r}, which is not supported")
    if kind in _TURNING:
        axis = joint.find("axis")
        direction = [1.0, 0.0, 0.0] if axis is None else numbers(axis, "xyz", 3, (1, 0, 0))
        part.hinges = [Hinge(joint.get("name", ""), unit(direction, f"{what}: axis"),
                             continuous=kind == "continuous")]
    elif kind == "floating":
        if parent != 0:
            raise ValueError(f"{what}: floats below a link that is not the first")
        part.is_free, part.parent = True, -1 # the first link is the world, or stands in it
    elif kind != "fixed":
        raise ValueError(f"{what}: type {kind!r} is not supported")
    return part
