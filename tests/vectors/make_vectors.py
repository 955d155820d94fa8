#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the known-answer files in this folder, one per method, in plain Python.

A third implementation of the curves, in other forms than the kernels and the oracle:
slerp as the power of a quotient, arcs about their centres. No float32 is used: the
answers are those of the curve itself, and the test's tolerance covers the library's
rounding. Run it without arguments. The output is the same on every machine except
for the last digit, which depends on sin and cos of the C library.
"""
import math
import os
import random

HALF_PI = math.pi / 2


# ---- quaternions (x, y, z, w) and vectors -------------------------------------------


class Numbers(tuple):
    """With the operations of vectors, and with @ as the product of quaternions."""

    def __add__(self, other):
        return Numbers(p + q for p, q in zip(self, other))

    def __sub__(self, other):
        return Numbers(p - q for p, q in zip(self, other))

    def __mul__(self, factor):
        return Numbers(p * factor for p in self)

    def __matmul__(self, other):
        ax, ay, az, aw = self
        bx, by, bz, bw = other
        return Numbers((
            aw * bx + bw * ax + ay * bz - az * by,
            aw * by + bw * ay + az * bx - ax * bz,
            aw * bz + bw * az + ax * by - ay * bx,
            aw * bw - ax * bx - ay * by - az * bz,
        ))


ZERO = Numbers((0.0, 0.0, 0.0))


def dot(a, b):
    return math.fsum(p * q for p, q in zip(a, b))


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return Numbers(a) * (1.0 / norm(a))


def conj(a):
    return Numbers((-a[0], -a[1], -a[2], a[3]))


def exp(v):
    n = norm(v)
    return Numbers((*(v * (math.sin(n) / n)), math.cos(n))) if n else Numbers((*ZERO, 1.0))


def log(q):
    n = norm(q[:3])
    return Numbers(q[:3]) * (math.atan2(n, q[3]) / n) if n else ZERO


def slerp(a, b, u):
    """The power of the quotient: no change of sign, any angle except exactly 2 pi."""
    return a @ exp(log(conj(a) @ b) * u)


# ---- tracks ---------------------------------------------------------------------


class Track:
    """Conditioned keys that may be indexed past both ends of a loop."""

    def __init__(self, times, keys, positions, tangents, given, period):
        self.times, self.period, self.tangents = times, period, tangents
        self.n = len(keys)
        unrolled = []
        for key in keys:
            q = unit(key)
            if unrolled and dot(unrolled[-1], q) < 0.0:
                q = q * -1.0
            unrolled.append(q)
        self.wrap = -1.0 if period and dot(unrolled[-1], unrolled[0]) < 0.0 else 1.0
        self.keys, self.positions = unrolled, positions
        self.given_keys, self.given = [unit(key) for key in keys], given

    def has(self, i):
        return bool(self.period) or 0 <= i < self.n

    def key(self, i):
        return self.keys[i % self.n] * (self.wrap if i // self.n % 2 else 1.0)

    def position(self, i):
        return self.positions[i % self.n]

    def time(self, i):
        return self.times[i % self.n] + i // self.n * self.period

    def h(self, i):
        return self.time(i + 1) - self.time(i)

    def chord(self, i):
        return log(conj(self.key(i)) @ self.key(i + 1))

    def slope(self, i):
        return self.chord(i) * (1.0 / self.h(i))

    def position_slope(self, i):
        return (self.position(i + 1) - self.position(i)) * (1.0 / self.h(i))


def inner(slope, h, i, options):
    """Velocities (arriving, leaving) at a key between two segments."""
    before, after, h0, h1 = slope(i - 1), slope(i), h(i - 1), h(i)
    a, b = h1 / (h0 + h1), h0 / (h0 + h1)
    if options.get("tangents") == "mean":
        a = b = 0.5
    t, c, d = options.get("tcb", (0.0, 0.0, 0.0))

    def at(side):
        first, second = (1 - t) * (1 - side) * (1 + d) * a, (1 - t) * (1 + side) * (1 - d) * b
        return before * first + after * second

    return at(c), at(-c)


def end(kind, own, following, h_own, h_following, neighbour):
    if kind == "natural":
        return (own * 3.0 - neighbour) * 0.5
    if kind == "parabola":
        return own + (own - following) * (h_own / (h_own + h_following))
    if kind == "zero":
        return ZERO
    return own


def tangents(track, slope, options):
    """[(arriving, leaving)] of every key."""
    n, ends = track.n, options.get("ends", "chord")
    found = {}
    for i in range(n) if track.period else range(1, n - 1):
        found[i] = inner(slope, track.h, i, options)
    if not track.period:
        first = end(ends, slope(0), slope(1), track.h(0), track.h(1), found[1][0])
        last = end(
            ends, slope(n - 2), slope(n - 3), track.h(n - 2), track.h(n - 3), found[n - 2][1]
        )
        found[0], found[n - 1] = (first, first), (last, last)
    return [found[i] for i in range(n)]


def limit(velocity, h, chord):
    """The largest lambda in [0, 1] with |lambda h w - L| <= pi/2, by bisection."""

    def fits(part):
        return norm(velocity * (part * h) - chord) <= HALF_PI

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
        limited.append((arriving * part, leaving * part))
    return limited


def squad(track, i, u, options):
    w = squad_tangents(track, options)
    p, q, chord, h = track.key(i), track.key(i + 1), track.chord(i), track.h(i)
    a = p @ exp((w[i][1] * h - chord) * 0.5)
    b = q @ exp((chord - w[(i + 1) % track.n][0] * h) * 0.5)
    return slerp(slerp(p, q, u), slerp(a, b, u), 2.0 * u * (1.0 - u))


def angle(corner, a, b):
    x, y = unit(a - corner), unit(b - corner)
    return 2.0 * math.atan2(norm(x - y), norm(x + y))


def cusp(p, q, r):
    if p == q or q == r:
        return True
    return angle(p, q, r) > HALF_PI or angle(r, p, q) > HALF_PI or angle(q, p, r) < math.radians(15)


def arc(p0, p1, p2, u):
    """From centre, radius and angle, over the arc without p0."""
    b, c = p0 - p1, p2 - p1
    bb, cc, bc = dot(b, b), dot(c, c), dot(b, c)
    d = 2.0 * (bb * cc - bc * bc)
    centre = p1 + (b * (cc * (bb - bc) / d) + c * (bb * (cc - bc) / d))
    spoke = p1 - centre
    radius = norm(spoke)
    e1 = spoke * (1.0 / radius)
    e2 = unit(c - e1 * dot(c, e1))
    around = [
        math.atan2(dot(p - centre, e2), dot(p - centre, e1)) % (2.0 * math.pi)
        for p in (p2, p0)
    ]
    phase = u * (around[0] if around[0] < around[1] else around[0] - 2.0 * math.pi)
    return centre + (e1 * math.cos(phase) + e2 * math.sin(phase)) * radius


def circular_arm(track, key, side, part):
    """A key's curve towards its neighbour on a side."""
    o, at, to = track.key(key - side), track.key(key), track.key(key + side)
    return slerp(at, to, part) if cusp(o, at, to) else arc(o, at, to, part)


