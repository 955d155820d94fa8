/* SPDX-License-Identifier: MIT
 *
 * Functions that are compiled for several processors, the one at hand being chosen when the
 * program starts.
 */
#ifndef PM_HOST_CLONES_H
#define PM_HOST_CLONES_H

/* fma in hardware where the machine has it: without, every fused multiply-add is a call
 * into libm that gives the same bits thirty times slower. host/CMakeLists.txt finds out whether
 * the compiler, the linker and the C library have clones. Sanitizers are not ready yet when one
 * is chosen. */
#if defined(POSEMILL_TARGET_CLONES) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&    \
    !defined(__SANITIZE_THREAD__)
#define PM_CLONES __attribute__((flatten, target_clones("default", "arch=haswell")))
#else
#define PM_CLONES
#endif

/* All that a function calls is compiled into it: vectors that are passed to functions go through
 * memory. Sanitized, that would take a compiler minutes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PM_FLAT
#else
#define PM_FLAT __attribute__((flatten))
#endif

#endif
