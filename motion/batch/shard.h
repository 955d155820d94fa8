/* SPDX-License-Identifier: MIT
 *
 * Which part of a batch a process does. Shares are balanced by size, from the list alone, so that the
 * processes agree without talking to each other.
 */
#pragma once

#include "motion/items/items.h"

typedef struct batch_shard {
    uint64_t index, count; /* index < count */
} batch_shard;

/* Sets mine[i] for each item of the shard: the largest files first, each to the share that is the
 * smallest so far, of equal ones the first; of equal files the first by name. A file counts one byte
 * more than it has. The order of the items does not matter. False: memory is exhausted. */
bool shard_divide(const batch_items *items, batch_shard shard, bool *mine);
