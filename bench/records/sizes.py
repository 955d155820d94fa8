# SPDX-License-Identifier: MIT
"""The picture of the group `sizes`: the share of the write ceiling over the size of the results of a
job with its 95 % interval, one line per method, one panel per record.
"""
import math
import re
from types import SimpleNamespace

from . import svg
from .document import LARGEST_COUNT, Refused, is_count, read_json
from .svg import CHARACTER, LEFT, LIGHT, TOP, WIDTH, about, safe, spread

PANEL, HEIGHT = 370, 240
LARGEST_SHARE = 4.0  # larger shares are not measurements and cannot be drawn

TITLE = "Share of the write ceiling over the size of a job"


# ---- records -------------------------------------------------------------------


def is_share(value):
    return not isinstance(value, bool) and isinstance(value, (int, float)) and value >= 0.0


def interval_of(case, share):
    """The ends of the interval of the share, which records of schema 1 do not have."""
    ends = [case.get(f"ceiling_share_{end}") for end in ("low", "high")]
    if ends == [None, None]:
        return share, share
    if not all(map(is_share, ends)) or not ends[0] <= share <= ends[1]:
        raise Refused(f"the interval of ceiling_share of {case['name']!r} is not around it")
    return tuple(min(float(end), LARGEST_SHARE) for end in ends)


