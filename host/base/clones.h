/* SPDX-License-Identifier: MIT
 *
 * Functions that are compiled for several processors. The version for the present processor is
 * selected when the program starts.
 */
#ifndef PM_HOST_CLONES_H
#define PM_HOST_CLONES_H

/* Uses fma in hardware where the processor has it. Without it, every fused multiply-add is a call
 * into libm, which gives the same bits thirty times slower. host/CMakeLists.txt checks whether the
 * compiler, the linker and the C library support clones. A level of the architecture selects by the
 * processor's features; the name of a processor selects that processor alone. With sanitizers there
 * are no clones, because a clone is selected before the sanitizers are initialised. */
#if defined(POSEMILL_TARGET_CLONES) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&    \
    !defined(__SANITIZE_THREAD__)
#define PM_CLONES __attribute__((flatten, target_clones("default", "arch=x86-64-v3")))
#else
#define PM_CLONES
#endif

/* Inlines everything that a function calls, because vectors that are passed to functions go through
 * memory. Not with sanitizers, where compilation would take minutes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PM_FLAT
#else
#define PM_FLAT __attribute__((flatten))
#endif

#endif
