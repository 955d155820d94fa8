/* SPDX-License-Identifier: MIT
 *
 * Chains of fused multiply-adds, x = x factor + term, which give a device's arithmetic ceiling. With a
 * factor and a term of 1, which no compiler knows, a chain counts its steps exactly, so that its end
 * shows that every step was computed.
 */
#ifndef POSEMILL_BENCH_ARITHMETIC_H
#define POSEMILL_BENCH_ARITHMETIC_H

#include "commands/cli.h"

/* Beyond, float32 has no more whole numbers for the sum of the chains of a work-item. */
enum { ARITHMETIC_STEPS_MAX = 1 << 18 };

/* A measurement takes at least so long that starting threads or a kernel does not count. */
#define ARITHMETIC_SECONDS 2e-3

static const float arithmetic_factor = 1.0f, arithmetic_term = 1.0f;

/* More steps, as a multiple of four, when so many took so long; the same number when that is enough or
 * the most. */
size_t arithmetic_more_steps(size_t steps, double seconds);

cli_exit arithmetic_wrong(void);

#endif
