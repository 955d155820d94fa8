/* SPDX-License-Identifier: MIT
 *
 * Points at times of their own, as C++ with Eigen or Sophus moves them: for each point the exponential of a part of its
 * segment's rotation vector by sine and cosine, times the key's rotation, which turns the point. Sorted stamps and linear
 * positions; the segment's numbers are outside of the loop, which compilers vectorise. bench/rivals/points.py compiles it.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Rotations x y z w, axes and angles to the next key, and positions, of the key where a segment begins. */
typedef struct segment {
    float q[4], axis[3], angle, position[3], way[3];
} segment;

static void move_segment(const segment *from, int64_t begin, int64_t end, const int64_t *stamps,
                         const float *restrict p, float *restrict out, size_t count) {
    const segment s = *from;
    const float inverse = 1 / (float)(end - begin);
    for (size_t i = 0; i < count; i++) {
        const float u = (float)(int32_t)(stamps[i] - begin) * inverse, half = u * s.angle * 0.5f;
        /* the cosine as a sine, because GCC does not vectorise both of one angle */
        const float sine = sinf(half), c = sinf(1.57079633f - half);
        const float ex = sine * s.axis[0], ey = sine * s.axis[1], ez = sine * s.axis[2];
        const float x = c * s.q[0] + ex * s.q[3] + ey * s.q[2] - ez * s.q[1];
        const float y = c * s.q[1] + ey * s.q[3] + ez * s.q[0] - ex * s.q[2];
        const float z = c * s.q[2] + ez * s.q[3] + ex * s.q[1] - ey * s.q[0];
        const float w = c * s.q[3] - ex * s.q[0] - ey * s.q[1] - ez * s.q[2];
        const float px = p[3 * i], py = p[3 * i + 1], pz = p[3 * i + 2];
        const float tx = 2 * (y * pz - z * py), ty = 2 * (z * px - x * pz),
                    tz = 2 * (x * py - y * px);
        out[3 * i] = px + w * tx + (y * tz - z * ty) + s.position[0] + u * s.way[0];
        out[3 * i + 1] = py + w * ty + (z * tx - x * tz) + s.position[1] + u * s.way[1];
        out[3 * i + 2] = pz + w * tz + (x * ty - y * tx) + s.position[2] + u * s.way[2];
    }
}

/* The first stamp that is not below one. */
static size_t first_of(const int64_t *stamps, size_t count, int64_t stamp) {
    size_t low = 0;
    for (size_t left = count; left > 0;) {
        const size_t half = left / 2;
        const int below = stamps[low + half] < stamp;
        low = below ? low + half + 1 : low;
        left = below ? left - half - 1 : half;
    }
    return low;
}

/* All stamps are before the last key. */
void move_points(const segment *segments, const int64_t *keys, size_t key_count,
                 const int64_t *stamps, const float *points, float *out, size_t count) {
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t k = 0; k < key_count - 1; k++) {
        const size_t at = first_of(stamps, count, keys[k]),
                     next = first_of(stamps, count, keys[k + 1]);
        move_segment(&segments[k], keys[k], keys[k + 1], stamps + at, points + 3 * at, out + 3 * at,
                     next - at);
    }
}
