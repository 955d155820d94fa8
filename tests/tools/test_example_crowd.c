/* SPDX-License-Identifier: MIT
 *
 * Runs the crowd examples as a user does: output, exit codes, and files left after failures. The
 * appearance of the pictures is not tested.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef POSEMILL_CROWD
#error "POSEMILL_CROWD must name the built example"
#endif

enum { MAX = 1 << 18, AGENTS = 40 };

static char folder[] = "/tmp/posemill-crowd-XXXXXX";

static int open_folder(void **state) {
    (void)state;
    setenv("LSAN_OPTIONS", "suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp", 0);
    return mkdtemp(folder) ? 0 : 1;
}

static int close_folder(void **state) {
    char path[64];
    static const char *const names[] = {"picture.svg", "picture.svg.part", "stdout.svg",
                                        "device.svg", "reference.svg"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
    return engines_close(state);
}

/* Skips without a device, and on devices that cannot compile squad crowds: rusticl of Mesa 22.3
 * takes minutes for each output. */
static void need_device(void **state) {
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info, sizeof(pm_device_info));
    if (strcmp(info.platform, "rusticl") == 0) {
        print_message("# not tested: crowds of squad on rusticl, whose compiler takes minutes\n");
        skip();
    }
}

static void read_all(FILE *file, char text[MAX]) {
    assert_non_null(file);
    const size_t size = fread(text, 1, MAX - 1, file);
    assert_false(ferror(file));
    text[size] = '\0';
    assert_int_equal(strlen(text), size);
}

static void read_file(const char *name, char text[MAX]) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    read_all(file, text);
    fclose(file);
}

static bool exists(const char *name) {
    char path[64];
    struct stat there;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &there) == 0;
}

/* Runs a command line in the folder and returns its exit code and output. The output of runs on a
 * device is printed, because an OpenCL implementation may report errors in it. */
