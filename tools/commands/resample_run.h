/* SPDX-License-Identifier: MIT
 *
 * What resample and convert do with their operands: one file, or a batch.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_RUN_H
#define POSEMILL_TOOLS_RESAMPLE_RUN_H

#include "motion/task/task_edit.h"
#include "options/batch_options.h"
#include "options/device_options.h"
#include "options/motion_options.h"
#include "options/options.h"

typedef struct resample_options {
    const char *out; /* batch.run.out_dir is the folder of a batch */
    bool json;
    clip_names clips;
    task_fill_options fill; /* of the task, which points to them where it fills */
    motion_options motion;
    batch_options batch; /* and what is done with a file */
    device_options device;
} resample_options;

/* Option parser: a rate as text, which is checked. */
bool resample_option_rate(const char *text, void *target, char *reason);

/* Finds out where the result goes: -o, --out-dir, or the second of two operands, which is taken from
 * them. Prints and returns CLI_USAGE if that is not clear. */
cli_exit resample_find_output(const command_help *help, resample_options *options, int *argc,
                              char **argv);

/* Runs it. On failure prints and returns the code. */
cli_exit resample_run(resample_options *options, char **inputs, size_t count);

/* Resamples files and folders into a folder. Prints failures as they occur, and a summary, or with --json
 * the records. Unless it ends at once, the first SIGINT or SIGTERM ends it when the files in work are
 * finished. Returns CLI_PARTIAL if some files failed or are left. */
cli_exit batch_resample(const resample_options *options, char **operands, size_t operand_count);

#endif
