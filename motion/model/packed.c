/* SPDX-License-Identifier: MIT */
#include "motion/model/packed.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 32767, MANTISSA = (1 << 23) - 1 };

/* Nearer than this to the middle between two integers, decoders in single precision may round to either. */
static const double tie = 0.02;

/* How much more a length counts than an angle: what it adds is counted at all times, in each joint of a chain, where
 * angles rarely add up. */
static const double length_weight = 2;

static const double root_half = 0.70710678118654752440;

/* ---- int16 --------------------------------------------------------------------------------- */

bool packed_integers(const double q[4], int16_t c[4]) {
    for (int i = 0; i < 4; i++) {
        const double scaled = q[i] * LARGEST;
        if (!(fabs(scaled) <= LARGEST))
            return false;
        c[i] = (int16_t)lround(scaled);
        if ((float)(c[i] / (double)LARGEST) != (float)q[i])
            return false;
    }
    return true;
}

/* The weighed square of how far integers are from a quaternion, whose length is that of `one`. */
static double cost(const double q[4], const double c[4], double one) {
    double length2 = 0, along = 0, across = 0;
    for (int i = 0; i < 4; i++) {
        length2 += c[i] * c[i];
        along += c[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        across += (c[i] - along * q[i]) * (c[i] - along * q[i]);
    const double off = sqrt(length2) - one;
    return across + length_weight * off * off;
}

static void take(double best[4], double *least, const double q[4], const double c[4], double one) {
    const double now = cost(q, c, one);
    if (now >= *least)
        return;
    *least = now;
    memcpy(best, c, 4 * sizeof *best);
}

/* The integers below and above each number. */
static void pack_plain(double q[4], double one) {
    double best[4], least = (double)INFINITY;
    for (unsigned corner = 0; corner < 16; corner++) {
        double c[4];
        for (unsigned i = 0; i < 4; i++)
            c[i] = fmax(fmin(floor(q[i] * one) + (corner >> i & 1), one), -one);
        take(best, &least, q, c, one);
    }
    memcpy(q, best, sizeof best);
}

/* ---- the filter ---------------------------------------------------------------------------- */

/* What words decode to: three components, as parts of sqrt(1/2), and the largest one of unit length. False: decoders
 * may differ. */
static bool decode(unsigned bits, unsigned place, const double words[3], double c[4]) {
    const double scale = root_half / ((1 << (bits - 1)) - 1);
    double rest = 1;
    bool is_sure = true;
    for (unsigned i = 0; i < 4; i++) {
        const double x = i < 3 ? words[i] * scale : sqrt(fmax(rest, 0));
        const double size = fabs(x) * LARGEST, whole = floor(size + 0.5);
        rest -= x * x;
        is_sure = is_sure && fabs(size - floor(size) - 0.5) > tie;
        c[(place + 1 + i) & 3] = x < 0 ? -whole : whole;
    }
    return is_sure;
}

static unsigned largest_of(const double q[4]) {
    unsigned place = 0;
    for (unsigned i = 1; i < 4; i++)
        place = fabs(q[i]) > fabs(q[place]) ? i : place;
    return place;
}

/* Goes through the words around a quaternion, whose largest number is not negative. */
static bool next_words(unsigned bits, unsigned place, const double q[4], unsigned *at,
                       double words[3]) {
    const double largest = (1 << (bits - 1)) - 1;
    for (unsigned i = 0, left = *at; i < 3; i++, left /= 3) {
        const double near = round(q[(place + 1 + i) & 3] / root_half * largest);
        const double step = left % 3 == 0 ? 0 : left % 3 == 1 ? 1 : -1;
        words[i] = fmax(fmin(near + step, largest), -largest);
    }
    return (*at)++ < 27;
}

static void pack_filtered(unsigned bits, double q[4]) {
    const unsigned place = largest_of(q);
    double best[4] = {0, 0, 0, LARGEST}, least = (double)INFINITY, words[3], c[4];
    const double sign = q[place] < 0 ? -1 : 1;
    for (unsigned i = 0; i < 4; i++)
        q[i] *= sign;
    for (unsigned at = 0; next_words(bits, place, q, &at, words);)
        if (decode(bits, place, words, c))
            take(best, &least, q, c, LARGEST);
    memcpy(q, best, sizeof best);
}

bool packed_words(unsigned bits, const int16_t c[4], int16_t words[4]) {
    const double q[4] = {c[0] / (double)LARGEST, c[1] / (double)LARGEST, c[2] / (double)LARGEST,
                         c[3] / (double)LARGEST};
    const unsigned place = largest_of(q);
    double near[3], back[4];
    for (unsigned at = 0; q[place] > 0 && next_words(bits, place, q, &at, near);) {
        if (!decode(bits, place, near, back) || back[0] != c[0] || back[1] != c[1] ||
            back[2] != c[2] || back[3] != c[3])
            continue;
        for (unsigned i = 0; i < 3; i++)
            words[i] = (int16_t)near[i];
        words[3] = (int16_t)((((1 << (bits - 1)) - 1) & ~3) | (int)place);
        return true;
    }
    return false;
}

void packed_rotation(unsigned bits, double q[4]) {
    const double one = bits > PACKED_MOST ? ldexp(1, (int)bits - 1) : LARGEST;
    if (bits == PACKED_INT16 || bits > PACKED_MOST)
        pack_plain(q, one);
    else
        pack_filtered(bits, q);
    for (unsigned i = 0; i < 4; i++)
        q[i] /= one;
}

/* ---- numbers ------------------------------------------------------------------------------- */

double packed_number(double value, int exponent) {
    return ldexp(fmax(fmin(round(ldexp(value, -exponent)), MANTISSA), -MANTISSA), exponent);
}

bool packed_mantissa(double value, int exponent, uint32_t *word) {
    const double mantissa = ldexp(value, -exponent);
    if (!(fabs(mantissa) <= MANTISSA) || mantissa != trunc(mantissa))
        return false;
    *word = ((uint32_t)(int32_t)mantissa & 0xffffff) | (uint32_t)exponent << 24;
    return true;
}

int packed_exponent_of(float value) {
    int exponent = 0;
    if (value == 0)
        return PACKED_MOST_EXPONENT;
    int32_t mantissa = (int32_t)ldexpf(frexpf(value, &exponent), 24);
    exponent -= 24;
    for (; mantissa % 2 == 0; mantissa /= 2)
        exponent++;
    return exponent;
}
