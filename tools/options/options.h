/* SPDX-License-Identifier: MIT
 *
 * Command-line options from tables. A command lists groups of options, each group
 * with the struct that its options fill; --help, --quiet and the help text come
 * from here. Both "--name value" and "--name=value" work, "-o value" and "-ovalue"
 * for letters, and "--" ends the options.
 */
#ifndef POSEMILL_TOOLS_OPTIONS_H
#define POSEMILL_TOOLS_OPTIONS_H

#include "commands/cli.h"

enum { OPTION_REASON_SIZE = 384 };

/* Turns an argument into a value at `target`. False with a sentence in `why`, a
 * buffer of OPTION_REASON_SIZE bytes, when it cannot. */
typedef bool (*option_parse)(const char *text, void *target, char *reason);

typedef struct option {
    const char *name;     /* "--rate" */
    char letter;          /* 'o' for -o; 0: none */
    const char *argument; /* what --help calls it. NULL: a flag, a bool set to true */
    const char *help;     /* lines separated by \n */
    option_parse parse;   /* NULL for a flag */
    size_t offset;        /* of the field in the group's struct, given to parse */
} option;

typedef struct option_group {
    const char *title; /* a heading in --help. NULL: goes on with the group before */
    const option *options;
    size_t count;
    void *target; /* the struct that `offset` counts in */
} option_group;

typedef struct command_help {
    const char *name;    /* "eval" */
    const char *usage;   /* what follows the name, lines separated by \n */
    const char *summary; /* paragraphs, lines separated by \n */
    const char *notes;   /* printed below the options. NULL: none */
    const char *example; /* whole command lines, separated by \n */
    bool takes_operands; /* false: an operand is a usage error */
} command_help;

/* Parses argv[1..]. True: go on, with the operands in argv[0..*argc - 1]. False: the
 * command is over with *code, because help was asked for or a failure was printed. */
bool options_parse(const command_help *help, const option_group *groups, size_t group_count,
                   int *argc, char **argv, cli_exit *code);

/* cli_fail(CLI_USAGE, ...) with the command's --help as the cure. */
cli_exit options_usage(const command_help *help, const char *what, const char *reason, ...)
    __attribute__((format(printf, 3, 4)));

/* Parsers for option tables; the type is that of the field. Numbers are decimal, with
 * '.' whatever the locale, because no program of ours calls setlocale. */
bool option_text(const char *text, void *target, char *reason);     /* const char *, not empty */
bool option_number(const char *text, void *target, char *reason);   /* double, finite */
bool option_size(const char *text, void *target, char *reason);     /* size_t, 0 or more */
bool option_u64(const char *text, void *target, char *reason);      /* uint64_t; 0x... too */
bool option_seconds(const char *text, void *target, char *reason);  /* double > 0; 1001/30000 too */
bool option_rational(const char *text, void *target, char *reason); /* pm_rational > 0, exact:
                                                                    60, 29.97, 30000/1001 */

/* uint64_t, a number of frames or samples of 1 or more, for --max-frames. */
bool option_frames(const char *text, void *target, char *reason);
/* What --max-frames is without it: beyond that a rate is more likely wrong than meant. */
#define OPTION_MAX_FRAMES UINT64_C(100000000)

/* Reads exactly `count` finite numbers separated by commas. */
bool option_number_list(const char *text, size_t count, double *numbers);

#endif
