/* SPDX-License-Identifier: MIT
 *
 * Scripts of completions, whose words are those of the tables of options.
 */
#pragma once

#include "help.h"

/* The beginning, the part of a verb, and the end. */
void completions_begin(help_style shell, const command *const *verbs);
void completions_print(help_style shell, const command *verb);
void completions_end(help_style shell);
