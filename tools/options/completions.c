/* SPDX-License-Identifier: MIT
 *
 * Values of --method are completed by the names of the methods, operands of help by commands, that of
 * completions by the shells, other values and operands by files.
 */
#include "completions.h"

#include <stdio.h>
#include <string.h>

#define SHELLS "bash zsh fish"

/* ---- words --------------------------------------------------------------------- */

static bool is_method(const option *row) {
    return strcmp(row->name, "--method") == 0;
}

static void put_methods(void) {
    for (size_t i = 0; i < pm_method_count(); i++)
        printf("%s%s", i > 0 ? " " : "", pm_method_get_info((pm_method)i)->name);
}

static void put_names(const option_group *group) {
    for (size_t i = 0; i < group->count; i++)
        printf("%s ", group->options[i].name);
}

/* What an option does, without details: the help up to a semicolon, within single quotes. */
static void put_meaning(help_style shell, const char *help) {
    const size_t size = strcspn(help, ";");
    for (size_t i = 0; i < size; i++) {
        const char c = help[i] == '\n' ? ' ' : help[i];
        if (c == '\'')
            printf("%s", shell == HELP_FISH ? "\\'" : "'\\''");
        else if (strchr(shell == HELP_ZSH ? "\\[]:" : "\\", c))
            printf("\\%c", c);
        else
            putchar(c);
    }
}

typedef void put_option(const char *command, const option *row);

static void put_options(const char *command, const option_group *groups, size_t group_count,
                        put_option *put) {
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++)
            put(command, &groups[g].options[i]);
    for (size_t i = 0; i < OPTION_COMMON_COUNT; i++)
        put(command, &option_common[i]);
}

/* ---- bash ---------------------------------------------------------------------- */

static void put_bash_word(const char *command, const option *row) {
    (void)command;
    if (row->letter != 0)
        printf("-%c ", row->letter);
    printf("%s ", row->name);
}

static void put_bash_valued(const char *command, const option *row) {
    if (row->argument && !is_method(row))
        put_bash_word(command, row);
}

/* Bash takes the = of --name=value for a word. */
static void bash_begin(const option_group *groups, size_t group_count) {
    printf("# Completions of posemill for bash.\n"
           "_posemill() {\n"
           "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
           "    local options='' valued='' commands=\"");
    put_names(&groups[0]);
    printf("\"\n"
           "    COMPREPLY=()\n"
           "    if [ \"$word\" = = ]; then\n"
           "        word=\n"
           "    elif [ \"$before\" = = ]; then\n"
           "        before=\"${COMP_WORDS[COMP_CWORD - 2]}\"\n"
           "    fi\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"$commands ");
    for (size_t g = 1; g < group_count; g++)
        put_names(&groups[g]);
    printf("\" -- \"$word\"))\n"
           "        return\n"
           "    fi\n"
           "    case \"${COMP_WORDS[1]}\" in\n"
           "    help) COMPREPLY=($(compgen -W \"$commands\" -- \"$word\")) ;;\n"
           "    completions) COMPREPLY=($(compgen -W \"" SHELLS "\" -- \"$word\")) ;;\n");
}

static void bash_print(const command_help *help, const option_group *groups, size_t group_count) {
    printf("    %s)\n        options=\"", help->name);
    put_options(help->name, groups, group_count, put_bash_word);
    printf("\"\n        valued=\"");
    put_options(help->name, groups, group_count, put_bash_valued);
    printf("\"\n        ;;\n");
}

/* An empty reply leaves the word to the completion of files. */
static void bash_end(void) {
    printf("    esac\n"
           "    if [ \"$before\" = --method ]; then\n"
           "        COMPREPLY=($(compgen -W \"");
    put_methods();
    printf("\" -- \"$word\"))\n"
           "    elif [[ \" $valued \" != *\" $before \"* && \"$word\" == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
           "    fi\n"
           "}\n"
           "complete -o default -F _posemill posemill\n");
}

/* ---- zsh ----------------------------------------------------------------------- */

static void put_zsh_names(const char *array, const option_group *groups, size_t group_count) {
    printf("    local -a %s=(\n", array);
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++) {
            printf("        '%s:", groups[g].options[i].name);
            put_meaning(HELP_ZSH, groups[g].options[i].help);
            printf("'\n");
        }
    printf("    )\n");
}

