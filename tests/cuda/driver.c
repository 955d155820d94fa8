/* SPDX-License-Identifier: MIT
 *
 * Opening NVIDIA's driver library and its first device.
 */
#define _POSIX_C_SOURCE 200809L /* dlfcn.h */

#include "driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cuda_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("cuda_check: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

bool cuda_done(const cuda_driver *driver, const char *call, cuda_result result) {
    const char *name = NULL;
    if (result == 0)
        return true;
    if (!driver->error_name || driver->error_name(result, &name) != 0 || !name)
        name = "an error without a name";
    cuda_say("%s: %s (%d)", call, name, result);
    return false;
}

/* C has no conversion of a data pointer to a function pointer; POSIX gives both one size. */
static bool find(cuda_driver *driver, const char *symbol, void *function, size_t size) {
    void *found = dlsym(driver->library, symbol);
    if (!found)
        cuda_say("the driver library has no %s", symbol);
    memcpy(function, &found, size);
    return found != NULL;
}

static bool find_calls(cuda_driver *driver) {
    bool all = true;
#define CUDA_FIND(name, symbol, parameters)                                                        \
    all = find(driver, #symbol, &driver->name, sizeof driver->name) && all;
    CUDA_CALLS(CUDA_FIND)
#undef CUDA_FIND
    return all;
}

static bool describe(cuda_driver *d, int device) {
    return cuda_done(d, "cuDriverGetVersion", d->driver_version(&d->version)) &&
           cuda_done(d, "cuDeviceGetName",
                     d->device_name(d->device, (int)sizeof d->device, device)) &&
           cuda_done(d, "cuDeviceGetAttribute",
                     d->device_attribute(&d->capability_major, CUDA_CAPABILITY_MAJOR, device)) &&
           cuda_done(d, "cuDeviceGetAttribute",
                     d->device_attribute(&d->capability_minor, CUDA_CAPABILITY_MINOR, device));
}

/* cuInit's results where the library is installed and there is no device, or no kernel module. */
enum { NO_DEVICE = 100, NO_DRIVER = 35, STUB_LIBRARY = 34 };

cuda_opened cuda_open(cuda_driver *d, const char *library) {
    int count = 0, device = 0;
    *d = (cuda_driver){.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
    if (!d->library) {
        cuda_say("no CUDA driver: %s", dlerror());
        return CUDA_ABSENT;
    }
    if (!find_calls(d))
        return CUDA_FAILED;
    const cuda_result begun = d->init(0);
    if (!cuda_done(d, "cuInit", begun))
        return begun == NO_DEVICE || begun == NO_DRIVER || begun == STUB_LIBRARY ? CUDA_ABSENT
                                                                                 : CUDA_FAILED;
    if (!cuda_done(d, "cuDeviceGetCount", d->device_count(&count)))
        return CUDA_FAILED;
    if (count == 0) {
        cuda_say("the CUDA driver has no device");
        return CUDA_ABSENT;
    }
    const bool opened = cuda_done(d, "cuDeviceGet", d->device_get(&device, 0)) &&
                        describe(d, device) &&
                        cuda_done(d, "cuCtxCreate", d->context_create(&d->context, 0, device));
    return opened ? CUDA_OPENED : CUDA_FAILED;
}

void cuda_close(cuda_driver *d) {
    if (d->context)
        (void)cuda_done(d, "cuCtxDestroy", d->context_destroy(d->context));
    if (d->library)
        dlclose(d->library);
    *d = (cuda_driver){.library = NULL};
}