def two_sided(arm, weight, mix):
    """The curves of both keys of a segment, or of the one that has an outer neighbour."""

    def curve(track, i, u, *_options):
        arms = []
        if track.has(i - 1):
            arms.append(arm(track, i, 1, u))
        if track.has(i + 2):
            arms.append(arm(track, i + 1, -1, 1.0 - u))
        return mix(*arms, weight(u)) if len(arms) == 2 else arms[0]

    return curve


def sterp(track, i, u, options):
    q = track.key(i)
    axis = unit(options["axis"])
    if options.get("frame") == "parent":
        axis = Numbers((conj(q) @ Numbers((*axis, 0.0)) @ q)[:3])
    delta = conj(q) @ track.key(i + 1)
    p = dot(delta[:3], axis)
    size = math.hypot(p, delta[3])
    twist = Numbers((*(axis * (p / size)), delta[3] / size))
    swing = delta @ conj(twist)
    s0, s1, t0, t1 = options.get("windows", (0.0, 1.0, 0.0, 1.0))
    ts = min(1.0, max(0.0, (u - s0) / (s1 - s0)))
    tt = min(1.0, max(0.0, (u - t0) / (t1 - t0)))
    return q @ exp(log(swing) * ts) @ exp(log(twist) * tt)


# ---- phased circles ---------------------------------------------------------------