static void zsh_begin(const option_group *groups, size_t group_count) {
    printf("#compdef posemill\n"
           "_posemill() {\n"
           "    local command\n");
    put_zsh_names("commands", groups, 1);
    put_zsh_names("others", groups + 1, group_count - 1);
    printf("    if (( CURRENT == 2 )); then\n"
           "        _describe command commands -- others\n"
           "        return\n"
           "    fi\n"
           "    command=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $command in\n"
           "    help) _describe command commands ;;\n"
           "    completions) compadd " SHELLS " ;;\n");
}

static void put_zsh_option(const char *command, const option *row) {
    const char *plus = row->argument ? "+" : "", *equal = row->argument ? "=" : "";
    (void)command;
    printf(" \\\n            ");
    if (row->letter != 0)
        printf("'(-%c %s)'{-%c%s,%s%s}'[", row->letter, row->name, row->letter, plus, row->name,
               equal);
    else
        printf("'%s%s[", row->name, equal);
    put_meaning(HELP_ZSH, row->help);
    printf("]");
    if (row->argument) {
        printf(":");
        put_meaning(HELP_ZSH, row->argument);
        printf(":");
        if (is_method(row)) {
            printf("(");
            put_methods();
            printf(")");
        } else {
            printf("_files");
        }
    }
    printf("'");
}

static void zsh_print(const command_help *help, const option_group *groups, size_t group_count) {
    printf("    %s)\n        _arguments -s", help->name);
    put_options(help->name, groups, group_count, put_zsh_option);
    printf("%s\n        ;;\n", help->takes_operands ? " \\\n            '*:file:_files'" : "");
}

/* ---- fish ---------------------------------------------------------------------- */

static void fish_begin(const option_group *groups, size_t group_count) {
    printf("# Completions of posemill for fish.\n");
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++) {
            const option *row = &groups[g].options[i];
            const bool is_option = row->name[0] == '-';
            printf("complete -c posemill -n __fish_use_subcommand -f -%c %s -d '",
                   is_option ? 'l' : 'a', row->name + (is_option ? 2 : 0));
            put_meaning(HELP_FISH, row->help);
            printf("'\n");
        }
    printf("complete -c posemill -n '__fish_seen_subcommand_from help' -f -a '");
    put_names(&groups[0]);
    printf("'\n"
           "complete -c posemill -n '__fish_seen_subcommand_from completions' -f -a '" SHELLS
           "'\n");
}

static void put_fish_option(const char *command, const option *row) {
    printf("complete -c posemill -n '__fish_seen_subcommand_from %s' -l %s", command,
           row->name + 2);
    if (row->letter != 0)
        printf(" -s %c", row->letter);
    if (is_method(row)) {
        printf(" -x -a '");
        put_methods();
        printf("'");
    } else if (row->argument) {
        printf(" -r");
    }
    printf(" -d '");
    put_meaning(HELP_FISH, row->help);
    printf("'\n");
}

/* ---- shells -------------------------------------------------------------------- */

void completions_begin(help_style shell, const option_group *groups, size_t group_count) {
    if (shell == HELP_BASH)
        bash_begin(groups, group_count);
    else if (shell == HELP_ZSH)
        zsh_begin(groups, group_count);
    else
        fish_begin(groups, group_count);
}

void completions_print(help_style shell, const command_help *help, const option_group *groups,
                       size_t group_count) {
    if (shell == HELP_BASH)
        bash_print(help, groups, group_count);
    else if (shell == HELP_ZSH)
        zsh_print(help, groups, group_count);
    else
        put_options(help->name, groups, group_count, put_fish_option);
}

void completions_end(help_style shell) {
    if (shell == HELP_BASH)
        bash_end();
    else if (shell == HELP_ZSH)
        printf("    esac\n"
               "}\n"
               "_posemill \"$@\"\n");
}
