/* SPDX-License-Identifier: MIT
 *
 * The names of the instruction sets, and which of them the processor supports.
 */
#include "instruction_set.h"

static bool has_baseline(void) {
    return true;
}

#if defined(POSEMILL_AVX) && POSEMILL_AVX
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}
#endif

static const struct {
    const char *name;
    bool (*is_supported)(void);
} sets[] = {
#define PM_SET_ROW(name) {#name, has_##name},
    PM_INSTRUCTION_SETS(PM_SET_ROW)};

size_t pm_instruction_set_count(void) {
    return sizeof sets / sizeof *sets;
}

const char *pm_instruction_set_name(size_t index) {
    return sets[index].name;
}

bool pm_instruction_set_is_supported(size_t index) {
    return sets[index].is_supported();
}

size_t pm_instruction_set_widest(void) {
    size_t i = pm_instruction_set_count() - 1;
    while (!pm_instruction_set_is_supported(i))
        i--;
    return i;
}
