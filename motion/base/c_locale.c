/* SPDX-License-Identifier: MIT
 *
 * The C locale is a constant of the C library, which takes no memory and is not freed.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/base/c_locale.h"

#include <locale.h>

void *c_locale_begin(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void c_locale_end(void *before) {
    uselocale(before);
}
