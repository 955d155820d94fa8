/* SPDX-License-Identifier: MIT
 *
 * What outputs may be called, checked before anything is written: a name that says another format
 * misleads whoever reads it next, and two outputs in one file lose one of them.
 */
#ifndef POSEMILL_TOOLS_OUTPUT_NAMES_H
#define POSEMILL_TOOLS_OUTPUT_NAMES_H

#include "commands/cli.h"
#include "file_location.h"

/* What stands behind the last dot of a name; "" when there is none. */
const char *extension_of(const char *path);

/* CLI_USAGE, printed, when the output `name` of `option` has an extension that says other than
 * `format`, which is what will be written. No extension says nothing, nor does "-". When the
 * format was asked for by an option of its own, only other formats of motion are refused. */
cli_exit output_name_check(const char *option, const char *name, const char *format,
                           bool format_given);

typedef struct named_file {
    const char *name; /* "-": the stream */
    location_use use;
} named_file;

/* Finds an output that is another output's file, or replaces an input: *first is the output. False
 * when there is none. An input that is no plain file is never replaced. */
bool names_clash(const named_file *names, size_t count, const named_file **first,
                 const named_file **second);

/* Makes a folder and those above it, where they are not there yet. On failure prints and returns
 * the code. */
cli_exit make_folders(const char *path);

#endif
