/* SPDX-License-Identifier: MIT
 *
 * Names of joints as identifiers of USD.
 */
#pragma once

#include "motion/model/model.h"

typedef struct usd_names {
    const char *
        *names; /* of each node: letters, digits and underscores; unlike those of its siblings */
    uint32_t *order; /* the nodes, parents first */
    uint32_t *place; /* of each node in `order` */
    uint32_t *chain; /* room for a path */
    motion_arena arena;
} usd_names;

/* Refuses a hierarchy whose paths are too long together. Release the names also on failure. */
pm_status usd_names_make(usd_names *names, const pm_motion_content *content, pm_error *error);
void usd_names_release(usd_names *names);
