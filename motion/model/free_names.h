/* SPDX-License-Identifier: MIT
 *
 * Names that must differ: the first that wants a name gets it, others get "NAME_2", "NAME_3" and so on,
 * the first that is free.
 */
#pragma once

#include "motion/base/arena.h"
#include "motion/model/model.h"

typedef struct free_name {
    pm_motion_name name;
    int32_t scope;
    size_t next; /* the least number that may be free behind the name */
} free_name;

typedef struct free_names {
    free_name *taken; /* by hash; without a text: none */
    size_t mask;
    motion_arena *arena; /* has the names that are made */
} free_names;

/* For at most `most` names. Close it in any case. False: memory is exhausted. */
bool free_names_open(free_names *names, size_t most, motion_arena *arena);

/* Takes a name, which is borrowed, or one that is made of it, with a 0 at its end. Names of different
 * scopes may be equal. False: memory is exhausted. */
bool free_names_take(free_names *names, int32_t scope, pm_motion_name wanted,
                     pm_motion_name *taken);

void free_names_close(free_names *names);
