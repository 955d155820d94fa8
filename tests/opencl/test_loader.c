/* SPDX-License-Identifier: MIT
 *
 * The loader that is opened at run time (host/opencl/loader.c), which this program links in front
 * of the system's: with a loader, without one, with an old one, and from several threads. A loader
 * is searched once per process, so each case runs in a process of its own.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_cl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/wrapped.h"

enum { THREADS = 8, NO_LOADER = -1001 };

/* ---- what the loader calls ---- */

static const char *missing_library = NULL;  /* a name that dlopen does not find; "": any */
static const char *missing_function = NULL; /* a name that dlsym does not find */
static size_t awaited = 0;                  /* threads that call before dlopen goes on */
static atomic_int opened;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `calling` */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t calling = 0;

WRAPPED(void *, dlopen, const char *name, int mode) {
    if (missing_library && (!*missing_library || strcmp(missing_library, name) == 0))
        return NULL;
    atomic_fetch_add(&opened, 1);
    pthread_mutex_lock(&lock);
    while (calling < awaited)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return __real_dlopen(name, mode);
}

WRAPPED(void *, dlsym, void *library, const char *name) {
    if (missing_function && strcmp(missing_function, name) == 0)
        return NULL;
    return __real_dlsym(library, name);
}

/* ---- the cases, each in a process of its own; 0: as expected ---- */

static int plain_c_serves(void) {
    pm_error error = {.status = PM_OK};
    pm_engine *engine = NULL;
    pm_device_info info;
    size_t count = 77;
    if (pm_list_devices(NULL, 0, &count, &error) != PM_ERROR_NO_PLATFORM)
        return 1;
    if (error.cl_status != NO_LOADER || !strstr(error.message, "no OpenCL driver") || !error.hint ||
        !strstr(error.hint, "ocl-icd-libopencl1"))
        return 2;
    if (pm_engine_create(&(pm_engine_desc){.device = "cpu"}, &engine, &error) !=
        PM_ERROR_NO_PLATFORM)
        return 3;
    if (pm_engine_create(NULL, &engine, &error) != PM_OK)
        return 4;
    pm_engine_get_info(engine, &info);
    pm_engine_destroy(&engine);
    return info.type == PM_DEVICE_REFERENCE ? 0 : 5;
}

static int every_kind_of_call_fails(void) {
    cl_int status = CL_SUCCESS;
    if (clCreateUserEvent(NULL, &status) || status != NO_LOADER || clCreateUserEvent(NULL, NULL))
        return 1;
    status = CL_SUCCESS;
    if (clEnqueueMapBuffer(NULL, NULL, CL_TRUE, 0, 0, 0, 0, NULL, NULL, &status) ||
        status != NO_LOADER)
        return 2;
    return clRetainEvent(NULL) == NO_LOADER && clReleaseEvent(NULL) == NO_LOADER &&
                   clFinish(NULL) == NO_LOADER
               ? 0
               : 3;
}

static int without_loader(void) {
    missing_library = "";
    const int result = plain_c_serves();
    return result ? result : every_kind_of_call_fails();
}

static int without_a_function(void) {
    missing_function = "clEnqueueFillBuffer";
    return plain_c_serves();
}

static int devices_are_listed(void) {
    pm_error error = {.status = PM_OK};
    size_t count = 0;
    return pm_list_devices(NULL, 0, &count, &error) == PM_OK && count > 0 ? 0 : 1;
}

static int second_name(void) {
    missing_library = "libOpenCL.so.1";
    const int result = devices_are_listed();
    return result ? result : atomic_load(&opened) == 1 ? 0 : 2;
}

/* Only the platforms: PoCL 3 crashes when several threads are the first to ask for its devices. */
static void *count_platforms(void *unused) {
    cl_uint count = 0;
    (void)unused;
    pthread_mutex_lock(&lock);
    calling++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return clGetPlatformIDs(0, NULL, &count) == CL_SUCCESS && count > 0 ? &opened : NULL;
}

static int several_threads(void) {
    pthread_t threads[THREADS];
    int failures = 0;
    awaited = THREADS; /* all threads call while the first opens */
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count_platforms, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        failures += result == NULL;
    }
    if (failures > 0)
        return 2;
    return atomic_load(&opened) == 1 ? devices_are_listed() : 3;
}

/* ---- tests ---- */

static const struct {
    const char *name;
    int (*run)(void);
} cases[] = {{"--without-loader", without_loader},
             {"--without-a-function", without_a_function},
             {"--second-name", second_name},
             {"--several-threads", several_threads}};

static void expect_case(const char *name) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* of drivers */
        execl("/proc/self/exe", "test_loader", name, (char *)NULL);
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(without_a_loader_plain_c_serves) {
    expect_case("--without-loader");
}

TEST(a_loader_that_lacks_a_function_is_not_used) {
    expect_case("--without-a-function");
}

static bool is_installed(const char *name) {
    void *library = __real_dlopen(name, RTLD_NOW);
    if (library)
        dlclose(library);
    return library != NULL;
}

TEST(the_second_name_is_tried) {
    if (!is_installed("libOpenCL.so") || devices_are_listed() != 0)
        skip();
    expect_case("--second-name");
}

TEST(threads_share_one_loader) {
    if (devices_are_listed() != 0)
        skip();
    expect_case("--several-threads");
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 2 && i < COUNT_OF(cases); i++)
        if (strcmp(argv[1], cases[i].name) == 0)
            return cases[i].run();
    return test_main(argc, argv);
}
