/* SPDX-License-Identifier: MIT
 *
 * The posemill command: dispatches to a sub-command and checks that its output was written. The
 * locale is never set, so the decimal separator is '.' everywhere.
 */
#include "commands/cli.h"
#include "commands/commands.h"
#include "motion/base/os.h"
#include "motion/files/atomic_file.h"
#include "motion/options/nearest.h"
#include "options/help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const command *const verbs[] = {&command_devices,
                                       &command_eval,
                                       &command_resample,
                                       &command_convert,
                                       &command_edit,
                                       &command_join,
                                       &command_mirror,
                                       &command_reduce,
                                       &command_run,
                                       &command_compare,
                                       &command_view,
                                       &command_info,
                                       &command_character,
#if POSEMILL_BATCH
                                       &command_list,
                                       &command_merge,
#endif
                                       &command_methods,
                                       &command_verify,
#if !defined(POSEMILL_BENCH) || POSEMILL_BENCH
                                       &command_bench,
#endif
                                       NULL};

static const command program = {
    .usage =
        "COMMAND [OPTIONS]\nCOMMAND --help[=all]\nhelp [--all|--man|--markdown] [COMMAND|TOPIC]\n"
        "help --commands\ncompletions bash|zsh|fish",
    .summary =
        "Resamples motion files and rotation curves, and compares, converts and shows them,\n"
        "on an OpenCL device or on the CPU reference path.",
    .example = "posemill resample walk.bvh -o walk-120.bvh --rate 120 --method squad",
};

static const command *find_command(const char *name) {
    for (const command *const *verb = verbs; *verb; verb++)
        if (strcmp(name, option_verb_name((*verb)->verb)) == 0)
            return *verb;
    return NULL;
}

/* `name` is no command, no topic, or an option in its place. */
static int refuse_name(const char *name, bool is_topic) {
    static const char *const others[] = {"--help", "--version", "help", "completions"};
    nearest meant = {.text = name, .size = strlen(name)};
    char hint[96];
    for (const command *const *verb = verbs; *verb; verb++)
        nearest_try(&meant, option_verb_name((*verb)->verb));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        nearest_try(&meant, others[i]);
    for (const help_term *topic = help_topics; topic->name && is_topic; topic++)
        nearest_try(&meant, topic->name);
    snprintf(hint, sizeof hint, "did you mean %s? see: posemill --help", meant.word);
    return (int)cli_fail(CLI_USAGE, name, meant.word ? hint : "see: posemill --help", "%s",
                         name[0] == '-' ? "unknown option"
                         : is_topic     ? "unknown command or topic"
                                        : "unknown command");
}

static bool asks_for_help(int argc, char **argv) {
    return argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

/* The beginning and the parts of all commands. */
static void print_all(help_style style) {
    help_print_program(style, &program, verbs);
    for (const command *const *verb = verbs; *verb; verb++)
        help_print(style, *verb);
    help_print_end(style);
}

/* posemill help [--all|--man|--markdown] [COMMAND|TOPIC], or --commands for their names, a line each. */
static int run_help(int argc, char **argv) {
    help_style style = HELP_TEXT;
    const bool is_style = argc > 1 && strncmp(argv[1], "--", 2) == 0 &&
                          help_find_style(argv[1] + 2, &style) && style < HELP_BASH;
    const int at = is_style ? 2 : 1;
    const char *name = argc > at && !asks_for_help(argc, argv) ? argv[at] : NULL;
    const command *found = name ? find_command(name) : NULL;
    if (argc == 2 && strcmp(argv[1], "--commands") == 0) {
        for (const command *const *verb = verbs; *verb; verb++)
            puts(option_verb_name((*verb)->verb));
        return CLI_DONE;
    }
    if (found)
        help_print(style, found);
    else if (name)
        return help_print_topic(style, name) ? CLI_DONE : refuse_name(name, true);
    else if (style == HELP_MARKDOWN)
        print_all(style);
    else
        help_print_program(style, &program, verbs);
    return CLI_DONE;
}

static int run_completions(int argc, char **argv) {
    help_style shell;
    if (asks_for_help(argc, argv))
        return run_help(1, argv);
    if (argc != 2 || !help_find_style(argv[1], &shell) || shell < HELP_BASH)
        return (int)cli_fail(CLI_USAGE, "completions", "see: posemill --help",
                             "expected a shell: bash, zsh or fish");
    print_all(shell);
    return CLI_DONE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        const cli_exit code = cli_fail(CLI_USAGE, "command",
                                       "Usage: posemill COMMAND [OPTIONS]; see: posemill --help",
                                       "missing; expected a command");
        fprintf(stderr, "Commands:\n");
        for (const command *const *verb = verbs; *verb; verb++)
            fprintf(stderr, "  %-10s%s\n", option_verb_name((*verb)->verb), (*verb)->brief);
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
    return found ? command_main(found, argc - 1, argv + 1) : refuse_name(name, false);
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
    if (!os_begin_command())
        return (int)cli_fail(CLI_CANNOT_WRITE, "standard streams", NULL, "cannot be opened: %s",
                             strerror(errno));
    const int code = dispatch(argc, argv);
    return code == CLI_DONE ? (int)check_stdout() : code;
}

#if !defined(POSEMILL_PYTHON_MODULE)
int main(int argc, char **argv) {
    if (!os_take_arguments(&argc, &argv))
        return (int)cli_fail(CLI_USAGE, "arguments", NULL, "are no UTF-8, or memory is exhausted");
    return posemill_main(argc, argv);
}
#endif
