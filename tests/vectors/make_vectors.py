#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the known-answer files beside it: one per method, from plain Python.

A third writing of the curves, in other forms than the kernels' and the oracle's:
slerp by the power of a quotient, arcs about their centres. No float32 anywhere: the
answers are those of the curve itself, and what the library's rounding may add is the
test's tolerance. Run it without arguments; the output is the same on every machine
but for the last digit that its C library gives to sin and cos.
"""
import math
import os
import random

HALF_PI = math.pi / 2


# ---- quaternions as tuples (x, y, z, w), vectors as tuples ---------------------


def add(a, b):
    return tuple(p + q for p, q in zip(a, b))


def sub(a, b):
    return tuple(p - q for p, q in zip(a, b))


def scale(a, s):
    return tuple(p * s for p in a)


def dot(a, b):
    return math.fsum(p * q for p, q in zip(a, b))


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scale(a, 1.0 / norm(a))


def mul(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + bw * ax + ay * bz - az * by,
        aw * by + bw * ay + az * bx - ax * bz,
        aw * bz + bw * az + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def conj(a):
    return (-a[0], -a[1], -a[2], a[3])


def exp(v):
    n = norm(v)
    if n == 0.0:
        return (0.0, 0.0, 0.0, 1.0)
    return scale(v, math.sin(n) / n) + (math.cos(n),)


def log(q):
    n = norm(q[:3])
    return scale(q[:3], math.atan2(n, q[3]) / n) if n else (0.0, 0.0, 0.0)


def slerp(a, b, u):
    """The quotient's power: no change of sign, any angle but exactly 2 pi."""
    return mul(a, exp(scale(log(mul(conj(a), b)), u)))


# ---- tracks ---------------------------------------------------------------------


