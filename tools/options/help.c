/* SPDX-License-Identifier: MIT
 *
 * Help as text, as manual pages and as Markdown. Scripts of completions are in completions.c.
 */
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const help_term environment[] = {
    {"POSEMILL_DEVICE", "default of {device}; the command devices ignores it"},
    {"POSEMILL_CACHE",
     "folder of the cache of built programs; off disables the cache. Default: posemill in "
     "$XDG_CACHE_HOME, else ~/.cache/posemill; with PoCL its own cache"},
    {"POSEMILL_KERNELS", "folder to read kernel sources from, for kernel development"},
    {"POSEMILL_PROGRAMS_ON_CPU",
     "1: the device's programs compute the jobs of CPU devices, not plain C; for measurements"},
    {"OCL_ICD_VENDORS", "folder in which the OpenCL loader finds drivers"},
    {NULL, NULL}};

static const help_term exit_codes[] = {
    {"0", "done"},
    {"1", "some inputs of a batch failed, the others are done; compare: the tolerance is exceeded"},
    {"2", "usage: an unknown option, or missing or contradictory arguments"},
    {"3", "the requested device is not available"},
    {"4",
     "bad input: a file or an array that cannot be used, or is too large for the host's memory"},
    {"5", "the device failed: build, memory, or lost; verify: a bound is missed"},
    {"6", "the output was not written; no incomplete file is left under its name"},
    {NULL, NULL}};

static const help_term other_commands[] = {
    {"help", "print the help of a command or of a topic, and with {all} all options of a command; "
             "with {man} the manual page, with {markdown} the section of the reference; without a "
             "command, all of it. With {commands}, the names of all commands"},
    {"completions", "print a script of completions for a shell: bash, zsh or fish"},
    {NULL, NULL}};

static const help_term program_options[] = {{"-h, --help", "print this help and exit"},
                                            {"--version", "print the version and exit"},
                                            {NULL, NULL}};

const help_term help_topics[] = {{"reading", "how motion files are read"},
                                 {"writing", "how motions are written: axes, units, numbers"},
                                 {"root", "root motion that is made of a joint's motion"},
                                 {"curve", "the curve between keys"},
                                 {"batch", "many files: lists, folders, shards, records, reports"},
                                 {"device", "where is computed"},
                                 {"common", "what every command has"},
                                 {NULL, NULL}};

bool help_find_style(const char *name, help_style *style) {
    static const char *const names[] = {"text", "all", "man", "markdown", "bash", "zsh", "fish"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            *style = (help_style)i;
            return true;
        }
    }
    return false;
}

static const option_row *row_at(size_t index) {
    return index < option_row_count                       ? &option_rows[index]
           : index - option_row_count < command_row_count ? &command_rows[index - option_row_count]
                                                          : NULL;
}

static bool is_of_topic(const option_row *row, const char *topic) {
    return topic ? row->info.topic && strcmp(row->info.topic, topic) == 0 : !row->info.topic;
}

const option_row *help_row(option_verb verb, const char *topic, size_t index) {
    const uint64_t bit = UINT64_C(1) << verb;
    const option_row *row = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; (row = row_at(i)) != NULL; i++)
            if ((row->verbs & bit) != 0 && is_of_topic(row, topic) &&
                (row->verbs == bit) == (pass == 0) && index-- == 0)
                return row;
    return NULL;
}

enum { LEFT = 96, TEXT = 1024 };

/* "-o, --out OUT", "--source-rate, --src-rate HZ". */
static void describe_row(const option_row *row, char left[LEFT]) {
    const int used = row->letter != 0 ? snprintf(left, LEFT, "-%c, ", row->letter) : 0;
    snprintf(left + used, (size_t)(LEFT - used), "--%s%s%s%s%s", row->info.name,
             row->other_name ? ", --" : "", row->other_name ? row->other_name : "",
             row->info.argument ? " " : "", row->info.argument ? row->info.argument : "");
}

/* Called with each row of a verb and a topic, or with each term, as texts. */
typedef void put_entry(const char *left, const char *help);

static void put_row(const option_row *row, put_entry *put) {
    char left[LEFT], text[TEXT];
    describe_row(row, left);
    option_spell(row->info.help, "--", text, sizeof text);
    put(left, text);
}

static void put_rows(option_verb verb, const char *topic, put_entry *put) {
    const option_row *row = NULL;
    for (size_t i = 0; (row = help_row(verb, topic, i)) != NULL; i++)
        put_row(row, put);
}

