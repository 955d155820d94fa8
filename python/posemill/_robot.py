# SPDX-License-Identifier: MIT
"""Skeletons of robots, from MuJoCo's models, MJCF and URDF.

A joint of a skeleton has one hinge or ball, at its own origin. Further hinges of a body, and those whose
anchor is elsewhere, become joints of their own, which are no bodies.
"""
from __future__ import annotations

import math
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._library import Path
from ._quaternions import product, rotated
from ._views import Array

__all__ = ["Hinge", "Part", "Table", "parts_of_mjcf", "parts_of_model", "parts_of_urdf", "table_of"]

_MAX_BYTES = 1 << 26
_MAX_DEPTH = 32 # of files that include each other
_IDENTITY = (0.0, 0.0, 0.0, 1.0)
_FREE, _BALL, _SLIDE, _HINGE = range(4) # mjtJoint
# Elements of MJCF that make or move bodies in ways that are not read.
_REFUSED = ("frame", "replicate", "attach", "composite", "flexcomp", "mocap")


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
    rotation: Sequence[float] = _IDENTITY
    hinges: list[Hinge] = field(default_factory=list)
    com: Sequence[float] = (0.0, 0.0, 0.0)


@dataclass
class Table:
    """The joints of a skeleton, as arrays."""

    names: list[str]
    parents: list[int]
    positions: list[Array]
    rotations: list[Array]
    axes: list[Array]
    references: list[float]
    points: list[Array]
    bodies: list[int]
    hinges: list[int]
    hinge_names: list[str]
    continuous: list[bool] # of the hinges


def table_of(parts: Sequence[Part]) -> Table:
    """The joints of bodies. Parents come before their children."""
    t = Table([], [], [], [], [], [], [], [], [], [], [])
    last: list[int] = [] # of each body, the joint that its children hang from
    zero = np.zeros(3)

    def add(name: str, parent: int, position: Array, rotation: Any) -> int:
        t.names.append(name)
        t.parents.append(parent)
        t.positions.append(position)
        t.rotations.append(np.array(rotation, np.float64))
        t.axes.append(zero)
        t.references.append(0.0)
        t.points.append(zero)
        return len(t.names) - 1

    for part in parts:
        parent = -1 if part.parent < 0 else last[part.parent]
        shift, turn = np.array(part.position, np.float64), np.array(part.rotation, np.float64)
        here = -1
        anchor: Array = zero
        for number, hinge in enumerate(part.hinges):
            at = np.array(hinge.anchor, np.float64)
            place = shift + rotated(turn, at) if here < 0 else at - anchor
            is_last = number + 1 == len(part.hinges) and not at.any()
            name = part.name if is_last else f"{part.name}#{hinge.name or number}"
            here = add(name, parent if here < 0 else here, place, turn if here < 0 else _IDENTITY)
            anchor = at
            if hinge.axis is not None:
                axis = np.array(hinge.axis, np.float64)
                t.axes[here], t.references[here] = axis / np.linalg.norm(axis), hinge.reference
                t.hinges.append(here)
                t.hinge_names.append(hinge.name)
                t.continuous.append(hinge.continuous)
        if here < 0 or anchor.any():
            here = (add(part.name, parent, shift, part.rotation) if here < 0 else
                    add(part.name, here, -anchor, _IDENTITY))
        t.points[here] = np.array(part.com, np.float64)
        t.bodies.append(here)
        last.append(here)
    return t


# ---- quaternions x y z w ----


def _about(axis: Sequence[float], angle: float) -> tuple[float, float, float, float]:
    s = math.sin(angle / 2)
    return axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2)


def _unit(values: Sequence[float], what: str) -> list[float]:
    norm = math.sqrt(sum(v * v for v in values))
    if not norm > 1e-12:
        raise ValueError(f"{what}: has no length")
    return [v / norm for v in values]


# ---- MuJoCo's models ----


def parts_of_model(model: Any) -> list[Part]:
    """The bodies of an mjModel, without the world."""
    parts = []
    for body in range(1, int(model.nbody)):
        w, x, y, z = (float(v) for v in model.body_quat[body])
        part = Part(str(model.body(body).name) or f"body{body}", int(model.body_parentid[body]) - 1,
                    [float(v) for v in model.body_pos[body]], _unit((x, y, z, w), "body_quat"),
                    com=[float(v) for v in model.body_ipos[body]])
        first = int(model.body_jntadr[body])
        for j in range(first, first + int(model.body_jntnum[body])):
            part.hinges += _joint_of(str(model.joint(j).name), int(model.jnt_type[j]),
                                     [float(v) for v in model.jnt_axis[j]],
                                     [float(v) for v in model.jnt_pos[j]],
                                     float(model.qpos0[int(model.jnt_qposadr[j])]),
                                     not model.jnt_limited[j])
        parts.append(part)
    return parts


