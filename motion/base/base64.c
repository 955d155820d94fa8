/* SPDX-License-Identifier: MIT
 *
 * Base64, strictly.
 */
#include "motion/base/base64.h"

#include <stdint.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { NO_DIGIT = 64 };

static void make_digits(unsigned char digits[256]) {
    for (unsigned i = 0; i < 256; i++)
        digits[i] = NO_DIGIT;
    for (unsigned char i = 0; i < 64; i++)
        digits[(unsigned char)alphabet[i]] = i;
}

static size_t padding_of(const char *text, size_t size) {
    if (size < 4 || text[size - 1] != '=')
        return 0;
    return text[size - 2] == '=' ? 2 : 1;
}

bool base64_decoded_size(const char *text, size_t size, size_t *decoded) {
    *decoded = size / 4 * 3 - padding_of(text, size);
    return size % 4 == 0;
}

/* The bits that the padding cuts off must be 0. */
static bool decode_last(const unsigned char *text, size_t padding, const unsigned char *digits,
                        unsigned char *out, size_t *wrong) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 4 - padding; i++) {
        const uint32_t digit = digits[text[i]];
        *wrong = i;
        if (digit == NO_DIGIT)
            return false;
        bits |= digit << (18 - 6 * i);
    }
    for (size_t i = 0; i < 3 - padding; i++)
        out[i] = (unsigned char)(bits >> (16 - 8 * i));
    return (bits & ((UINT32_C(1) << (8 * padding)) - 1)) == 0;
}

bool base64_decode(const char *text, size_t size, unsigned char *out, size_t *at) {
    unsigned char digits[256];
    const unsigned char *in = (const unsigned char *)text;
    const size_t padding = padding_of(text, size), whole = padding ? size / 4 - 1 : size / 4;
    make_digits(digits);
    for (size_t i = 0; i < whole; i++, in += 4, out += 3) {
        const uint32_t a = digits[in[0]], b = digits[in[1]], c = digits[in[2]], d = digits[in[3]];
        if ((a | b | c | d) & NO_DIGIT) {
            *at = 4 * i + (a == NO_DIGIT ? 0u : b == NO_DIGIT ? 1u : c == NO_DIGIT ? 2u : 3u);
            return false;
        }
        const uint32_t bits = a << 18 | b << 12 | c << 6 | d;
        out[0] = (unsigned char)(bits >> 16);
        out[1] = (unsigned char)(bits >> 8);
        out[2] = (unsigned char)bits;
    }
    size_t wrong = 0;
    if (padding == 0 || decode_last(in, padding, digits, out, &wrong))
        return true;
    *at = 4 * whole + wrong;
    return false;
}

size_t base64_encode(const unsigned char *data, size_t size, char *out) {
    char *const begin = out;
    for (size_t i = 0; i < size; i += 3, out += 4) {
        const size_t left = size - i;
        const uint32_t bits = (uint32_t)data[i] << 16 |
                              (uint32_t)(left > 1 ? data[i + 1] : 0) << 8 |
                              (uint32_t)(left > 2 ? data[i + 2] : 0);
        for (unsigned k = 0; k < 4; k++)
            out[k] = alphabet[bits >> (18 - 6 * k) & 63];
        for (size_t k = left; k < 3; k++)
            out[k + 1] = '=';
    }
    return (size_t)(out - begin);
}