/* How the parts of a help are printed. `name` is that of a verb, or "" for the program. */
typedef struct style_parts {
    void (*begin)(const char *name, const command *verb);
    void (*section)(const char *title);
    put_entry *entry;
    void (*end)(const command *verb);
} style_parts;

typedef void put_text(const char *text, size_t size);

static void put_plain(const char *text, size_t size) {
    printf("%.*s", (int)size, text);
}

/* A line for each form, which begins with the name of the command. */
static void put_usage(const char *name, const command *verb, put_text *put) {
    for (const char *line = verb->usage; *line != '\0';) {
        const size_t size = strcspn(line, "\n"), blanks = strspn(line, " ");
        printf("posemill %s%s", name, name[0] != '\0' ? " " : "");
        put(line + blanks, size - blanks);
        printf("\n");
        line += size + (line[size] == '\n');
    }
}

/* Prints lines separated by \n, all but the first one indented by `indent` blanks. */
static void print_lines(const char *text, int indent) {
    for (;;) {
        const char *end = strchr(text, '\n');
        if (!end) {
            printf("%s\n", text);
            return;
        }
        printf("%.*s\n%*s", (int)(end - text), text, indent, "");
        text = end + 1;
    }
}

/* Fills lines with words, from column `indent` on. */
static void print_filled(const char *text, int indent) {
    enum { WIDTH = 100 };
    int column = indent;
    for (const char *at = text; *at != '\0';) {
        const int size = (int)strcspn(at, " ");
        if (column > indent && column + 1 + size > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf("%s%.*s", column > indent ? " " : "", size, at);
        at += size + (at[size] == ' ');
    }
    printf("\n");
}

static void text_begin(const char *name, const command *verb) {
    const int indent = name[0] != '\0' ? (int)strlen(name) + 1 : 0;
    printf("Usage: posemill %s%s", name, indent > 0 ? " " : "");
    print_lines(verb->usage, 7 + 9 + indent);
    printf("\n%s\n", verb->summary);
}

static void text_section(const char *title) {
    printf("\n%s:\n", title);
}

static void text_entry(const char *left, const char *help) {
    enum { COLUMN = 26 };
    if (strlen(left) + 2 >= COLUMN - 1)
        printf("  %s\n%*s", left, COLUMN, "");
    else
        printf("  %-*s", COLUMN - 2, left);
    print_filled(help, COLUMN);
}

static void text_end(const command *verb) {
    if (verb->notes)
        printf("\n%s\n", verb->notes);
    printf("\nExample:\n  ");
    print_lines(verb->example, 2);
}

/* A line of roff; a line feed within a paragraph is one in the source. */
static void put_roff(const char *text, size_t size) {
    static const char special[] = "\\-'`^~";
    static const char *const escaped[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    for (size_t i = 0; i < size; i++) {
        const char *at = text[i] != '\0' ? strchr(special, text[i]) : NULL;
        const bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && text[i] == '.')
            printf("\\&.");
        else if (begins && text[i] == '\n')
            printf(".PP\n"); /* an empty line between paragraphs */
        else if (at)
            printf("%s%s", begins && text[i] == '\'' ? "\\&" : "", escaped[at - special]);
        else
            putchar(text[i]);
    }
}

static void put_roff_text(const char *text) {
    put_roff(text, strlen(text));
}

/* Whether a text has columns or indents that a reader needs. */
static bool is_table(const char *text, size_t size) {
    for (size_t i = 0; i + 1 < size; i++) {
        const bool begins = i == 0 || text[i - 1] == '\n';
        if (text[i] == ' ' && (begins || text[i + 1] == ' '))
            return true;
    }
    return false;
}

/* Paragraphs, filled where they are no tables. */
static void man_paragraphs(const char *text, bool is_first) {
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        const size_t size = end ? (size_t)(end - text) : strlen(text);
        const bool table = is_table(text, size);
        printf("%s%s", is_first ? "" : ".PP\n", table ? ".nf\n" : "");
        put_roff(text, size);
        printf("\n%s", table ? ".fi\n" : "");
        is_first = false;
        text += size;
        text += strspn(text, "\n");
    }
}

