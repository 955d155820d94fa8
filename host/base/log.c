/* SPDX-License-Identifier: MIT
 *
 * Delivers log messages of any length.
 */
#include "log.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "os.h"

int pm_format(char *text, size_t size, const char *format, va_list arguments) {
    void *before = pm_os_c_locale_begin();
    const int length = vsnprintf(text, size, format, arguments);
    pm_os_c_locale_end(before);
    return length;
}

/* Delivers a message that is longer than `text`, in heap memory. Without memory the message is
 * truncated and ends with a note about it. */
static void log_long(pm_logger logger, pm_log_level level, char *text, size_t size, size_t length,
                     const char *format, va_list arguments) {
    static const char cut[] = " ... (cut: out of memory)";
    char *whole = pm_allocate(&logger.host, length + 1);
    if (whole)
        pm_format(whole, length + 1, format, arguments);
    else
        memcpy(text + size - sizeof cut, cut, sizeof cut);
    logger.log(logger.user, level, whole ? whole : text);
    pm_release(whole);
}

void pm_log(pm_logger logger, pm_log_level level, const char *format, ...) {
    char text[512];
    va_list arguments, again;
    if (!logger.log)
        return;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = pm_format(text, sizeof text, format, arguments);
    if (length >= (int)sizeof text)
        log_long(logger, level, text, sizeof text, (size_t)length, format, again);
    else if (length >= 0)
        logger.log(logger.user, level, text);
    va_end(again);
    va_end(arguments);
}
