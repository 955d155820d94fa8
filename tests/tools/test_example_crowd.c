/* SPDX-License-Identifier: MIT
 *
 * Runs the crowd examples as a user does: output, exit codes, and files left after failures. The
 * appearance of the pictures is not tested.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"
#include "support/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGENTS = 40 };

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

static char *printed; /* by the last run */

/* Runs a command line, whose exit code must be this one. What a run on a device prints is shown, because
 * an OpenCL implementation may report errors in it. */
static void run(int code, const char *format, ...) {
    enum { MOST = 1 << 18 };
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(length > 0 && (size_t)length < sizeof line);
    printed = printed ? printed : test_array(MOST, 1);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    const size_t size = fread(printed, 1, MOST - 1, pipe);
    assert_true(size < MOST - 1);
    printed[size] = '\0';
    assert_int_equal(strlen(printed), size);
    const int status = pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code)
        fail_msg("%s: status %d, expected exit code %d: %s", line, status, code, printed);
}

static void expect_printed(const char *words) {
    if (!strstr(printed, words))
        fail_msg("no '%s' in: %s", words, printed);
}

static bool exists(const char *name) {
    struct stat there;
    return stat(name, &there) == 0;
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

TEST_ON_BOTH(the_picture_is_complete_and_shows_every_agent) {
    need_device(state);
    run(0, POSEMILL_CROWD " -n %d -s 0.1 -d '%s' -o picture.svg 2>&1", AGENTS, device_for(state));
    print_message("%s", printed);
    expect_printed(" 3520 joints posed, 40 agents in 4 frames, in ");
    SCOPED(free_at) char *svg = test_folder_read("picture.svg", NULL);
    assert_int_equal(strncmp(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", 52),
                     0);
    assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
    assert_int_equal(count_of(svg, "<g "), count_of(svg, "</g>"));
    assert_int_equal(count_of(svg, "\"") % 2, 0);
    assert_int_equal(trunks(svg), AGENTS);
    expect_whole_numbers(svg);
    assert_false(exists("picture.svg.part"));
}

TEST(stdout_gets_what_a_file_gets) {
    run(0, POSEMILL_CROWD " -n 40 -s 0.1 -d none -o stdout.svg 2>&1");
    SCOPED(free_at) char *svg = test_folder_read("stdout.svg", NULL);
    run(0, POSEMILL_CROWD " -n 40 -s 0.1 -d none 2>/dev/null");
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

TEST_ON_DEVICE(the_device_draws_what_plain_c_draws) {
    const char *size = small_sizes() ? "-n 20 -s 0" : "-n 300 -s 0.5";
    need_device(state);
    run(0, POSEMILL_CROWD " %s -d none -o reference.svg 2>&1", size);
    run(0, POSEMILL_CROWD " %s -d '%s' -o device.svg 2>&1", size, device_for(state));
    print_message("%s", printed);
    SCOPED(free_at) char *expected = test_folder_read("reference.svg", NULL);
    SCOPED(free_at) char *svg = test_folder_read("device.svg", NULL);
    assert_true(look_alike(svg, expected));
    svg[strlen(svg) / 2] = '#';
    assert_false(look_alike(svg, expected));
}

/* What is printed where a run fails, or prints its help, and nothing is drawn. */
TEST(failures_are_reported_and_draw_nothing) {
    static const struct {
        int code;
        const char *line, *words;
    } cases[] = {
        {2, POSEMILL_CROWD " -n", "crowd: -n: expected a value"},
        {2, POSEMILL_CROWD " -n 0", "crowd: -n 0: expected a whole number from 1 to 200000"},
        {2, POSEMILL_CROWD " -n -3", "crowd: -n -3: expected a whole number from 1 to 200000"},
        {2, POSEMILL_CROWD " -n 1.5", "whole number"},
        {2, POSEMILL_CROWD " -n many", "whole number"},
        {2, POSEMILL_CROWD " -n 1e99", "from 1 to 200000"},
        {2, POSEMILL_CROWD " -s -1", "crowd: -s -1: expected a number of seconds from 0 to 600"},
        {2, POSEMILL_CROWD " -s nan", "seconds from 0 to 600"},
        {2, POSEMILL_CROWD " -o", "crowd: -o: expected a value"},
        {2, POSEMILL_CROWD " --colour red", "crowd: --colour: unknown option"},
        {2, POSEMILL_CROWD " picture.svg", "crowd: picture.svg: unknown option"},
        {0, POSEMILL_CROWD " --help", "Example: crowd "},
        {1, POSEMILL_CROWD " -n 2 -d no-such-device", "crowd: "},
        {1, POSEMILL_CROWD " -n 2 -s 0 -d none -o nowhere/picture.svg",
         "crowd: nowhere/picture.svg: No such file"},
        {1, POSEMILL_CROWD " -n 40 -s 0 -d none -o /dev/full", "crowd: /dev/full: No space left"},
        {1, POSEMILL_CROWD " -n 40 -s 0 -d none >/dev/full", "crowd: stdout: No space left"},
#ifdef POSEMILL_CROWD_FRAMES
        {3, POSEMILL_CROWD_FRAMES " -d none", "no OpenCL device"},
        {2, POSEMILL_CROWD_FRAMES " -n", "crowd_frames: -n: expected a value"},
        {2, POSEMILL_CROWD_FRAMES " -n 0",
         "crowd_frames: -n 0: expected a whole number from 1 to 100000"},
        {2, POSEMILL_CROWD_FRAMES " -f 1",
         "crowd_frames: -f 1: expected a whole number from 2 to 100000"},
        {2, POSEMILL_CROWD_FRAMES " -f few", "whole number"},
        {2, POSEMILL_CROWD_FRAMES " -o x", "crowd_frames: -o: unknown option"},
        {2, POSEMILL_CROWD_FRAMES " 7", "crowd_frames: 7: unknown option"},
        {0, POSEMILL_CROWD_FRAMES " --help", "Example: crowd_frames "},
#endif
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        run(cases[i].code, "{ %s; } 2>&1", cases[i].line);
        expect_printed(cases[i].words);
        assert_null(strstr(printed, "<svg"));
        if (cases[i].code == 2)
            expect_printed("usage: crowd");
    }
}

#ifdef POSEMILL_CROWD_FRAMES

TEST_ON_DEVICE(the_frame_loop_agrees_with_plain_c) {
    need_device(state);
    run(0, POSEMILL_CROWD_FRAMES " -n %d -f %d -d '%s' 2>&1", small_sizes() ? 20 : 200,
        small_sizes() ? 3 : 21, device_for(state));
    print_message("%s", printed);
    expect_printed("boxes and motion are within ");
}

#endif

/* They exit with 1 where what they show does not hold. */
TEST_ON_BOTH(what_the_small_programs_show_holds) {
    static const struct {
        const char *line, *words;
    } programs[] = {
        {POSEMILL_PROGRAMS "/crowd_layers", "waving moves head, hand, foot by 0.000 "},
        {POSEMILL_PROGRAMS "/crowd_bounds", "500 instances: 24000 bytes of hands, 16000 of boxes"},
        {POSEMILL_PROGRAMS "/crowd_markers", "6545 steps in an hour of frames"},
    };
    need_device(state);
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        run(0, "%s '%s' 2>&1", programs[i].line, device_for(state));
        print_message("%s", printed);
        expect_printed(programs[i].words);
    }
}

#ifdef POSEMILL_CROWD_FRAMES

TEST_ON_DEVICE(what_the_small_programs_with_kernels_show_holds) {
    need_device(state);
    run(0, POSEMILL_PROGRAMS "/crowd_culling '%s' 2>&1", device_for(state));
    print_message("%s", printed);
    expect_printed("192 of 1000 instances are in view");
    run(0, POSEMILL_PROGRAMS "/crowd_slope '%s' 2>&1", device_for(state));
    print_message("%s", printed);
    expect_printed("feet would be up to 93 mm in the slope or above it");
    run(1, POSEMILL_PROGRAMS "/crowd_culling none 2>&1");
    expect_printed("crowd_culling: no OpenCL device");
}

#endif

static int enter(void **state) {
    setenv("LSAN_OPTIONS", "suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp", 0);
    return test_folder_enter(state);
}

static int leave(void **state) {
    free(printed);
    return test_folder_leave(state) | engines_close(state);
}

TEST_GROUP(enter, leave)