def point_of(case):
    """(method, bytes, share, low, high) for a case of sizes, None for another case."""
    name = case.get("name") if isinstance(case, dict) else None
    if not isinstance(name, str):
        raise Refused("case without a name")
    if not name.startswith("sizes/"):
        return None
    match = re.fullmatch(r"sizes/(.{1,40})-([0-9]{1,19})", name, re.ASCII)
    samples, each, share = (case.get(m) for m in ("samples", "bytes_per_sample", "ceiling_share"))
    if not match or not is_count(samples, 1) or int(match[2]) != samples:
        raise Refused(f"{name!r} is invalid; expected a method and a number of samples")
    if not is_count(each, 1, LARGEST_COUNT // samples):
        raise Refused(f"bytes_per_sample of {name!r} is not a number of bytes")
    if isinstance(share, bool) or not isinstance(share, (int, float)):
        raise Refused(f"ceiling_share of {name!r} is not a number")
    if not 0.0 <= share <= LARGEST_SHARE:
        raise Refused(f"ceiling_share of {name!r} is out of range; expected 0 to {LARGEST_SHARE:g}")
    return match[1], samples * each, float(share), *interval_of(case, share)


def curves_of(record):
    """{method: [(bytes, share, low, high), ...]}, sorted by bytes."""
    cases = record.get("cases") if isinstance(record, dict) else None
    if not isinstance(cases, list):
        raise Refused("not a record of posemill bench")
    curves = {}
    for point in filter(None, map(point_of, cases)):
        curves.setdefault(point[0], []).append(point[1:])
    if not curves:
        raise Refused("no case of sizes; measure with: posemill bench --case 'sizes/*' --json FILE")
    for method, points in curves.items():
        points.sort()
        if any(a[0] == b[0] for a, b in zip(points, points[1:])):
            raise Refused(f"two cases of {method!r} have the same size")
    return curves


def read(path):
    """(texts of the record, its curves). Only what is drawn is read, so records of both schemas fit."""
    record = read_json(path)
    curves = curves_of(record)
    texts = {name: record.get(name) for name in ("device", "platform", "driver", "commit")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise Refused("not a record of posemill bench")
    options = record.get("options")
    quick = isinstance(options, dict) and options.get("quick") is True
    return SimpleNamespace(**texts, quick=quick), curves


# ---- text ----------------------------------------------------------------------


def bytes_text(count):
    for unit, power in (("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << power:
            return f"{count / (1 << power):g} {unit}"
    return f"{count} B"


def percent(share):
    return f"{100.0 * share:.0f} %"


def described(texts, curves):
    lines = [f"Share of the write ceiling on {texts.device}."]
    for method, points in curves.items():
        text = ", ".join(f"{percent(share)} at {bytes_text(count)}" for count, share, *_ in points)
        lines.append(f"{method}: {text}.")
    return " ".join(lines)


# ---- drawing -------------------------------------------------------------------


class Axes:
    """Coordinates of one panel. The size axis is logarithmic and starts at the smallest size of all
    records."""

    def __init__(self, every, top, right):
        counts = [count for curves in every for points in curves.values() for count, *_ in points]
        shares = [max(shares) for curves in every for points in curves.values() for _, *shares in points]
        self.first = math.log2(min(counts))
        self.last = max(math.log2(max(counts)), self.first + 1.0)
        self.max_share = max(1.0, math.ceil(max(shares) * 5.0) / 5.0)
        self.top = top
        self.right = right

    def x(self, count):
        part = (math.log2(count) - self.first) / (self.last - self.first)
        return LEFT + part * (self.right - LEFT)

    def y(self, share):
        return self.top + (1.0 - share / self.max_share) * HEIGHT


def grid(axes):
    bottom = axes.y(0.0)
    for fifth in range(round(axes.max_share * 5.0) + 1):
        y = axes.y(fifth / 5.0)
        kind = "ceiling" if fifth == 5 else "grid"
        yield f'<line class="{kind}" x1="{LEFT}" x2="{axes.right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="quiet end" x="{LEFT - 8}" y="{y + 4:.1f}">{percent(fifth / 5.0)}</text>'
    step = 3 * max(1, math.ceil((axes.last - axes.first) / 24.0))
    for power in range(math.ceil(axes.first), math.floor(axes.last) + 1, step):
        x = axes.x(1 << power)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{axes.top}" y2="{bottom + 5:.1f}"/>'
        yield (
            f'<text class="quiet middle" x="{x:.1f}" y="{bottom + 20:.1f}">'
            f"{bytes_text(1 << power)}</text>"
        )
    middle = (LEFT + axes.right) / 2.0
    yield f'<text class="quiet middle" x="{middle:.1f}" y="{bottom + 40:.1f}">results of a job</text>'
    ceiling = axes.y(1.0) - 5.0
    yield f'<text class="quiet end" x="{axes.right:.1f}" y="{ceiling:.1f}">write ceiling</text>'


def lines(axes, curves):
    ends = [axes.y(points[-1][1]) for points in curves.values()]
    positions = spread(ends, axes.y(0.0))
    for index, (method, points) in enumerate(curves.items()):
        kind = f"c{index % len(LIGHT)}"
        at = [(axes.x(count), axes.y(share)) for count, share, *_ in points]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        yield f'<polyline class="line {kind}" points="{drawn}"/>'
        for (x, y), (count, share, low, high) in zip(at, points):
            text = f"{method}, {bytes_text(count)}: {100.0 * share:.1f} %"
            if low < high:
                text += f" ({100.0 * low:.1f} to {100.0 * high:.1f})"
                yield (f'<line class="line {kind}" x1="{x:.1f}" x2="{x:.1f}" '
                       f'y1="{axes.y(low):.1f}" y2="{axes.y(high):.1f}"/>')
            yield (
                f'<circle class="dot {kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5">'
                f"<title>{safe(text)}</title></circle>"
            )
        label = safe(f"{method} {percent(points[-1][1])}", 60)
        x, y = at[-1][0] + 10.0, positions[index] + 4.0
        yield f'<text class="label {kind}" x="{x:.1f}" y="{y:.1f}">{label}</text>'


def panel(every, index, texts, curves, right):
    top = index * PANEL + TOP
    axes = Axes(every, top, right)
    yield f'<text class="heading" x="{LEFT}" y="{top - 36}">{safe(texts.device, 80)}</text>'
    yield f'<text class="quiet" x="{LEFT}" y="{top - 18}">{safe(about(texts), 110)}</text>'
    yield from grid(axes)
    yield from lines(axes, curves)


def panels(records, every, right):
    for index, (texts, curves) in enumerate(records):
        yield from panel(every, index, texts, curves, right)


def drawing(records):
    every = [curves for _, curves in records]
    longest = max(len(method) for curves in every for method in curves) + len(" 100 %")
    right = WIDTH - 16.0 - CHARACTER * longest
    text = " ".join(described(texts, curves) for texts, curves in records)
    yield from svg.document(TITLE, text, PANEL * len(records), panels(records, every, right))