def phased_arm(track, key, side, part):
    """A key's curve towards its neighbour on a side: a circle with a parabolic arc length."""
    o, at, to = track.key(key - side), track.key(key), track.key(key + side)
    if cusp(o, at, to):
        return slerp(at, to, part * part)
    ahead = track.h(key if side > 0 else key - 1)
    behind = track.h(key - 1 if side > 0 else key)
    # The radius follows from sides and area, arcs from their chords and the inscribed angles.
    b, c = o - at, to - at
    area2 = math.sqrt(dot(b, b) * dot(c, c) - dot(b, c) ** 2)
    radius = norm(b) * norm(c) * norm(o - to) / (2.0 * area2)
    l0, l1 = (
        2.0 * radius * math.atan2(area2, dot(x - y, at - y)) for x, y in ((o, to), (to, o))
    )
    k = (ahead * l0 / behind + behind * l1 / ahead) / (ahead + behind) * ahead / l1
    return arc(o, at, to, k * part + (1.0 - k) * part * part)


def smoothstep(u):
    return u * u * (3.0 - 2.0 * u)


def smootherstep(u):
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)


# ---- rotation-vector cubics -----------------------------------------------------------


def cross(a, b):
    return Numbers((
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    ))


def right_jacobian(phi, v):
    x = norm(phi)
    a, b = (1.0 - math.cos(x)) / (x * x), (x - math.sin(x)) / x**3
    turned = cross(phi, v)
    return v + (turned * -a + cross(phi, turned) * b)


def right_jacobian_inverse(phi, v):
    x = norm(phi)
    k = (1.0 - 0.5 * x / math.tan(0.5 * x)) / (x * x)
    turned = cross(phi, v)
    return v + (turned * 0.5 + cross(phi, turned) * k)


def jacobian_rate(phi, rate):
    """The derivative of the right Jacobian along a rate, times that rate."""
    x = norm(phi)
    along = dot(phi, rate) / x
    da = (math.sin(x) / x**2 - 2.0 * (1.0 - math.cos(x)) / x**3) * along
    db = ((1.0 - math.cos(x)) / x**3 - 3.0 * (x - math.sin(x)) / x**4) * along
    b = (x - math.sin(x)) / x**3
    turned = cross(phi, rate)
    return turned * -da + (cross(phi, turned) * db + cross(rate, turned) * b)


def vector_cubic(track, i, u, leaving, arriving):
    """From half-angle velocities at both ends."""
    phi, h = track.chord(i) * 2.0, track.h(i)
    m0, m1 = leaving * (2.0 * h), right_jacobian_inverse(phi, arriving) * (2.0 * h)
    v = 1.0 - u
    rho = phi * (u * u * (3.0 - 2.0 * u)) + (m0 * (u * v * v) + m1 * (-u * u * v))
    return track.key(i) @ exp(rho * 0.5)


def hermite(track, i, u, options):
    w = squad_tangents(track, dict(options, unlimited=True))
    return vector_cubic(track, i, u, w[i][1], w[(i + 1) % track.n][0])


