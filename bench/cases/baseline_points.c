/* SPDX-License-Identifier: MIT
 *
 * The simple loop for points at times of their own: one segment's constants outside, in float32, with short series, for
 * sorted stamps, slerp and linear positions, without gaps and strides. The compiler vectorises it; as baseline_loops.c it
 * is compiled with -O3 -ffast-math for each instruction set.
 */
#include "loops.h"

static void move(const baseline_segment *segment, const int64_t *stamps, const float *restrict p,
                 float *restrict out, size_t count) {
    const baseline_segment s = *segment;
    const float *m = s.turn, *v = s.rotation;
    for (size_t i = 0; i < count; i++) {
        const float u = (float)(int32_t)(stamps[i] - s.begin) * s.inverse, u2 = u * u;
        const float x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2];
        const float ax = m[0] * x + m[1] * y + m[2] * z, ay = m[3] * x + m[4] * y + m[5] * z,
                    az = m[6] * x + m[7] * y + m[8] * z;
        const float bx = v[1] * az - v[2] * ay, by = v[2] * ax - v[0] * az,
                    bz = v[0] * ay - v[1] * ax;
        const float angle2 = u2 * s.angle2;
        const float sine = u * (1 - angle2 * (1 / 6.0f - angle2 * (1 / 120.0f)));
        const float cosine = u2 * (0.5f - angle2 * (1 / 24.0f - angle2 * (1 / 720.0f)));
        out[3 * i] =
            s.position[0] + ax + sine * bx + cosine * (v[1] * bz - v[2] * by) + u * s.way[0];
        out[3 * i + 1] =
            s.position[1] + ay + sine * by + cosine * (v[2] * bx - v[0] * bz) + u * s.way[1];
        out[3 * i + 2] =
            s.position[2] + az + sine * bz + cosine * (v[0] * by - v[1] * bx) + u * s.way[2];
    }
}

baseline_points *const BASELINE_POINTS = move;
