/* SPDX-License-Identifier: MIT
 *
 * Numbers from and to decimal text, the same in every locale and many times faster than the C
 * library. Not a tokeniser: the caller handles the text between numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads one decimal number: sign, digits with a point or with a comma that has a digit on both
 * sides, exponent (`.5`, `5.`, `1e-016`). Correctly rounded for up to 19 significant digits; later
 * digits count as zeros. A number that is too large becomes infinite. *commas is incremented for a
 * decimal comma. Returns the position after the number, NULL if there is none. */
const char *text_read_number(const char *at, const char *end, double *value, size_t *commas);

/* Whether [at, end) is one of the words that programs print for numbers that are not finite: nan,
 * inf, infinity, -nan(ind), 1.#IND, 1.#QNAN, -1.#INF and the like. */
bool text_is_not_finite(const char *at, const char *end);

/* Reads an unsigned integer, saturating at UINT64_MAX. NULL if there is none. */
const char *text_read_integer(const char *at, const char *end, uint64_t *value);

/* Whether arrays and objects of a JSON text are nested more than 64 deep, as no layout, list or record
 * is. A JSON library calls itself for each level, for which the stacks of threads are small. */
bool text_json_is_deep(const char *text, size_t size);

#define TEXT_DECIMALS_MAX 9
#define TEXT_FIXED_SIZE 328 /* more than the longest double, its sign, point and decimals */

/* Writes value with `decimals` decimal places, at most TEXT_DECIMALS_MAX, rounded to nearest. A
 * result of zero has no sign. value must be finite. out must have TEXT_FIXED_SIZE bytes; no NUL is
 * written. A tie within 1e-6 of a last place may be rounded either way. Returns the position after
 * the text. */
char *text_write_fixed(char *out, double value, unsigned decimals);

#define TEXT_FLOAT_SIZE 24

/* Writes the shortest decimal that reads back as the same float32, also when it is read as a double
 * first: 0.1, -0, 1.25e-07. value must be finite. out must have TEXT_FLOAT_SIZE bytes; no NUL is
 * written. Returns the position after the text. */
char *text_write_float(char *out, float value);

/* Writes num/den, both positive, with `digits` significant digits (1 to 18), rounded to nearest,
 * without an exponent. At most 64 bytes including the NUL if the value is between 1e-18 and 1e18.
 * Returns the position of the NUL. */
char *text_write_ratio(char *out, uint64_t num, uint64_t den, unsigned digits);
