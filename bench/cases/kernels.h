/* SPDX-License-Identifier: MIT
 *
 * OpenCL C of the kernels of the bench: comparison kernels, and a long kernel to check event
 * times. None of them belongs to the library.
 */
#ifndef POSEMILL_BENCH_KERNELS_H
#define POSEMILL_BENCH_KERNELS_H

/* fill, stores, copy, obvious and chain. -DWIDTH=4, 8 or 16: number of floats that fill and copy
 * store at once. */
extern const char bench_kernels_text[];

/* arithmetic: chains of fused multiply-adds. -DLANES=1, 4, 8 or 16; -DCHAINS=4 or 8. */
extern const char bench_arithmetic_text[];

#endif
