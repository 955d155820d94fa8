/* SPDX-License-Identifier: MIT
 *
 * Derivatives of oracle curves, on either side of a key or anywhere: those of a polynomial through
 * nearby Chebyshev points, in rotation vectors relative to the rotation there. In these coordinates
 * a curve keeps its smoothness; the first derivative is the angular velocity and, because the
 * vector is 0 there, the second is the angular acceleration.
 */
#include "derivatives.h"

#include <math.h>

#define PI 3.14159265358979323846
#define POINTS 16
#define DEPTH 0.15 /* of the segment; the nearer, the more rounding a derivative costs */

/* Derivatives per second on one side of a key, and the error that rounding may add to each. */
typedef struct side {
    vec3 derivative[DERIVATIVES];
    double noise[DERIVATIVES];
    double length; /* length of the segment */
} side;

/* Derivatives at 0, up to the third, of the polynomial through values at nodes: Newton's divided
 * differences, then Horner's scheme on a Taylor expansion. */
static void differentiate(const double nodes[POINTS], double values[POINTS],
                          double out[DERIVATIVES]) {
    for (int k = 1; k < POINTS; k++)
        for (int n = POINTS - 1; n >= k; n--)
            values[n] = (values[n] - values[n - 1]) / (nodes[n] - nodes[n - k]);
    double taylor[DERIVATIVES] = {0.0};
    for (int n = POINTS - 1; n >= 0; n--) {
        for (int k = DERIVATIVES - 1; k > 0; k--)
            taylor[k] = taylor[k - 1] - nodes[n] * taylor[k];
        taylor[0] = values[n] - nodes[n] * taylor[0];
    }
    for (int k = 0, factor = 1; k < DERIVATIVES; k++) {
        out[k] = taylor[k] * factor;
        factor *= k + 1;
    }
}

/* The effect of a rounding error of the values on the derivatives at an endpoint, by Markov's
 * inequality. */
static double noise_of(int order, double depth) {
    static const double divisors[DERIVATIVES] = {1.0, 1.0, 3.0, 15.0};
    return 1e-15 * pow(2.0 * POINTS * POINTS / depth, order) / divisors[order];
}

/* The curve in one segment, relative to its value at one end. */
static vec3 about(const oracle *o, oracle_cursor end, oracle_cursor cursor, bool rotations) {
    if (!rotations)
        return vec3_subtract(oracle_position(o, 0, cursor), oracle_position(o, 0, end));
    const quat turn =
        quat_multiply(quat_conjugate(oracle_rotation(o, 0, end)), oracle_rotation(o, 0, cursor));
    return vec3_scale(quat_log(turn.w < 0.0 ? quat_scale(turn, -1.0) : turn), 2.0);
}

/* A smaller part of the segment is used where the curve rotates often in it, and where its
 * components pass near zero, because the curve changes fast there. */
static double turns_in(const oracle *o, size_t track, size_t segment) {
    double turns = fmax(1.0, oracle_reach(o, track, segment) / PI);
    for (int n = 0; n <= POINTS; n++) {
        const oracle_cursor cursor = {0, segment, (double)n / POINTS};
        turns = fmax(turns, oracle_magnification(o, track, cursor));
    }
    return turns;
}

