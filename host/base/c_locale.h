/* SPDX-License-Identifier: MIT
 *
 * vsnprintf in the C locale, whatever that of the process: 0.5, never 0,5.
 */
#ifndef PM_HOST_C_LOCALE_H
#define PM_HOST_C_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

/* The C locale is a constant of the C library, which takes no memory and is not freed. */
static inline int pm_format(char *text, size_t size, const char *format, va_list arguments) {
    const locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    const int length = vsnprintf(text, size, format, arguments);
    uselocale(before);
    return length;
}

#endif
