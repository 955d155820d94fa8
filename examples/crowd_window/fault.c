/* SPDX-License-Identifier: MIT
 *
 * Messages of failures.
 */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

pm_status fault(pm_error *error, pm_status status, const char *format, ...) {
    va_list values;
    *error = (pm_error){.status = status};
    va_start(values, format);
    vsnprintf(error->message, sizeof error->message, format, values);
    va_end(values);
    return status;
}

pm_status fault_memory(pm_error *error) {
    return fault(error, PM_ERROR_MEMORY, "out of memory");
}
