/* SPDX-License-Identifier: MIT
 *
 * Command-line options from tables. A command lists groups of options, each with the struct that
 * its options fill. This module adds --help, --quiet and --verbose. `--help=man` and the like are the styles of help.h. Accepted forms are
 * "--name value", "--name=value", and for letters "-o value" and "-ovalue"; "--" ends the
 * options.
 */
#ifndef POSEMILL_TOOLS_OPTIONS_H
#define POSEMILL_TOOLS_OPTIONS_H

#include "commands/cli.h"

enum { OPTION_REASON_SIZE = 384 };

/* Parses an argument into a value at `target`. On error returns false and a message in `reason`, a
 * buffer of OPTION_REASON_SIZE bytes. */
typedef bool (*option_parse)(const char *text, void *target, char *reason);

typedef struct option {
    const char *name;     /* "--rate" */
    char letter;          /* 'o' for -o; 0: none */
    const char *argument; /* placeholder in --help. NULL: a flag, a bool that is set to true */
    const char *help;     /* lines separated by \n */
    option_parse parse; /* NULL for a flag; of one whose value may be left out, which is "" then */
    size_t offset;      /* offset of the field in the group's struct, passed to parse */
} option;

/* Those that every command has, which the parser handles itself. */
extern const option option_common[];
enum { OPTION_COMMON_COUNT = 3 };

typedef struct option_group {
    const char *title; /* heading in --help. NULL: continues the previous group */
    const option *options;
    size_t count;
    void *target; /* the struct for `offset` */
} option_group;

typedef struct command_help {
    const char *name;    /* "eval"; "" for the program as a whole */
    const char *usage;   /* text after the name, lines separated by \n */
    const char *summary; /* description, lines separated by \n */
    const char *notes;   /* printed after the options. NULL: none */
    const char *example; /* complete command lines, separated by \n */
    bool takes_operands; /* false: an operand is a usage error */
} command_help;

/* Parses argv[1..]. True: continue, with the operands in argv[0..*argc - 1]. False: the command
 * ends with *code, because help was printed or an error occurred. */
bool options_parse(const command_help *help, const option_group *groups, size_t group_count,
                   int *argc, char **argv, cli_exit *code);

/* cli_fail(CLI_USAGE, ...) with a hint to the --help of the command. */
cli_exit options_usage(const command_help *help, const char *what, const char *reason, ...)
    __attribute__((format(printf, 3, 4)));

/* Parsers for option tables; the type is that of the field. The decimal separator is always '.',
 * because the command never calls setlocale. */
bool value_text(const char *text, void *target, char *reason);     /* const char *, not empty */
bool value_number(const char *text, void *target, char *reason);   /* double, finite */
bool value_size(const char *text, void *target, char *reason);     /* size_t, 0 or more */
bool option_u64(const char *text, void *target, char *reason);      /* uint64_t; 0x... too */
bool value_seconds(const char *text, void *target, char *reason);  /* double > 0; 1001/30000 too */
bool value_time(const char *text, void *target, char *reason);     /* pm_rational >= 0, seconds */
bool option_rational(const char *text, void *target, char *reason); /* pm_rational > 0, exact:
                                                                    60, 29.97, 30000/1001 */

/* uint64_t, a number of frames or samples from 1, for --max-frames. */
bool option_frames(const char *text, void *target, char *reason);
/* Default of --max-frames. A larger result is more likely a wrong rate than intended. */
#define OPTION_MAX_FRAMES UINT64_C(100000000)

/* Finds a word in a list. On error the reason lists all, and names the one that was meant. */
bool value_word(const char *text, const char *const *words, size_t count, size_t *found,
                 char *reason);

/* Parses exactly `count` finite numbers separated by commas. */
bool option_number_list(const char *text, size_t count, double *numbers);

#endif
