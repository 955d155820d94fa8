/* SPDX-License-Identifier: MIT
 *
 * The options that the loops are compiled with decide which features of the processor are checked.
 */
#include "loops.h"

#define LOOPS_OF(set)                                                                              \
    (bench_loops) {                                                                                \
        &baseline_loops_##set, &simple_loops_##set, &baseline_walks_##set, &arithmetic_loop_##set  \
    }

bench_loops loops_of_processor(void) {
#if BENCH_AVX
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
        return LOOPS_OF(avx512);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return LOOPS_OF(avx2);
#endif
    return LOOPS_OF(plain);
}
