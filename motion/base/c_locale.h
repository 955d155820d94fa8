/* SPDX-License-Identifier: MIT
 *
 * The C locale for the calling thread. Programs with a graphical interface set the user's locale for
 * the process, and with many of them printf writes 0,5 and strtod stops at the point of 0.5. What
 * this library reads and writes never depends on it.
 */
#pragma once

/* Begins the C locale; returns what c_locale_end takes. A thread that ends soon need not end it. */
void *c_locale_begin(void);

/* Likewise one whose characters are UTF-8, where the system has it; otherwise without effect. */
void *utf8_locale_begin(void);

void c_locale_end(void *before);

/* The C locale from here to the end of the block. */
#define C_LOCALE_HERE                                                                              \
    __attribute__((cleanup(c_locale_leave), unused)) void *const c_locale_before = c_locale_begin()
static inline void c_locale_leave(void *const *before) {
    c_locale_end(*before);
}
