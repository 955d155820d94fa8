/* SPDX-License-Identifier: MIT
 *
 * The posemill command: dispatches to a sub-command and checks that its output was written. The
 * locale is never set, so the decimal separator is '.' everywhere.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands/cli.h"
#include "commands/commands.h"
#include "motion/files/atomic_file.h"
#include "options/help.h"
#include "motion/options/nearest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"devices", "list OpenCL devices and compare their results with the reference", cmd_devices},
    {"eval", "sample rotation curves: keys and samples in .npy files", cmd_eval},
    {"resample", "convert motion files to another frame rate", cmd_resample},
    {"convert", "convert motion files to another format", cmd_convert},
    {"edit", "cut, repeat, and pick joints of motions", cmd_edit},
    {"join", "join motions one after another", cmd_join},
    {"mirror", "swap left and right", cmd_mirror},
    {"reduce", "drop keys where the curve stays within a bound", cmd_reduce},
    {"compare", "show what a change did to a motion: angles, distances, speeds", cmd_compare},
    {"view", "write a page that shows a motion", cmd_view},
    {"info", "describe motion files, and what is unusual about them", cmd_info},
#if POSEMILL_BATCH
    {"list", "list the motion files of folders and archives, with their sizes", cmd_list},
    {"merge", "report what a batch has done, from its records", cmd_merge},
#endif
    {"methods", "list the interpolation methods and when to use each", cmd_methods},
    {"verify", "check every method on a device against double precision", cmd_verify},
#if !defined(POSEMILL_BENCH) || POSEMILL_BENCH
    {"bench", "measure the throughput of a device and its write ceiling", cmd_bench},
#endif
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void list_commands(FILE *file) {
    fprintf(file, "Commands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(file, "  %-10s%s\n", commands[i].name, commands[i].summary);
}

static const option program_options[] = {
    {"--help", 'h', NULL, "print this help and exit", NULL, 0},
    {"--version", 0, NULL, "print the version and exit", NULL, 0},
};

static const option help_options[] = {
    {"help", 0, NULL,
     "print the help of a command; with --man its manual page, with --markdown its section of the\n"
     "reference; without a command, all of it. With --commands, the names of all commands",
     NULL, 0},
    {"completions", 0, NULL, "print a script of completions for a shell: bash, zsh or fish", NULL,
     0},
};

static const command_help program_help = {
    .name = "",
    .usage =
        "COMMAND [OPTIONS]\nCOMMAND --help\nhelp [--man|--markdown] [COMMAND]\nhelp --commands\ncompletions bash|zsh|fish",
    .summary =
        "Resamples motion files and rotation curves, and compares, converts and shows them,\n"
        "on an OpenCL device or on the CPU reference path.",
    .example = "posemill resample walk.bvh -o walk-120.bvh --rate 120 --method squad",
};

static void print_program(help_style style) {
    option rows[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++)
        rows[i] = (option){.name = commands[i].name, .help = commands[i].summary};
    const option_group groups[] = {
        {"Commands", rows, COMMAND_COUNT, NULL},
        {"Other commands", help_options, sizeof help_options / sizeof help_options[0], NULL},
        {"Options", program_options, sizeof program_options / sizeof program_options[0], NULL},
    };
    help_print_program(style, &program_help, groups, sizeof groups / sizeof groups[0]);
}

static const command *find_command(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

/* `name` is no command, or an option in its place. */
static int refuse_name(const char *name) {
    static const char *const others[] = {"--help", "--version", "help", "completions"};
    nearest meant = {.text = name, .size = strlen(name)};
    char hint[96];
    for (int i = 0; i < COMMAND_COUNT; i++)
        nearest_try(&meant, commands[i].name);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        nearest_try(&meant, others[i]);
    snprintf(hint, sizeof hint, "did you mean %s? see: posemill --help", meant.word);
    return (int)cli_fail(CLI_USAGE, name, meant.word ? hint : "see: posemill --help", "%s",
                         name[0] == '-' ? "unknown option" : "unknown command");
}

