/* SPDX-License-Identifier: MIT
 *
 * What resample and convert say about one file.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_PRINT_H
#define POSEMILL_TOOLS_RESAMPLE_PRINT_H

#include "commands/resample_run.h"
#include "motion/task/task.h"

/* Prints the report in the requested form. With the output on standard output the text report goes
 * to stderr. */
void resample_print(const command_options *options, const char *in, const char *out,
                    const task_report *report);

#endif
