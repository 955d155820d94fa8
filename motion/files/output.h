/* SPDX-License-Identifier: MIT
 *
 * An output file that is written to a temporary file beside its final name and renamed on commit, or
 * stdout for "-". After atomic_file_watch_signals, a signal that ends the process removes the
 * temporary file. Failures are PM_ERROR_OUTPUT, and the message names the file; or
 * PM_ERROR_MEMORY.
 */
#pragma once

#include "motion/files/sink.h"

typedef struct motion_output motion_output;

pm_status motion_output_open(const char *path, motion_output **output, pm_error *error);

/* The same for a file that does not exist yet. One that another process creates until the commit is
 * refused then, and stays as it is. Pipes and devices exist, and are refused. */
pm_status motion_output_open_new(const char *path, motion_output **output, pm_error *error);

/* On failure removes the temporary file. The output must still be abandoned. */
pm_status motion_output_write(motion_output *output, const void *data, size_t size,
                              pm_error *error);

/* Writes at a place of the file, in any order and on any thread. Pipes are refused. On failure the output
 * must be abandoned. */
pm_status motion_output_write_at(motion_output *output, uint64_t at, const void *data, size_t size,
                                 pm_error *error);

/* Flushes the file to the disk and closes it (a full disk is reported here at the latest), renames it,
 * frees. */
pm_status motion_output_commit(motion_output **output, pm_error *error);

/* Removes the temporary file, frees. *output may be NULL. */
void motion_output_abandon(motion_output **output);

/* The hint of a failure because a disk or a quota is full: whatever is written next fails too. */
extern const char motion_full_hint[];

/* A sink that writes to the output, which is borrowed. */
motion_sink motion_output_sink(motion_output *output);

/* Writes a file, or to standard output for "-", whole or not at all. */
pm_status motion_output_save(const char *path, const char *text, size_t size, pm_error *error);
