# SPDX-License-Identifier: MIT
"""The roofline of a record: operations per second over operations per byte, both logarithmic. The roofs
are what the device filled, copied and computed in the same run; a case is a point below them, with
the 95 % interval of its median. The cases state their bytes and operations; nothing is counted here.
"""
import math
import zlib
from dataclasses import dataclass
from fnmatch import fnmatchcase

from . import document, svg
from .document import BOUNDS, Refused
from .intervals import median_interval
from .svg import CHARACTER, LEFT, TOP, WIDTH, about, safe, spread

CASES = "upsample-4/*"
MOST = 40  # more names cannot be read
HEIGHT = 400
TITLE = "Roofline: operations per second over operations per byte"


@dataclass
class Point:
    """A case: its intensity in operations per byte, and its rate in operations per second."""

    name: str
    kind: int  # index of its colour
    intensity: float
    rate: float
    low: float
    high: float


@dataclass
class Roofs:
    """The rates of memory in bytes/s by their names, and that of arithmetic in operations/s."""

    memory: dict[str, float]
    arithmetic: float


# ---- records -------------------------------------------------------------------


def rate_of(record, name, amount):
    case = record.cases.get(name)
    total = case and amount(case)
    if not total:
        raise Refused(f"no {name} with its amount; measure it with: posemill bench --json FILE")
    return total / case.seconds_median


def bytes_of(case):
    """Bytes that a run moves. Ceilings need not state them: they move those of their samples."""
    moved = (case.bytes_read or 0) + (case.bytes_written or 0)
    return moved or case.samples * case.bytes_per_sample


def roofs_of(record):
    fills = record.fill_rates or [rate_of(record, "ceiling/fill", bytes_of)]
    names = ["fill"] if len(fills) == 1 else ["slow fill", "fast fill"]
    memory = dict(zip(names, fills))
    memory["copy"] = rate_of(record, "ceiling/copy", bytes_of)
    return Roofs(memory, rate_of(record, "ceiling/arithmetic", lambda case: case.operations))


def point_of(case):
    """The point of a case, None for a case that has none. Its intensity is per byte that its roof counts:
    a fill only writes, so that a case it bounds would else stand above that roof."""
    read = 0 if case.bound == "fill" else case.bytes_read or 0
    moved = read + (case.bytes_written or 0)
    if not case.operations or not moved or case.bound is None:
        return None
    seed = zlib.crc32(case.name.encode("utf-8", "replace"))
    middle, low, high = median_interval(case.seconds, seed)
    operations = case.operations
    return Point(case.name, BOUNDS.index(case.bound), operations / moved, operations / middle,
                 operations / high, operations / low)


def read(path, glob=None):
    """(record, its roofs, its points) of the cases whose names match."""
    record = document.read(path)
    document.require_times(record)
    chosen = [case for name, case in record.cases.items() if fnmatchcase(name, glob or CASES)]
    points = list(filter(None, map(point_of, chosen)))
    if not points:
        raise Refused(f"no case that matches {(glob or CASES)!r} has operations and bytes")
    if len(points) > MOST:
        raise Refused(f"{len(points)} cases; choose at most {MOST} with --case")
    return record, roofs_of(record), points


# ---- text ----------------------------------------------------------------------


def quantity(number):
    """Such as 12.3 G, with three digits; a unit follows."""
    for unit, power in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= power:
            return f"{number / power:.3g} {unit}"
    return f"{number:.3g} "


def described(record, roofs, points):
    yield f"Roofline of {record.device}."
    rates = ", ".join(f"{name} {quantity(rate)}B/s" for name, rate in roofs.memory.items())
    yield f"Roofs: {rates}, arithmetic {quantity(roofs.arithmetic)}op/s."
    for point in points:
        yield (f"{point.name}: {point.intensity:.3g} operations per byte, "
               f"{quantity(point.rate)}op/s ({quantity(point.low)}op/s to {quantity(point.high)}op/s), "
               f"bound by {BOUNDS[point.kind]}.")


# ---- drawing -------------------------------------------------------------------


class Axes:
    """Coordinates. Intensities start and end at powers of 2, rates at powers of 10."""

    def __init__(self, roofs, points, right):
        ridge = roofs.arithmetic / min(roofs.memory.values())
        intensities = [ridge, *(point.intensity for point in points)]
        self.first = math.floor(math.log2(min(intensities))) - 1
        self.last = math.ceil(math.log2(max(intensities))) + 1
        lowest = min(point.low for point in points)
        highest = max([roofs.arithmetic, *(point.high for point in points)])
        self.bottom = math.floor(math.log10(lowest / 1.5))
        self.top = max(math.ceil(math.log10(1.2 * highest)), self.bottom + 1)
        self.right = right

    def x(self, intensity):
        part = (math.log2(intensity) - self.first) / (self.last - self.first)
        return LEFT + part * (self.right - LEFT)

    def y(self, rate):
        return TOP + (self.top - math.log10(rate)) / (self.top - self.bottom) * HEIGHT


