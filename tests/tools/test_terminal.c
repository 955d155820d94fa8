/* SPDX-License-Identifier: MIT
 *
 * Tests of the progress note while the library builds programs: it appears only on a terminal.
 * The test opens a pseudo-terminal.
 */
#define _XOPEN_SOURCE 700

#include "support/command.h"
#include "support/engines.h"
#include "support/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef POSEMILL_COMMAND
#error "POSEMILL_COMMAND must name the command to test"
#endif

static char seen[1 << 16]; /* text received by the terminal in the last run */

static int open_terminal(char *name, size_t size) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    snprintf(name, size, "%s", ptsname(master));
    return master;
}

static void become(const char *terminal, const char *line) {
    const int slave = open(terminal, O_RDWR | O_NOCTTY);
    if (slave < 0 || dup2(slave, STDERR_FILENO) < 0)
        _exit(99);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(98);
}

/* read() fails once no process has the terminal open. */
static void read_all(int master) {
    size_t used = 0;
    for (;;) {
        const ssize_t got = read(master, seen + used, sizeof seen - 1 - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    seen[used] = '\0';
}

/* Runs "posemill ARGUMENTS" with stderr on a terminal, or in a file where `redirect` is one. */
static void run_shown(const char *arguments, const char *redirect) {
    char terminal[256], line[2048];
    int status = 0;
    snprintf(line, sizeof line, "exec '%s' %s >report.txt </dev/null %s", POSEMILL_COMMAND,
             arguments, redirect);
    const int master = open_terminal(terminal, sizeof terminal);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become(terminal, line);
    const int keep = open(terminal, O_RDWR | O_NOCTTY); /* open until the child has inherited it */
    assert_int_equal(waitpid(child, &status, 0), child);
    close(keep);
    read_all(master);
    close(master);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != 0)
        fail_msg("exit code %d: %s", WEXITSTATUS(status), seen);
}

static const char *device(void) {
    const char *name = getenv("POSEMILL_TEST_DEVICE");
    return name && name[0] ? name : "auto";
}

/* An eval with an empty cache, which builds all programs, of CPU devices, too. */
static void run_eval(const char *options, const char *redirect) {
    char arguments[1024];
    setenv("POSEMILL_CACHE", "off", 1);
    setenv("POSEMILL_PROGRAMS_ON_CPU", "1", 1);
    snprintf(arguments, sizeof arguments,
             "eval --device '%s' --keys keys.npy --key-rate 30 --rate 120 --method squad "
             "--out out.npy %s",
             device(), options);
    run_shown(arguments, redirect);
}

TEST(on_a_terminal_what_is_built_is_shown_and_cleared) {
    run_eval("", "");
    assert_non_null(strstr(seen, "\rposemill: building "));
    assert_non_null(strstr(seen, "(squad"));
    assert_int_equal(seen[strlen(seen) - 1], '\r'); /* cleared at the end */
    assert_null(strchr(seen, '\n'));                /* one line, rewritten in place */
}

TEST(without_a_terminal_nothing_is_shown) {
    struct {
        const char *options, *redirect;
    } const quiet[] = {{"", "2>stderr.txt"}, {"--quiet", ""}};
    for (size_t i = 0; i < COUNT_OF(quiet); i++) {
        run_eval(quiet[i].options, quiet[i].redirect);
        assert_string_equal(seen, "");
    }
    FILE *file = fopen("stderr.txt", "r");
    assert_non_null(file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

TEST(cached_programs_are_not_shown) {
    char line[256];
    setenv("POSEMILL_CACHE", "cache", 1);
    snprintf(line, sizeof line,
             "eval --device '%s' --keys keys.npy --key-rate 30 --rate 120 --method squad "
             "--out out.npy",
             device());
    run_shown(line, "");
    assert_non_null(strstr(seen, "building "));
    run_shown(line, "");
    assert_string_equal(seen, "");
    assert_int_equal(system("rm -r cache"), 0);
}

TEST(a_check_waits_for_the_programs_that_it_checks) {
    char arguments[1024];
    setenv("POSEMILL_CACHE", "off", 1);
    unsetenv("POSEMILL_PROGRAMS_ON_CPU");
    snprintf(arguments, sizeof arguments,
             "resample '" POSEMILL_SOURCE_DIR "/examples/walk.bvh' -o out.bvh --rate 60 --check "
             "--device '%s'",
             device());
    run_shown(arguments, "");
    assert_non_null(strstr(seen, "posemill: building "));
}

static void write_keys(void) {
    enum { KEYS = 5, TRACKS = 3 };
    const size_t shape[3] = {KEYS, TRACKS, 4};
    float keys[KEYS * TRACKS * 4] = {0};
    for (size_t i = 0; i < (size_t)KEYS * TRACKS; i++) {
        keys[4 * i + i % 3] = 0.6f;
        keys[4 * i + 3] = 0.8f;
    }
    command_put_array("keys.npy", PM_FLOAT32, 3, shape, keys);
}

static int enter_folder(void **state) {
    const int failed = test_folder_enter(state);
    write_keys();
    return failed;
}

TEST_GROUP(enter_folder, test_folder_leave)

int main(int argc, char **argv) {
    const int code = exit_code_without_device();
    return code ? code : test_main(argc, argv);
}
