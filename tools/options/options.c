/* SPDX-License-Identifier: MIT
 *
 * The option parser of every command. The parse functions interpret the values; those for plain
 * values are in option_values.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "options.h"
#include "help.h"
#include "motion/options/nearest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

cli_exit options_usage(const command_help *help, const char *what, const char *reason, ...) {
    char text[1024];
    char hint[128];
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    snprintf(hint, sizeof hint, "see: posemill %s --help", help->name);
    return cli_fail(CLI_USAGE, what, hint, "%s", text);
}

/* ---- parsing ------------------------------------------------------------------- */

typedef struct parser {
    const command_help *help;
    const option_group *groups;
    size_t group_count;
    bool help_wanted;
    help_style style; /* of the help */
} parser;

/* The target of an option; NULL for common options, which the parser handles itself. */
typedef struct found_option {
    const option *row;
    void *target;
} found_option;

static bool names_option(const option *row, const char *name, size_t length, char letter) {
    if (letter != 0)
        return row->letter == letter;
    return strlen(row->name) == length && memcmp(row->name, name, length) == 0;
}

static bool find_option(const parser *state, const char *name, size_t length, char letter,
                        found_option *found) {
    for (size_t g = 0; g < state->group_count; g++) {
        const option_group *group = &state->groups[g];
        for (size_t i = 0; i < group->count; i++) {
            if (names_option(&group->options[i], name, length, letter)) {
                found->row = &group->options[i];
                found->target = (char *)group->target + group->options[i].offset;
                return true;
            }
        }
    }
    for (size_t i = 0; i < OPTION_COMMON_COUNT; i++) {
        if (names_option(&option_common[i], name, length, letter)) {
            found->row = &option_common[i];
            found->target = NULL;
            return true;
        }
    }
    return false;
}

static cli_exit refuse_unknown(const parser *state, const char *word, size_t length) {
    nearest meant = {.text = word, .size = length};
    char hint[128];
    for (size_t g = 0; g < state->group_count; g++)
        for (size_t i = 0; i < state->groups[g].count; i++)
            nearest_try(&meant, state->groups[g].options[i].name);
    for (size_t i = 0; i < OPTION_COMMON_COUNT; i++)
        nearest_try(&meant, option_common[i].name);
    if (!meant.word)
        return options_usage(state->help, word, "unknown option");
    snprintf(hint, sizeof hint, "did you mean %s? see: posemill %s --help", meant.word,
             state->help->name);
    return cli_fail(CLI_USAGE, word, hint, "unknown option");
}

static void set_flag(parser *state, const found_option *found) {
    if (found->target)
        *(bool *)found->target = true;
    else if (found->row->letter == 'q')
        cli_quiet = true;
    else if (found->row->letter == 'v')
        cli_verbose = true;
    else
        state->help_wanted = true;
}

static cli_exit store_value(const parser *state, const found_option *found, const char *text) {
    char reason[OPTION_REASON_SIZE] = "value is invalid";
    if (found->row->parse(text, found->target, reason))
        return CLI_DONE;
    return options_usage(state->help, found->row->name, "%s", reason);
}

/* Handles the option argv[*at] and moves *at to its last argument. */
static cli_exit parse_option(parser *state, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    bool is_long = word[1] == '-';
    const char *value = is_long ? strchr(word, '=') : (word[2] != '\0' ? word + 2 : NULL);
    size_t length = is_long && value ? (size_t)(value - word) : strlen(word);
    found_option found = {NULL, NULL};
    if (!find_option(state, word, length, is_long ? '\0' : word[1], &found))
        return refuse_unknown(state, word, length);
    if (is_long && value)
        value++;
    if (!found.row->argument && found.row->parse)
        return store_value(state, &found, value ? value : "");
    if (!found.row->argument) {
        const bool is_help = found.target == NULL && found.row->letter == 'h';
        if (value && !(is_help && help_find_style(value, &state->style)))
            return options_usage(state->help, word, "%s takes no value", found.row->name);
        set_flag(state, &found);
        return CLI_DONE;
    }
    if (!value) {
        if (*at + 1 >= argc)
            return options_usage(state->help, found.row->name, "value is missing; expected %s",
                                 found.row->argument);
        value = argv[++*at];
    }
    return store_value(state, &found, value);
}

static cli_exit parse_words(parser *state, int *argc, char **argv) {
    int operands = 0;
    bool options_over = false;
    for (int at = 1; at < *argc; at++) {
        bool is_option = !options_over && argv[at][0] == '-' && argv[at][1] != '\0';
        if (is_option && strcmp(argv[at], "--") == 0) {
            options_over = true;
        } else if (is_option) {
            cli_exit code = parse_option(state, *argc, argv, &at);
            if (code != CLI_DONE || state->help_wanted)
                return code;
        } else if (!state->help->takes_operands) {
            return options_usage(state->help, argv[at], "unexpected argument");
        } else {
            argv[operands++] = argv[at];
        }
    }
    *argc = operands;
    return CLI_DONE;
}

bool options_parse(const command_help *help, const option_group *groups, size_t group_count,
                   int *argc, char **argv, cli_exit *code) {
    parser state = {help, groups, group_count, false, HELP_TEXT};
    *code = parse_words(&state, argc, argv);
    if (*code == CLI_DONE && state.help_wanted)
        help_print(state.style, help, groups, group_count);
    return *code == CLI_DONE && !state.help_wanted;
}
