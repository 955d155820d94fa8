/* SPDX-License-Identifier: MIT
 *
 * Which part of a batch a process does. Shares are balanced by size, from the list alone, so that the
 * processes agree without talking to each other.
 */
#ifndef POSEMILL_TOOLS_BATCH_SHARD_H
#define POSEMILL_TOOLS_BATCH_SHARD_H

#include "items.h"

typedef struct batch_shard {
    uint64_t index, count; /* index < count */
} batch_shard;

/* Parses "I/N" or "auto"; "auto" reads the environment of POSEMILL_SHARD, Slurm, Open MPI and PMI,
 * in this order. `source` names where the shard came from, and is static. NULL text is 0/1. On failure
 * prints and returns the code. */
cli_exit shard_find(const char *text, batch_shard *shard, const char **source);

/* Sets mine[i] for each item of the shard: the largest files first, each to the share that is the
 * smallest so far. False: memory is exhausted. */
bool shard_divide(const batch_items *items, batch_shard shard, bool *mine);

#endif
