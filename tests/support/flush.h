/* SPDX-License-Identifier: MIT
 *
 * The mode of a processor in which subnormal numbers are 0, as operands and as results: FTZ and DAZ
 * of x86, FZ of ARM. It belongs to a thread, and new threads inherit it.
 */
#ifndef POSEMILL_TESTS_FLUSH_H
#define POSEMILL_TESTS_FLUSH_H

#include <stdbool.h>

/* Sets or clears the mode of the calling thread. False: this processor has no such mode. */
bool flush_set(bool on);

/* Whether subnormal numbers are 0 now, in float and in double: computed, not read from a register. */
bool flush_is_on(void);

#endif
