/* SPDX-License-Identifier: MIT
 *
 * Numbers in two parts, whose sum has twice the digits, where one would lose some; polynomials for the rest.
 * Nothing here is fused: the compiler is told so for all files.
 */
#include "elementary.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct pair {
    double high, low; /* low is at most half a unit in the last place of high */
} pair;

static pair sum(double a, double b) {
    const double s = a + b, part = s - a;
    return (pair){s, (a - (s - part)) + (b - part)};
}

/* Dekker's product: exact where nothing overflows or underflows. */
static pair product(double a, double b) {
    const double splitter = 134217729; /* 2^27 + 1 */
    const double p = a * b, ca = splitter * a, cb = splitter * b;
    const double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static pair add(pair a, pair b) {
    const pair s = sum(a.high, b.high);
    return sum(s.high, s.low + (a.low + b.low));
}

static pair scaled(pair a, double by) {
    const pair p = product(a.high, by);
    return sum(p.high, p.low + a.low * by);
}

static pair negated(pair a) {
    return (pair){-a.high, -a.low};
}

static pair divided(pair a, pair b) {
    const double q = a.high / b.high;
    const pair rest = add(a, negated(scaled(b, q)));
    return sum(q, rest.high / b.high);
}

static pair root(pair a) {
    const double r = sqrt(a.high);
    const pair square = product(r, r);
    return r > 0 ? sum(r, ((a.high - square.high) - square.low + a.low) / (2 * r)) : (pair){0, 0};
}

/* ---- sines ---------------------------------------------------------------------------------------- */

static const pair half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* The first bits of 2/pi, from 64 before the point on. */
static const uint64_t two_over_pi[] = {0,
                                       0xa2f9836e4e441529,
                                       0xfc2757d1f534ddc0,
                                       0xdb6295993c439041,
                                       0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0,
                                       0x06492eea09d1921c,
                                       0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41,
                                       0x3991d639835339f4,
                                       0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f,
                                       0x6d367ecf27cb09b7,
                                       0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea,
                                       0x6bfb5fb11f8d5d08,
                                       0x56033046fc7b6bab,
                                       0xf0cfbc209af4361d};

/* 64 of these bits from one on. */
static uint64_t bits_from(int first) {
    const int word = first / 64, shift = first % 64;
    const uint64_t high = two_over_pi[word] << shift;
    return shift == 0 ? high : high | two_over_pi[word + 1] >> (64 - shift);
}

/* The low 64 bits of a product and a number; *high receives those above. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t added, uint64_t *high) {
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t low = al * bl, middle = ah * bl + (low >> 32),
                   other = al * bh + (uint32_t)middle;
    const uint64_t all = (other << 32 | (uint32_t)low) + added;
    *high = ah * bh + (middle >> 32) + (other >> 32) + (all < added);
    return all;
}

/* Of a number of at least 2^20: the bits of 2/pi that make whole turns are left out (Payne and Hanek). */
static int reduce_large(double x, pair *rest) {
    int exponent;
    const uint64_t whole = (uint64_t)ldexp(frexp(x, &exponent), 53);
    const int first = exponent - 53 - 2 + 64;
    uint64_t word[3], carry;
    word[2] = multiply(whole, bits_from(first + 128), 0, &carry);
    word[1] = multiply(whole, bits_from(first + 64), carry, &carry);
    word[0] = whole * bits_from(first) + carry;
    /* in quarter turns, modulo 4: two bits of whole ones, and the rest */
    const int quarter = (int)(word[0] >> 62);
    const uint64_t high = word[0] << 2 | word[1] >> 62, low = word[1] << 2 | word[2] >> 62;
    const int is_over = (int)(high >> 63);
    const uint64_t h = is_over ? ~high : high, l = is_over ? ~low : low;
    const pair part =
        sum(ldexp((double)(h >> 11), -53), ldexp((double)((h & 0x7ff) << 42 | l >> 22), -106));
    *rest = add(scaled(half_pi, part.high), (pair){half_pi.high * part.low, 0});
    *rest = is_over ? negated(*rest) : *rest;
    return (quarter + is_over) & 3;
}

/* The rest of a finite number of at least 0 after quarter turns, at most an eighth of one, and their number
 * modulo 4. The first three parts of a quarter turn have 33 bits, so that their multiples are exact. */
static int reduce(double x, pair *rest) {
    if (x >= 0x1p20)
        return reduce_large(x, rest);
    const double k = rint(x * (2 / 3.14159265358979323846));
    const pair a = sum(x - k * 0x1.921fb54400000p+0, -k * 0x1.0b4611a600000p-34);
    const pair b = sum(a.high, -k * 0x1.3198a2e000000p-69);
    *rest = sum(b.high, b.low + (a.low - k * 0x1.b839a252049c1p-104));
    return (int)((int64_t)k & 3);
}

static double sine_of(pair r) {
    const pair square = product(r.high, r.high);
    const double t = square.high;
    pair cube = product(r.high, t);
    cube.low += r.high * square.low;
    const pair sixth = product(cube.high, -0x1.5555555555555p-3);
    const double low = sixth.low + cube.high * -0x1.5555555555555p-57 + cube.low * (-1.0 / 6);
    double tail = t * (1 / 51090942171709440000.0) - 1 / 121645100408832000.0;
    tail = t * tail + 1 / 355687428096000.0;
    tail = t * tail - 1 / 1307674368000.0;
    tail = t * tail + 1 / 6227020800.0;
    tail = t * tail - 1 / 39916800.0;
    tail = t * tail + 1 / 362880.0;
    tail = t * tail - 1 / 5040.0;
    tail = t * tail + 1 / 120.0;
    const pair s = sum(r.high, sixth.high);
    return s.high + (s.low + (low + (r.low * (1 - t / 2) + cube.high * t * tail)));
}

static double cosine_of(pair r) {
    const pair square = product(r.high, r.high);
    const double t = square.high;
    double tail = 1 / 2432902008176640000.0 - t * (1 / 1124000727777607680000.0);
    tail = t * tail - 1 / 6402373705728000.0;
    tail = t * tail + 1 / 20922789888000.0;
    tail = t * tail - 1 / 87178291200.0;
    tail = t * tail + 1 / 479001600.0;
    tail = t * tail - 1 / 3628800.0;
    tail = t * tail + 1 / 40320.0;
    tail = t * tail - 1 / 720.0;
    const pair fourth = product(t, t * (1 / 24.0));
    const pair s = sum(1, -t / 2), all = sum(s.high, fourth.high);
    return all.high +
           (all.low + (s.low - square.low / 2 - r.high * r.low + fourth.low + t * t * t * tail));
}

/* Half pi further from a sine is a cosine. */
static double sine_from(double x, int quarter) {
    pair rest;
    quarter += reduce(x, &rest);
    const double value = quarter & 1 ? cosine_of(rest) : sine_of(rest);
    return quarter & 2 ? -value : value;
}

double pm_same_sin(double x) {
    if (!isfinite(x))
        return (double)NAN;
    if (fabs(x) < 0x1p-27)
        return x;
    return x < 0 ? -sine_from(-x, 0) : sine_from(x, 0);
}

double pm_same_cos(double x) {
    return isfinite(x) ? sine_from(fabs(x), 1) : (double)NAN;
}

/* ---- angles ---------------------------------------------------------------------------------------- */

/* The arc tangents of k/16. */
static const pair steps[] = {{0, 0},
                             {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
                             {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                             {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
                             {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                             {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
                             {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                             {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
                             {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                             {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
                             {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                             {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
                             {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                             {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
                             {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                             {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
                             {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

/* The angle of a point with coordinates from 0 on, of which the larger is within 2^20 of 1, in [0, pi/2]. */
static pair angle_of(pair y, pair x) {
    const int is_steep = y.high > x.high;
    const pair a = is_steep ? x : y, b = is_steep ? y : x;
    const int k = (int)(16 * (a.high / b.high) + 0.5);
    const double c = k / 16.0;
    const pair z = divided(add(a, scaled(b, -c)), add(b, scaled(a, c)));
    const double t = z.high * z.high;
    double tail = t * (1 / 13.0 - t * (1 / 15.0)) - 1 / 11.0;
    tail = t * tail + 1 / 9.0;
    tail = t * tail - 1 / 7.0;
    tail = t * tail + 1 / 5.0;
    tail = t * tail - 1 / 3.0;
    const pair angle = add(steps[k], sum(z.high, z.low + z.high * t * tail));
    return is_steep ? add(half_pi, negated(angle)) : angle;
}

double pm_same_atan2(double y, double x) {
    int exponent, of_y;
    if (isnan(x) || isnan(y))
        return (double)NAN;
    if (isinf(x) || isinf(y)) {
        x = copysign(isinf(x) ? 1 : 0, x);
        y = copysign(isinf(y) ? 1 : 0, y);
    }
    if (y == 0)
        return signbit(x) ? copysign(2 * half_pi.high, y) : y;
    double a = fabs(y), b = fabs(x);
    /* Powers of two change no digit, and are costly: of usual points nothing overflows or underflows. */
    if (!(fmax(a, b) > 0x1p-20 && fmax(a, b) < 0x1p20 && fmin(a, b) > 0x1p-400)) {
        (void)frexp(fmax(a, b), &exponent);
        (void)frexp(y, &of_y);
        if (x > 0 && of_y - exponent < -500)
            return y / x;
        a = ldexp(a, -exponent);
        b = ldexp(b, -exponent);
    }
    const pair angle = angle_of((pair){a, 0}, (pair){b, 0});
    const pair turned =
        x < 0 ? add((pair){2 * half_pi.high, 2 * half_pi.low}, negated(angle)) : angle;
    return copysign(turned.high, y);
}

/* sqrt(1 - x^2) */
static pair other_side(double x) {
    const pair square = product(x, x), rest = sum(1, -square.high);
    return root(sum(rest.high, rest.low - square.low));
}

double pm_same_asin(double x) {
    if (!(fabs(x) <= 1))
        return (double)NAN;
    return fabs(x) < 0x1p-27 ? x : copysign(angle_of((pair){fabs(x), 0}, other_side(x)).high, x);
}

double pm_same_acos(double x) {
    if (!(fabs(x) <= 1))
        return (double)NAN;
    const pair angle = angle_of(other_side(x), (pair){fabs(x), 0});
    return x < 0 ? add((pair){2 * half_pi.high, 2 * half_pi.low}, negated(angle)).high : angle.high;
}

/* ---- roots and powers ------------------------------------------------------------------------------ */

double pm_same_hypot(double x, double y) {
    int exponent;
    if (isinf(x) || isinf(y))
        return (double)INFINITY;
    if (isnan(x) || isnan(y))
        return (double)NAN;
    (void)frexp(fmax(fabs(x), fabs(y)), &exponent);
    x = ldexp(x, -exponent);
    y = ldexp(y, -exponent);
    return ldexp(root(add(product(x, x), product(y, y))).high, exponent);
}

double pm_division_rest(double a, double quotient, double b) {
    const pair p = product(quotient, b);
    return (a - p.high) - p.low;
}

/* Newton's iteration, which doubles the right digits each time. */
double pm_inverse_cbrt(double x) {
    int exponent;
    double m = frexp(x, &exponent);
    const int over = ((exponent % 3) + 3) % 3;
    m = ldexp(m, over); /* in [1/2, 4) */
    double y = 1.2 - 0.2 * m + 0.015 * m * m;
    for (int i = 0; i < 6; i++)
        y = y * (4 - m * y * y * y) / 3;
    return ldexp(y, -(exponent - over) / 3);
}

int pm_decimal_exponent(double x) {
    char text[40];
    int exponent = 0;
    (void)snprintf(text, sizeof text, "%.14e", x);
    for (char *at = text; *at; at++)
        if (*at == 'e')
            exponent = (int)strtol(at + 1, NULL, 10);
    return exponent;
}

double pm_power_of_ten(int exponent) {
    char text[16];
    (void)snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}