def grid(axes):
    base = TOP + HEIGHT
    for power in range(axes.bottom, axes.top + 1):
        y = axes.y(10.0**power)
        yield f'<line class="grid" x1="{LEFT}" x2="{axes.right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        text = quantity(10.0**power).rstrip()
        yield f'<text class="quiet end" x="{LEFT - 8}" y="{y + 4:.1f}">{text}</text>'
    step = max(1, math.ceil((axes.last - axes.first) / 12))
    for power in range(axes.first, axes.last + 1, step):
        x = axes.x(2.0**power)
        mark = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{base + 5}"/>'
        yield f'<text class="quiet middle" x="{x:.1f}" y="{base + 20}">{mark}</text>'
    middle = (LEFT + axes.right) / 2.0
    yield f'<text class="quiet middle" x="{middle:.1f}" y="{base + 40}">operations per byte</text>'
    yield f'<text class="quiet" x="{LEFT}" y="{TOP - 8}">operations/s</text>'


def memory_roof(axes, name, rate, arithmetic, place):
    """A diagonal, from the left or the lower border up to the roof of arithmetic. Its name begins at
    the part `place` of it, because diagonals can be close to each other."""
    start = max(2.0**axes.first, 10.0**axes.bottom / rate)
    end = arithmetic / rate
    if start >= end:
        return
    at = [axes.x(start), axes.y(start * rate), axes.x(end), axes.y(arithmetic)]
    yield '<line class="ceiling" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>'.format(*at)
    slope = math.degrees(math.atan2(at[3] - at[1], at[2] - at[0]))
    x, y = (at[i] + place * (at[i + 2] - at[i]) for i in (0, 1))
    yield (f'<text class="quiet label" transform="translate({x:.1f} {y:.1f}) rotate({slope:.1f})" '
           f'x="4" y="-4">{safe(name)} {quantity(rate)}B/s</text>')


def roof_lines(axes, roofs):
    for index, (name, rate) in enumerate(roofs.memory.items()):
        yield from memory_roof(axes, name, rate, roofs.arithmetic, 0.02 + 0.28 * index)
    y = axes.y(roofs.arithmetic)
    start = max(LEFT, axes.x(roofs.arithmetic / max(roofs.memory.values())))
    yield f'<line class="ceiling" x1="{start:.1f}" x2="{axes.right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
    yield (f'<text class="quiet end" x="{axes.right:.1f}" y="{y - 5:.1f}">'
           f"arithmetic {quantity(roofs.arithmetic)}op/s</text>")


def mark(axes, point, title):
    x, y = axes.x(point.intensity), axes.y(point.rate)
    kind = f"c{point.kind}"
    low, high = axes.y(point.low), axes.y(point.high)
    yield f'<line class="line {kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>'
    yield (f'<circle class="dot {kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5">'
           f"<title>{safe(title)}</title></circle>")


def names(axes, points):
    """The names at the right, in the order of their points, each joined with its point."""
    places = spread([axes.y(point.rate) for point in points], TOP + HEIGHT)
    for point, place in zip(points, places):
        x, y = axes.x(point.intensity), axes.y(point.rate)
        at = f'x1="{x + 5:.1f}" y1="{y:.1f}" x2="{axes.right + 6:.1f}" y2="{place:.1f}"'
        yield f'<line class="grid" {at}/>'
        yield (f'<text class="label c{point.kind}" x="{axes.right + 10:.1f}" y="{place + 4:.1f}">'
               f"{safe(point.name, 40)}</text>")


def legend(axes, points):
    """What the colours mean, from the left at the bottom."""
    x = float(LEFT)
    for kind in sorted({point.kind for point in points}):
        text = f"bound by {BOUNDS[kind]}"
        yield f'<circle class="dot c{kind}" cx="{x + 4:.1f}" cy="{TOP + HEIGHT + 60}" r="3.5"/>'
        yield f'<text class="quiet" x="{x + 14:.1f}" y="{TOP + HEIGHT + 64}">{text}</text>'
        x += 30.0 + CHARACTER * len(text)


def body(record, roofs, points):
    longest = min(40, max(len(point.name) for point in points))
    axes = Axes(roofs, points, WIDTH - 26.0 - CHARACTER * longest)
    yield f'<text class="heading" x="{LEFT}" y="{TOP - 44}">{safe(record.device, 80)}</text>'
    yield f'<text class="quiet" x="{LEFT}" y="{TOP - 26}">{safe(about(record), 110)}</text>'
    yield from grid(axes)
    yield from roof_lines(axes, roofs)
    yield from names(axes, points)
    texts = list(described(record, roofs, points))[2:]
    for point, text in zip(points, texts):
        yield from mark(axes, point, text)
    yield from legend(axes, points)


def drawing(content):
    record, roofs, points = content
    text = " ".join(described(record, roofs, points))
    yield from svg.document(TITLE, text, TOP + HEIGHT + 80, body(record, roofs, points))
