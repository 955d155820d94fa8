# SPDX-License-Identifier: MIT
"""Bodies of MJCF files, without MuJoCo. What would move a frame and is not read is refused by name."""
from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from ._geoms import centre_of
from ._library import Path
from ._quaternions import product, rotated
from ._robot import BALL, FREE, HINGE, IDENTITY, SLIDE, Part, about, add_joint, new_name, numbers, parsed, titled, unit

__all__ = ["parts_of_mjcf"]

_KINDS = {"free": FREE, "ball": BALL, "slide": SLIDE, "hinge": HINGE}
# What a body holds; others, such as "frame", move what is in them.
_KNOWN = frozenset(("body", "joint", "freejoint", "inertial", "geom", "site", "camera", "light", "plugin"))
_ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
_Class = dict[str, dict[str, str]] # attributes of its joints and geoms


def _merged(base: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """The attributes of an element on those of its class. A size that has fewer numbers replaces the first ones."""
    merged = {**base, **own}
    if "size" in base and "size" in own:
        words = own["size"].split()
        merged["size"] = " ".join(words + base["size"].split()[len(words):])
    return merged


def _along(axis: Sequence[float]) -> tuple[float, float, float, float]:
    """The least rotation that turns z to an axis of length 1."""
    x, y, z = axis
    length = math.hypot(x, y)
    across = (-y / length, x / length, 0.0) if length > 1e-10 else (1.0, 0.0, 0.0)
    return about(across, math.atan2(length, z))


def _with_axes(x: Sequence[float], y: Sequence[float], what: str) -> Sequence[float]:
    """The rotation whose x axis is x, and whose y axis is that of y that is perpendicular to it."""
    first = np.array(unit(x, what))
    second = np.array(y) - first @ np.array(y) * first
    turn = np.array(_along(unit(np.cross(first, second).tolist(), what)))
    sides = [float(first @ rotated(turn, np.array(side))) for side in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))]
    found = product(turn.tolist(), about((0, 0, 1), math.atan2(sides[1], sides[0])))
    return [float(c) for c in found]


