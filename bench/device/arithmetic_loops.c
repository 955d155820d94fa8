/* SPDX-License-Identifier: MIT
 *
 * Twelve chains of vectors as wide as a register: a multiply-add takes four or five cycles, of which
 * two begin in a cycle, and both operands, a factor and a term fit into 16 registers. Compiled for
 * each instruction set, with the name in ARITHMETIC_LOOP; where there is no fused multiply-add it is
 * a multiplication and an addition.
 */
#include "cases/loops.h"

#include <string.h>

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { CHAINS = 12 };
_Static_assert(CHAINS *LANES <= ARITHMETIC_WIDTH_MAX, "ARITHMETIC_WIDTH_MAX is too small");

typedef float lanes __attribute__((vector_size(4 * LANES)));

static lanes all(float number) {
    return number - (lanes){0};
}

/* The chains are variables and no array, so that they stay in registers. */
#define FOR_CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define LOAD(i)                                                                                    \
    lanes x##i;                                                                                    \
    memcpy(&x##i, x + (i)*LANES, sizeof x##i);
#define STEP(i) x##i = x##i * factors + terms;
#define STEP_ALL                                                                                   \
    do {                                                                                           \
        FOR_CHAINS(STEP)                                                                           \
    } while (0)
#define STORE(i) memcpy(x + (i)*LANES, &x##i, sizeof x##i);

static void run(float *x, size_t steps, float factor, float term) {
    const lanes factors = all(factor), terms = all(term);
    FOR_CHAINS(LOAD)
    for (size_t s = 0; s < steps; s++)
        STEP_ALL;
    FOR_CHAINS(STORE)
}

const arithmetic_loop ARITHMETIC_LOOP = {run, CHAINS *LANES};
