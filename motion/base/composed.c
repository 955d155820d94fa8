/* SPDX-License-Identifier: MIT
 *
 * Streams in memory.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/base/composed.h"

#include <stdarg.h>
#include <stdlib.h>

#include "motion/base/c_locale.h"

char *compose_text(text_printer print, const void *content, size_t *size) {
    char *text = NULL;
    void *locale = c_locale_begin();
    FILE *file = open_memstream(&text, size);
    bool done = file && print(file, content) && ferror(file) == 0;
    done = file && fclose(file) == 0 && done;
    c_locale_end(locale);
    if (done)
        return text;
    free(text);
    return NULL;
}

char *compose_format(const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}
