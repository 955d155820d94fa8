/* SPDX-License-Identifier: MIT
 *
 * Streams in memory.
 */
#include "motion/base/composed.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"

char *compose_text(text_printer print, const void *content, size_t *size) {
    char *text = NULL;
    C_LOCALE_HERE;
    FILE *file = os_text_begin(&text, size);
    const bool done = file && print(file, content);
    if (file && os_text_end(file, &text, size) && done)
        return text;
    free(text);
    return NULL;
}

char *compose_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_alloc(format, arguments);
    va_end(arguments);
    return text;
}

int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