class _Mjcf:
    """A model while it is read."""

    def __init__(self, path: Path) -> None:
        self.parts: list[Part] = []
        self.root = parsed(path)
        if self.root.tag != "mujoco":
            raise ValueError(f"begins with {self.root.tag!r}, expected 'mujoco'")
        self.folder = os.path.dirname(os.fsdecode(path))
        self.files = {os.path.realpath(os.fsdecode(path))}
        self.names: dict[str, set[str]] = {"body": {"world"}, "joint": set()}
        self._include(self.root, self.folder)
        self._compiler({k: v for c in self.root.iter("compiler") for k, v in c.attrib.items()})
        self.defaults: dict[str, _Class] = {"main": {"joint": {}, "geom": {}}}
        for default in self.root.findall("default"):
            if default.get("class", "main") != "main":
                raise ValueError(f"default {default.get('class')!r}: the outermost class is 'main'")
            self._default(default, "main", self.defaults["main"])

    def _compiler(self, compiler: Mapping[str, str]) -> None:
        for name, words in (("angle", ("degree", "radian")), ("autolimits", ("true", "false"))):
            if compiler.get(name, words[0]) not in words:
                raise ValueError(f"compiler: {name} {compiler[name]!r} is unknown, expected {' or '.join(words)}")
        self.degrees = compiler.get("angle", "degree") == "degree"
        self.autolimits = compiler.get("autolimits", "true") == "true"
        self.sequence = compiler.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or not set(self.sequence) <= set("xyzXYZ"):
            raise ValueError(f"compiler: eulerseq {self.sequence!r} is unknown")
        if compiler.get("coordinate", "local") != "local":
            raise ValueError("compiler: coordinate is not supported")
        if compiler.get("fusestatic", "false") != "false":
            raise ValueError("compiler: fusestatic is not supported")
        self.aligns = compiler.get("alignfree", "false") == "true"
        self.from_geoms = compiler.get("inertiafromgeom", "auto")
        if self.from_geoms not in ("true", "false", "auto"):
            raise ValueError(f"compiler: inertiafromgeom {self.from_geoms!r} is unknown")
        self.groups = numbers(Element("compiler", dict(compiler)), "inertiagrouprange", 2, (0, 5))

    def _include(self, element: Element, folder: str) -> None:
        """Replaces elements that include a file by what it has."""
        for number in reversed(range(len(element))):
            child = element[number]
            if child.tag != "include":
                self._include(child, folder)
                continue
            name = child.get("file", "")
            # MuJoCo's places: beside the main file, then beside the file that includes
            path = next((p for p in (os.path.join(f, name) for f in (self.folder, folder)) if os.path.exists(p)),
                        os.path.join(self.folder, name))
            if os.path.realpath(path) in self.files:
                raise ValueError(f"include: {name!r} is already included")
            self.files.add(os.path.realpath(path))
            try:
                other = parsed(path)
            except OSError as error:
                raise ValueError(f"include: {error}") from error
            self._include(other, os.path.dirname(path))
            element[number:number + 1] = list(other)

    def _default(self, element: Element, name: str, base: _Class) -> None:
        own = {tag: dict(base[tag]) for tag in base}
        for tag in own:
            for child in element.findall(tag):
                own[tag] = _merged(own[tag], child.attrib)
        self.defaults[name] = own
        for child in element.findall("default"):
            inner = child.get("class", "")
            if not inner or inner in self.defaults:
                raise ValueError(f"default {inner!r}: is the name of two classes" if inner else "default: has no class")
            self._default(child, inner, own)

    def _whole(self, element: Element, childclass: str) -> Element:
        """A joint or a geom with the attributes of its class."""
        name = element.get("class", childclass)
        if name not in self.defaults:
            raise ValueError(f"{titled(element)}: there is no class {name!r}")
        return Element(element.tag, _merged(self.defaults[name][element.tag], element.attrib))

    def _angle(self, value: float) -> float:
        return math.radians(value) if self.degrees else value

    def _rotation(self, element: Element) -> Sequence[float]:
        given = [name for name in _ORIENTATIONS if name in element.attrib]
        if len(given) > 1:
            raise ValueError(f"{titled(element)}: has both {given[0]} and {given[1]}")
        if given == ["quat"]:
            w, x, y, z = numbers(element, "quat", 4, ())
            return unit((x, y, z, w), f"{titled(element)}: quat")
        if given == ["axisangle"]:
            *axis, angle = numbers(element, "axisangle", 4, ())
            return about(unit(axis, f"{titled(element)}: axisangle"), self._angle(angle))
        if given == ["zaxis"]:
            return _along(unit(numbers(element, "zaxis", 3, ()), f"{titled(element)}: zaxis"))
        if given == ["xyaxes"]:
            axes = numbers(element, "xyaxes", 6, ())
            return _with_axes(axes[:3], axes[3:], f"{titled(element)}: xyaxes")
        found: Sequence[float] = IDENTITY
        angles = numbers(element, "euler", 3, (0, 0, 0))
        for letter, angle in zip(self.sequence, angles, strict=True):
            turn = about([float(letter.lower() == a) for a in "xyz"], self._angle(angle))
            found = product(found, turn) if letter.islower() else product(turn, found)
        return found

    def _joint(self, part: Part, element: Element, childclass: str) -> None:
        new_name(self.names["joint"], element)
        whole = element if element.tag == "freejoint" else self._whole(element, childclass)
        kind = "free" if element.tag == "freejoint" else whole.get("type", "hinge")
        if kind not in _KINDS:
            raise ValueError(f"{titled(whole)}: type {kind!r} is unknown")
        axis = unit(numbers(whole, "axis", 3, (0, 0, 1)), f"{titled(whole)}: axis")
        add_joint(part, whole.get("name", ""), _KINDS[kind], axis, numbers(whole, "pos", 3, (0, 0, 0)),
                  self._angle(numbers(whole, "ref", 1, (0,))[0]), not self._is_limited(whole))

    def _is_limited(self, joint: Element) -> bool:
        """As the joint says; otherwise a range makes it so, unless autolimits is false."""
        limited = joint.get("limited", "auto")
        return limited == "true" or (limited == "auto" and self.autolimits and
                                     any(numbers(joint, "range", 2, (0, 0))))

    def _check_align(self, body: Element) -> None:
        """MuJoCo moves the frames of lone bodies that move freely to their centres of mass, where it is told to."""
        for joint in body.findall("freejoint"):
            given = joint.get("align", "auto")
            if (given == "true" or (given == "auto" and self.aligns)) and body.find("body") is None:
                raise ValueError(f"{titled(body)}: align of its free joint is not supported")

    def _centre(self, body: Element, childclass: str) -> Sequence[float] | None:
        """The centre of mass; None: it is not known."""
        inertial = body.find("inertial")
        stated = None if inertial is None else numbers(inertial, "pos", 3, (0, 0, 0))
        found: list[float] | None = []
        if self.from_geoms == "true" or (self.from_geoms == "auto" and stated is None):
            least, most = self.groups
            geoms = [self._whole(geom, childclass) for geom in body.findall("geom")]
            found = centre_of([g for g in geoms if least <= numbers(g, "group", 1, (0,))[0] <= most])
        # of a body without mass MuJoCo has the place of its frame
        return None if found is None else found or stated or numbers(body, "pos", 3, (0, 0, 0))

    def bodies(self, element: Element, parent: int, childclass: str) -> None:
        for child in element:
            if child.tag not in _KNOWN:
                raise ValueError(f"{titled(child)}: is not supported")
            if child.get("mocap") == "true":
                raise ValueError(f"{titled(child)}: mocap is not supported")
            if child.tag != "body":
                continue
            new_name(self.names["body"], child)
            self._check_align(child)
            own = child.get("childclass", childclass)
            number = len(self.parts)
            part = Part(child.get("name") or f"body{number + 1}", parent, numbers(child, "pos", 3, (0, 0, 0)),
                        self._rotation(child), com=self._centre(child, own))
            for joint in child:
                if joint.tag in ("joint", "freejoint"):
                    self._joint(part, joint, own)
            self.parts.append(part)
            self.bodies(child, number, own)


def parts_of_mjcf(path: Path) -> list[Part]:
    """The bodies of an MJCF file, depth first as MuJoCo counts them."""
    model = _Mjcf(path)
    for world in model.root.findall("worldbody"):
        model.bodies(world, -1, "main")
    if not model.parts:
        raise ValueError("has no body")
    return model.parts
