/* SPDX-License-Identifier: MIT
 *
 * The C locale is a constant of the C library, which takes no memory and is not freed.
 */
#include "motion/base/c_locale.h"

#include <locale.h>

void *c_locale_begin(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void c_locale_end(void *before) {
    uselocale(before);
}