static int run_help_of(const command *found, const char *style) {
    char name[16], help[16];
    char *words[] = {name, help, NULL};
    snprintf(name, sizeof name, "%s", found->name);
    snprintf(help, sizeof help, "--help=%s", style);
    return found->run(2, words);
}

static bool asks_for_help(int argc, char **argv) {
    return argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

/* The beginning and the parts of all commands. */
static void print_all(help_style style, const char *name) {
    print_program(style);
    for (int i = 0; i < COMMAND_COUNT; i++)
        run_help_of(&commands[i], name);
    help_print_end(style);
}

/* posemill help [--man|--markdown] [COMMAND], or --commands for their names, a line each. */
static int run_help(int argc, char **argv) {
    const bool is_man = argc > 1 && strcmp(argv[1], "--man") == 0;
    const bool is_markdown = argc > 1 && strcmp(argv[1], "--markdown") == 0;
    const int at = is_man || is_markdown ? 2 : 1;
    const char *name = argc > at && !asks_for_help(argc, argv) ? argv[at] : NULL;
    const command *found = name ? find_command(name) : NULL;
    if (argc == 2 && strcmp(argv[1], "--commands") == 0) {
        for (int i = 0; i < COMMAND_COUNT; i++)
            puts(commands[i].name);
        return CLI_DONE;
    }
    if (found)
        return run_help_of(found, is_man ? "man" : is_markdown ? "markdown" : "text");
    if (name)
        return refuse_name(name);
    if (is_markdown)
        print_all(HELP_MARKDOWN, "markdown");
    else
        print_program(is_man ? HELP_MAN : HELP_TEXT);
    return CLI_DONE;
}

static int run_completions(int argc, char **argv) {
    help_style shell;
    if (asks_for_help(argc, argv))
        return run_help(1, argv);
    if (argc != 2 || !help_find_style(argv[1], &shell) || shell < HELP_BASH)
        return (int)cli_fail(CLI_USAGE, "completions", "see: posemill --help",
                             "expected a shell: bash, zsh or fish");
    print_all(shell, argv[1]);
    return CLI_DONE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        const cli_exit code = cli_fail(CLI_USAGE, "command",
                                       "Usage: posemill COMMAND [OPTIONS]; see: posemill --help",
                                       "missing; expected a command");
        list_commands(stderr);
        return (int)code;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("posemill %s\n", pm_version());
        return CLI_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return run_help(argc - 1, argv + 1);
    if (strcmp(name, "completions") == 0)
        return run_completions(argc - 1, argv + 1);
    const command *found = find_command(name);
    if (!found)
        return refuse_name(name);
    return found->run(argc - 1, argv + 1);
}

/* Opens /dev/null for each standard stream that the caller closed. Otherwise the next file opened,
 * an output, would get the number of the stream, and reports would be written into it. The open
 * mode is the wrong one for the stream, so that reading and writing fail as before. */
static bool occupy_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        int mode = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", mode) != stream)
            return false;
    }
    return true;
}

/* Where a write before the last one failed, its errno is not known any more. */
static cli_exit check_stdout(void) {
    const bool failed_before = ferror(stdout) != 0;
    const int failure = fflush(stdout) != 0 ? errno : 0;
    if (failure != 0)
        return cli_fail(CLI_CANNOT_WRITE, "standard output", NULL, "cannot be written: %s",
                        strerror(failure));
    return failed_before ? cli_fail(CLI_CANNOT_WRITE, "standard output",
                                    "a full disk, or a reader that has ended?",
                                    "cannot be written: a part of it is lost")
                         : CLI_DONE;
}

/* The Python package calls the command by this name, in the process of its script. */
int posemill_main(int argc, char **argv);

int posemill_main(int argc, char **argv) {
    atomic_file_watch_signals();
    if (!occupy_streams())
        return (int)cli_fail(CLI_CANNOT_WRITE, "/dev/null", NULL, "cannot be opened");
    const int code = dispatch(argc, argv);
    return code == CLI_DONE ? (int)check_stdout() : code;
}

#if !defined(POSEMILL_PYTHON_MODULE)
int main(int argc, char **argv) {
    return posemill_main(argc, argv);
}
#endif
