#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes the coefficients of kernels/pm_math.h: near-minimax polynomials whose coefficients are float32 numbers.

The coefficients are rounded one at a time, lowest degree first, and after each rounding the higher ones are fitted
again to the remaining error. The coefficients of kernels/pm_double.h are computed in double, where rounding them is
harmless, and those of pm_chord_terms in two variables, whose factors make their rounding harmless too. Every
polynomial is printed with its largest error. Run it, on x86-64, when a degree or an interval changes. The kernels'
terms of pm_jr_b_slope were computed with rounded factorials and differ from these from the eighth digit of the highest
degree on.
"""
import numpy as np

REAL = np.longdouble  # of 64 bits of mantissa, which normal equations need
PI = 4 * np.arctan(REAL(1))
NODES = 600

assert np.finfo(REAL).nmant >= 63, "requires a processor with long double of 80 bits"


def sinc(x2):
    x = np.sqrt(x2)
    return np.where(x2 < 1e-12, 1 - x2 / 6, np.sin(x) / np.where(x == 0, 1, x))


def series(term, x2, count=25):
    """The sum of term(n) x2^n, for functions whose closed form cancels."""
    total = REAL(0)
    for n in reversed(range(count)):
        total = total * x2 + term(n)
    return total


def signed(sign, n):
    """(-1)^sign / n!, the terms of the sine and cosine series."""
    return (-1) ** sign / np.cumprod(np.arange(1, n + 1, dtype=REAL))[-1]


def cosine_rest(x2):
    """(cos x - 1 + x^2/2)/x^4, whose closed form cancels."""
    n = np.arange(4, 38, 2)
    return sum(np.cumprod([1 / REAL(24) + 0 * x2, *(-x2 / REAL(k) for k in (n + 1) * (n + 2))], axis=0))


def arc_gain(x):
    """theta/sin(theta) as a function of the squared chord x = 4 sin(theta/2)^2."""
    y = x / 4
    root = np.sqrt(np.where(y < 1e-12, REAL(0.5), y * (1 - y)))
    return np.where(y < 1e-12, 1 + 2 * y / 3, np.arcsin(np.sqrt(y)) / root)


def arctangent(x2):
    x = np.sqrt(x2)
    return np.where(x2 < 1e-12, 1 - x2 / 3, np.arctan(x) / np.where(x == 0, 1, x))


def jr_a(n):  # (1 - cos x)/x^2
    return signed(n, 2 * n + 2)


def jr_b(n):  # (x - sin x)/x^3
    return signed(n, 2 * n + 3)


def slope(term):
    """The derivative with respect to x, divided by x."""
    return lambda n: (2 * n + 2) * term(n + 1)


def jr_k(x2):
    """(1 - (x/2) cot(x/2))/x^2: with y = x/2 the numerator is (sin y - y cos y)/sin y, from the series of sine and
    cosine, whose leading terms cancel in exact fractions."""
    return series(lambda n: signed(n, 2 * n + 2) - signed(n, 2 * n + 3), x2 / 4) / (4 * sinc(x2 / 4))


def solve(rows):
    """Least squares of rows (terms, value) by Householder reflections."""
    terms = rows.shape[1] - 1
    solution = np.empty(terms, REAL)
    for t in range(terms):
        column = rows[t:, t]
        diagonal = -np.copysign(np.sqrt(np.sum(column**2)), column[0])
        column[0] -= diagonal  # the column becomes the reflection's vector
        dots = np.sum(column[:, None] * rows[t:, t + 1 :], axis=0) / (diagonal * column[0])
        rows[t:, t + 1 :] += column[:, None] * dots
        solution[t] = diagonal
    for t in reversed(range(terms)):
        solution[t] = (rows[t, terms] - np.sum(rows[t, t + 1 : terms] * solution[t + 1 :])) / solution[t]
    return solution


def lawson(terms, values, scale, rounds, least, floor, given=lambda c: c):
    """Least squares whose weights are multiplied by the size of the error converge to minimax."""
    weight = np.ones(len(values), REAL)
    for _ in range(rounds):
        root = (np.sqrt(weight) * scale)[:, None]
        c = solve(np.hstack((terms, values[:, None])) * root)
        weight *= np.abs(np.sum(terms * given(c), axis=1) - values) * scale + REAL(least)
        weight = weight / np.sum(weight) + REAL(floor)
    return c


def single(c):
    return np.asarray(c, np.float32).astype(REAL)


def fit_rounded(name, function, end, terms):
    x = REAL(end) * (1 - np.cos(PI * np.arange(NODES) / (NODES - 1))) / 2
    rest = function(x)
    rounded = []
    for fixed in range(terms):
        c = function(REAL(0))  # exact at 0, up to rounding
        if fixed:
            powers = (x / end)[:, None] ** np.arange(fixed, terms)
            c = lawson(powers, rest, REAL(1), 400, 1e-30, 1e-12)[0] / REAL(end) ** fixed
        rounded.append(single(c))
        rest = rest - rounded[-1] * x**fixed
    print(f"{name} on [0, {float(end):.6f}], error {float(np.max(np.abs(rest))):.2e}")
    print(",\n".join(f"    {float(c):.9g}f" for c in rounded))


def fit_double(name, function, end, terms):
    """The polynomial through Chebyshev nodes, by divided differences, has an error within a small factor of minimax."""
    x = REAL(end) * (1 - np.cos(PI * (np.arange(terms) + REAL(0.5)) / terms)) / 2
    difference = function(x)
    for order in range(1, terms):
        difference[order:] = (difference[order:] - difference[order - 1 : -1]) / (x[order:] - x[:-order])
    c = np.zeros(terms, REAL)
    for k in reversed(range(terms)):
        c = np.concatenate(([difference[k]], c[:-1])) - c * x[k]
    x = REAL(end) * np.arange(NODES) / (NODES - 1)
    value = series(lambda i: REAL(np.float64(c[i])), x, terms)
    error = np.max(np.abs(value / function(x) - 1))
    print(f"{name} on [0, {float(end):.6f}], relative error {float(error):.2e}")
    print(",\n".join(f"    {float(k):.17g}" for k in c[::-1]))


# A slerp by h between unit quaternions, x = 4 sin(phi)^2 their squared chord, has the direction of the point at
# r = (1 - tan(s phi)/tan(phi))/2 of the chord, s = 1 - 2 h. Fitted is Q(x, s^2) in r = h + x s (1 - s^2)/2 Q(x, s^2),
# a polynomial in x whose coefficients are polynomials in s^2 of these degrees.
CHORD_DEGREES = [0, 1, 2, 3, 4, 5, 4]


def chord(x, s):
    """The terms of Q, Q, and the scale of Q's error in r, at all pairs of x and s."""
    x, s = (a.ravel() for a in np.meshgrid(x, s, indexing="ij"))
    scale = x * s * (1 - s * s) / 2
    phi = np.arcsin(np.sqrt(x) / 2)
    terms = [x**k * (s * s) ** j for k, degree in enumerate(CHORD_DEGREES) for j in range(degree + 1)]
    return np.stack(terms, axis=1), (s - np.tan(s * phi) / np.tan(phi)) / (2 * scale), scale