static int run(char printed[MAX], const char *command) {
    char line[2048];
    const int size = snprintf(line, sizeof line, "cd '%s' && { %s; }", folder, command);
    assert_true(size > 0 && (size_t)size < sizeof line);
    FILE *pipe = popen(line, "r");
    read_all(pipe, printed);
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static size_t trunks(const char *svg) {
    return count_of(svg, "class=\"w2\"") + count_of(svg, "class=\"c2\"") +
           count_of(svg, "class=\"r2\"") + count_of(svg, "class=\"u2\"") +
           count_of(svg, "class=\"v2\"");
}

/* Every path consists of commands and integers, so there was no NaN. */
static void expect_whole_numbers(const char *svg) {
    size_t paths = 0;
    for (const char *d = svg; (d = strstr(d, " d=\"")); paths++) {
        d += strlen(" d=\"");
        assert_int_equal(d[0], 'M');
        const size_t size = strspn(d, "Mlaz0123456789 -");
        assert_int_equal(d[size], '"');
        d += size;
    }
    assert_true(paths > 3 * AGENTS);
}

static void the_picture_is_complete_and_shows_every_agent(void **state) {
    static char printed[MAX], svg[MAX];
    char command[512];
    need_device(state);
    snprintf(command, sizeof command, POSEMILL_CROWD " -n %d -s 0.1 -d '%s' -o picture.svg 2>&1",
             AGENTS, device_for(state));
    const int code = run(printed, command);
    print_message("%s", printed);
    assert_int_equal(code, 0);
    assert_non_null(strstr(printed, " 3520 joints posed, 40 agents in 4 frames, in "));
    read_file("picture.svg", svg);
    assert_int_equal(strncmp(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", 52),
                     0);
    assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
    assert_int_equal(count_of(svg, "<g "), count_of(svg, "</g>"));
    assert_int_equal(count_of(svg, "\"") % 2, 0);
    assert_int_equal(trunks(svg), AGENTS);
    expect_whole_numbers(svg);
    assert_false(exists("picture.svg.part"));
}

static void stdout_gets_what_a_file_gets(void **state) {
    (void)state;
    static char printed[MAX], svg[MAX];
    assert_int_equal(run(printed, POSEMILL_CROWD " -n 40 -s 0.1 -d none -o stdout.svg 2>&1"), 0);
    read_file("stdout.svg", svg);
    assert_int_equal(run(printed, POSEMILL_CROWD " -n 40 -s 0.1 -d none 2>/dev/null"), 0);
    assert_string_equal(printed, svg);
}

/* Whether two pictures are equal except for differently rounded numbers: each number is the
 * difference of two values with an error of at most one. */
static bool look_alike(const char *a, const char *b) {
    while (*a && *b) {
        char *end_a = NULL, *end_b = NULL;
        const long x = strtol(a, &end_a, 10), y = strtol(b, &end_b, 10);
        if (end_a == a || end_b == b) {
            if (*a++ != *b++)
                return false;
            continue;
        }
        if (labs(x - y) > 2)
            return false;
        a = end_a;
        b = end_b;
    }
    return *a == *b;
}

static void the_device_draws_what_plain_c_draws(void **state) {
    static char printed[MAX], svg[MAX], expected[MAX];
    char command[512];
    const char *size = small_sizes() ? "-n 20 -s 0" : "-n 300 -s 0.5";
    need_device(state);
    snprintf(command, sizeof command, POSEMILL_CROWD " %s -d none -o reference.svg 2>&1", size);
    assert_int_equal(run(printed, command), 0);
    snprintf(command, sizeof command, POSEMILL_CROWD " %s -d '%s' -o device.svg 2>&1", size,
             device_for(state));
    const int code = run(printed, command);
    print_message("%s", printed);
    assert_int_equal(code, 0);
    read_file("reference.svg", expected);
    read_file("device.svg", svg);
    assert_true(look_alike(svg, expected));
    svg[strlen(svg) / 2] = '#';
    assert_false(look_alike(svg, expected));
}

static void agents_move_over_time(void **state) {
    (void)state;
    static char first[MAX], later[MAX];
    assert_int_equal(run(first, POSEMILL_CROWD " -n 40 -s 0 -d none 2>/dev/null"), 0);
    assert_int_equal(run(later, POSEMILL_CROWD " -n 40 -s 1 -d none 2>/dev/null"), 0);
    assert_int_equal(trunks(later), AGENTS);
    assert_string_not_equal(first, later);
}

/* Command lines and their expected messages. */
typedef struct wrong_arguments {
    const char *line, *reason;
} wrong_arguments;

static void wrong_arguments_are_reported_and_exit_with_2(void **state) {
    (void)state;
    static char printed[MAX];
    static const wrong_arguments wrong[] = {
        {"-n", "crowd: -n: expected a value"},
        {"-n 0", "crowd: -n 0: expected a whole number from 1 to 200000"},
        {"-n -3", "crowd: -n -3: expected a whole number from 1 to 200000"},
        {"-n 1.5", "whole number"},
        {"-n many", "whole number"},
        {"-n 1e99", "from 1 to 200000"},
        {"-s -1", "crowd: -s -1: expected a number of seconds from 0 to 600"},
        {"-s nan", "seconds from 0 to 600"},
        {"-o", "crowd: -o: expected a value"},
        {"--colour red", "crowd: --colour: unknown option"},
        {"picture.svg", "crowd: picture.svg: unknown option"}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        char command[512];
        snprintf(command, sizeof command, POSEMILL_CROWD " %s 2>&1 >stdout.svg", wrong[i].line);
        print_message("crowd %s\n", wrong[i].line);
        assert_int_equal(run(printed, command), 2);
        assert_non_null(strstr(printed, wrong[i].reason));
        assert_non_null(strstr(printed, "usage: crowd "));
        read_file("stdout.svg", printed);
        assert_string_equal(printed, "");
    }
}

static void help_is_printed_and_nothing_else_done(void **state) {
    (void)state;
    static char printed[MAX];
    assert_int_equal(run(printed, POSEMILL_CROWD " --help 2>/dev/null"), 0);
    assert_non_null(strstr(printed, "Example: crowd "));
    assert_null(strstr(printed, "<svg"));
}

static void a_device_that_is_not_there_fails(void **state) {
    (void)state;
    static char printed[MAX];
    assert_int_equal(run(printed, POSEMILL_CROWD " -n 2 -d no-such-device 2>&1 >/dev/null"), 1);
    assert_int_equal(strncmp(printed, "crowd: ", 7), 0);
    assert_true(strlen(printed) > 10);
}

static void a_folder_that_is_not_there_fails(void **state) {
    (void)state;
    static char printed[MAX];
    assert_int_equal(run(printed, POSEMILL_CROWD " -n 2 -s 0 -d none -o nowhere/picture.svg 2>&1"),
                     1);
    assert_non_null(strstr(printed, "crowd: nowhere/picture.svg: No such file"));
}

static void a_full_disk_is_reported(void **state) {
    (void)state;
    static char printed[MAX];
    struct stat there;
    if (stat("/dev/full", &there) != 0)
        skip();
    assert_int_equal(run(printed, POSEMILL_CROWD " -n 40 -s 0 -d none -o /dev/full 2>&1"), 1);
    assert_non_null(strstr(printed, "crowd: /dev/full: No space left"));
    assert_int_equal(run(printed, POSEMILL_CROWD " -n 40 -s 0 -d none 2>&1 >/dev/full"), 1);
    assert_non_null(strstr(printed, "crowd: stdout: No space left"));
}

/* Limits files to four kilobytes, like a disk that becomes full during the write. */
static void a_failed_write_keeps_the_old_picture(void **state) {
    (void)state;
    static char printed[MAX];
    assert_int_equal(run(printed, "echo old >picture.svg"), 0);
    assert_int_equal(run(printed, "trap '' XFSZ; ulimit -f 8; " POSEMILL_CROWD
                                  " -n 100 -s 0 -d none -o picture.svg 2>&1"),
                     1);
    assert_non_null(strstr(printed, "crowd: picture.svg: "));
    assert_false(exists("picture.svg.part"));
    read_file("picture.svg", printed);
    assert_string_equal(printed, "old\n");
}

#ifdef POSEMILL_CROWD_FRAMES

static void the_frame_loop_agrees_with_plain_c(void **state) {
    static char printed[MAX];
    char command[512];
    need_device(state);
    snprintf(command, sizeof command, POSEMILL_CROWD_FRAMES " -n %d -f %d -d '%s' 2>&1",
             small_sizes() ? 20 : 200, small_sizes() ? 3 : 21, device_for(state));
    const int code = run(printed, command);
    print_message("%s", printed);
    assert_int_equal(code, 0);
    assert_non_null(strstr(printed, "boxes and motion are within "));
}

static void the_frame_loop_needs_a_device(void **state) {
    (void)state;
    static char printed[MAX];
    assert_int_equal(run(printed, POSEMILL_CROWD_FRAMES " -d none 2>&1"), 3);
    assert_non_null(strstr(printed, "no OpenCL device"));
}

static void wrong_arguments_of_the_frame_loop_exit_with_2(void **state) {
    (void)state;
    static char printed[MAX];
    static const wrong_arguments wrong[] = {
        {"-n", "crowd_frames: -n: expected a value"},
        {"-n 0", "crowd_frames: -n 0: expected a whole number from 1 to 100000"},
        {"-f 1", "crowd_frames: -f 1: expected a whole number from 2 to 100000"},
        {"-f few", "whole number"},
        {"-o x", "crowd_frames: -o: unknown option"},
        {"7", "crowd_frames: 7: unknown option"}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        char command[512];
        snprintf(command, sizeof command, POSEMILL_CROWD_FRAMES " %s 2>&1", wrong[i].line);
        assert_int_equal(run(printed, command), 2);
        assert_non_null(strstr(printed, wrong[i].reason));
        assert_non_null(strstr(printed, "usage: crowd_frames "));
    }
    assert_int_equal(run(printed, POSEMILL_CROWD_FRAMES " --help"), 0);
    assert_non_null(strstr(printed, "Example: crowd_frames "));
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_BOTH(the_picture_is_complete_and_shows_every_agent),
        cmocka_unit_test(stdout_gets_what_a_file_gets),
        ONLY_ON_DEVICE(the_device_draws_what_plain_c_draws),
        cmocka_unit_test(agents_move_over_time),
        cmocka_unit_test(wrong_arguments_are_reported_and_exit_with_2),
        cmocka_unit_test(help_is_printed_and_nothing_else_done),
        cmocka_unit_test(a_device_that_is_not_there_fails),
        cmocka_unit_test(a_folder_that_is_not_there_fails),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(a_failed_write_keeps_the_old_picture),
#ifdef POSEMILL_CROWD_FRAMES
        ONLY_ON_DEVICE(the_frame_loop_agrees_with_plain_c),
        cmocka_unit_test(the_frame_loop_needs_a_device),
        cmocka_unit_test(wrong_arguments_of_the_frame_loop_exit_with_2),
#endif
    };
    return cmocka_run_group_tests_name("example_crowd", tests, open_folder, close_folder);
}
