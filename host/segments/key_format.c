/* SPDX-License-Identifier: MIT
 *
 * Encodes keys of 48 bits. kernels/pm_keys.h decodes them and defines the numbers.
 *
 * The error of a key. A format is a chart of the sphere of quaternions on which the codes
 * are a lattice of step h. A step e in the chart moves the quaternion by sqrt(e'Ge), and the
 * rotation by twice that; at y, G = A + B yy' in both:
 *
 *   log48, with c = cos(a/2): 1/c along y and c across it, so A = c^2, B = (1 + c^2)/(4 c^2)
 *   smallest48, with l the largest component: A = 1, B = 1/l^2
 *
 * The nearest of the 8 codes around y is taken. Its error is at most the mean error of codes drawn
 * at random as follows. Move y in two of its numbers, perpendicular to y, until one of the two is a
 * multiple of h; choose between the two directions with the odds that keep the mean. Repeat with
 * two of the numbers that are no multiples yet, then move the last number alone. Each e_i has a
 * variance of at most h^2/4, and e'y, which only the last move changes, of at most
 * max y_i^2 h^2/4. For the nearest code therefore
 *   e'Ge <= (3 A + B max y_i^2) h^2/4
 * and the error of the rotation is at most h sqrt(3 A + B max y_i^2):
 *
 *   log48: 3 A + B |y|^2 = 1/c^2 + 2 c^2 <= 3, as c^2 >= 1/2:   sqrt(3) 4.316e-5 = 7.48e-5 rad
 *   smallest48: 3 + max y_i^2/l^2 <= 4:                               2 4.317e-5 = 8.64e-5 rad
 *
 * plus the chart's curvature and the rounding in decoding, together below 5e-7 rad in all
 * measurements. Rounding each number by itself would give errors sqrt(2) and sqrt(3) times as large
 * at half turns about diagonals, and where all components are equal.
 */
#include "key_format.h"

#include <math.h>

#include "base/base.h"
#include "kernels/pm_keys.h"

enum { LOG48_MAX = 32767, SMALLEST48_MAX = 16383 };
enum { GROUP_NUMBERS = 4 * PM_KEY_GROUP }; /* per group, as pm_track_layout counts */

/* A quaternion in its chart. */
typedef struct chart {
    double y[3];
    double a, b; /* A and B of G */
    double step; /* h */
    int max;     /* maximum absolute value of a code */
    int which;   /* smallest48: index of the largest component */
    bool turned; /* the quaternion has the opposite sign of the chart's */
} chart;

static chart log48_of(const double q[4]) {
    double sign = q[3] < 0 ? -1 : 1;
    double c2 = 0.5 + 0.5 * fabs(q[3]);
    chart at = {.a = c2,
                .b = (1 + c2) / (4 * c2),
                .step = (double)PM_LOG48_STEP,
                .max = LOG48_MAX,
                .turned = q[3] < 0};
    for (int i = 0; i < 3; i++)
        at.y[i] = sign * q[i] / sqrt(c2);
    return at;
}

static chart smallest48_of(const double q[4]) {
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (fabs(q[i]) > fabs(q[largest]))
            largest = i;
    double sign = q[largest] < 0 ? -1 : 1;
    chart at = {.a = 1,
                .b = 1 / (q[largest] * q[largest]),
                .step = (double)PM_SMALLEST48_STEP,
                .max = SMALLEST48_MAX,
                .which = largest,
                .turned = q[largest] < 0};
    for (int i = 0, k = 0; i < 4; i++)
        if (i != largest)
            at.y[k++] = sign * q[i];
    return at;
}

/* Number i of one of the 8 codes around a point; bit i of `corner` rounds number i up. */
static int code_of(const chart *at, int corner, int i) {
    int code = (int)floor(at->y[i] / at->step) + (corner >> i & 1);
    return code > at->max ? at->max : code < -at->max ? -at->max : code;
}

/* e'Ge */
static double miss_of(const chart *at, int corner) {
    double e2 = 0, ey = 0;
    for (int i = 0; i < 3; i++) {
        double e = code_of(at, corner, i) * at->step - at->y[i];
        e2 += e * e;
        ey += e * at->y[i];
    }
    return at->a * e2 + at->b * ey * ey;
}

