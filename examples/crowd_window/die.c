/* SPDX-License-Identifier: MIT
 *
 * Messages of failures.
 */
#include "die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void die(int code, const char *format, ...) {
    va_list values;
    fputs("crowd_window: ", stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    exit(code);
}

void must(pm_status status, const pm_error *error) {
    if (status != PM_OK)
        die(status == PM_ERROR_NO_DEVICE || status == PM_ERROR_NO_PLATFORM ? EXIT_NO_DEVICE
                                                                           : EXIT_FAILED,
            "%s%s%s", error->message, error->hint ? "\n" : "", error->hint ? error->hint : "");
}

void *zeros(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        die(EXIT_FAILED, "out of memory");
    return memory;
}
