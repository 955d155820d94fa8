/* SPDX-License-Identifier: MIT
 *
 * The mode of a processor in which subnormal numbers are 0.
 */
#include "flush.h"

#include <float.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <immintrin.h>

bool flush_set(bool on) {
    const unsigned both = 0x8040; /* flush to zero, denormals are zero */
    _mm_setcsr(on ? _mm_getcsr() | both : _mm_getcsr() & ~both);
    return true;
}

#elif defined(__aarch64__)

bool flush_set(bool on) {
    const uint64_t flush = UINT64_C(1) << 24;
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control = on ? control | flush : control & ~flush;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
    return true;
}

#else

bool flush_set(bool on) {
    return !on;
}

#endif

bool flush_is_on(void) {
    volatile float least = FLT_MIN, subnormal = FLT_MIN / 2;
    volatile double least_double = DBL_MIN;
    volatile float result = least * 0.5f, operand = subnormal * 4.0f;
    volatile double double_result = least_double * 0.5;
    return result == 0.0f && operand == 0.0f && double_result == 0.0;
}
