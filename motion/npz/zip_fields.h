/* SPDX-License-Identifier: MIT
 *
 * The records of a ZIP archive: signatures, sizes, and little-endian numbers at any alignment.
 */
#pragma once

#include <stdint.h>

enum {
    ZIP_LOCAL = 0x04034b50,
    ZIP_CENTRAL = 0x02014b50,
    ZIP_AFTER = 0x08074b50, /* the descriptor behind the data */
    ZIP_END = 0x06054b50,
    ZIP_END64 = 0x06064b50,
    ZIP_LOCATOR64 = 0x07064b50,

    ZIP_LOCAL_SIZE = 30,
    ZIP_CENTRAL_SIZE = 46,
    ZIP_END_SIZE = 22,
    ZIP_END64_SIZE = 56,
    ZIP_LOCATOR64_SIZE = 20,

    ZIP_EXTRA64 = 1 /* the extra field with sizes and offsets of 64 bits */
};

static inline uint16_t zip_get16(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t zip_get32(const char *at) {
    return zip_get16(at) | (uint32_t)zip_get16(at + 2) << 16;
}

static inline uint64_t zip_get64(const char *at) {
    return zip_get32(at) | (uint64_t)zip_get32(at + 4) << 32;
}

/* Writes `bytes` bytes. Returns the position after them. */
static inline char *zip_put(char *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        *at++ = (char)(value >> 8 * i & 0xff);
    return at;
}
