/* SPDX-License-Identifier: MIT
 *
 * Completions for bash, zsh and fish: a script is a beginning that completes the commands, a part for
 * each command, and an end.
 */
#ifndef POSEMILL_TOOLS_COMPLETIONS_H
#define POSEMILL_TOOLS_COMPLETIONS_H

#include "help.h"

void completions_begin(help_style shell, const option_group *groups, size_t group_count);
void completions_print(help_style shell, const command_help *help, const option_group *groups,
                       size_t group_count);
void completions_end(help_style shell);

#endif
