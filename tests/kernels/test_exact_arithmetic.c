/* SPDX-License-Identifier: MIT
 *
 * The kernels' own arithmetic against the processor's: square roots and reciprocals of every
 * mantissa, and divisions of 64-bit integers.
 */
#include "support/check.h"
#include "support/motion.h"

#include <math.h>
#include <string.h>

#include "kernels/pm_divide.h"
#include "kernels/pm_math.h"

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
