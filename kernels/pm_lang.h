/* SPDX-License-Identifier: MIT
 *
 * The language subset in which formulas are written once and compiled in three ways: as
 * OpenCL C with real = float (one track per work-item), as C11 likewise, and as C11 with real = a
 * vector of 4, 8 or 16 floats. All three give the same bits: nothing is contracted, pm_fma is fused
 * everywhere, and all other operations are correctly rounded.
 */
#ifndef PM_LANG_H
#define PM_LANG_H

#ifndef PM_LANES
#define PM_LANES 1
#endif

#if PM_LANES != 1 && PM_LANES != 4 && PM_LANES != 8 && PM_LANES != 16
#error "PM_LANES is 1, 4, 8 or 16"
#endif

#define PM_JOIN_(a, b) a##b
#define PM_JOIN(a, b) PM_JOIN_(a, b)

/* Before a loop of two over long code that is rarely needed. With one lane the loop stays, because some
 * compilers for GPUs take minutes for long programs. With more lanes it is unrolled, which is faster. */
#if PM_LANES == 1
#define PM_UNROLL_LANES PM_NO_UNROLL
#else
#define PM_UNROLL_LANES PM_UNROLL
#endif

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#define PM_OPENCL
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#ifndef __has_attribute
#define __has_attribute(name) 0
#endif
#pragma OPENCL FP_CONTRACT OFF

/* Compilers do not inline a function that is called twice. They pass vectors to it through memory,
 * and NVIDIA's also single quaternions; Intel's of 2022 crashes where both calls load a 48-bit key.
 * PM_NO_FORCED_INLINING is for Oclgrind 21.10, which cannot run functions whose inlining is forced. */
#ifdef PM_NO_FORCED_INLINING
#define pm_fn static inline
#else
#define pm_fn static inline __attribute__((always_inline))
#endif
#define pm_rare_fn static __attribute__((noinline))
#define PM_UNROLL _Pragma("unroll")
#define PM_NO_UNROLL _Pragma("unroll 1")
#define pm_kernel __kernel
/* Limits registers on AMD's GPUs so that a SIMD has room for 4 waves; other compilers do not have
 * the attribute. */
#if __has_attribute(amdgpu_waves_per_eu)
#define PM_FOUR_WAVES __attribute__((amdgpu_waves_per_eu(4)))
#else
#define PM_FOUR_WAVES
#endif
#define pm_global __global
#define pm_shared __local /* memory of a work-group */
#define pm_global_id(dimension) ((uint)get_global_id(dimension))
#define pm_group_id() ((uint)get_group_id(0))
#define pm_group_row() ((uint)get_group_id(1))
#define pm_local_id() ((uint)get_local_id(0))
#define pm_local_size() ((uint)get_local_size(0))
#define pm_barrier() barrier(CLK_LOCAL_MEM_FENCE)
typedef uchar pm_u8;
typedef ushort pm_u16;
typedef uint pm_u32;
typedef ulong pm_u64;
typedef long pm_s64;

typedef float real;
typedef int pm_mask;
#define pm_select(mask, yes, no) ((mask) ? (yes) : (no))
#define pm_any(mask) (mask)
#define pm_bits_of(a) as_int(a)
#define pm_real_of(bits) as_float(bits)
#define pm_converted(numbers) ((float)(numbers)) /* whole numbers, rounded to float32 */

#define PM_REAL(number) ((real)(number))
#define PM_BITS(number) ((pm_mask)(number))
#define pm_sign_bit(bits) ((bits) << 31) /* bit 0 as the sign of a float32 */
#define pm_bits_select pm_select
#define pm_sqrt(a) sqrt(a)
#define pm_floor(a) floor(a)

#ifdef PM_FMA_FORGETS_ZERO /* the driver computes fma(a, b, 0) as a b: -0 where a b + 0 is +0 */
static inline real pm_fma(real a, real b, real c) {
    return pm_select(c == PM_REAL(0.0f), a * b + c, fma(a, b, c));
}
#else
#define pm_fma(a, b, c) fma((a), (b), (c))
#endif

#else /* C11 */

#include <math.h>
#include <stdint.h>

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#define pm_fn static inline
#define pm_rare_fn static
/* GCC unrolls what it counts as too long only where it is told, and keeps arrays of a loop in memory. Without
 * optimisation it warns that it does not. */
#if PM_LANES > 1 && defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#define PM_UNROLL _Pragma("GCC unroll 64")
#else
#define PM_UNROLL
#endif
#define PM_NO_UNROLL
#define pm_kernel static
#define PM_FOUR_WAVES
#define pm_global
#define pm_shared
#define pm_local_id() 0u /* work-groups of one work-item */
#define pm_local_size() 1u
#define pm_barrier() ((void)0)
typedef uint8_t pm_u8;
typedef uint16_t pm_u16;
typedef uint32_t pm_u32;
typedef uint64_t pm_u64;
typedef int64_t pm_s64;

#if defined(PM_OWN_FMA) && !defined(__FMA__)
/* libm's is slow or, in Microsoft's, not fused. The product is exact in double, and the sum is rounded to
 * odd: where it is inexact and its last bit is even, it becomes its odd neighbour on the side of the error.
 * Rounding that to float rounds only once (Boldo and Melquiond, 2008, "Emulation of FMA and correctly rounded
 * sums: proved algorithms using rounding to odd"). */
