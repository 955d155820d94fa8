/* SPDX-License-Identifier: MIT
 *
 * Keeps runs that replace outputs of a folder from replacing those of a run with other options at the same
 * time. Runs with the same options, such as shards, write the same bytes and share the folder.
 */
#pragma once

#include "motion/base/fault.h"
#include "motion/files/digest.h"

/* Takes the folder for these options; *lock is for run_lock_release, -1 for none. Refused where a run with
 * other options has the folder. A file system without locks is a warning. */
pm_status run_lock_take(const char *folder, const digest *options, pm_motion_log_function log,
                        void *user, int *lock, pm_error *error);

/* -1 is none. */
void run_lock_release(int lock);
