/* SPDX-License-Identifier: MIT
 *
 * --shard: which part of a batch a process does.
 */
#pragma once

#include "motion/batch/plan.h"

/* Parses "I/N" or "auto"; "auto" reads the environment of POSEMILL_SHARD, Slurm, Open MPI and PMI,
 * in this order; a variable that is empty is not set. `source` names where the shard came from, and is
 * static: the option, the variables, "none" where auto finds nothing. NULL text is 0/1, from "all".
 * Refused is what would leave out a part of the batch or do it twice: variables that are not whole
 * numbers or contradict each other, ids of an array that are not evenly spaced, and a task of Slurm
 * whose Open MPI or PMI has another number. */
pm_status shard_find(const char *text, batch_shard *shard, const char **source, pm_error *error);
