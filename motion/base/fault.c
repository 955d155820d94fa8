/* SPDX-License-Identifier: MIT
 *
 * Refusals and warnings of the motion library.
 */
#include "motion/base/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "motion/base/printable.h"

static void clear(pm_error *error, pm_status status) {
    *error = (pm_error){.status = status,
                        .track = PM_NO_INDEX,
                        .key = PM_NO_INDEX,
                        .joint = PM_NO_INDEX,
                        .instance = PM_NO_INDEX};
}

pm_status motion_fail(pm_error *error, pm_status status, const char *format, ...) {
    va_list arguments;
    if (!error)
        return status;
    clear(error, status);
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

pm_status motion_refuse(pm_error *error, const char *format, ...) {
    va_list arguments;
    if (!error)
        return PM_ERROR_FILE;
    clear(error, PM_ERROR_FILE);
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return PM_ERROR_FILE;
}

pm_status motion_refuse_memory(pm_error *error) {
    return motion_fail(error, PM_ERROR_MEMORY, "too large for this machine's memory");
}

void motion_warn(const motion_warnings *warnings, const char *format, ...) {
    char text[1024];
    va_list arguments;
    if (!warnings->log)
        return;
    int length = snprintf(text, sizeof text, "%.400s: ", warnings->name);
    if (length < 0)
        return;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    warnings->log(warnings->user, PM_LOG_WARNING, text);
}

const char *motion_printable(char out[MOTION_PRINTABLE], const char *text, size_t size) {
    printable_text(out, MOTION_PRINTABLE, text, size);
    return out;
}
