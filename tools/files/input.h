/* SPDX-License-Identifier: MIT
 *
 * What is under cli_read_file of cli.h: a descriptor read to its end, within bounds.
 */
#ifndef POSEMILL_TOOLS_INPUT_H
#define POSEMILL_TOOLS_INPUT_H

#include "commands/cli.h"

enum { INPUT_REASON_SIZE = 256 };

/* Bytes of an input that are read at most; a larger one is refused. */
typedef struct input_bounds {
    size_t file;   /* of a regular file, whose size is known before it is read */
    size_t stream; /* of anything else: a pipe, a device */
} input_bounds;

/* All of this machine's memory, and half of it. */
input_bounds input_machine_bounds(void);

/* Reads to the end into malloc'ed memory as cli_read_file does. False with a sentence in `why`. */
bool input_read(int file, const cli_kind *kind, const input_bounds *bounds, char **data,
                size_t *size, char reason[INPUT_REASON_SIZE]);

#endif
