/* SPDX-License-Identifier: MIT
 *
 * Integer arithmetic for text.h: decimal scaling with correct rounding, and the digits of doubles
 * too large for 64 bits. Slow and exact; used only by text*.c.
 */
#pragma once

#include <stdint.h>

/* The double nearest mantissa * 10^exponent, ties to even; infinite when too large. */
double text_big_scale(uint64_t mantissa, int exponent);

/* Writes the digits of an integral double of 2^63 or more. Returns the position after them. */
char *text_big_write(char *out, double whole);
