/* SPDX-License-Identifier: MIT
 *
 * Status names, filling the caller's error struct, and the version.
 */
#define _POSIX_C_SOURCE 200809L

#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

#define PM_TEXT_(x) #x
#define PM_TEXT(x) PM_TEXT_(x)

uint32_t pm_version_number(void) {
    return PM_VERSION;
}

const char *pm_version(void) {
    return PM_TEXT(PM_VERSION_MAJOR) "." PM_TEXT(PM_VERSION_MINOR) "." PM_TEXT(PM_VERSION_PATCH);
}

const char *pm_status_name(pm_status status) {
    static const char *const names[] = {[PM_OK] = "ok",
                                        [PM_ERROR_ARGUMENT] = "argument",
                                        [PM_ERROR_KEY] = "key",
                                        [PM_ERROR_TIME] = "time",
                                        [PM_ERROR_SIZE] = "size",
                                        [PM_ERROR_MEMORY] = "memory",
                                        [PM_ERROR_NO_PLATFORM] = "no platform",
                                        [PM_ERROR_NO_DEVICE] = "no device",
                                        [PM_ERROR_BUILD] = "build",
                                        [PM_ERROR_DEVICE_MEMORY] = "device memory",
                                        [PM_ERROR_FILE] = "file",
                                        [PM_ERROR_OUTPUT] = "output",
                                        [PM_ERROR_CANCELLED] = "cancelled",
                                        [PM_ERROR_DEVICE] = "device"};
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

/* Appends the known indices to a message of `length` characters, such as " (track 3, key 2)". */
static void add_indices(pm_error *error, size_t length) {
    const struct {
        const char *name;
        size_t number;
    } indices[] = {{"track", error->track},
                   {"key", error->key},
                   {"joint", error->joint},
                   {"instance", error->instance}};
    char text[96] = "";
    size_t end = 0;
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        if (indices[i].number != PM_NO_INDEX)
            end += (size_t)snprintf(text + end, sizeof text - end, "%s%s %zu", end ? ", " : " (",
                                    indices[i].name, indices[i].number);
    snprintf(error->message + length, sizeof error->message - length, "%s%s", text, end ? ")" : "");
}

void pm_report(pm_error *error, pm_status status, pm_indices at, const char *format, ...) {
    va_list arguments;
    if (!error)
        return;
    pm_error_clear(error);
    error->status = status;
    error->track = at.track;
    error->key = at.key;
    error->joint = at.joint;
    error->instance = at.instance;
    va_start(arguments, format);
    int length = pm_format(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof error->message)
        add_indices(error, (size_t)length);
}

void pm_prefix_failure(pm_error *error, const char *format, ...) {
    char message[sizeof error->message];
    va_list arguments;
    if (!error)
        return;
    memcpy(message, error->message, sizeof message);
    va_start(arguments, format);
    const int length = pm_format(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    const size_t room = sizeof error->message - 1;
    const size_t before = length < 0 ? 0 : (size_t)length < room ? (size_t)length : room;
    snprintf(error->message + before, sizeof error->message - before, "%s", message);
    error->option_at += before;
}

void pm_report_cl(pm_error *error, pm_status status, int cl_status, const char *what) {
    pm_report(error, status, pm_nowhere, "%s failed with OpenCL error %d", what, cl_status);
    if (error)
        error->cl_status = cl_status;
}

pm_status pm_check_multiple(const char *name, const char *what, uintptr_t value, size_t alignment,
                            pm_error *error) {
    return value % alignment == 0
               ? PM_OK
               : pm_fail(error, PM_ERROR_ARGUMENT, "%s: its %s is not a multiple of %zu", name,
                         what, alignment);
}

void pm_error_clear(pm_error *error) {
    if (!error)
        return;
    error->status = PM_OK;
    error->cl_status = 0;
    error->hint = error->option = error->cure = error->cure_value = NULL;
    error->next = NULL;
    error->option_at = 0;
    error->track = error->key = error->joint = error->instance = PM_NO_INDEX;
    error->message[0] = '\0'; /* clearing the whole array would be measurable in small jobs */
}

bool pm_multiply(size_t a, size_t b, size_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}

pm_status pm_check_allocation(uint64_t max_bytes, const char *what, size_t bytes, pm_error *error) {
    if (max_bytes == 0 || bytes <= max_bytes)
        return PM_OK;
    return pm_fail(error, PM_ERROR_DEVICE_MEMORY,
                   "the %s requires %zu bytes in one piece, the device allows %llu", what, bytes,
                   (unsigned long long)max_bytes);
}
