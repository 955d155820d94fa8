/* SPDX-License-Identifier: MIT
 *
 * As many lanes for the kernels' headers as a register of the instruction set has floats. Included before
 * them.
 */
#ifndef PM_HOST_FLOAT_LANES_H
#define PM_HOST_FLOAT_LANES_H

#if defined(__AVX512F__)
#define PM_LANES 16
#elif defined(__AVX__)
#define PM_LANES 8
#else
#define PM_LANES 4
#endif

#endif
