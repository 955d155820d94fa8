/* SPDX-License-Identifier: MIT
 *
 * Base64 (RFC 4648): an encoder, and a decoder that accepts only what the encoder writes, so that no two
 * texts stand for the same bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The number of bytes that `size` characters decode to; false if there is no such number. */
bool base64_decoded_size(const char *text, size_t size, size_t *decoded);

/* False at a character that is not of the alphabet, or stands in a wrong place; *at is its index.
 * `out` receives base64_decoded_size bytes. */
bool base64_decode(const char *text, size_t size, unsigned char *out, size_t *at);

/* Writes 4 characters for each 3 bytes begun; returns how many. Pieces of a longer text must have a
 * multiple of 3 bytes, except for the last. */
size_t base64_encode(const unsigned char *data, size_t size, char *out);