/* Names are bold, and what stands for a value is italic. */
static void man_entry(const char *left, const char *help) {
    printf(".TP\n\\fB");
    if (left[0] == '-' && left[1] != '-') {
        put_roff(left, 2);
        printf("\\fR, \\fB");
        left += 4;
    }
    const size_t name = strcspn(left, " ");
    put_roff(left, name);
    printf("\\fR");
    if (left[name] == ' ') {
        printf(" \\fI");
        put_roff_text(left + name + 1);
        printf("\\fR");
    }
    printf("\n");
    put_roff_text(help);
    printf("\n");
}

/* The first sentence or clause of the summary, which begins with a verb in the third person. */
static void man_name(const char *name, const command *verb) {
    const char *summary = verb->summary;
    printf(".SH NAME\nposemill%s%s \\- %c", name[0] != '\0' ? "\\-" : "", name,
           tolower((unsigned char)summary[0]));
    for (size_t i = 1, size = strcspn(summary, ".:;"); i < size; i++)
        put_roff(summary[i] == '\n' ? " " : summary + i, 1);
    printf("\n");
}

static void man_begin(const char *name, const command *verb) {
    printf(".\\\" SPDX-License-Identifier: MIT\n.TH POSEMILL");
    for (const char *at = name; *at != '\0'; at++)
        printf("%s%c", at == name ? "\\-" : "", toupper((unsigned char)*at));
    printf(" 1 \"\" \"posemill %s\" \"Posemill manual\"\n", pm_version());
    man_name(name, verb);
    printf(".SH SYNOPSIS\n.nf\n");
    put_usage(name, verb, put_roff);
    printf(".fi\n.SH DESCRIPTION\n");
    man_paragraphs(verb->summary, true);
    if (verb->notes)
        man_paragraphs(verb->notes, false);
}

static void man_section(const char *title) {
    printf(".SH ");
    for (const char *at = title; *at != '\0'; at++)
        putchar(toupper((unsigned char)*at));
    printf("\n");
}

static void man_end(const command *verb) {
    printf(".SH EXAMPLES\n.nf\n");
    put_roff_text(verb->example);
    printf("\n.fi\n.SH SEE ALSO\n");
}

/* A line; what Markdown takes for marks is escaped, but for code between backticks. A bar would end a
 * cell even there. */
static void put_markdown(const char *text, size_t size) {
    bool is_code = false;
    for (size_t i = 0; i < size; i++) {
        is_code ^= text[i] == '`';
        if (text[i] == '|' || (!is_code && text[i] != '\0' && strchr("\\*<[", text[i])))
            putchar('\\');
        putchar(text[i] == '\n' ? ' ' : text[i]);
    }
}

static void markdown_block(const char *language, const char *text, size_t size) {
    printf("\n```%s\n%.*s\n```\n", language, (int)size, text);
}

static void markdown_paragraphs(const char *text) {
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        const size_t size = end ? (size_t)(end - text) : strlen(text);
        if (is_table(text, size)) {
            markdown_block("text", text, size);
        } else {
            printf("\n");
            put_markdown(text, size);
            printf("\n");
        }
        text += size;
        text += strspn(text, "\n");
    }
}

static void markdown_entry(const char *left, const char *help) {
    const char *name = left[0] == '-' && left[1] != '-' ? left + 4 : left;
    printf("| ");
    if (name != left)
        printf("`%.2s`, ", left);
    printf("`%s` | ", name);
    put_markdown(help, strlen(help));
    printf(" |\n");
}

static void markdown_section(const char *title) {
    printf("\n| %s | |\n|---|---|\n", title);
}

static void markdown_begin(const char *name, const command *verb) {
    printf(name[0] != '\0' ? "\n## posemill %s\n" : "# The command posemill%s\n", name);
    markdown_paragraphs(verb->summary);
    printf("\n```text\n");
    put_usage(name, verb, put_plain);
    printf("```\n");
}

static void markdown_end(const command *verb) {
    markdown_paragraphs(verb->notes ? verb->notes : "");
    markdown_block("sh", verb->example, strlen(verb->example));
}

static const style_parts parts_of[] = {
    [HELP_TEXT] = {text_begin, text_section, text_entry, text_end},
    [HELP_ALL] = {text_begin, text_section, text_entry, text_end},
    [HELP_MAN] = {man_begin, man_section, man_entry, man_end},
    [HELP_MARKDOWN] = {markdown_begin, markdown_section, markdown_entry, markdown_end},
};

