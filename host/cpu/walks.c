/* SPDX-License-Identifier: MIT
 *
 * The walks of all instruction sets.
 */
#include "walk.h"

#define PM_DECLARE_SET(name) extern const pm_walk_functions pm_walk_functions_##name;
PM_INSTRUCTION_SETS(PM_DECLARE_SET)

#define PM_SET_ROW(name) &pm_walk_functions_##name,
static const pm_walk_functions *const sets[] = {PM_INSTRUCTION_SETS(PM_SET_ROW)};

pm_walk_function pm_walk_function_of(size_t instruction_set, pm_curve_id curve, size_t tracks) {
    const pm_walk_functions *set = sets[instruction_set];
    return set->lanes <= tracks ? set->of[curve] : NULL;
}

size_t pm_walk_instruction_set(size_t tracks) {
    size_t i = pm_instruction_set_widest();
    while (i > 0 && sets[i]->lanes > tracks)
        i--;
    return i;
}
