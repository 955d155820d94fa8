/* SPDX-License-Identifier: MIT
 *
 * posemill, the command: finds the sub-command and checks that what it printed has
 * arrived. The locale is never set, so numbers have a '.' everywhere.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands/cli.h"
#include "commands/commands.h"
#include "files/atomic_file.h"

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
    {"devices", "list OpenCL devices and whether they give the reference's bits", cmd_devices},
    {"eval", "arrays in, arrays out: sample rotation curves of .npy keys", cmd_eval},
    {"resample", "motion files to another frame rate", cmd_resample},
    {"methods", "the interpolation methods and when to choose which", cmd_methods},
    {"tune", "measure how kernels are best laid out on a device, and remember it", cmd_tune},
    {"verify", "check every method on a device against double precision", cmd_verify},
#if !defined(POSEMILL_BENCH) || POSEMILL_BENCH
    {"bench", "measure a device and its ceiling", cmd_bench},
#endif
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_usage(void) {
    printf("Usage: posemill COMMAND [OPTIONS]\n"
           "       posemill COMMAND --help\n\n"
           "Resamples rotation curves, and the positions beside them, on any OpenCL\n"
           "device or on the CPU reference path.\n\nCommands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf("  %-10s%s\n", commands[i].name, commands[i].summary);
    }
    printf("\nOptions:\n"
           "  --help, -h     print this and leave\n"
           "  --version      print the version and leave\n\n"
           "Environment:\n"
           "  POSEMILL_DEVICE   the device where --device is not given\n"
           "  POSEMILL_CACHE    folder for built programs; off: none is kept\n"
           "  POSEMILL_KERNELS  folder to read kernels from, for work on them\n\n"
           "Exit codes: 0 done, 1 some inputs of a batch failed, 2 usage, 3 no device as\n"
           "asked for, 4 bad input, 5 the device failed, 6 could not write the output.\n\n"
           "Example:\n"
           "  posemill resample walk.bvh -o walk-120.bvh --rate 120 --method squad\n");
}

static const command *find_command(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int run_help(int argc, char **argv) {
    static char help[] = "--help";
    const command *found = argc > 1 ? find_command(argv[1]) : NULL;
    if (argc > 1 && found == NULL) {
        return (int)cli_fail(CLI_USAGE, argv[1], "see: posemill --help", "unknown command");
    }
    if (found == NULL) {
        print_usage();
        return CLI_DONE;
    }
    char *words[] = {argv[1], help, NULL};
    return found->run(2, words);
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        return (int)cli_fail(CLI_USAGE, "command",
                             "Usage: posemill COMMAND [OPTIONS]; see: posemill --help",
                             "none was named");
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("posemill %s\n", pm_version());
        return CLI_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        return run_help(argc - 1, argv + 1);
    }
    const command *found = find_command(name);
    if (found == NULL) {
        return (int)cli_fail(CLI_USAGE, name, "see: posemill --help", "%s",
                             name[0] == '-' ? "unknown option" : "unknown command");
    }
    return found->run(argc - 1, argv + 1);
}

/* A stream that was closed by whoever started the command: its number would go to the next file
 * that is opened, an output, and reports would be written into that. Opened the wrong way round,
 * so that reading and writing fail as before. */
static bool occupy_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        int mode = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", mode) != stream) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    atomic_file_watch_signals();
    if (!occupy_streams()) {
        return (int)cli_fail(CLI_CANNOT_WRITE, "/dev/null", NULL, "cannot be opened");
    }
    int code = dispatch(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE) {
        return (int)cli_fail(CLI_CANNOT_WRITE, "standard output", NULL, "cannot be written: %s",
                             strerror(errno));
    }
    return code;
}
