/* SPDX-License-Identifier: MIT
 *
 * Checks on the names of outputs before anything is written: with two outputs in one file one of them
 * would be lost.
 */
#pragma once

#include "motion/files/file_location.h"

/* The extension of a name, without the dot; "" if there is none. */
const char *extension_of(const char *path);

typedef struct named_file {
    const char *name; /* "-" is the stream */
    location_use use;
} named_file;

/* Finds an output that is the same file as another output or that would replace an input; *first is
 * the output. False if there is none. Only an input that is a regular file can be replaced. */
bool names_clash(const named_file *names, size_t count, const named_file **first,
                 const named_file **second);
