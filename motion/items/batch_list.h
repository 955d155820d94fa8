/* SPDX-License-Identifier: MIT
 *
 * The list of inputs that callers have.
 */
#pragma once

#include "motion/items/items.h"

struct pm_motion_batch_list {
    batch_items items;
    pm_motion_batch_item *shown; /* the same for callers */
    char *files_from;            /* the list that they come from. NULL: none */
    char *text;                  /* of all items. NULL: not made */
};
