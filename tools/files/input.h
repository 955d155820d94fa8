/* SPDX-License-Identifier: MIT
 *
 * The implementation of cli_read_file: reads a descriptor to its end, within limits.
 */
#ifndef POSEMILL_TOOLS_INPUT_H
#define POSEMILL_TOOLS_INPUT_H

#include "commands/cli.h"

enum { INPUT_REASON_SIZE = 256 };

/* Maximum number of bytes; larger inputs are rejected. */
typedef struct input_bounds {
    size_t file;   /* regular files, whose size is known before reading */
    size_t stream; /* everything else: pipes, devices */
} input_bounds;

/* The memory of this machine for files, half of it for streams. */
input_bounds input_machine_bounds(void);

/* Reads to the end into malloc'ed memory as cli_read_file does. False with a message in
 * `reason`. */
bool input_read(int file, const cli_kind *kind, const input_bounds *bounds, char **data,
                size_t *size, char reason[INPUT_REASON_SIZE]);

#endif