def gauss(matrix, right):
    """Solves a dense system."""
    n = len(right)
    rows = [list(m) + [r] for m, r in zip(matrix, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda r: abs(rows[r][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for r in range(k + 1, n):
            factor = rows[r][k] / rows[k][k]
            for c in range(k, n + 1):
                rows[r][c] -= factor * rows[k][c]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - math.fsum(rows[k][c] * x[c] for c in range(k + 1, n))) / rows[k][k]
    return x


def given_end(track, slope, key, options):
    own, following = (0, 1) if key == 0 else (key - 1, key - 2)
    kind = options.get("ends", "chord")
    return end(kind, slope(own), slope(following), track.h(own), track.h(following), ZERO)


def spline_rows(track, step, forward, backward, extra, given, options):
    """The rows of the definition, three equations per key; forward is J, backward its inverse."""
    n = track.n
    matrix, right = [], []
    for i in range(n):
        blocks = [[0.0] * (3 * n) for _ in range(3)]

        def put(key, function, phi, factor, blocks=blocks):
            for c in range(3):
                column = function(phi, Numbers(float(c == k) for k in range(3)))
                for r in range(3):
                    blocks[r][3 * (key % n) + c] += factor * column[r]

        def same(_phi, v):
            return v

        value = ZERO
        natural = options.get("ends") == "natural"
        before, after = track.has(i - 1), track.has(i + 1)
        if (before and after) or natural:
            if before:
                h, phi = track.h(i - 1), step(i - 1)
                put(i - 1, forward, phi, 2.0 / h)
                put(i, same, phi, 4.0 / h)
                value += phi * (6.0 / (h * h)) - extra[i]
            if after:
                h, phi = track.h(i), step(i)
                put(i, same, phi, 4.0 / h)
                put(i + 1, backward, phi, 2.0 / h)
                value += phi * (6.0 / (h * h))
        else:
            put(i, same, value, 1.0)
            value = given(i)
        matrix += blocks
        right += value
    x = gauss(matrix, right)
    return [Numbers(x[3 * i : 3 * i + 3]) for i in range(n)]


def spline_rates(track, options):
    """Full-angle velocities, by repeated linear equations."""
    extra = [ZERO] * track.n
    rates = None
    for _ in range(200):
        last, rates = rates, spline_rows(
            track,
            lambda i: track.chord(i) * 2.0,
            right_jacobian,
            right_jacobian_inverse,
            extra,
            lambda i: given_end(track, track.slope, i, options) * 2.0,
            options,
        )
        for i in range(track.n):
            if track.has(i - 1):
                phi = track.chord(i - 1) * 2.0
                extra[i] = jacobian_rate(phi, right_jacobian_inverse(phi, rates[i]))
        if last and max(norm(a - b) for a, b in zip(last, rates)) < 1e-14:
            return rates
    raise ArithmeticError("the iteration of a spline does not converge")


def spline(track, i, u, options):
    if not hasattr(track, "rates"):
        track.rates = spline_rates(track, options)
    w0, w1 = track.rates[i], track.rates[(i + 1) % track.n]
    return vector_cubic(track, i, u, w0 * 0.5, w1 * 0.5)


# ---- B-spline, glTF ----------------------------------------------------------------------


def clamped(track, i):
    return i if track.period else min(max(i, 0), track.n - 1)


def bspline(track, i, u, _options):
    cumulative = (
        (5.0 + 3.0 * u - 3.0 * u * u + u**3) / 6.0,
        (1.0 + 3.0 * u + 3.0 * u * u - 2.0 * u**3) / 6.0,
        u**3 / 6.0,
    )
    keys = [track.key(clamped(track, j)) for j in range(i - 1, i + 3)]
    r = keys[0]
    for p, q, part in zip(keys, keys[1:], cumulative):
        r = r @ exp(log(conj(p) @ q) * part)
    return r


def given_cubic(p, out, q, arriving, h, u):
    u2, u3 = u * u, u**3
    begin = p * (2.0 * u3 - 3.0 * u2 + 1.0) + out * (h * (u3 - 2.0 * u2 + u))
    return begin + (q * (3.0 * u2 - 2.0 * u3) + arriving * (h * (u3 - u2)))


def cubicspline(track, i, u, _options):
    j = (i + 1) % track.n
    return unit(
        given_cubic(
            track.given_keys[i], track.given[i][1], track.given_keys[j], track.given[j][0],
            track.h(i), u
        )
    )


def component_slope(track, i):
    return (track.key(i + 1) - track.key(i)) * (1.0 / track.h(i))


def component_rate(track, i):
    if not track.has(i - 1):
        return component_slope(track, i)
    if not track.has(i + 1):
        return component_slope(track, i - 1)
    return inner(lambda k: component_slope(track, k), track.h, i, {})[0]


def ncubic(track, i, u, _options):
    leaving, arriving = component_rate(track, i), component_rate(track, i + 1)
    return unit(given_cubic(track.key(i), leaving, track.key(i + 1), arriving, track.h(i), u))


METHODS = {
    "step": lambda k, i, u, o: k.key(i),
    "nlerp": lambda k, i, u, o: unit(k.key(i) * (1.0 - u) + k.key(i + 1) * u),
    "slerp": lambda k, i, u, o: slerp(k.key(i), k.key(i + 1), u),
    "sterp": sterp,
    "squad": squad,
    "circular": two_sided(circular_arm, lambda u: u, slerp),
    "circular-c1": two_sided(phased_arm, lambda u: u, slerp),
    "circular-c2": two_sided(phased_arm, smoothstep, slerp),
    "circular-c3": two_sided(phased_arm, smootherstep, slerp),
    "hermite": hermite,
    "spline": spline,
    "bspline": bspline,
    "cubicspline": cubicspline,
    "ncubic": ncubic,
    "cubic": squad,
}


def position(track, method, i, u, options):
    p, q = track.position(i), track.position(i + 1)
    if method == "step":
        return p
    if method in ("nlerp", "slerp", "sterp"):
        return p * (1.0 - u) + q * u
    if method in ("circular-c2", "circular-c3"):
        weight = smoothstep if method == "circular-c2" else smootherstep
        return two_sided(parabola, weight, lambda a, b, v: a * (1.0 - v) + b * v)(track, i, u)
    if method == "bspline":
        v = 1.0 - u
        weights = (v**3, 3.0 * u**3 - 6.0 * u * u + 4.0, 3.0 * v**3 - 6.0 * v * v + 4.0, u**3)
        points = [track.position(clamped(track, j)) for j in range(i - 1, i + 3)]
        return [math.fsum(w * x[c] for w, x in zip(weights, points)) / 6.0 for c in range(3)]
    if method == "cubicspline":
        j = (i + 1) % track.n
        return given_cubic(p, track.given[i][3], q, track.given[j][2], track.h(i), u)
    if method == "spline":
        w = [(v, v) for v in spline_velocities(track, options)]
    else:
        w = catmull_rom(track, options)
    return cubic(track, p, q, w, i, u)


def catmull_rom(track, options):
    return tangents(track, track.position_slope, {"ends": options.get("ends", "chord")})


def spline_velocities(track, options):
    if not hasattr(track, "velocities"):
        track.velocities = spline_rows(
            track,
            lambda i: track.position(i + 1) - track.position(i),
            lambda _phi, v: v,
            lambda _phi, v: v,
            [ZERO] * track.n,
            lambda i: given_end(track, track.position_slope, i, options),
            options,
        )
    return track.velocities


def parabola(track, i, side, part):
    """In Lagrange's form, through the keys around key i."""
    time = side * part * track.h(i if side > 0 else i - 1)
    nodes = [(-track.h(i - 1), i - 1), (0.0, i), (track.h(i), i + 1)]
    sums = ZERO
    for t, key in nodes:
        weight = math.prod((time - s) / (t - s) for s, _ in nodes if s != t)
        sums += track.position(key) * weight
    return sums


def cubic(track, p, q, w, i, u):
    m0, m1 = w[i][1] * track.h(i), w[(i + 1) % track.n][0] * track.h(i)
    # The cubic in powers of u.
    d = q - p
    c2 = d * 3.0 - m0 * 2.0 - m1
    c3 = m0 + m1 - d * 2.0
    return p + (m0 * u + (c2 * (u * u) + c3 * (u * u * u)))


# ---- cases --------------------------------------------------------------------------


def normal(rng, sigma, count):
    return Numbers(rng.gauss(0, sigma) for _ in range(count))


def rounded(rng, sigma, count):
    return Numbers(round(v, 3) for v in normal(rng, sigma, count))


def random_keys(rng, count, largest):
    keys = [unit(normal(rng, 1, 4))]
    while len(keys) < count:
        axis = unit(normal(rng, 1, 3))
        step = keys[-1] @ exp(axis * (0.5 * rng.uniform(0.1, largest)))
        keys.append(step * rng.choice((-1.0, 1.0)))
    return keys


def random_times(rng, count):
    times = [rng.randrange(-8, 8) / 4.0]
    while len(times) < count:
        times.append(times[-1] + rng.randrange(1, 8) / 4.0)
    return times


def back_and_forth(rng, count):
    """Corners of about 15 degrees, where circles begin to be guarded."""
    keys = random_keys(rng, 1, 1.0)
    axis = unit(normal(rng, 1, 3))
    while len(keys) < count:
        turn = (axis + normal(rng, 0.15, 3)) * (0.5 if len(keys) % 2 else -0.5)
        keys.append(keys[-1] @ exp(turn))
    return keys


def spin(count, degrees):
    axis = unit((3.0, 1.0, -2.0))
    return [exp(axis * (0.5 * math.radians(i * degrees))) for i in range(count)]


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
    "cubic": [{}, {"ends": "natural"}, {"ends": "parabola"}, {"ends": "zero"}],
    "hermite": [{}, {"tangents": "user"}, {"ends": "natural"}],
    "spline": [{}, {"ends": "natural"}, {"ends": "parabola"}, {"ends": "zero"}],
}


# Title, number of keys, largest turn, or None for other keys. Further options are for the first alone.
CASES = [
    ("turns up to 180 degrees", 4, math.pi),
    ("loop", 4, 2.5),
    ("loop of a full turn", 4, None),
]
BACK_AND_FORTH = ("back and forth", 5, None)


def cases_of(method, is_first):
    if not is_first:
        return CASES[:1]
    return CASES + [BACK_AND_FORTH] if method.startswith("circular") else CASES


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def write_case(out, title, track, keys, method, options):
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
    for i, key in enumerate(keys):
        row = (track.times[i], *key, *track.positions[i], *track.tangents[i])
        out.write(f"key {numbers(row)}\n")
        if track.given[i]:
            out.write(f"given {numbers(v for tangent in track.given[i] for v in tangent)}\n")
    for i in range(track.n if track.period else track.n - 1):
        u = (3, 1, 6, 5)[i % 4] / 8.0
        q = METHODS[method](track, i, u, options)
        p = position(track, method, i, u, options)
        out.write(f"sample {numbers((track.time(i) + u * track.h(i), *q, *p))}\n")


def write_method(folder, method):
    rng = random.Random("posemill " + method)
    with open(os.path.join(folder, method + ".txt"), "w", encoding="ascii") as out:
        out.write(f"# Known answers for {method}, written by make_vectors.py.\n")
        out.write("# key: time, x y z w as given, position, tangent; sample: time, x y z w, position\n")
        if method == "cubicspline":
            out.write("# given, of the key before: rotation's tangent in and out, position's in and out\n")
        for number, options in enumerate(OPTIONS.get(method, [{}])):
            for title, count, largest in cases_of(method, number == 0):
                if largest:
                    keys = random_keys(rng, count, largest)
                elif title == BACK_AND_FORTH[0]:
                    keys = back_and_forth(rng, count)
                else:
                    keys = spin(count, 90.0)
                uniform = [0.75 * k for k in range(count)]
                times = uniform if method == "bspline" else random_times(rng, count)
                positions = [rounded(rng, 1, 3) for _ in keys]
                tangents = [rounded(rng, 0.5, 3) for _ in keys]
                widths = (4, 4, 3, 3) if method == "cubicspline" else ()
                given = [[rounded(rng, 0.5, n) for n in widths] for _ in keys]
                period = times[-1] - times[0] + 0.75 if title.startswith("loop") else 0.0
                track = Track(times, keys, positions, tangents, given, period)
                write_case(out, title, track, keys, method, options)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    for name in METHODS:
        write_method(here, name)
