/* SPDX-License-Identifier: MIT
 *
 * Runs the small programs of crowds as a user does: output and exit codes.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Skips without a device, and on rusticl of Mesa 22.3, which takes minutes for each output. */
static void need_device(void **state) {
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info);
    if (strcmp(info.platform, "rusticl") == 0) {
        print_message("# not tested: crowds on rusticl, whose compiler takes minutes\n");
        skip();
    }
}

static char printed[1 << 14]; /* by the last run */

/* Runs a command line, whose exit code must be this one. What it prints is shown, because an OpenCL
 * implementation may report errors in it. */
static void run(int code, const char *format, ...) {
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(length > 0 && (size_t)length < sizeof line);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    const size_t size = fread(printed, 1, sizeof printed - 1, pipe);
    assert_true(size < sizeof printed - 1);
    printed[size] = '\0';
    assert_int_equal(strlen(printed), size);
    print_message("%s", printed);
    const int status = pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code)
        fail_msg("%s: status %d, expected exit code %d: %s", line, status, code, printed);
}

static void expect_printed(const char *words) {
    if (!strstr(printed, words))
        fail_msg("no '%s' in: %s", words, printed);
}

/* They exit with 1 where what they show does not hold. */
TEST_ON_BOTH(what_the_small_programs_show_holds) {
    static const struct {
        const char *line, *words;
    } programs[] = {
        {POSEMILL_PROGRAMS "/crowd_layers", "waving moves head, hand, foot by 0.000 "},
        {POSEMILL_PROGRAMS "/crowd_markers", "6545 steps in an hour of frames"},
    };
    need_device(state);
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        run(0, "%s '%s' 2>&1", programs[i].line, device_for(state));
        expect_printed(programs[i].words);
    }
}

#if POSEMILL_OPENCL

TEST_ON_DEVICE(what_the_small_programs_with_kernels_show_holds) {
    need_device(state);
    run(0, POSEMILL_PROGRAMS "/crowd_culling '%s' 2>&1", device_for(state));
    expect_printed("192 of 1000 instances are in view");
    run(1, POSEMILL_PROGRAMS "/crowd_culling none 2>&1");
    expect_printed("crowd_culling: no OpenCL device");
}

#endif

TEST_GROUP(NULL, engines_close)

int main(int argc, char **argv) {
    setenv("LSAN_OPTIONS", "suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp", 0);
    return test_main(argc, argv);
}
