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

#if defined(__AVX512F__)

BASELINE_INLINE void lanes_stream(float *aligned, lanes value) {
    _mm512_stream_ps(aligned, value);
}

BASELINE_INLINE lanes lanes_max(lanes a, lanes b) {
    return _mm512_max_ps(a, b);
}

/* One step of Newton's method for 1 / sqrt(x), from 14 bits. */
BASELINE_INLINE lanes lanes_rsqrt(lanes x) {
    lanes y = _mm512_rsqrt14_ps(x);
    return y * (1.5f - 0.5f * x * y * y);
}

BASELINE_INLINE void lanes_transpose(lanes v[4]) {
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(v[0], v[1]));
    __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(v[0], v[1]));
    __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(v[2], v[3]));
    __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(v[2], v[3]));
    v[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    v[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    v[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    v[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}

/* Part j of vector i of the result is part i of vector j. */
BASELINE_INLINE void lanes_transpose_parts(lanes v[4]) {
    lanes a = _mm512_shuffle_f32x4(v[0], v[1], 0x44);
    lanes b = _mm512_shuffle_f32x4(v[0], v[1], 0xee);
    lanes c = _mm512_shuffle_f32x4(v[2], v[3], 0x44);
    lanes d = _mm512_shuffle_f32x4(v[2], v[3], 0xee);
    v[0] = _mm512_shuffle_f32x4(a, c, 0x88);
    v[1] = _mm512_shuffle_f32x4(a, c, 0xdd);
    v[2] = _mm512_shuffle_f32x4(b, d, 0x88);
    v[3] = _mm512_shuffle_f32x4(b, d, 0xdd);
}

/* The parts at four addresses. */
BASELINE_INLINE lanes lanes_gather_parts(const float *const from[PARTS]) {
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(from[0]));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(from[1]), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(from[2]), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(from[3]), 3);
}

#elif defined(__AVX2__)

BASELINE_INLINE void lanes_stream(float *aligned, lanes value) {
    _mm256_stream_ps(aligned, value);
}

BASELINE_INLINE lanes lanes_max(lanes a, lanes b) {
    return _mm256_max_ps(a, b);
}

/* One step of Newton's method for 1 / sqrt(x), from 12 bits. */
BASELINE_INLINE lanes lanes_rsqrt(lanes x) {
    lanes y = _mm256_rsqrt_ps(x);
    return y * (1.5f - 0.5f * x * y * y);
}

BASELINE_INLINE void lanes_transpose(lanes v[4]) {
    __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(v[0], v[1]));
    __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(v[0], v[1]));
    __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(v[2], v[3]));
    __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(v[2], v[3]));
    v[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
    v[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    v[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
    v[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}

/* The first parts of all four vectors in the first two, the others in the last two. */
BASELINE_INLINE void lanes_transpose_parts(lanes v[4]) {
    lanes a = _mm256_permute2f128_ps(v[0], v[1], 0x20);
    lanes b = _mm256_permute2f128_ps(v[2], v[3], 0x20);
    lanes c = _mm256_permute2f128_ps(v[0], v[1], 0x31);
    lanes d = _mm256_permute2f128_ps(v[2], v[3], 0x31);
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
}

BASELINE_INLINE lanes lanes_gather_parts(const float *const from[PARTS]) {
    __m256 v = _mm256_castps128_ps256(_mm_loadu_ps(from[0]));
    return _mm256_insertf128_ps(v, _mm_loadu_ps(from[1]), 1);
}

#else

#if defined(__x86_64__)

BASELINE_INLINE void lanes_stream(float *aligned, lanes value) {
    _mm_stream_ps(aligned, value);
}

BASELINE_INLINE lanes lanes_max(lanes a, lanes b) {
    return _mm_max_ps(a, b);
}

/* One step of Newton's method for 1 / sqrt(x), from 12 bits. */
BASELINE_INLINE lanes lanes_rsqrt(lanes x) {
    lanes y = _mm_rsqrt_ps(x);
    return y * (1.5f - 0.5f * x * y * y);
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

#endif

BASELINE_INLINE void lanes_transpose(lanes v[4]) {
    lanes a = {v[0][0], v[1][0], v[2][0], v[3][0]};
    lanes b = {v[0][1], v[1][1], v[2][1], v[3][1]};
    lanes c = {v[0][2], v[1][2], v[2][2], v[3][2]};
    lanes d = {v[0][3], v[1][3], v[2][3], v[3][3]};
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
}

/* The parts of four vectors of one part are in order already. */
BASELINE_INLINE void lanes_transpose_parts(lanes v[4]) {
    (void)v;
}

BASELINE_INLINE lanes lanes_gather_parts(const float *const from[PARTS]) {
    lanes v = {from[0][0], from[0][1], from[0][2], from[0][3]};
    return v;
}

#endif

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
