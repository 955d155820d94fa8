/* SPDX-License-Identifier: MIT
 *
 * Elementary functions: their bits, which are the same on every system, and their errors against those of long
 * double, where that has more digits.
 */
#include "base/elementary.h"
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 200000 };

typedef struct inputs {
    double x, y, part;
} inputs;

static uint64_t seed;

static double next_part(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

/* Usual angles, tiny and huge ones, and those near quarter turns; parts of 1, also near 1. */
static inputs next_inputs(int i) {
    inputs
        in; /* drawn one after another: compilers order the parts of an expression as they like */
    in.x = next_part() * 8 - 4;
    in.y = next_part() * 2 - 1;
    in.part = next_part() * 2 - 1;
    if (i % 4 == 1)
        in.x = ldexp(in.x, (int)(next_part() * 1000) - (i % 8 == 1 ? 900 : 0));
    else if (i % 4 == 2)
        in.x = rint(in.x * 100) * 1.57079632679489661923;
    if (i % 3 == 0)
        in.y = ldexp(in.y, -(int)(next_part() * 70));
    if (i % 2 == 0) {
        const int exponent = -(int)(next_part() * 50);
        in.part = copysign(1 - ldexp(next_part(), exponent), in.part);
    }
    return in;
}

static void values_of(inputs in, double values[6]) {
    values[0] = pm_same_sin(in.x);
    values[1] = pm_same_cos(in.x);
    values[2] = pm_same_atan2(in.y, in.part);
    values[3] = pm_same_hypot(in.y, in.part);
    values[4] = pm_same_acos(in.part);
    values[5] = pm_same_asin(in.part);
}

/* FNV-1a of the bits, as computed on x86-64 with glibc. */
TEST(bits_are_the_same_on_every_system) {
    uint64_t hash = 0xcbf29ce484222325u;
    seed = 88172645463325252u;
    for (int i = 0; i < COUNT; i++) {
        double values[6];
        values_of(next_inputs(i), values);
        for (size_t k = 0; k < 6; k++) {
            uint64_t bits;
            memcpy(&bits, &values[k], sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3u;
        }
    }
    if (hash != 0xda416f6df10a45dcu)
        fail_msg("bits are %#llx", (unsigned long long)hash);
}

/* Whether the C library's functions of long double have more digits: some have those of double, and others lose
 * those of large angles, or of arcs near 0. */
static bool has_longer_functions(void) {
    volatile long double large = 1e22L,
                         part = 0x1.ffffff84a7d68p-1L; /* the compiler computes constants */
    const long double arc = 2 * asinl(sqrtl((1 - part) / 2));
    return LDBL_MANT_DIG > DBL_MANT_DIG &&
           fabsl(sinl(large) + 0.8522008497671888017727059L) < 0x1p-62L &&
           fabsl(acosl(part) / arc - 1) < 0x1p-60L;
}

static double error_of(double value, long double exact) {
    const double size = fabs((double)exact), unit = nextafter(size, HUGE_VAL) - size;
    return (double)(fabsl((long double)value - exact) / (long double)unit);
}

TEST(errors_are_small) {
    if (!has_longer_functions())
        skip();
    static const char *const names[] = {"sin", "cos", "atan2", "hypot", "acos", "asin"};
    seed = 1;
    for (int i = 0; i < COUNT; i++) {
        const inputs in = next_inputs(i);
        const long double x = (long double)in.x, y = (long double)in.y;
        const long double part = (long double)in.part;
        const long double exact[] = {sinl(x),         cosl(x),     atan2l(y, part),
                                     hypotl(y, part), acosl(part), asinl(part)};
        double values[6];
        values_of(in, values);
        for (size_t k = 0; k < 6; k++)
            if (!(error_of(values[k], exact[k]) <= 0.6))
                fail_msg("%s of %a, %a, %a is %a", names[k], in.x, in.y, in.part, values[k]);
    }
}

TEST(ends_are_those_of_the_c_library) {
    const double half_pi = 1.57079632679489661923;
    assert_true(isnan(pm_same_sin(HUGE_VAL)) && isnan(pm_same_cos((double)NAN)) &&
                isnan(pm_same_acos(1.5)));
    assert_true(signbit(pm_same_sin(-0.0)) && pm_same_cos(0) == 1 &&
                pm_same_sin(0x1p-1074) == 0x1p-1074);
    assert_true(pm_same_acos(1) == 0 && pm_same_acos(-1) == 2 * half_pi &&
                pm_same_asin(-1) == -half_pi);
    assert_true(pm_same_atan2(0, -1) == 2 * half_pi && pm_same_atan2(-0.0, -1) == -2 * half_pi);
    assert_true(pm_same_atan2(1, 0) == half_pi &&
                pm_same_atan2(HUGE_VAL, -HUGE_VAL) == 1.5 * half_pi);
    assert_true(pm_same_atan2(0x1p-1074, 0x1p1000) == 0 &&
                signbit(pm_same_atan2(-0x1p-1074, 0x1p1000)));
    assert_true(pm_same_hypot(3, 4) == 5 && pm_same_hypot(0x1p1020, 0) == 0x1p1020);
    assert_true(pm_same_hypot((double)NAN, -HUGE_VAL) == HUGE_VAL);
}

TEST(powers_and_roots_are_exact_enough) {
    for (int e = -22; e <= 22; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        const double power = pm_power_of_ten(e), exact = strtod(text, NULL);
        assert_int_equal(pm_decimal_exponent(power), e);
        assert_int_equal(pm_decimal_exponent(power * (1 - 1e-14)), e - 1);
        assert_true(fabs(power / exact - 1) < 1e-15);
    }
    for (int i = 1; i < 1000; i++) {
        const double root = pm_inverse_cbrt(i * 0.37);
        assert_true(fabs(root * root * root * i * 0.37 - 1) < 1e-15);
    }
    assert_true(pm_division_rest(1, 1.0 / 3, 3) > 0 && pm_division_rest(6, 2, 3) == 0);
}
