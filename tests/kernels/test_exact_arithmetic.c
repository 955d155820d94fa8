/* SPDX-License-Identifier: MIT
 *
 * The kernels' own arithmetic against the processor's: square roots and reciprocals of every
 * mantissa, divisions of 64-bit integers, and what points take of them.
 */
#include "support/check.h"
#include "support/motion.h"

#include <math.h>
#include <string.h>

#include "kernels/pm_divide.h"
#include "kernels/pm_math.h"
#include "kernels/pm_points.h"

static float float_of(uint32_t bits) {
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static uint32_t bits_of(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static void expect_exact(float a) {
    if (bits_of(pm_fma_root(a)) != bits_of(sqrtf(a)))
        fail_msg("sqrt(%a) is %a, expected %a", (double)a, (double)pm_fma_root(a),
                 (double)sqrtf(a));
    if (bits_of(pm_fma_inverse(a)) != bits_of(1.0f / a))
        fail_msg("1/%a is %a, expected %a", (double)a, (double)pm_fma_inverse(a),
                 (double)(1.0f / a));
}

/* Two binades have every mantissa with an even and with an odd exponent. A factor of 4 changes the
 * exponents of all intermediate results, and no bit of their mantissas. */
TEST(roots_and_reciprocals_of_every_mantissa_are_correctly_rounded) {
    for (uint32_t bits = bits_of(1.0f); bits < bits_of(4.0f); bits++)
        expect_exact(float_of(bits));
}

TEST(roots_and_reciprocals_are_correctly_rounded_from_2_to_the_minus_100) {
    random_source source = random_salted(0xE01);
    for (int exponent = -100; exponent < 100; exponent++)
        for (int i = 0; i < 2000; i++)
            expect_exact(ldexpf(1.0f + 0x1p-23f * (float)(random_bits(&source) >> 41), exponent));
    expect_exact(0x1p100f);
}

TEST(the_root_of_zero_is_zero) {
    assert_true(pm_fma_root(0.0f) == 0.0f);
}

static void expect_divided(uint64_t x, uint64_t divisor) {
    const pm_divided d = pm_divide(x, divisor, PM_RECIPROCAL(divisor));
    if (d.quotient != x / divisor || d.rest != x % divisor)
        fail_msg("%llu/%llu is %llu, rest %llu", (unsigned long long)x, (unsigned long long)divisor,
                 (unsigned long long)d.quotient, (unsigned long long)d.rest);
}

TEST(divisions_by_known_divisors_are_exact) {
    static const uint64_t edges[] = {
        1, 2, 3, 0xffffffff, 0x100000000, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
    enum { EDGES = COUNT_OF(edges) };
    random_source source = random_salted(0xE02);
    for (size_t i = 0; i < EDGES; i++)
        for (size_t k = 0; k < EDGES; k++)
            expect_divided(edges[i], edges[k]);
    for (int i = 0; i < 1000000; i++) {
        const uint64_t divisor = random_bits(&source) >> random_bits(&source) % 64 | 1;
        const uint64_t x = random_bits(&source) >> random_bits(&source) % 64;
        expect_divided(x, divisor);
        expect_divided(x - x % divisor, divisor);     /* a multiple, */
        expect_divided(x - x % divisor - 1, divisor); /* and its lower neighbour */
    }
}

/* ---- points: u and stamps without double ---- */

static uint64_t random_length(random_source *source, unsigned most) {
    const unsigned bits = (unsigned)random_size(source, 1, most);
    return 1 + (random_bits(source) >> (64 - bits));
}

static void expect_fraction(uint64_t since, uint64_t length) {
    pm_u32 is_next = 9;
    const double want = (double)since / (double)length;
    const float u = pm_point_fraction(since, length, &is_next);
    if (bits_of(u) != bits_of((float)want) || is_next != (want >= 1))
        fail_msg("%llu/%llu is %a, expected %a", (unsigned long long)since,
                 (unsigned long long)length, (double)u, want);
}

/* Near ties of float32, too, where a double is rounded twice. */
TEST(fractions_of_segments_are_quotients_of_doubles_rounded_to_float32) {
    random_source source = random_salted(0xE02);
    for (int i = 0; i < 2000000; i++) {
        const uint64_t length = random_length(&source, i % 2 ? 31 : 64);
        expect_fraction(random_bits(&source) % length, length);
        const double tie = ((double)random_size(&source, 1 << 23, (1 << 24) - 1) + 0.5) * 0x1p-24;
        const uint64_t near = (uint64_t)(tie * (double)length);
        for (uint64_t k = 0; k < 3; k++)
            if (near + k >= 1 && near + k - 1 < length)
                expect_fraction(near + k - 1, length);
    }
    expect_fraction(UINT64_MAX - 1, UINT64_MAX);
    expect_fraction(0, 1);
}

static pm_s64 stamp_of_bits(uint64_t bits, bool is_float, int64_t base) {
    const pm_point_fields fields = {
        .stamps = {.bytes = is_float ? 4 : 8}, .kind = PM_POINT_SECONDS, .unit = 1, .base = base};
    pm_u8 record[8];
    const uint32_t word = (uint32_t)bits;
    memcpy(record, is_float ? (const void *)&word : (const void *)&bits, is_float ? 4 : 8);
    return pm_point_stamp(fields, record);
}

static void expect_seconds(uint64_t bits, bool is_float, int64_t base) {
    double seconds;
    int64_t want = INT64_MAX;
    memcpy(&seconds, &bits, sizeof seconds);
    seconds = is_float ? (double)float_of((uint32_t)bits) : seconds;
    const double ns = rint(seconds * 1e9);
    if (!(ns >= -0x1p63 && ns < 0x1p63) || __builtin_add_overflow((int64_t)ns, base, &want))
        want = INT64_MAX;
    const int64_t got = stamp_of_bits(bits, is_float, base);
    if (got != want)
        fail_msg("%a s + %lld ns are %lld ns, expected %lld", seconds, (long long)base,
                 (long long)got, (long long)want);
}

/* Seconds of any size, and near halves of a ns. */
TEST(seconds_are_rounded_to_the_nearest_ns_without_a_double) {
    static const uint64_t odd[] = {0,
                                   1,
                                   (uint64_t)1 << 63,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0x7f800000,
                                   0xff800000,
                                   0x7fc00000,
                                   0x80000001};
    random_source source = random_salted(0xE03);
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        expect_seconds(odd[i], false, 5);
        expect_seconds(odd[i], true, -5);
    }
    for (int i = 0; i < 2000000; i++) {
        const int64_t base = i % 3 ? 0 : (int64_t)random_bits(&source);
        expect_seconds(random_bits(&source), false, base);
        expect_seconds(random_bits(&source) >> 32, true, base);
        double half = ((double)(random_bits(&source) >> random_size(&source, 1, 60)) + 0.5) * 1e-9;
        half = i % 2 ? -half : half;
        uint64_t bits;
        memcpy(&bits, &half, sizeof bits);
        for (uint64_t k = 0; k < 3; k++)
            expect_seconds(bits + k - 1, false, base);
        const float few = (float)half;
        expect_seconds(bits_of(few), true, base);
    }
}