static void find_nearest(const chart *at, int code[3]) {
    int nearest = 0;
    double min = miss_of(at, 0);
    for (int corner = 1; corner < 8; corner++) {
        double miss = miss_of(at, corner);
        nearest = miss < min ? corner : nearest;
        min = miss < min ? miss : min;
    }
    for (int i = 0; i < 3; i++)
        code[i] = code_of(at, nearest, i);
}

static unsigned words_of(pm_key_format format) {
    return format == PM_KEYS_LOG48 ? PM_LOG48_WORDS : PM_SMALLEST48_WORDS;
}

/* The first number of a key; its numbers are PM_KEY_GROUP apart. */
static int16_t *numbers_at(pm_key_format format, int16_t *keys, size_t at) {
    return keys + at / 4 / PM_KEY_GROUP * words_of(format) + at / 4 % PM_KEY_GROUP;
}

/* The word and the bit in it that store the sign of a key. */
typedef struct sign_bit {
    int16_t *word;
    unsigned bit;
} sign_bit;

static sign_bit sign_at(pm_key_format format, int16_t *keys, size_t at) {
    int16_t *numbers = numbers_at(format, keys, at);
    unsigned lane = at / 4 % PM_KEY_GROUP;
    if (format == PM_KEYS_LOG48)
        return (sign_bit){numbers - lane + (size_t)3 * PM_KEY_GROUP, lane};
    return (sign_bit){numbers + (size_t)2 * PM_KEY_GROUP, 0};
}

static bool is_turned(sign_bit sign) {
    return (uint16_t)*sign.word >> sign.bit & 1;
}

static void set_turned(sign_bit sign, bool turned) {
    unsigned word = (uint16_t)*sign.word & ~(1u << sign.bit);
    *sign.word = (int16_t)(word | (unsigned)turned << sign.bit);
}

static void encode(pm_key_format format, int16_t *keys, size_t at, const double q[4]) {
    chart here = format == PM_KEYS_LOG48 ? log48_of(q) : smallest48_of(q);
    int16_t *to = numbers_at(format, keys, at);
    int code[3];
    find_nearest(&here, code);
    if (format == PM_KEYS_SMALLEST48) {
        code[0] = 2 * code[0] + (here.which >> 1);
        code[1] = 2 * code[1] + (here.which & 1);
        code[2] = 2 * code[2];
    }
    for (size_t i = 0; i < 3; i++)
        to[i * PM_KEY_GROUP] = (int16_t)code[i];
    set_turned(sign_at(format, keys, at), here.turned);
}

size_t pm_key_alignment(pm_key_format format) {
    return format == PM_KEYS_FLOAT32 ? 1 : GROUP_NUMBERS;
}

bool pm_key_bytes(pm_key_format format, size_t floats, size_t *bytes) {
    if (format == PM_KEYS_FLOAT32)
        return pm_multiply(floats, sizeof(float), bytes);
    return pm_multiply(floats / GROUP_NUMBERS, words_of(format) * sizeof(int16_t), bytes);
}

void pm_key_store(pm_key_format format, int16_t *keys, size_t at, const double q[4],
                  double before[4]) {
    encode(format, keys, at, q);
    pm_quat k = pm_key_load(format, keys, at);
    double decoded[4] = {(double)k.x, (double)k.y, (double)k.z, (double)k.w};
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += before[i] * decoded[i];
    if (dot < 0) {
        sign_bit sign = sign_at(format, keys, at);
        set_turned(sign, !is_turned(sign));
    }
    for (int i = 0; i < 4; i++)
        before[i] = dot < 0 ? -decoded[i] : decoded[i];
}

void pm_key_repeat(pm_key_format format, int16_t *keys, size_t from, size_t to, bool turned) {
    const int16_t *source = numbers_at(format, keys, from);
    int16_t *target = numbers_at(format, keys, to);
    for (size_t i = 0; i < 3; i++)
        target[i * PM_KEY_GROUP] = source[i * PM_KEY_GROUP];
    set_turned(sign_at(format, keys, to), is_turned(sign_at(format, keys, from)) != turned);
}

pm_quat pm_key_load(pm_key_format format, const int16_t *keys, size_t at) {
    const pm_u64 positions[1] = {at};
    return format == PM_KEYS_LOG48 ? pm_gather_log48(keys, positions)
                                   : pm_gather_smallest48(keys, positions);
}