static inline float pm_fused(float a, float b, float c) {
    union {
        double number;
        pm_s64 bits;
    } sum;
    const double product = (double)a * (double)b;
    sum.number = product + (double)c;
    const double added = sum.number - product;
    const double error = (product - (sum.number - added)) + ((double)c - added);
    if ((error < 0 || error > 0) && (sum.bits & 1) == 0)
        sum.bits += (error > 0) == (sum.number > 0) ? 1 : -1;
    return (float)sum.number;
}
#else
#define pm_fused(a, b, c) fmaf((a), (b), (c))
#endif

#if PM_LANES == 1
typedef float real;
typedef int pm_mask;
#define PM_REAL(number) ((float)(number))
#define PM_BITS(number) ((int)(number))
#define pm_bits_select pm_select
#define pm_select(mask, yes, no) ((mask) ? (yes) : (no))
#define pm_any(mask) (mask)
#define pm_fma(a, b, c) pm_fused((a), (b), (c))
#define pm_sqrt(a) sqrtf(a)
#define pm_floor(a) floorf(a)
#define pm_converted(numbers) ((float)(numbers))
#define pm_sign_bit(bits) ((int)((pm_u32)(bits) << 31)) /* a signed shift would overflow */

/* The bits of a number, and the number of some bits. */
static inline pm_mask pm_bits_of(real a) {
    union {
        real number;
        pm_mask bits;
    } both = {a};
    return both.bits;
}

static inline real pm_real_of(pm_mask bits) {
    union {
        pm_mask bits;
        real number;
    } both = {bits};
    return both.number;
}
#else /* compiler vectors: for the reference path, and for tests of the vector kernels */
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
typedef float real __attribute__((vector_size(4 * PM_LANES)));
typedef int32_t pm_mask __attribute__((vector_size(4 * PM_LANES)));
#define PM_REAL(number) ((float)(number) - (real){0}) /* keeps the sign of zero */
#define PM_BITS(number) ((pm_mask){0} + (int32_t)(number))
#define pm_bits_of(a) ((pm_mask)(a))
#define pm_real_of(bits) ((real)(bits))
#define pm_converted(numbers) __builtin_convertvector((numbers), real)
#define pm_sign_bit(bits) ((bits) << 31)

static inline real pm_select(pm_mask mask, real yes, real no) {
    return (real)((mask & (pm_mask)yes) | (~mask & (pm_mask)no));
}

static inline pm_mask pm_bits_select(pm_mask mask, pm_mask yes, pm_mask no) {
    return (mask & yes) | (~mask & no);
}

#if PM_LANES == 16 && defined(__AVX512F__)
#define pm_any(mask) (_mm512_test_epi32_mask((__m512i)(mask), (__m512i)(mask)) != 0)
#elif PM_LANES == 8 && defined(__AVX__)
#define pm_any(mask) (!_mm256_testz_si256((__m256i)(mask), (__m256i)(mask)))
#else
static inline int pm_any(pm_mask mask) {
    int any = 0;
    for (int i = 0; i < PM_LANES; i++)
        any |= mask[i];
    return any;
}
#endif

/* Intrinsics, because not every compiler finds the instruction in a loop over lanes. */
#if PM_LANES == 16 && defined(__AVX512F__)
#define pm_fma(a, b, c) ((real)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#elif PM_LANES == 8 && defined(__FMA__)
#define pm_fma(a, b, c) ((real)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#elif PM_LANES == 4 && defined(__FMA__)
#define pm_fma(a, b, c) ((real)_mm_fmadd_ps((__m128)(a), (__m128)(b), (__m128)(c)))
#elif PM_LANES == 4 && defined(__ARM_NEON) && defined(__ARM_FEATURE_FMA)
#define pm_fma(a, b, c) ((real)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b)))
#else
/* Inlined, the calls into libm would be most of the code of every curve. */
__attribute__((noinline, unused)) static real pm_fma(real a, real b, real c) {
    real r;
    for (int i = 0; i < PM_LANES; i++)
        r[i] = pm_fused(a[i], b[i], c[i]);
    return r;
}
#endif

#if PM_LANES == 16 && defined(__AVX512F__)
#define pm_floor(a) ((real)_mm512_floor_ps((__m512)(a)))
#elif PM_LANES == 8 && defined(__AVX__)
#define pm_floor(a) ((real)_mm256_floor_ps((__m256)(a)))
#else
static inline real pm_floor(real a) {
    real r;
    for (int i = 0; i < PM_LANES; i++)
        r[i] = floorf(a[i]);
    return r;
}
#endif

#if PM_LANES == 16 && defined(__AVX512F__)
#define pm_sqrt(a) ((real)_mm512_sqrt_ps((__m512)(a)))
#elif PM_LANES == 8 && defined(__AVX__)
#define pm_sqrt(a) ((real)_mm256_sqrt_ps((__m256)(a)))
#else
static inline real pm_sqrt(real a) {
    real r;
    for (int i = 0; i < PM_LANES; i++)
        r[i] = sqrtf(a[i]);
    return r;
}
#endif
#endif
#endif

/* The upper half of the 128-bit product. */
#ifndef PM_OPENCL
pm_fn pm_u64 pm_high_product(pm_u64 a, pm_u64 b) {
    __extension__ typedef unsigned __int128 pm_u128;
    return (pm_u64)(((pm_u128)a * b) >> 64);
}
#else
#define pm_high_product(a, b) mul_hi((pm_u64)(a), (pm_u64)(b))
#endif

#endif
