/* SPDX-License-Identifier: MIT
 *
 * Help as text, as manual pages and as Markdown. Scripts of completions are in completions.c.
 */
#include "help.h"
#include "completions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const option environment[] = {
    {"POSEMILL_DEVICE", 0, NULL, "default of --device; the command devices ignores it", NULL, 0},
    {"POSEMILL_CACHE", 0, NULL,
     "folder of the cache of built programs; off disables the cache. Default: posemill in\n"
     "$XDG_CACHE_HOME, else ~/.cache/posemill; with PoCL its own cache",
     NULL, 0},
    {"POSEMILL_KERNELS", 0, NULL, "folder to read kernel sources from, for kernel development",
     NULL, 0},
    {"POSEMILL_LAUNCH", 0, NULL,
     "launch configuration in place of the device's default, for measurements: a list\n"
     "such as lanes=8,all_tracks=1,max_run=256",
     NULL, 0},
    {"OCL_ICD_VENDORS", 0, NULL, "folder in which the OpenCL loader finds drivers", NULL, 0},
};

static const option exit_codes[] = {
    {"0", 0, NULL, "done", NULL, 0},
    {"1", 0, NULL,
     "some inputs of a batch failed, the others are done; compare: the tolerance is exceeded", NULL,
     0},
    {"2", 0, NULL, "usage: an unknown option, or missing or contradictory arguments", NULL, 0},
    {"3", 0, NULL, "the requested device is not available", NULL, 0},
    {"4", 0, NULL,
     "bad input: a file or an array that cannot be used, or is too large for the host's memory",
     NULL, 0},
    {"5", 0, NULL, "the device failed: build, memory, or lost; verify: a bound is missed", NULL, 0},
    {"6", 0, NULL, "the output was not written; no incomplete file is left under its name", NULL,
     0},
};

static const option_group common = {"Common options", option_common, OPTION_COMMON_COUNT, NULL};
static const option_group of_program[] = {
    {"Environment", environment, sizeof environment / sizeof environment[0], NULL},
    {"Exit codes", exit_codes, sizeof exit_codes / sizeof exit_codes[0], NULL},
};

bool help_find_style(const char *name, help_style *style) {
    static const char *const names[] = {"text", "man", "markdown", "bash", "zsh", "fish"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            *style = (help_style)i;
            return true;
        }
    }
    return false;
}

/* ---- text ---------------------------------------------------------------------- */

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

static void print_option(const option *row) {
    enum { COLUMN = 26 };
    char left[128];
    int used;
    if (row->letter != 0)
        used = snprintf(left, sizeof left, "  -%c, %s", row->letter, row->name);
    else
        used = snprintf(left, sizeof left, "  %s", row->name);
    if (row->argument && used > 0 && (size_t)used < sizeof left)
        used += snprintf(left + used, sizeof left - (size_t)used, " %s", row->argument);
    if (used >= COLUMN - 1)
        printf("%s\n%*s", left, COLUMN, "");
    else
        printf("%-*s", COLUMN, left);
    print_lines(row->help, COLUMN);
}

static void print_group(const option_group *group) {
    if (group->title)
        printf("\n%s:\n", group->title);
    for (size_t i = 0; i < group->count; i++)
        print_option(&group->options[i]);
}

static void print_text(const command_help *help, const option_group *groups, size_t group_count,
                       const option_group *rest, size_t rest_count) {
    const int indent = help->name[0] != '\0' ? (int)strlen(help->name) + 1 : 0;
    printf("Usage: posemill %s%s", help->name, indent > 0 ? " " : "");
    print_lines(help->usage, 7 + 9 + indent);
    printf("\n%s\n", help->summary);
    for (size_t g = 0; g < group_count; g++)
        print_group(&groups[g]);
    for (size_t g = 0; g < rest_count; g++)
        print_group(&rest[g]);
    if (help->notes)
        printf("\n%s\n", help->notes);
    printf("\nExample:\n  ");
    print_lines(help->example, 2);
}

/* ---- usage --------------------------------------------------------------------- */

typedef void put_text(const char *text, size_t size);

static void put_plain(const char *text, size_t size) {
    printf("%.*s", (int)size, text);
}

/* A line for each form, which begins with the name of the command. */
static void put_usage(const command_help *help, put_text *put) {
    for (const char *line = help->usage; *line != '\0';) {
        const size_t size = strcspn(line, "\n"), blanks = strspn(line, " ");
        printf("posemill %s%s", help->name, help->name[0] != '\0' ? " " : "");
        put(line + blanks, size - blanks);
        printf("\n");
        line += size + (line[size] == '\n');
    }
}

/* ---- manual pages -------------------------------------------------------------- */

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

static void man_lines(const char *section, const char *text) {
    printf(".SH %s\n.nf\n", section);
    put_roff_text(text);
    printf("\n.fi\n");
}

static void man_rows(const option_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        const option *row = &group->options[i];
        printf(".TP\n\\fB");
        if (row->letter != 0)
            printf("\\-%c\\fR, \\fB", row->letter);
        put_roff_text(row->name);
        printf("\\fR");
        if (row->argument) {
            printf(" \\fI");
            put_roff_text(row->argument);
            printf("\\fR");
        }
        printf("\n");
        put_roff_text(row->help);
        printf("\n");
    }
}

