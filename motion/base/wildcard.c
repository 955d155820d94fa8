/* SPDX-License-Identifier: MIT
 *
 * The last * alone is tried again: what matched before it need not.
 */
#include "motion/base/wildcard.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "motion/base/printable.h"

/* The character at *at, which is behind it then. A byte that is not UTF-8 is one. */
static uint32_t next(const char **at) {
    const size_t length = utf8_length(*at, strlen(*at));
    const uint32_t code =
        length > 0 ? utf8_code(*at, length) : UINT32_C(0x110000) + (unsigned char)**at;
    *at += length > 0 ? length : 1;
    return code;
}

static uint32_t next_of_set(const char **at) {
    *at += **at == '\\' && (*at)[1] != '\0';
    return next(at);
}

/* The end of the set that begins at `set`, behind its ]; NULL: it has none, and is a [. */
static const char *match_set(const char *set, uint32_t code, bool *matches) {
    const char *at = set + 1;
    const bool is_other = *at == '!' || *at == '^';
    bool found = false;
    at += is_other;
    for (const char *first = at; *at != ']' || at == first;) {
        if (*at == '\0')
            return NULL;
        const uint32_t low = next_of_set(&at);
        uint32_t high = low;
        if (*at == '-' && at[1] != ']' && at[1] != '\0') {
            at++;
            high = next_of_set(&at);
        }
        found = found || (low <= code && code <= high);
    }
    *matches = found != is_other;
    return at + 1;
}

/* Whether one character of the name, which is not at its end, matches; both are behind it then. */
static bool match_one(const char **pattern, const char **name, bool by_part) {
    const bool is_separator = by_part && **name == '/';
    const char *after;
    const uint32_t code = next(name);
    bool matches = false;
    if (**pattern == '\0')
        return false;
    if (**pattern == '?') {
        ++*pattern;
        return !is_separator;
    }
    if (**pattern == '[' && (after = match_set(*pattern, code, &matches))) {
        *pattern = after;
        return matches && !is_separator;
    }
    return next_of_set(pattern) == code;
}

bool wildcard_matches(const char *pattern, const char *name, bool by_part) {
    const char *again = NULL, *from = NULL; /* behind the last *, and what it has not matched */
    for (;;) {
        if (*pattern == '*') {
            again = ++pattern;
            from = name;
        } else if (*name == '\0' && *pattern == '\0') {
            return true;
        } else if (*name == '\0' || !match_one(&pattern, &name, by_part)) {
            if (!again || *from == '\0' || (by_part && *from == '/'))
                return false;
            next(&from);
            pattern = again;
            name = from;
        }
    }
}
