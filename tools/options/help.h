/* SPDX-License-Identifier: MIT
 *
 * The help of a verb, rendered from the tables of options: as text, as a manual page, as a section of the
 * reference in Markdown, and as its part of a script of completions. Options that several verbs have are of
 * topics, which have a help of their own.
 */
#pragma once

#include "options.h"

typedef enum help_style {
    HELP_TEXT,
    HELP_ALL, /* text, with the options of all topics */
    HELP_MAN,
    HELP_MARKDOWN,
    HELP_BASH, /* from here on, scripts */
    HELP_ZSH,
    HELP_FISH
} help_style;

/* "text", "all", "man", "markdown", "bash", "zsh", "fish". */
bool help_find_style(const char *name, help_style *style);

/* What is named in help beside options: verbs, topics, variables, exit codes. NULL ends a list. */
typedef struct help_term {
    const char *name, *help;
} help_term;

/* The topics of options. */
extern const help_term help_topics[];

/* The row `index` of those of a verb that are in a topic; NULL topic: those of no topic, first those of the
 * verb alone. NULL: there are no more. */
const option_row *help_row(option_verb verb, const char *topic, size_t index);

/* Whether a verb has options of a topic. */
static inline bool help_has_topic(option_verb verb, const char *topic) {
    return help_row(verb, topic, 0) != NULL;
}

/* Prints to stdout. */
void help_print(help_style style, const command *verb);

/* The options of a topic, with the verbs that have them. False: there is none of this name. */
bool help_print_topic(help_style style, const char *topic);

/* The help of the program. Of scripts this is the beginning: the parts of the verbs and help_print_end
 * follow. Verbs have NULL after the last one. */
void help_print_program(help_style style, const command *program, const command *const *verbs);
void help_print_end(help_style style);

/* The beginning, the part of a verb, and the end. */
void completions_begin(help_style shell, const command *const *verbs);
void completions_print(help_style shell, const command *verb);
void completions_end(help_style shell);