def fit_chord():
    half = REAL(0.5)
    x = 1 - np.cos(PI * (np.arange(48) + half) / 48)
    s = (1 - np.cos(PI * (np.arange(40) + half) / 40)) / 2
    c = single(lawson(*chord(x, s), 60, 1e-14, 1e-9, single))
    between = (np.arange(NODES) + half) / NODES
    terms, values, scale = chord(2 * between, between)
    error = np.max(np.abs(np.sum(terms * c, axis=1) - values) * scale)
    print(f"pm_chord_terms on [0, 2] x [0, 1], error of r {float(error):.2e}")
    for row in np.split(c, np.cumsum(np.add(CHORD_DEGREES, 1))[:-1]):
        print("    " + ",".join(f"{float(k):.9g}f" for k in row))


if __name__ == "__main__":
    quarter_turn = (PI / 2) ** 2
    fit_rounded("pm_sinc", sinc, quarter_turn, 5)
    fit_rounded("pm_cos_rest", cosine_rest, quarter_turn, 4)
    fit_rounded("pm_cosecant", lambda x2: 1 / sinc(x2), quarter_turn, 10)
    fit_rounded("pm_arc_gain", arc_gain, 2, 10)
    fit_rounded("pm_inverse_root", lambda z: 1 / np.sqrt(1 - z), REAL(0.5), 10)
    fit_rounded("pm_atan", arctangent, 1, 10)
    fit_chord()
    past_quarter = REAL(2.5)  # above (pi/2)^2 by the rounding of a range reduction
    past_half = 10  # above pi^2, for the same reason
    past_chord = REAL("2.001")  # above 2 by the rounding of keys half a turn apart
    fit_double("arc_terms", arc_gain, past_chord, 22)
    fit_double("sinc_terms", sinc, past_quarter, 9)
    fit_double("cos_terms", cosine_rest, past_quarter, 7)
    fit_double("jr_a_terms", lambda x2: series(jr_a, x2), past_half, 10)
    fit_double("jr_b_terms", lambda x2: series(jr_b, x2), past_half, 9)
    fit_double("jr_k_terms", jr_k, past_half, 13)
    fit_double("jr_a_slope_terms", lambda x2: series(slope(jr_a), x2), past_half, 9)
    fit_double("jr_b_slope_terms", lambda x2: series(slope(jr_b), x2), past_half, 9)
