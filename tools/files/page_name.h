/* SPDX-License-Identifier: MIT
 *
 * Names of the pages that `compare` and `view` write.
 */
#pragma once

#include "options/options.h"

/* Prints and returns the code if a page cannot have this name: that of an input, or of another kind of
 * file. */
cli_exit page_check_name(const command_options *options, const char *path, char **inputs,
                         size_t count);

/* The first of both alone. */
cli_exit page_check_inputs(const char *path, char **inputs, size_t count);