class Track:
    """Conditioned keys that may be indexed past both ends of a loop."""

    def __init__(self, times, keys, positions, tangents, period):
        self.times, self.period, self.tangents = times, period, tangents
        self.n = len(keys)
        unrolled = []
        for key in keys:
            q = unit(key)
            if unrolled and dot(unrolled[-1], q) < 0.0:
                q = scale(q, -1.0)
            unrolled.append(q)
        self.wrap = -1.0 if period and dot(unrolled[-1], unrolled[0]) < 0.0 else 1.0
        self.keys, self.positions = unrolled, positions

    def has(self, i):
        return bool(self.period) or 0 <= i < self.n

    def key(self, i):
        return scale(self.keys[i % self.n], self.wrap if i // self.n % 2 else 1.0)

    def position(self, i):
        return self.positions[i % self.n]

    def time(self, i):
        return self.times[i % self.n] + i // self.n * self.period

    def h(self, i):
        return self.time(i + 1) - self.time(i)

    def chord(self, i):
        return log(mul(conj(self.key(i)), self.key(i + 1)))

    def slope(self, i):
        return scale(self.chord(i), 1.0 / self.h(i))

    def position_slope(self, i):
        return scale(sub(self.position(i + 1), self.position(i)), 1.0 / self.h(i))


def inner(slope, h, i, options):
    """Velocities (arriving, leaving) at a key between two segments."""
    before, after, h0, h1 = slope(i - 1), slope(i), h(i - 1), h(i)
    a, b = h1 / (h0 + h1), h0 / (h0 + h1)
    if options.get("tangents") == "mean":
        a = b = 0.5
    t, c, d = options.get("tcb", (0.0, 0.0, 0.0))
    arriving = add(
        scale(before, (1 - t) * (1 - c) * (1 + d) * a), scale(after, (1 - t) * (1 + c) * (1 - d) * b)
    )
    leaving = add(
        scale(before, (1 - t) * (1 + c) * (1 + d) * a), scale(after, (1 - t) * (1 - c) * (1 - d) * b)
    )
    return arriving, leaving


def end(kind, own, following, h_own, h_following, neighbour):
    if kind == "natural":
        return scale(sub(scale(own, 3.0), neighbour), 0.5)
    if kind == "parabola":
        return add(own, scale(sub(own, following), h_own / (h_own + h_following)))
    if kind == "zero":
        return (0.0, 0.0, 0.0)
    return own


def tangents(track, slope, options):
    """[(arriving, leaving)] of every key."""
    n, ends = track.n, options.get("ends", "chord")
    found = {}
    for i in range(n) if track.period else range(1, n - 1):
        found[i] = inner(slope, track.h, i, options)
    if not track.period:
        if n == 2:
            return [(slope(0), slope(0))] * 2
        first = end(ends, slope(0), slope(1), track.h(0), track.h(1), found[1][0])
        last = end(
            ends, slope(n - 2), slope(n - 3), track.h(n - 2), track.h(n - 3), found[n - 2][1]
        )
        found[0], found[n - 1] = (first, first), (last, last)
    return [found[i] for i in range(n)]


def limit(velocity, h, chord):
    """The largest lambda in [0, 1] with |lambda h w - L| <= pi/2, by bisection."""

    def fits(part):
        return norm(sub(scale(velocity, part * h), chord)) <= HALF_PI

    if fits(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def squad_tangents(track, options):
    if options.get("tangents") == "user":
        pairs = [(w, w) for w in track.tangents]
    else:
        pairs = tangents(track, track.slope, options)
    if options.get("unlimited"):
        return pairs
    limited = []
    for i, (arriving, leaving) in enumerate(pairs):
        part = 1.0
        if track.has(i - 1):
            part = min(part, limit(arriving, track.h(i - 1), track.chord(i - 1)))
        if track.has(i + 1):
            part = min(part, limit(leaving, track.h(i), track.chord(i)))
        limited.append((scale(arriving, part), scale(leaving, part)))
    return limited


def squad(track, i, u, options):
    w = squad_tangents(track, options)
    p, q, chord, h = track.key(i), track.key(i + 1), track.chord(i), track.h(i)
    a = mul(p, exp(scale(sub(scale(w[i][1], h), chord), 0.5)))
    b = mul(q, exp(scale(sub(chord, scale(w[(i + 1) % track.n][0], h)), 0.5)))
    return slerp(slerp(p, q, u), slerp(a, b, u), 2.0 * u * (1.0 - u))


def angle(corner, a, b):
    x, y = unit(sub(a, corner)), unit(sub(b, corner))
    return 2.0 * math.atan2(norm(sub(x, y)), norm(add(x, y)))


def cusp(p, q, r):
    if p == q or q == r:
        return True
    return angle(p, q, r) > HALF_PI or angle(r, p, q) > HALF_PI or angle(q, p, r) < math.radians(15)


def arc(p0, p1, p2, u):
    """By centre, radius and angle, over the side without p0."""
    b, c = sub(p0, p1), sub(p2, p1)
    bb, cc, bc = dot(b, b), dot(c, c), dot(b, c)
    d = 2.0 * (bb * cc - bc * bc)
    centre = add(p1, add(scale(b, cc * (bb - bc) / d), scale(c, bb * (cc - bc) / d)))
    spoke = sub(p1, centre)
    radius = norm(spoke)
    e1 = scale(spoke, 1.0 / radius)
    e2 = unit(sub(c, scale(e1, dot(c, e1))))
    around = [
        math.atan2(dot(sub(p, centre), e2), dot(sub(p, centre), e1)) % (2.0 * math.pi)
        for p in (p2, p0)
    ]
    phase = u * (around[0] if around[0] < around[1] else around[0] - 2.0 * math.pi)
    return add(centre, scale(add(scale(e1, math.cos(phase)), scale(e2, math.sin(phase))), radius))


def circular(track, i, u, _options):
    p, q = track.key(i), track.key(i + 1)
    arcs = []
    for outer, at, to, part in ((i - 1, p, q, u), (i + 2, q, p, 1.0 - u)):
        if track.has(outer):
            o = track.key(outer)
            arcs.append(slerp(p, q, u) if cusp(o, at, to) else arc(o, at, to, part))
    if len(arcs) == 2:
        return slerp(arcs[0], arcs[1], u)
    return arcs[0] if arcs else slerp(p, q, u)


def sterp(track, i, u, options):
    q = track.key(i)
    axis = unit(options["axis"])
    if options.get("frame") == "parent":
        axis = mul(mul(conj(q), axis + (0.0,)), q)[:3]
    delta = mul(conj(q), track.key(i + 1))
    p = dot(delta[:3], axis)
    size = math.hypot(p, delta[3])
    twist = scale(axis, p / size) + (delta[3] / size,)
    swing = mul(delta, conj(twist))
    s0, s1, t0, t1 = options.get("windows", (0.0, 1.0, 0.0, 1.0))
    ts = min(1.0, max(0.0, (u - s0) / (s1 - s0)))
    tt = min(1.0, max(0.0, (u - t0) / (t1 - t0)))
    return mul(mul(q, exp(scale(log(swing), ts))), exp(scale(log(twist), tt)))


METHODS = {
    "step": lambda k, i, u, o: k.key(i),
    "nlerp": lambda k, i, u, o: unit(add(scale(k.key(i), 1.0 - u), scale(k.key(i + 1), u))),
    "slerp": lambda k, i, u, o: slerp(k.key(i), k.key(i + 1), u),
    "sterp": sterp,
    "squad": squad,
    "circular": circular,
}


def position(track, method, i, u, options):
    p, q = track.position(i), track.position(i + 1)
    if method == "step":
        return p
    if method not in ("squad", "circular"):
        return add(scale(p, 1.0 - u), scale(q, u))
    w = tangents(track, track.position_slope, {"ends": options.get("ends", "chord")})
    m0, m1 = scale(w[i][1], track.h(i)), scale(w[(i + 1) % track.n][0], track.h(i))
    # The cubic in powers of u.
    d = sub(q, p)
    c2 = sub(sub(scale(d, 3.0), scale(m0, 2.0)), m1)
    c3 = sub(add(m0, m1), scale(d, 2.0))
    return add(p, add(scale(m0, u), add(scale(c2, u * u), scale(c3, u * u * u))))


# ---- cases --------------------------------------------------------------------------


def random_keys(rng, count, largest):
    keys = [unit([rng.gauss(0, 1) for _ in range(4)])]
    while len(keys) < count:
        axis = unit([rng.gauss(0, 1) for _ in range(3)])
        step = mul(keys[-1], exp(scale(axis, 0.5 * rng.uniform(0.1, largest))))
        keys.append(scale(step, rng.choice((-1.0, 1.0))))
    return keys


def random_times(rng, count):
    times = [rng.randrange(-8, 8) / 4.0]
    while len(times) < count:
        times.append(times[-1] + rng.randrange(1, 8) / 4.0)
    return times


def spin(count, degrees):
    axis = unit((3.0, 1.0, -2.0))
    return [exp(scale(axis, 0.5 * math.radians(i * degrees))) for i in range(count)]


OPTIONS = {
    "sterp": [
        {"axis": (0.0, 0.0, 2.0)},
        {"axis": (1.0, -2.0, 0.5), "frame": "parent"},
        {"axis": (0.3, 0.4, 0.5), "windows": (0.0, 0.5, 0.5, 1.0)},
    ],
    "squad": [
        {},
        {"tangents": "mean"},
        {"tangents": "tcb", "tcb": (0.25, -0.5, 0.375)},
        {"tangents": "user"},
        {"ends": "natural"},
        {"ends": "parabola"},
        {"ends": "zero"},
        {"unlimited": True},
    ],
}


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def write_case(out, title, track, raw, method, options):
    out.write(f"\ncase {title}\n")
    if track.period:
        out.write(f"loop {numbers([track.period])}\n")
    for name in ("tangents", "ends", "frame"):
        if name in options:
            out.write(f"{name} {options[name]}\n")
    for name in ("tcb", "axis", "windows"):
        if name in options:
            out.write(f"{name} {numbers(options[name])}\n")
    if options.get("unlimited"):
        out.write("unlimited\n")
    for time, key, place, tangent in zip(track.times, *raw):
        out.write(f"key {numbers((time,) + tuple(key) + tuple(place) + tuple(tangent))}\n")
    for i in range(track.n if track.period else track.n - 1):
        for k in (0, 1, 3, 6):
            u = k / 8.0
            time = track.time(i) + u * track.h(i)
            q = track.key(i) if k == 0 else METHODS[method](track, i, u, options)
            p = track.position(i) if k == 0 else position(track, method, i, u, options)
            out.write(f"sample {numbers((time,) + tuple(q) + tuple(p))}\n")


def write_method(folder, method):
    rng = random.Random("posemill " + method)
    with open(os.path.join(folder, method + ".txt"), "w", encoding="ascii") as out:
        out.write(f"# Known answers for {method}, written by make_vectors.py.\n")
        out.write("# key: time, x y z w as given, position, tangent; sample: time, x y z w, position\n")
        for options in OPTIONS.get(method, [{}]):
            for title, count, largest in (
                ("turns up to 60 degrees", 6, 1.0),
                ("turns up to 180 degrees", 6, math.pi),
                ("two keys", 2, 2.5),
                ("three keys", 3, 2.0),
                ("loop", 5, 2.5),
                ("loop of a full turn", 5, None),
            ):
                keys = random_keys(rng, count, largest) if largest else spin(count, 72.0)
                times = random_times(rng, count)
                places = [[round(rng.gauss(0, 1), 3) for _ in range(3)] for _ in keys]
                given = [[round(rng.gauss(0, 0.5), 3) for _ in range(3)] for _ in keys]
                period = times[-1] - times[0] + 0.75 if title.startswith("loop") else 0.0
                track = Track(times, keys, places, given, period)
                write_case(out, title, track, (keys, places, given), method, options)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    for name in METHODS:
        write_method(here, name)
