/* SPDX-License-Identifier: MIT
 *
 * Reads the dictionary in a .npy header: its three keys in any order, any blanks, a trailing
 * comma, either kind of quotes. Other Python is not supported: what NumPy never writes for a
 * plain array is rejected.
 */
#include "npy_header.h"

#include <stdio.h>
#include <string.h>

/* The remaining text. */
typedef struct cursor {
    const char *at;
    const char *end;
} cursor;

static void skip_blanks(cursor *text) {
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t' || *text->at == '\n' ||
                                    *text->at == '\r' || *text->at == '\f')) {
        text->at++;
    }
}

/* The next character after blanks; NUL at the end. */
static char peek(cursor *text) {
    skip_blanks(text);
    return text->at < text->end ? *text->at : '\0';
}

static bool take(cursor *text, char wanted) {
    if (text->at >= text->end || peek(text) != wanted) {
        return false;
    }
    text->at++;
    return true;
}

/* A quoted string of printable ASCII without escapes. */
static bool take_string(cursor *text, char *string, size_t size) {
    char quote = peek(text);
    size_t length = 0;
    if (quote != '\'' && quote != '"') {
        return false;
    }
    text->at++;
    while (text->at < text->end && *text->at != quote) {
        char c = *text->at++;
        if (c < 0x20 || c > 0x7e || c == '\\' || length + 1 >= size) {
            return false;
        }
        string[length++] = c;
    }
    string[length] = '\0';
    return take(text, quote);
}

static bool take_word(cursor *text, const char *word) {
    size_t length = strlen(word);
    skip_blanks(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0) {
        return false;
    }
    text->at += length;
    return true;
}

static bool take_bool(cursor *text, bool *value) {
    *value = take_word(text, "True");
    return *value || take_word(text, "False");
}

/* Accepts sizes such as 12L, which Python 2 wrote. */
static bool take_size(cursor *text, size_t *value) {
    size_t digits = 0;
    *value = 0;
    skip_blanks(text);
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++, digits++) {
        size_t digit = (size_t)(*text->at - '0');
        if (*value > (SIZE_MAX - digit) / 10) {
            return false;
        }
        *value = *value * 10 + digit;
    }
    if (digits > 0 && text->at < text->end && *text->at == 'L') {
        text->at++;
    }
    return digits > 0;
}

/* (), (3,), (3, 4), (3, 4,). A single number in parentheses is not a tuple. */
static bool take_shape(cursor *text, npy_header *header) {
    bool comma = true;
    header->rank = 0;
    if (!take(text, '(')) {
        return false;
    }
    while (!take(text, ')')) {
        if (!comma || header->rank == NPY_MAX_RANK ||
            !take_size(text, &header->shape[header->rank])) {
            return false;
        }
        header->rank++;
        comma = take(text, ',');
    }
    return header->rank != 1 || comma;
}

enum { HAS_TYPE = 1, HAS_ORDER = 2, HAS_SHAPE = 4 };

static bool take_type(cursor *text, npy_header *header, char *reason) {
    if (peek(text) == '[') {
        snprintf(reason, NPY_REASON_SIZE, "array has records; expected plain float32 or float64");
        return false;
    }
    return take_string(text, header->type, sizeof header->type);
}

/* Reads one entry and sets its bit in *seen. `reason` already holds the general message. */
static bool take_entry(cursor *text, npy_header *header, unsigned *seen, char *reason) {
    char key[32];
    unsigned bit = 0;
    bool good = false;
    if (!take_string(text, key, sizeof key) || !take(text, ':')) {
        return false;
    }
    if (strcmp(key, "descr") == 0) {
        bit = HAS_TYPE;
        good = take_type(text, header, reason);
    } else if (strcmp(key, "fortran_order") == 0) {
        bit = HAS_ORDER;
        good = take_bool(text, &header->fortran_order);
    } else if (strcmp(key, "shape") == 0) {
        bit = HAS_SHAPE;
        good = take_shape(text, header);
    } else {
        snprintf(reason, NPY_REASON_SIZE, "header has the unknown entry '%s'", key);
        return false;
    }
    good = good && (*seen & bit) == 0;
    *seen |= bit;
    return good;
}

bool npy_header_parse(const char *text, size_t length, npy_header *header, char *reason) {
    cursor rest = {text, text + length};
    unsigned seen = 0;
    bool comma = true;
    memset(header, 0, sizeof *header);
    snprintf(reason, NPY_REASON_SIZE, "header is not a NumPy header");
    if (!take(&rest, '{')) {
        return false;
    }
    while (!take(&rest, '}')) {
        if (!comma || !take_entry(&rest, header, &seen, reason)) {
            return false;
        }
        comma = take(&rest, ',');
    }
    skip_blanks(&rest);
    if (rest.at != rest.end || seen != (HAS_TYPE | HAS_ORDER | HAS_SHAPE)) {
        return false;
    }
    reason[0] = '\0';
    return true;
}
