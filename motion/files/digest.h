/* SPDX-License-Identifier: MIT
 *
 * Digests of inputs, outputs and options: XXH3 with 128 bits, from the xxHash library.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { DIGEST_TEXT = 33 };

/* Hexadecimal, as `xxh128sum` prints it; "" for none. */
typedef struct digest {
    char text[DIGEST_TEXT];
} digest;

digest digest_of(const void *data, size_t size);

/* For bytes that come in pieces. NULL: memory is exhausted. */
typedef struct digest_state digest_state;
digest_state *digest_begin(void);
void digest_add(digest_state *state, const void *data, size_t size);
/* Adds a file with a digest: both as text. */
void digest_add_result(digest_state *state, const char *name, const digest *result);
digest digest_end(digest_state **state); /* frees it; "" for NULL */

/* Reads a file to its end. False, with errno, if it cannot be read. */
bool digest_of_file(const char *path, digest *result);

bool digest_equal(const digest *a, const digest *b);
