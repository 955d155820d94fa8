/* SPDX-License-Identifier: MIT
 *
 * Engines without any OpenCL driver: in a process whose loader finds none.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int without_drivers(void) {
    pm_engine *engine = NULL;
    size_t count = 77;
    pm_device_info info;
    if (pm_list_devices(NULL, 0, &count, new_error()) != PM_ERROR_NO_PLATFORM)
        return 10;
    if (pm_engine_create(&(pm_engine_desc){.device = "cpu"}, &engine, new_error()) !=
        PM_ERROR_NO_PLATFORM)
        return 11;
    if (pm_engine_create(NULL, &engine, new_error()) != PM_OK)
        return 12;
    pm_engine_destroy(&engine);
    if (pm_engine_create(&(pm_engine_desc){.device = "all"}, &engine, new_error()) !=
            PM_ERROR_NO_PLATFORM ||
        pm_engine_create(&(pm_engine_desc){.device = "0,1"}, &engine, new_error()) !=
            PM_ERROR_NO_PLATFORM ||
        pm_engine_create(&(pm_engine_desc){.device = "auto"}, &engine, new_error()) != PM_OK)
        return 14;
    pm_engine_get_info(engine, &info);
    pm_engine_destroy(&engine);
    return info.type == PM_DEVICE_REFERENCE ? 0 : 13;
}

TEST(without_drivers_auto_is_the_reference_and_the_rest_is_refused) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
        unsetenv("LD_PRELOAD"); /* the variable by which Oclgrind replaces the loader */
        setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
        execl("/proc/self/exe", "test_engine", "--without-drivers", (char *)NULL);
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--without-drivers") == 0)
        return without_drivers();
    return test_main(argc, argv);
}
