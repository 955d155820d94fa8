/* SPDX-License-Identifier: MIT
 *
 * The options of a verb of the command: those of the table of the motion library, and those that only the
 * command has, in table.c. Accepted forms are "--name value", "--name=value", and for letters "-o value"
 * and "-ovalue"; "--" ends the options.
 */
#pragma once

#include "commands/cli.h"
#include "motion/options/options.h"

/* How an engine is made. `device` and `reference` are options. */
typedef struct device_options {
    const char *device;    /* NULL: POSEMILL_DEVICE, else auto */
    bool reference;        /* use the reference path, whatever the environment specifies */
    bool programs_on_cpu;  /* as in pm_engine_desc */
    uint32_t host_threads; /* of the engine. 0: all processors */
    bool in_background;    /* build programs while the reference path computes */
    pm_clip_building clip_building;
} device_options;

/* What was given. The library's part is in `set`; the rest are options of the command alone. */
typedef struct command_options {
    pm_motion_options *set;
    device_options device;
    char *line;            /* the words of the command line */
    pm_motion_step *steps; /* of run, each with the options behind it */
    pm_motion_options **step_sets;
    size_t step_count;

    const char *out;   /* -o */
    const char *clip;  /* of compare and view */
    const char *shard; /* see shard_find. NULL: all */
    bool json, quiet, verbose;
    int help; /* a help_style, and 1 */

    /* of eval */
    const char *keys, *key_times, *times, *vectors;
    pm_rational key_rate, rate; /* 0/0: not given */
    bool count_given;
    size_t count;
    const char *in_tangents, *out_tangents; /* of cubicspline */
    const char *vectors_in_tangents, *vectors_out_tangents;
    const char *vectors_out, *velocity, *acceleration;
    pm_axis_frame velocity_frame;
    pm_key_format key_format;

    const char *list;    /* of merge */
    bool no_check;       /* of devices */
    uint64_t seed;       /* of verify */
    size_t samples;      /* of verify and bench */
    bool quick;          /* of bench, as the following */
    const char *cases;   /* globs */
    const char *to_json; /* a file */
} command_options;

/* A verb. */
typedef struct command {
    option_verb verb;
    const char *brief;   /* in the list of verbs */
    const char *usage;   /* text after the name, lines separated by \n */
    const char *summary; /* description, lines separated by \n */
    const char *notes;   /* printed after the options. NULL: none */
    const char *example; /* complete command lines, separated by \n */
    bool takes_operands; /* false: an operand is a usage error */
    bool
        takes_steps; /* an operand that is the name of a step is one, and the options behind it are its */
    /* Called with the options and the operands, unless help was asked for or a word was refused. */
    cli_exit (*run)(command_options *options, int count, char **operands);
} command;

/* Parses argv[1..] and runs the verb. Returns its exit code. */
int command_main(const command *verb, int argc, char **argv);

/* Prints why an option or an operand is refused, with a hint to the help of the verb. Returns CLI_USAGE. */
cli_exit options_usage(const command_options *options, const char *what, const char *reason, ...)
    __attribute__((format(printf, 3, 4)));

/* The rows of the command. */
extern const option_row command_rows[];
extern const size_t command_row_count;

/* Maximum number of samples or frames where --max-frames is not given. A larger result is more likely a wrong
 * rate than intended. */
#define OPTION_MAX_FRAMES UINT64_C(100000000)
