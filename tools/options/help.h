/* SPDX-License-Identifier: MIT
 *
 * The help of a command, rendered from its tables of options: as text, as a manual page, as a section
 * of the reference in Markdown, and as its part of a script of completions.
 */
#ifndef POSEMILL_TOOLS_HELP_H
#define POSEMILL_TOOLS_HELP_H

#include "options.h"

typedef enum help_style {
    HELP_TEXT,
    HELP_MAN,
    HELP_MARKDOWN,
    HELP_BASH, /* from here on, scripts */
    HELP_ZSH,
    HELP_FISH
} help_style;

/* "text", "man", "markdown", "bash", "zsh", "fish". */
bool help_find_style(const char *name, help_style *style);

/* Prints to stdout. */
void help_print(help_style style, const command_help *help, const option_group *groups,
                size_t group_count);

/* The same for the program as a whole, whose first group lists the commands. Of scripts this is the
 * beginning: the parts of the commands and help_print_end follow. */
void help_print_program(help_style style, const command_help *help, const option_group *groups,
                        size_t group_count);
void help_print_end(help_style style);

#endif
