/* SPDX-License-Identifier: MIT
 *
 * The JSON of glTF documents, several times faster to read than with jansson's parser, in which a
 * file with 10000 channels otherwise spends most of the time of opening. Values are jansson's, except
 * for numbers that are no plain integers: these are kept as their text, so that what is carried over
 * is written as it was read, whatever its size and digits.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Functions that visit a document call themselves for each level: this many fit the stack of a thread
 * with 128 kB. */
enum { PLAIN_JSON_DEPTH = 128 };

typedef struct plain_json_fault {
    size_t line, column;               /* from 1 on */
    char text[JSON_ERROR_TEXT_LENGTH]; /* empty: memory is exhausted */
} plain_json_fault;

/* Reads an object or an array. NULL: *fault says why. */
json_t *plain_json_load(const char *text, size_t size, plain_json_fault *fault);

/* Numbers of such a document, and those made by jansson. A number that double cannot hold is
 * infinite. */
bool plain_json_is_number(const json_t *value);
double plain_json_number(const json_t *value);

/* Strings; a number is none. */
bool plain_json_is_string(const json_t *value);

/* The text of a number that is kept as text; NULL for all other values. */
const char *plain_json_number_text(const json_t *value, size_t *size);
