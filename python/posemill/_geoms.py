# SPDX-License-Identifier: MIT
"""Masses of geoms of MJCF, and the centres of mass of bodies that follow from them, as MuJoCo computes them.

A geom is an element with the attributes of its class. The mass of meshes, height fields and signed
distance fields is not known here.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from ._robot import numbers, titled

__all__ = ["centre_of"]

_DENSITY = 1000.0
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_UNKNOWN = ("mesh", "hfield", "sdf")
_MOST_SIZE = 1e10 # so that volumes are finite
_LEAST_MASS = 1e-15 # mjMINVAL: a body without more has its centre at its origin


def _ellipsoid_area(size: Sequence[float]) -> float:
    """By Thomsen's formula."""
    a, b, c = (s**1.6075 for s in size)
    return float(4 * math.pi * ((a * b + a * c + b * c) / 3) ** (1 / 1.6075))


def _extent(kind: str, size: Sequence[float], shell: bool) -> float:
    """The volume, or of a shell the area."""
    x, y, z = size
    if kind == "sphere":
        return 4 * math.pi * x**2 if shell else 4 / 3 * math.pi * x**3
    if kind == "capsule":
        return 4 * math.pi * x * (x + y) if shell else math.pi * x**2 * (4 / 3 * x + 2 * y)
    if kind == "cylinder":
        return 2 * math.pi * x * (x + 2 * y) if shell else 2 * math.pi * x**2 * y
    if kind == "ellipsoid":
        return _ellipsoid_area(size) if shell else 4 / 3 * math.pi * x * y * z
    return 8 * (x * y + x * z + y * z) if shell else 8 * x * y * z


def _ends(geom: Element) -> list[float] | None:
    kind = geom.get("type", "sphere")
    if geom.get("fromto") is None:
        return None
    if any(numbers(geom, "pos", 3, ())):
        raise ValueError(f"{titled(geom)}: has both pos and fromto")
    if kind not in ("capsule", "cylinder", "box", "ellipsoid"):
        raise ValueError(f"{titled(geom)}: fromto is not for type {kind!r}")
    return numbers(geom, "fromto", 6, ())


def _size(geom: Element, kind: str, ends: Sequence[float] | None) -> list[float]:
    size = (numbers(geom, "size", (1, 2, 3), (0.0,)) + [0.0, 0.0])[:3]
    used = _SIZES[kind]
    if ends is not None:
        half = math.dist(ends[:3], ends[3:]) / 2
        size = [size[0], half, 0.0] if used == 2 else [size[0], size[0], half]
    if not all(0 < s < _MOST_SIZE for s in size[:used]):
        raise ValueError(f"{titled(geom)}: size: expected {used} numbers above 0 and below {_MOST_SIZE:g}")
    return size


def _mass(geom: Element, ends: Sequence[float] | None) -> float | None:
    """None: it is not known here."""
    kind = geom.get("type", "sphere")
    given, density = numbers(geom, "mass", 1, ()), numbers(geom, "density", 1, (_DENSITY,))[0]
    if density < 0 or (given and given[0] < 0):
        raise ValueError(f"{titled(geom)}: mass or density is below 0")
    if kind == "plane" or (given[0] if given else density) == 0:
        return 0.0
    if kind in _UNKNOWN or geom.get("mesh") is not None:
        return None
    if kind not in _SIZES:
        raise ValueError(f"{titled(geom)}: type {kind!r} is unknown")
    size = _size(geom, kind, ends)
    return given[0] if given else density * _extent(kind, size, geom.get("shellinertia") == "true")


def centre_of(geoms: Sequence[Element]) -> list[float] | None:
    """The centre of mass; empty: there is no mass; None: it is not known, because of a mesh or alike."""
    total, moment = 0.0, [0.0, 0.0, 0.0]
    for geom in geoms:
        ends = _ends(geom)
        place = (numbers(geom, "pos", 3, (0, 0, 0)) if ends is None else
                 [(a + b) / 2 for a, b in zip(ends[:3], ends[3:], strict=True)])
        mass = _mass(geom, ends)
        if mass is None:
            return None
        total += mass
        moment = [m + mass * p for m, p in zip(moment, place, strict=True)]
    return [m / total for m in moment] if total > _LEAST_MASS else []
