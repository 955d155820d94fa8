/* SPDX-License-Identifier: MIT
 *
 * A font of capitals, digits and signs, 5 by 7 dots each.
 */
#ifndef EXAMPLES_CROWD_WINDOW_FONT_H
#define EXAMPLES_CROWD_WINDOW_FONT_H

#include <stdint.h>

enum { FONT_CHARACTERS = 64 };

/* From the space on, in the order of ASCII: rows 0 to 5, five bits each from bit 0 on, and row 6. The
 * highest of the five bits is the left dot. */
void font_bits(uint32_t bits[FONT_CHARACTERS][2]);

/* The font's number of a character: small letters are shown as capitals, what is missing as a
 * space. */
unsigned font_index(char c);

#endif
