/* SPDX-License-Identifier: MIT
 *
 * Axis-angle vectors to quaternions, in a loop that compilers vectorise: in a header, so that a caller can
 * compile it for several processors. The bits do not depend on the processor.
 */
#pragma once

#include <stddef.h>

/* sin(q)/q and cos(q) from u = q^2, by their power series: q is at most pi/2, where the first term
 * left out is below 1e-18. */
static inline double npz_sinc_of_square(double u) {
    double s = -1.0 / 25852016738884976640000.0; /* 23! */
    s = s * u + 1.0 / 51090942171709440000.0;    /* 21! and so on */
    s = s * u - 1.0 / 121645100408832000.0;
    s = s * u + 1.0 / 355687428096000.0;
    s = s * u - 1.0 / 1307674368000.0;
    s = s * u + 1.0 / 6227020800.0;
    s = s * u - 1.0 / 39916800.0;
    s = s * u + 1.0 / 362880.0;
    s = s * u - 1.0 / 5040.0;
    s = s * u + 1.0 / 120.0;
    s = s * u - 1.0 / 6.0;
    return s * u + 1.0;
}

static inline double npz_cos_of_square(double u) {
    double c = -1.0 / 1124000727777607680000.0; /* 22! */
    c = c * u + 1.0 / 2432902008176640000.0;    /* 20! and so on */
    c = c * u - 1.0 / 6402373705728000.0;
    c = c * u + 1.0 / 20922789888000.0;
    c = c * u - 1.0 / 87178291200.0;
    c = c * u + 1.0 / 479001600.0;
    c = c * u - 1.0 / 3628800.0;
    c = c * u + 1.0 / 40320.0;
    c = c * u - 1.0 / 720.0;
    c = c * u + 1.0 / 24.0;
    c = c * u - 1.0 / 2.0;
    return c * u + 1.0;
}

/* What makes a quaternion of a rotation vector v: (scale v, w). */
typedef struct npz_half_turn {
    double scale, w;
} npz_half_turn;

/* From the square of the length of v, which is at most a full turn; that of longer ones is undefined.
 * With q a quarter of the angle: sin(2q) = 2 sin q cos q and cos(2q) = 1 - 2 sin^2 q, without square
 * root and branch. */
static inline npz_half_turn npz_half_turn_of_square(double square) {
    const double u = square * (1.0 / 16.0);
    const double s = npz_sinc_of_square(u);
    return (npz_half_turn){0.5 * s * npz_cos_of_square(u), 1.0 - 2.0 * u * s * s};
}

/* Vectors of up to a full turn. */
static inline void npz_from_short_axis_angle(const double *restrict vectors,
                                             double *restrict quaternions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double x = vectors[3 * i], y = vectors[3 * i + 1], z = vectors[3 * i + 2];
        const npz_half_turn half = npz_half_turn_of_square(x * x + y * y + z * z);
        quaternions[4 * i] = x * half.scale;
        quaternions[4 * i + 1] = y * half.scale;
        quaternions[4 * i + 2] = z * half.scale;
        quaternions[4 * i + 3] = half.w;
    }
}
