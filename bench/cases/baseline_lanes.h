/* SPDX-License-Identifier: MIT
 *
 * Vectors of the baseline: as many floats as the instruction set of the file has in a register,
 * with the few operations that C has no operators for. On processors other than x86-64 these are
 * written for a compiler that lowers vectors of four floats. Only for files that are compiled once
 * for each instruction set.
 *
 * A vector consists of parts of four floats. Four vectors hold as many items of four floats as a
 * vector has lanes, in memory order, or, transposed, each component of all items. The transposition
 * moves floats only within parts, so item i is then in lane lane_of_item(i).
 */
#ifndef POSEMILL_BENCH_BASELINE_LANES_H
#define POSEMILL_BENCH_BASELINE_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define BASELINE_LANES 16
#elif defined(__AVX2__)
#define BASELINE_LANES 8
#else
#define BASELINE_LANES 4
#endif

/* A compiler leaves functions of this size out of line, which makes crowds a tenth slower. */
#define BASELINE_INLINE static inline __attribute__((always_inline))

typedef float lanes __attribute__((vector_size(4 * BASELINE_LANES)));
typedef int32_t lanes_bits __attribute__((vector_size(4 * BASELINE_LANES)));

enum { LANES = BASELINE_LANES, PARTS = BASELINE_LANES / 4 };

/* The lane of item i in transposed vectors. Before the transposition, vector i / PARTS has it. */
BASELINE_INLINE size_t lane_of_item(size_t i) {
    return i % PARTS * 4 + i / PARTS;
}

BASELINE_INLINE lanes lanes_load(const float *aligned) {
    return *(const lanes *)(const void *)aligned;
}

BASELINE_INLINE void lanes_store(float *aligned, lanes value) {
    *(lanes *)(void *)aligned = value;
}

BASELINE_INLINE lanes lanes_all(float value) {
    return value - (lanes){0.0f};
}

/* -b where the sign of `of` is negative. */
BASELINE_INLINE lanes lanes_with_sign(lanes b, lanes of) {
    return (lanes)((lanes_bits)b ^ ((lanes_bits)of & INT32_MIN));
}

#if defined(__x86_64__)

#if defined(__AVX512F__)
#define INTRINSIC(name) _mm512_##name
#define RSQRT _mm512_rsqrt14_ps
typedef __m512d lanes_double;
#elif defined(__AVX2__)
#define INTRINSIC(name) _mm256_##name
#define RSQRT _mm256_rsqrt_ps
typedef __m256d lanes_double;
#else
#define INTRINSIC(name) _mm_##name
#define RSQRT _mm_rsqrt_ps
typedef __m128d lanes_double;
#endif

BASELINE_INLINE void lanes_stream(float *aligned, lanes value) {
    INTRINSIC(stream_ps)(aligned, value);
}

BASELINE_INLINE lanes lanes_max(lanes a, lanes b) {
    return INTRINSIC(max_ps)(a, b);
}

/* One step of Newton's method for 1 / sqrt(x), from 12 or 14 bits. */
BASELINE_INLINE lanes lanes_rsqrt(lanes x) {
    lanes y = RSQRT(x);
    return y * (1.5f - 0.5f * x * y * y);
}

BASELINE_INLINE void lanes_transpose(lanes v[4]) {
    lanes_double a = INTRINSIC(castps_pd)(INTRINSIC(unpacklo_ps)(v[0], v[1]));
    lanes_double b = INTRINSIC(castps_pd)(INTRINSIC(unpackhi_ps)(v[0], v[1]));
    lanes_double c = INTRINSIC(castps_pd)(INTRINSIC(unpacklo_ps)(v[2], v[3]));
    lanes_double d = INTRINSIC(castps_pd)(INTRINSIC(unpackhi_ps)(v[2], v[3]));
    v[0] = INTRINSIC(castpd_ps)(INTRINSIC(unpacklo_pd)(a, c));
    v[1] = INTRINSIC(castpd_ps)(INTRINSIC(unpackhi_pd)(a, c));
    v[2] = INTRINSIC(castpd_ps)(INTRINSIC(unpacklo_pd)(b, d));
    v[3] = INTRINSIC(castpd_ps)(INTRINSIC(unpackhi_pd)(b, d));
}