static void put_terms(const style_parts *parts, const char *title, const help_term *terms) {
    char text[TEXT];
    parts->section(title);
    for (; terms->name; terms++) {
        option_spell(terms->help, "--", text, sizeof text);
        parts->entry(terms->name, text);
    }
}

/* The topics of a verb in one line. */
static void list_topics(help_style style, option_verb verb) {
    const bool links = style == HELP_MARKDOWN;
    const char *between = "";
    printf("\nAlso options of ");
    for (const help_term *topic = help_topics; topic->name; topic++)
        if (help_has_topic(verb, topic->name)) {
            if (links)
                printf("%s[%s](#options-of-%s)", between, topic->name, topic->name);
            else
                printf("%s%s", between, topic->name);
            between = ", ";
        }
    if (links)
        printf(".\n");
    else
        printf("; see: posemill help TOPIC, or posemill %s --help=all\n", option_verb_name(verb));
}

void help_print(help_style style, const command *verb) {
    if (style >= HELP_BASH) {
        completions_print(style, verb);
        return;
    }
    const style_parts *parts = &parts_of[style];
    const bool has_all = style == HELP_ALL || style == HELP_MAN;
    parts->begin(option_verb_name(verb->verb), verb);
    if (help_has_topic(verb->verb, NULL))
        parts->section("Options");
    put_rows(verb->verb, NULL, parts->entry);
    for (const help_term *topic = help_topics; topic->name && has_all; topic++)
        if (help_has_topic(verb->verb, topic->name)) {
            char title[LEFT];
            snprintf(title, sizeof title, "Options of %s", topic->name);
            parts->section(title);
            put_rows(verb->verb, topic->name, parts->entry);
        }
    if (!has_all)
        list_topics(style, verb->verb);
    if (style == HELP_MAN) {
        put_terms(parts, "Exit status", exit_codes);
        put_terms(parts, "Environment", environment);
    }
    parts->end(verb);
    if (style == HELP_MAN)
        printf("\\fBposemill\\fR(1)\n");
}

/* Rows are there once, whichever verbs have them. */
bool help_print_topic(help_style style, const char *topic) {
    const style_parts *parts = &parts_of[style == HELP_MARKDOWN ? style : HELP_TEXT];
    const help_term *found = help_topics;
    const option_row *row = NULL;
    while (found->name && strcmp(found->name, topic) != 0)
        found++;
    if (!found->name)
        return false;
    if (style == HELP_MARKDOWN)
        printf("\n## Options of %s\n\n%c%s.\n", topic, toupper((unsigned char)found->help[0]),
               found->help + 1);
    else
        printf("%c%s. Of the commands:", toupper((unsigned char)found->help[0]), found->help + 1);
    for (int verb = 0; verb < VERB_COUNT && style != HELP_MARKDOWN; verb++)
        if (help_has_topic((option_verb)verb, topic))
            printf(" %s", option_verb_name((option_verb)verb));
    printf("%s", style == HELP_MARKDOWN ? "" : "\n");
    parts->section("Options");
    for (size_t i = 0; (row = row_at(i)) != NULL; i++)
        if (is_of_topic(row, topic))
            put_row(row, parts->entry);
    return true;
}

void help_print_program(help_style style, const command *program, const command *const *verbs) {
    if (style >= HELP_BASH) {
        completions_begin(style, verbs);
        return;
    }
    const style_parts *parts = &parts_of[style];
    parts->begin("", program);
    parts->section("Commands");
    for (size_t i = 0; verbs[i]; i++)
        parts->entry(option_verb_name(verbs[i]->verb), verbs[i]->brief);
    put_terms(parts, "Other commands", other_commands);
    put_terms(parts, "Topics of help", help_topics);
    put_terms(parts, "Options", program_options);
    put_terms(parts, "Environment", environment);
    put_terms(parts, style == HELP_MAN ? "Exit status" : "Exit codes", exit_codes);
    parts->end(program);
    for (size_t i = 0; verbs[i] && style == HELP_MAN; i++)
        printf("\\fBposemill\\-%s\\fR(1)%s\n", option_verb_name(verbs[i]->verb),
               verbs[i + 1] ? "," : "");
}

void help_print_end(help_style style) {
    if (style >= HELP_BASH)
        completions_end(style);
    for (const help_term *topic = help_topics; topic->name && style == HELP_MARKDOWN; topic++)
        (void)help_print_topic(style, topic->name);
}
