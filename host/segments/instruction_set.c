/* SPDX-License-Identifier: MIT
 *
 * Which instruction set builds the segments of clips: host/CMakeLists.txt says which there are.
 */
#include "instruction_set.h"

extern const pm_instruction_set pm_set_baseline, pm_set_avx2, pm_set_avx512;

static const pm_instruction_set *const sets[] = {
    &pm_set_baseline,
#if POSEMILL_AVX
    &pm_set_avx2,
    &pm_set_avx512,
#endif
};

enum { SETS = sizeof sets / sizeof *sets };

const pm_instruction_set *pm_instruction_set_at(size_t index) {
    return index < SETS ? sets[index] : NULL;
}

const pm_instruction_set *pm_instruction_set_for(size_t tracks) {
    size_t best = 0;
    for (size_t i = 1; i < SETS && sets[best]->lanes < tracks; i++)
        if (sets[i]->is_supported())
            best = i;
    return sets[best];
}
