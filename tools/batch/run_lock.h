/* SPDX-License-Identifier: MIT
 *
 * Keeps runs that replace outputs of a folder from replacing those of a run with other options at the same
 * time. Runs with the same options, such as shards, write the same bytes and share the folder.
 */
#ifndef POSEMILL_TOOLS_BATCH_RUN_LOCK_H
#define POSEMILL_TOOLS_BATCH_RUN_LOCK_H

#include "commands/cli.h"
#include "digest.h"

/* Takes the folder for these options; *lock is for run_lock_release, -1 for none. On failure prints and
 * returns the code: CLI_CANNOT_WRITE where a run with other options has the folder. A file system without
 * locks is a warning. */
cli_exit run_lock_take(const char *folder, const digest *options, int *lock);

/* -1 is none. */
void run_lock_release(int lock);

#endif