static side one_side(const oracle *o, size_t segment, bool at_end, bool rotations) {
    const oracle_cursor end = {0, segment, at_end ? 1.0 : 0.0};
    const double length = oracle_key_time(o, 0, segment + 1) - oracle_key_time(o, 0, segment);
    const double turns = rotations ? turns_in(o, 0, segment) : 1.0;
    const double depth = DEPTH / turns;
    double nodes[POINTS], values[3][POINTS], found[3][DERIVATIVES];
    side result = {.length = length};
    double largest = turns; /* magnitude of the numbers that are rounded */
    for (int n = 0; n < POINTS; n++) {
        const double part = 0.5 * depth * (1.0 - cos(PI * (n + 0.5) / POINTS));
        const oracle_cursor cursor = {0, segment, at_end ? 1.0 - part : part};
        const vec3 v = about(o, end, cursor, rotations);
        largest = fmax(largest, vec3_norm(v));
        nodes[n] = at_end ? cursor.u - 1.0 : cursor.u; /* the rounding error at its magnitude */
        values[0][n] = v.x, values[1][n] = v.y, values[2][n] = v.z;
    }
    for (int c = 0; c < 3; c++)
        differentiate(nodes, values[c], found[c]);
    for (int k = 0; k < DERIVATIVES; k++) {
        const double scale = pow(length, -k);
        result.derivative[k] = vec3_scale((vec3){found[0][k], found[1][k], found[2][k]}, scale);
        result.noise[k] = noise_of(k, depth) * largest * scale;
    }
    return result;
}

/* Rotation vectors of a curve at Chebyshev points of a part of its segment, relative to a
 * rotation. */
static void vectors_about(const oracle *o, size_t track, oracle_cursor at, double from, double to,
                          double nodes[POINTS], double values[3][POINTS]) {
    const quat back = quat_conjugate(quat_normalise(oracle_rotation(o, track, at)));
    for (int n = 0; n < POINTS; n++) {
        oracle_cursor cursor = at;
        cursor.u = from + 0.5 * (to - from) * (1.0 - cos(PI * (n + 0.5) / POINTS));
        const quat turn = quat_multiply(back, oracle_rotation(o, track, cursor));
        const vec3 v = vec3_scale(quat_log(turn.w < 0.0 ? quat_scale(turn, -1.0) : turn), 2.0);
        nodes[n] = cursor.u - at.u;
        values[0][n] = v.x, values[1][n] = v.y, values[2][n] = v.z;
    }
}

angular oracle_angular(const oracle *o, size_t track, oracle_cursor cursor, double closeness) {
    if (oracle_key_count(o, track) < 2)
        return (angular){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const double length =
        oracle_key_time(o, track, cursor.segment + 1) - oracle_key_time(o, track, cursor.segment);
    const double turns = turns_in(o, track, cursor.segment);
    double nodes[POINTS], values[3][POINTS], found[3][DERIVATIVES], from, to;
    oracle_smooth_part(o, track, cursor.u, &from, &to);
    const double depth = fmin(to - from, DEPTH / (turns * closeness));
    from = fmin(fmax(from, cursor.u - 0.5 * depth), to - depth);
    vectors_about(o, track, cursor, from, from + depth, nodes, values);
    for (int c = 0; c < 3; c++)
        differentiate(nodes, values[c], found[c]);
    return (angular){
        vec3_scale((vec3){found[0][1], found[1][1], found[2][1]}, 1.0 / length),
        vec3_scale((vec3){found[0][2], found[1][2], found[2][2]}, 1.0 / length / length)};
}

angular oracle_in_parent_frame(const oracle *o, size_t track, oracle_cursor cursor, angular body) {
    const quat q = quat_normalise(oracle_rotation(o, track, cursor));
    return (angular){quat_rotate(q, body.velocity), quat_rotate(q, body.acceleration)};
}

double derivative_jump(const oracle *o, size_t key, int order, bool rotations) {
    const size_t count = oracle_segment_count(o, 0);
    const side before = one_side(o, key == 0 ? count - 1 : key - 1, true, rotations);
    const side after = one_side(o, key, false, rotations);
    const vec3 p = before.derivative[order], q = after.derivative[order];
    const double noise = before.noise[order] + after.noise[order];
    const double jump = vec3_norm(vec3_subtract(p, q)) - noise;
    /* Where a curve is at rest: 1 radian in the longer segment. */
    const double size = pow(fmax(before.length, after.length), -order);
    return isnan(jump) ? HUGE_VAL : fmax(0.0, jump) / (vec3_norm(p) + vec3_norm(q) + size);
}
