/* SPDX-License-Identifier: MIT
 *
 * Values that are words, or may be, are completed by them; operands of help by verbs and topics, that of
 * completions by the shells; other values and operands by files.
 */
#include "help.h"

#include <stdio.h>
#include <string.h>

#define SHELLS "bash zsh fish"

/* The words of an option with blanks between. Returns false if it has none. */
static bool put_words(const option_row *row) {
    const char *word = NULL;
    for (size_t i = 0; (word = option_word_at(row, i)) != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", word);
    return option_word_at(row, 0) != NULL;
}

/* A value that may be something else than a word. */
static bool is_open(const option_row *row) {
    return row->info.type != PM_OPTION_WORD;
}

static void put_verb_names(const command *const *verbs) {
    for (; *verbs; verbs++)
        printf("%s ", option_verb_name((*verbs)->verb));
}

static void put_topic_names(void) {
    for (const help_term *topic = help_topics; topic->name; topic++)
        printf("%s ", topic->name);
}

/* What an option does, without details: the help up to a semicolon, within single quotes. */
static void put_meaning(help_style shell, const char *help) {
    const size_t size = strcspn(help, ";");
    for (size_t i = 0; i < size; i++) {
        const char c = help[i];
        if (c == '{')
            printf("--");
        else if (c == '\'')
            printf("%s", shell == HELP_FISH ? "\\'" : "'\\''");
        else if (strchr(shell == HELP_ZSH ? "\\[]:" : "\\", c))
            printf("\\%c", c);
        else if (c != '}')
            putchar(c);
    }
}

typedef void put_option(const char *verb, const option_row *row);

/* With each option of a verb. */
static void put_options(option_verb verb, put_option *put) {
    const option_row *row = NULL;
    for (size_t i = 0; (row = help_row(verb, NULL, i)) != NULL; i++)
        put(option_verb_name(verb), row);
    for (const help_term *topic = help_topics; topic->name; topic++)
        for (size_t i = 0; (row = help_row(verb, topic->name, i)) != NULL; i++)
            put(option_verb_name(verb), row);
}

static void put_bash_word(const char *verb, const option_row *row) {
    (void)verb;
    if (row->letter != 0)
        printf("-%c ", row->letter);
    printf("--%s ", row->info.name);
}

static void put_bash_valued(const char *verb, const option_row *row) {
    if (row->info.argument && !option_word_at(row, 0))
        put_bash_word(verb, row);
}

static void put_bash_case(const char *verb, const option_row *row) {
    (void)verb;
    if (!row->info.argument || !option_word_at(row, 0))
        return;
    printf("        --%s) words=\"", row->info.name);
    put_words(row);
    printf("\" ;;\n");
}

/* Bash takes the = of --name=value for a word. */
static void bash_begin(const command *const *verbs) {
    printf("# Completions of posemill for bash.\n"
           "_posemill() {\n"
           "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
           "    local options='' valued='' words='' commands=\"");
    put_verb_names(verbs);
    printf("\"\n"
           "    COMPREPLY=()\n"
           "    if [ \"$word\" = = ]; then\n"
           "        word=\n"
           "    elif [ \"$before\" = = ]; then\n"
           "        before=\"${COMP_WORDS[COMP_CWORD - 2]}\"\n"
           "    fi\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"$commands help completions --help --version\" -- "
           "\"$word\"))\n"
           "        return\n"
           "    fi\n"
           "    case \"${COMP_WORDS[1]}\" in\n"
           "    help) COMPREPLY=($(compgen -W \"$commands ");
    put_topic_names();
    printf("\" -- \"$word\")) ;;\n"
           "    completions) COMPREPLY=($(compgen -W \"" SHELLS "\" -- \"$word\")) ;;\n");
}

static void bash_print(const command *verb) {
    printf("    %s)\n        options=\"", option_verb_name(verb->verb));
    put_options(verb->verb, put_bash_word);
    printf("\"\n        valued=\"");
    put_options(verb->verb, put_bash_valued);
    printf("\"\n        case \"$before\" in\n");
    put_options(verb->verb, put_bash_case);
    printf("        esac\n        ;;\n");
}

/* An empty reply leaves the word to the completion of files. */
static void bash_end(void) {
    printf("    esac\n"
           "    if [ -n \"$words\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "    elif [[ \" $valued \" != *\" $before \"* && \"$word\" == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
           "    fi\n"
           "}\n"
           "complete -o default -F _posemill posemill\n");
}

static void put_zsh_term(const char *name, const char *help) {
    printf("        '%s:", name);
    put_meaning(HELP_ZSH, help);
    printf("'\n");
}

static void zsh_begin(const command *const *verbs) {
    printf("#compdef posemill\n"
           "_posemill() {\n"
           "    local command\n"
           "    local -a commands=(\n");
    for (; *verbs; verbs++)
        put_zsh_term(option_verb_name((*verbs)->verb), (*verbs)->brief);
    printf("    )\n    local -a topics=(\n");
    for (const help_term *topic = help_topics; topic->name; topic++)
        put_zsh_term(topic->name, topic->help);
    printf("    )\n"
           "    local -a others=(help completions --help --version)\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _describe command commands -- others\n"
           "        return\n"
           "    fi\n"
           "    command=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $command in\n"
           "    help) _describe command commands -- topics ;;\n"
           "    completions) compadd " SHELLS " ;;\n");
}

static void put_zsh_value(const option_row *row) {
    const bool has_words = option_word_at(row, 0) != NULL, takes_files = is_open(row) || !has_words;
    printf(":");
    put_meaning(HELP_ZSH, row->info.argument);
    printf(":%s", !has_words ? "_files" : takes_files ? "{compadd -- " : "(");
    put_words(row);
    printf("%s", !has_words ? "" : takes_files ? "; _files}" : ")");
}

static void put_zsh_option(const char *verb, const option_row *row) {
    const char *plus = row->info.argument ? "+" : "", *equal = row->info.argument ? "=" : "";
    (void)verb;
    printf(" \\\n            ");
    if (row->letter != 0)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->info.name, row->letter, plus,
               row->info.name, equal);
    else
        printf("'%s--%s%s[", row->info.repeats ? "*" : "", row->info.name, equal);
    put_meaning(HELP_ZSH, row->info.help);
    printf("]");
    if (row->info.argument)
        put_zsh_value(row);
    printf("'");
}

static void zsh_print(const command *verb) {
    printf("    %s)\n        _arguments -s", option_verb_name(verb->verb));
    put_options(verb->verb, put_zsh_option);
    printf("%s\n        ;;\n", verb->takes_operands ? " \\\n            '*:file:_files'" : "");
}

static void put_fish_first(const char *kind, const char *name, const char *help) {
    printf("complete -c posemill -n __fish_use_subcommand -f -%s %s -d '", kind, name);
    put_meaning(HELP_FISH, help);
    printf("'\n");
}

static void fish_begin(const command *const *verbs) {
    printf("# Completions of posemill for fish.\n");
    for (size_t i = 0; verbs[i]; i++)
        put_fish_first("a", option_verb_name(verbs[i]->verb), verbs[i]->brief);
    put_fish_first("a", "help", "print the help of a command or of a topic");
    put_fish_first("a", "completions", "print a script of completions for a shell");
    put_fish_first("l", "help", "print this help and exit");
    put_fish_first("l", "version", "print the version and exit");
    printf("complete -c posemill -n '__fish_seen_subcommand_from help' -f -a '");
    put_verb_names(verbs);
    put_topic_names();
    printf("'\n"
           "complete -c posemill -n '__fish_seen_subcommand_from completions' -f -a '" SHELLS
           "'\n");
}

static void put_fish_option(const char *verb, const option_row *row) {
    printf("complete -c posemill -n '__fish_seen_subcommand_from %s' -l %s", verb, row->info.name);
    if (row->letter != 0)
        printf(" -s %c", row->letter);
    if (row->info.argument)
        printf(" %s", option_word_at(row, 0) && !is_open(row) ? "-x" : "-r");
    if (row->info.argument && option_word_at(row, 0)) {
        printf(" -a '");
        put_words(row);
        printf("'");
    }
    printf(" -d '");
    put_meaning(HELP_FISH, row->info.help);
    printf("'\n");
}

void completions_begin(help_style shell, const command *const *verbs) {
    if (shell == HELP_BASH)
        bash_begin(verbs);
    else if (shell == HELP_ZSH)
        zsh_begin(verbs);
    else
        fish_begin(verbs);
}

void completions_print(help_style shell, const command *verb) {
    if (shell == HELP_BASH)
        bash_print(verb);
    else if (shell == HELP_ZSH)
        zsh_print(verb);
    else
        put_options(verb->verb, put_fish_option);
}

void completions_end(help_style shell) {
    if (shell == HELP_BASH)
        bash_end();
    else if (shell == HELP_ZSH)
        printf("    esac\n"
               "}\n"
               "_posemill \"$@\"\n");
}
