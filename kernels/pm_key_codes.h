/* SPDX-License-Identifier: MIT
 *
 * Encodes keys of 48 bits in lanes. pm_keys.h decodes them and defines the numbers.
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
#ifndef PM_KEY_CODES_H
#define PM_KEY_CODES_H

#include "pm_double.h"
#include "pm_keys.h"

/* Quaternions in their charts. */
typedef struct dchart {
    dreal y[3];
    dreal a, b;   /* A and B of G */
    double step;  /* h */
    double max;   /* maximum absolute value of a code */
    dreal which;  /* smallest48: index of the largest component */
    dmask turned; /* the quaternion has the opposite sign of the chart's */
} dchart;

/* What is stored of keys. */
typedef struct dcodes {
    dreal number[3]; /* integers */
    dmask turned;
} dcodes;

/* Of half turns, too, one of both signs, so that a key and its negative have the same codes. */
pm_fn dmask dquat_is_lower(dquat q) {
    const dreal yz = dreal_select(dmask_of(q.y == 0), q.z, q.y);
    const dreal first = dreal_select(dmask_of(q.x == 0), yz, q.x);
    return dmask_of(dreal_select(dmask_of(q.w == 0), first, q.w) < 0);
}

pm_fn dchart dchart_log48(dquat q) {
    const dmask turned = dquat_is_lower(q);
    const dreal c2 = 0.5 + 0.5 * dreal_abs(q.w), root = dreal_sqrt(c2);
    const dquat near = dquat_flipped(q, turned);
    return (dchart){.y = {near.x / root, near.y / root, near.z / root},
                    .a = c2,
                    .b = (1 + c2) / (4 * c2),
                    .step = (double)PM_LOG48_STEP,
                    .max = 32767,
                    .which = dreal_of(0),
                    .turned = turned};
}

pm_fn dchart dchart_smallest48(dquat q) {
    const dreal all[4] = {q.x, q.y, q.z, q.w};
    dreal largest = q.x, which = dreal_of(0);
    for (int i = 1; i < 4; i++) {
        const dmask larger = dmask_of(dreal_abs(all[i]) > dreal_abs(largest));
        largest = dreal_select(larger, all[i], largest);
        which = dreal_select(larger, dreal_of(i), which);
    }
    dchart at;
    at.a = dreal_of(1);
    at.b = 1 / (largest * largest);
    at.step = (double)PM_SMALLEST48_STEP;
    at.max = 16383;
    at.which = which;
    at.turned = dmask_of(largest < 0);
    for (int i = 0; i < 3; i++) { /* all but the largest, in their order */
        const dreal value = dreal_select(dmask_of(which <= dreal_of(i)), all[i + 1], all[i]);
        at.y[i] = dreal_select(at.turned, -value, value);
    }
    return at;
}

/* Of numbers below 2^51. */
pm_fn dreal dreal_floor(dreal x) {
    const dreal near = x + 0x1.8p52 - 0x1.8p52;
    return near - dreal_where(dmask_of(near > x), dreal_of(1));
}

/* The code above or below number i. */
pm_fn dreal dchart_code(const dchart *at, int i, double above) {
    const dreal code = dreal_floor(at->y[i] / at->step) + above;
    return dreal_max(dreal_min(code, dreal_of(at->max)), dreal_of(-at->max));
}

/* The nearest of the 8 codes around points. */
pm_fn void dchart_nearest(const dchart *at, dreal code[3]) {
    dreal codes[2][3], e[2][3], min = dreal_of(0x1p100);
    for (int n = 0; n < 6; n++) {
        codes[n / 3][n % 3] = dchart_code(at, n % 3, n < 3 ? 0 : 1);
        e[n / 3][n % 3] = codes[n / 3][n % 3] * at->step - at->y[n % 3];
    }
    for (int corner = 0; corner < 8; corner++) { /* bit i: the code above number i */
        dreal e2 = dreal_of(0), ey = e2;
        for (int i = 0; i < 3; i++) {
            const dreal off = e[corner >> i & 1][i];
            e2 += off * off;
            ey += off * at->y[i];
        }
        const dreal miss = at->a * e2 + at->b * ey * ey; /* e'Ge */
        const dmask nearer = dmask_of(miss < min);
        min = dreal_select(nearer, miss, min);
        for (int i = 0; i < 3; i++)
            code[i] = dreal_select(nearer, codes[corner >> i & 1][i], code[i]);
    }
}

/* The codes nearest to unit quaternions, in a format as PM_KEYS numbers it. */
pm_fn dcodes dcodes_of(pm_u32 format, dquat q) {
    const dchart at = format == 1 ? dchart_log48(q) : dchart_smallest48(q);
    dcodes found = {.turned = at.turned};
    dchart_nearest(&at, found.number);
    if (format == 1)
        return found;
    const dreal upper = dreal_where(dmask_of(at.which >= 2), dreal_of(1));
    found.number[0] = 2 * found.number[0] + upper;
    found.number[1] = 2 * found.number[1] + (at.which - 2 * upper);
    found.number[2] = 2 * found.number[2];
    return found;
}

#endif