#else

BASELINE_INLINE void lanes_stream(float *aligned, lanes value) {
    lanes_store(aligned, value);
}

BASELINE_INLINE lanes lanes_max(lanes a, lanes b) {
    lanes_bits mask = a > b;
    return (lanes)(((lanes_bits)a & mask) | ((lanes_bits)b & ~mask));
}

BASELINE_INLINE lanes lanes_rsqrt(lanes x) {
    lanes root;
    for (int i = 0; i < LANES; i++)
        root[i] = sqrtf(x[i]);
    return 1.0f / root;
}

BASELINE_INLINE void lanes_transpose(lanes v[4]) {
    const lanes u[4] = {v[0], v[1], v[2], v[3]};
    for (int i = 0; i < 4; i++)
        v[i] = (lanes){u[0][i], u[1][i], u[2][i], u[3][i]};
}

#endif

/* Part j of vector i of the result is part i of vector j: of two parts, the first parts of all four
 * vectors in the first two, the others in the last two. One part is in order already. */
BASELINE_INLINE void lanes_transpose_parts(lanes v[4]) {
#if defined(__AVX512F__)
    lanes a = _mm512_shuffle_f32x4(v[0], v[1], 0x44);
    lanes b = _mm512_shuffle_f32x4(v[0], v[1], 0xee);
    lanes c = _mm512_shuffle_f32x4(v[2], v[3], 0x44);
    lanes d = _mm512_shuffle_f32x4(v[2], v[3], 0xee);
    v[0] = _mm512_shuffle_f32x4(a, c, 0x88);
    v[1] = _mm512_shuffle_f32x4(a, c, 0xdd);
    v[2] = _mm512_shuffle_f32x4(b, d, 0x88);
    v[3] = _mm512_shuffle_f32x4(b, d, 0xdd);
#elif defined(__AVX2__)
    lanes a = _mm256_permute2f128_ps(v[0], v[1], 0x20);
    lanes b = _mm256_permute2f128_ps(v[2], v[3], 0x20);
    lanes c = _mm256_permute2f128_ps(v[0], v[1], 0x31);
    v[3] = _mm256_permute2f128_ps(v[2], v[3], 0x31);
    v[0] = a;
    v[1] = b;
    v[2] = c;
#else
    (void)v;
#endif
}

/* The parts at as many addresses. */
BASELINE_INLINE lanes lanes_gather_parts(const float *const from[PARTS]) {
#if defined(__AVX512F__)
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(from[0]));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(from[1]), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(from[2]), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(from[3]), 3);
#elif defined(__AVX2__)
    __m256 v = _mm256_castps128_ps256(_mm_loadu_ps(from[0]));
    return _mm256_insertf128_ps(v, _mm_loadu_ps(from[1]), 1);
#else
    return (lanes){from[0][0], from[0][1], from[0][2], from[0][3]};
#endif
}

/* Orders streaming stores before whatever other threads are told afterwards. */
BASELINE_INLINE void lanes_fence(void) {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* A quaternion in each lane. */
typedef struct quaternion {
    lanes c[4];
} quaternion;

BASELINE_INLINE lanes dot(const quaternion *a, const quaternion *b) {
    return a->c[0] * b->c[0] + a->c[1] * b->c[1] + a->c[2] * b->c[2] + a->c[3] * b->c[3];
}

BASELINE_INLINE quaternion mix(lanes from, const quaternion *a, lanes into, const quaternion *b) {
    quaternion q;
    for (int c = 0; c < 4; c++)
        q.c[c] = from * a->c[c] + into * b->c[c];
    return q;
}

#endif