def _joint_of(name: str, kind: int, axis: Sequence[float], anchor: Sequence[float],
              reference: float, continuous: bool) -> list[Hinge]:
    if kind == _SLIDE:
        raise ValueError(f"joint {name!r}: slides, which is not supported")
    if kind == _FREE: # the root's rotation and position
        return []
    if kind == _BALL:
        return [Hinge(name, None, anchor)]
    return [Hinge(name, axis, anchor, reference, continuous)]


# ---- MJCF ----


def _parsed(path: Path) -> ElementTree.Element:
    with open(path, "rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError("is larger than 64 MiB")
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from error


def _numbers(element: Any, name: str, count: int, default: Sequence[float]) -> list[float]:
    text = element.get(name)
    if text is None:
        return list(default)
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(math.isfinite(v) for v in values):
        raise ValueError(f"{element.tag} {element.get('name', '')!r}: {name}: expected {count} "
                         f"numbers, found {text!r}")
    return values


class _Mjcf:
    """A model while it is read."""

    def __init__(self, path: Path) -> None:
        self.parts: list[Part] = []
        self.root = _parsed(path)
        if self.root.tag != "mujoco":
            raise ValueError(f"begins with {self.root.tag!r}, expected 'mujoco'")
        self._include(self.root, os.path.dirname(os.fsdecode(path)), 0)
        compiler = {k: v for c in self.root.iter("compiler") for k, v in c.attrib.items()}
        self.degrees = compiler.get("angle", "degree") == "degree"
        self.autolimits = compiler.get("autolimits", "true") == "true"
        self.sequence = compiler.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or not set(self.sequence) <= set("xyzXYZ"):
            raise ValueError(f"compiler: eulerseq {self.sequence!r} is unknown")
        if compiler.get("coordinate", "local") != "local":
            raise ValueError("compiler: coordinate is not supported")
        self.defaults: dict[str, Mapping[str, str]] = {}
        for default in self.root.findall("default"):
            self._default(default, {}, "main")

    def _include(self, element: ElementTree.Element, folder: str, depth: int) -> None:
        """Replaces elements that include a file by what it has."""
        for number in reversed(range(len(element))):
            child = element[number]
            if child.tag != "include":
                self._include(child, folder, depth)
                continue
            if depth >= _MAX_DEPTH:
                raise ValueError("include: files include each other")
            path = os.path.join(folder, child.get("file", ""))
            try:
                other = _parsed(path)
            except OSError as error:
                raise ValueError(f"include: {error}") from error
            self._include(other, os.path.dirname(path), depth + 1)
            element[number:number + 1] = list(other)

    def _default(self, element: ElementTree.Element, joint: Mapping[str, str], name: str) -> None:
        own = dict(joint)
        for child in element.findall("joint"):
            own.update(child.attrib)
        self.defaults[element.get("class", name)] = own
        for child in element.findall("default"):
            self._default(child, own, "")

    def _angle(self, value: float) -> float:
        return math.radians(value) if self.degrees else value

    def _rotation(self, element: ElementTree.Element) -> Sequence[float]:
        for name in ("xyaxes", "zaxis"):
            if name in element.attrib:
                raise ValueError(f"body {element.get('name', '')!r}: {name} is not supported")
        if "quat" in element.attrib:
            w, x, y, z = _numbers(element, "quat", 4, ())
            return _unit((x, y, z, w), "quat")
        if "axisangle" in element.attrib:
            *axis, angle = _numbers(element, "axisangle", 4, ())
            return _about(_unit(axis, "axisangle"), self._angle(angle))
        found: Sequence[float] = _IDENTITY
        if "euler" in element.attrib:
            angles = _numbers(element, "euler", 3, ())
            for letter, angle in zip(self.sequence, angles, strict=True):
                axis = [float(letter.lower() == a) for a in "xyz"]
                turn = _about(axis, self._angle(angle))
                found = product(found, turn) if letter.islower() else product(turn, found)
        return found

    def _joint(self, element: ElementTree.Element, childclass: str) -> list[Hinge]:
        of = self.defaults.get(element.get("class", childclass))
        if of is None:
            raise ValueError(f"joint {element.get('name', '')!r}: there is no class "
                             f"{element.get('class', childclass)!r}")
        whole = ElementTree.Element("joint", {**of, **element.attrib})
        kind = whole.get("type", "hinge")
        kinds = {"free": _FREE, "ball": _BALL, "slide": _SLIDE, "hinge": _HINGE}
        if kind not in kinds:
            raise ValueError(f"joint {whole.get('name', '')!r}: type {kind!r} is unknown")
        axis = _unit(_numbers(whole, "axis", 3, (0, 0, 1)), "axis")
        return _joint_of(whole.get("name", ""), kinds[kind], axis,
                         _numbers(whole, "pos", 3, (0, 0, 0)),
                         self._angle(_numbers(whole, "ref", 1, (0,))[0]), not self._is_limited(whole))

    def _is_limited(self, joint: ElementTree.Element) -> bool:
        """As the joint says; otherwise a range makes it so, unless autolimits is false."""
        limited = joint.get("limited", "auto")
        return limited == "true" or (limited == "auto" and self.autolimits and
                                     any(_numbers(joint, "range", 2, (0, 0))))

    def bodies(self, element: ElementTree.Element, parent: int, childclass: str) -> None:
        for child in element:
            if child.tag in _REFUSED or child.get("mocap") == "true":
                raise ValueError(f"{child.tag} {child.get('name', '')!r}: is not supported")
            if child.tag != "body":
                continue
            own = child.get("childclass", childclass)
            number = len(self.parts)
            part = Part(child.get("name") or f"body{number + 1}", parent,
                        _numbers(child, "pos", 3, (0, 0, 0)), self._rotation(child))
            inertial = child.find("inertial")
            if inertial is not None:
                part.com = _numbers(inertial, "pos", 3, (0, 0, 0))
            for joint in child:
                if joint.tag == "joint":
                    part.hinges += self._joint(joint, own)
            self.parts.append(part)
            self.bodies(child, number, own)


def parts_of_mjcf(path: Path) -> list[Part]:
    """The bodies of an MJCF file, depth first as MuJoCo counts them."""
    model = _Mjcf(path)
    model.defaults.setdefault("main", {})
    for world in model.root.findall("worldbody"):
        model.bodies(world, -1, "main")
    if not model.parts:
        raise ValueError("has no body")
    return model.parts


# ---- URDF ----

_TURNING = ("revolute", "continuous")


def parts_of_urdf(path: Path) -> list[Part]:
    """The links of a URDF file, depth first; children in the order of the file."""
    root = _parsed(path)
    if root.tag != "robot":
        raise ValueError(f"begins with {root.tag!r}, expected 'robot'")
    links = [link.get("name", "") for link in root.findall("link")]
    if len(set(links)) != len(links):
        raise ValueError("two links have the same name")
    joints: dict[str, list[ElementTree.Element]] = {name: [] for name in links}
    children = set()
    for joint in root.findall("joint"):
        ends = [_link_of(joint, end, joints) for end in ("parent", "child")]
        if ends[1] in children:
            raise ValueError(f"link {ends[1]!r}: is the child of two joints")
        children.add(ends[1])
        joints[ends[0]].append(joint)
    tops = [name for name in links if name not in children]
    if len(tops) != 1:
        raise ValueError(f"has {len(tops)} links without a parent, expected 1")
    coms = {link.get("name", ""): _com_of(link) for link in root.findall("link")}
    parts = [Part(tops[0], -1, com=coms[tops[0]])]
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
    return parts


def _link_of(joint: ElementTree.Element, end: str, links: Mapping[str, Any]) -> str:
    found = joint.find(end)
    name = "" if found is None else found.get("link", "")
    if name not in links:
        raise ValueError(f"joint {joint.get('name', '')!r}: there is no link {name!r}")
    return name


def _com_of(link: ElementTree.Element) -> list[float]:
    origin = link.find("inertial/origin")
    return [0.0, 0.0, 0.0] if origin is None else _numbers(origin, "xyz", 3, (0, 0, 0))


def _part_of_joint(joint: ElementTree.Element, name: str, parent: int,
                   com: Sequence[float]) -> Part:
    part = Part(name, parent, com=com)
    origin = joint.find("origin")
    if origin is not None:
        part.position = _numbers(origin, "xyz", 3, (0, 0, 0))
        roll, pitch, yaw = _numbers(origin, "rpy", 3, (0, 0, 0))
        part.rotation = product(product(_about((0, 0, 1), yaw), _about((0, 1, 0), pitch)),
                                 _about((1, 0, 0), roll))
    kind, called = joint.get("type", ""), joint.get("name", "")
    if kind in _TURNING:
        axis = joint.find("axis")
        direction = [1.0, 0.0, 0.0] if axis is None else _numbers(axis, "xyz", 3, (1, 0, 0))
        part.hinges = [Hinge(called, _unit(direction, f"joint {called!r}: axis"),
                             continuous=kind == "continuous")]
    elif kind != "fixed":
        raise ValueError(f"joint {called!r}: type {kind!r} is not supported")
    return part

