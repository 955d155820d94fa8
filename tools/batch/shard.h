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
 * in this order; a variable that is empty is not set. `source` names where the shard came from, and is
 * static: the option, the variables, "none" where auto finds nothing. NULL text is 0/1, from "all".
 * Refused is what would leave out a part of the batch or do it twice: variables that are not whole
 * numbers or contradict each other, ids of an array that are not evenly spaced, and a task of Slurm
 * whose Open MPI or PMI has another number. On failure prints and returns the code. */
cli_exit shard_find(const char *text, batch_shard *shard, const char **source);

/* Sets mine[i] for each item of the shard: the largest files first, each to the share that is the
 * smallest so far, of equal ones the first; of equal files the first by name. A file counts one byte
 * more than it has. The order of the items does not matter. False: memory is exhausted. */
bool shard_divide(const batch_items *items, batch_shard shard, bool *mine);

#endif
