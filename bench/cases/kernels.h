/* SPDX-License-Identifier: MIT
 *
 * OpenCL C of the bench's own kernels: what the library is held against, and a long kernel
 * to hold events against. None of them is the library's.
 */
#ifndef POSEMILL_BENCH_KERNELS_H
#define POSEMILL_BENCH_KERNELS_H

/* fill, copy, obvious and chain. -DWIDTH=4, 8 or 16: floats that fill and copy store at once. */
extern const char bench_kernels_text[];

#endif
