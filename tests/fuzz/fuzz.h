/* SPDX-License-Identifier: MIT
 *
 * What libFuzzer calls, and what a fuzzer requires.
 */
#ifndef POSEMILL_FUZZ_FUZZ_H
#define POSEMILL_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/scoped.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds) {
    if (!holds)
        abort();
}

#endif