static void man_section(const char *title, const option_group *group) {
    printf(".SH ");
    for (const char *at = title; *at != '\0'; at++)
        putchar(toupper((unsigned char)*at));
    printf("\n");
    man_rows(group);
}

/* The first sentence or clause of the summary, which begins with a verb in the third person. */
static void man_name(const command_help *help) {
    const char *summary = help->summary;
    printf(".SH NAME\nposemill%s%s \\- %c", help->name[0] != '\0' ? "\\-" : "", help->name,
           tolower((unsigned char)summary[0]));
    for (size_t i = 1, size = strcspn(summary, ".:;"); i < size; i++)
        put_roff(summary[i] == '\n' ? " " : summary + i, 1);
    printf("\n");
}

static void man_head(const command_help *help) {
    printf(".\\\" SPDX-License-Identifier: MIT\n.TH POSEMILL");
    for (const char *at = help->name; *at != '\0'; at++)
        printf("%s%c", at == help->name ? "\\-" : "", toupper((unsigned char)*at));
    printf(" 1 \"\" \"posemill %s\" \"Posemill manual\"\n", pm_version());
    man_name(help);
    printf(".SH SYNOPSIS\n.nf\n");
    put_usage(help, put_roff);
    printf(".fi\n.SH DESCRIPTION\n");
    man_paragraphs(help->summary, true);
    if (help->notes)
        man_paragraphs(help->notes, false);
}

static void man_tail(const command_help *help) {
    man_section("Exit status", &of_program[1]);
    man_section("Environment", &of_program[0]);
    man_lines("EXAMPLES", help->example);
}

static void print_man(const command_help *help, const option_group *groups, size_t group_count) {
    man_head(help);
    printf(".SH OPTIONS\n");
    for (size_t g = 0; g <= group_count; g++) {
        const option_group *group = g < group_count ? &groups[g] : &common;
        if (group->title)
            printf(".SS %s\n", group->title);
        man_rows(group);
    }
    man_tail(help);
    printf(".SH SEE ALSO\n\\fBposemill\\fR(1)\n");
}

static void print_program_man(const command_help *help, const option_group *groups,
                              size_t group_count) {
    man_head(help);
    for (size_t g = 0; g < group_count; g++)
        man_section(groups[g].title, &groups[g]);
    man_tail(help);
    printf(".SH SEE ALSO\n");
    for (size_t i = 0; i < groups[0].count; i++)
        printf("\\fBposemill\\-%s\\fR(1)%s\n", groups[0].options[i].name,
               i + 1 < groups[0].count ? "," : "");
}

/* ---- Markdown ------------------------------------------------------------------ */

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

static void markdown_group(const option_group *group) {
    if (group->title)
        printf("\n| %s | |\n|---|---|\n", group->title);
    for (size_t i = 0; i < group->count; i++) {
        const option *row = &group->options[i];
        printf("| ");
        if (row->letter != 0)
            printf("`-%c`, ", row->letter);
        printf("`%s%s%s` | ", row->name, row->argument ? " " : "",
               row->argument ? row->argument : "");
        put_markdown(row->help, strlen(row->help));
        printf(" |\n");
    }
}

static void print_markdown(const command_help *help, const option_group *groups,
                           size_t group_count) {
    const bool is_program = help->name[0] == '\0';
    if (is_program)
        printf("# The command posemill\n");
    else
        printf("\n## posemill %s\n", help->name);
    markdown_paragraphs(help->summary);
    printf("\n```text\n");
    put_usage(help, put_plain);
    printf("```\n");
    for (size_t g = 0; g < group_count; g++)
        markdown_group(&groups[g]);
    if (is_program) {
        markdown_group(&common);
        markdown_group(&of_program[0]);
        markdown_group(&of_program[1]);
    }
    markdown_paragraphs(help->notes ? help->notes : "");
    markdown_block("sh", help->example, strlen(help->example));
}

/* ---- styles -------------------------------------------------------------------- */

void help_print(help_style style, const command_help *help, const option_group *groups,
                size_t group_count) {
    if (style == HELP_TEXT)
        print_text(help, groups, group_count, &common, 1);
    else if (style == HELP_MAN)
        print_man(help, groups, group_count);
    else if (style == HELP_MARKDOWN)
        print_markdown(help, groups, group_count);
    else
        completions_print(style, help, groups, group_count);
}

void help_print_program(help_style style, const command_help *help, const option_group *groups,
                        size_t group_count) {
    if (style == HELP_TEXT)
        print_text(help, groups, group_count, of_program, sizeof of_program / sizeof of_program[0]);
    else if (style == HELP_MAN)
        print_program_man(help, groups, group_count);
    else if (style == HELP_MARKDOWN)
        print_markdown(help, groups, group_count);
    else
        completions_begin(style, groups, group_count);
}

void help_print_end(help_style style) {
    if (style >= HELP_BASH)
        completions_end(style);
}
