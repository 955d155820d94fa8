/* SPDX-License-Identifier: MIT
 *
 * A parser of JSON for objects, arrays, integers and ASCII strings. Other values are found here, and
 * jansson reads each: numbers with a point or an exponent, strings with escapes or other characters.
 */
#include "motion/gltf/plain_json.h"

#include <stdbool.h>
#include <string.h>

enum { DEPTH_MAX = 128, KEY_SIZE = 64, DIGITS_MAX = 18 };

typedef struct parser {
    const char *at, *end;
} parser;

/* ---- characters ---------------------------------------------------------------------------- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_plain(char c) {
    const unsigned char byte = (unsigned char)c;
    return byte >= 0x20 && byte < 0x80 && c != '\\' && c != '"';
}

static void skip_spaces(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\n'))
        p->at++;
}

/* Skips spaces, and the character if it is there. */
static bool take(parser *p, char expected) {
    skip_spaces(p);
    const bool found = p->at < p->end && *p->at == expected;
    p->at += found ? 1 : 0;
    return found;
}

/* ---- values -------------------------------------------------------------------------------- */

static json_t *leave_to_jansson(const char *token, const char *end) {
    return json_loadb(token, (size_t)(end - token), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static json_t *read_real(parser *p) {
    const char *token = p->at;
    while (p->at < p->end && (is_digit(*p->at) || memchr("+-.eE", *p->at, 5)))
        p->at++;
    return leave_to_jansson(token, p->at);
}

static json_t *read_number(parser *p) {
    const bool is_negative = *p->at == '-';
    const char *first = p->at + (is_negative ? 1 : 0), *at = first;
    json_int_t number = 0;
    while (at < p->end && is_digit(*at) && at - first < DIGITS_MAX)
        number = 10 * number + (*at++ - '0');
    const bool has_more = at < p->end && (is_digit(*at) || memchr(".eE", *at, 3));
    if (at == first || has_more || (*first == '0' && at - first > 1))
        return read_real(p);
    p->at = at;
    return json_integer(is_negative ? -number : number);
}

static json_t *read_string(parser *p) {
    const char *first = p->at + 1, *at = first;
    while (at < p->end && is_plain(*at))
        at++;
    const bool is_simple = at < p->end && *at == '"';
    while (at < p->end && *at != '"')
        at += *at == '\\' && p->end - at > 1 ? 2 : 1;
    if (at == p->end)
        return NULL;
    p->at = at + 1;
    return is_simple ? json_stringn_nocheck(first, (size_t)(at - first))
                     : leave_to_jansson(first - 1, at + 1);
}

static json_t *read_word(parser *p, const char *word, json_t *value) {
    const size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return NULL;
    p->at += length;
    return value;
}

/* ---- arrays and objects -------------------------------------------------------------------- */

static json_t *read_value(parser *p, unsigned depth);

static json_t *read_array(parser *p, unsigned depth) {
    json_t *array = json_array();
    p->at++;
    if (take(p, ']'))
        return array;
    bool good;
    do
        good = json_array_append_new(array, read_value(p, depth)) == 0;
    while (good && take(p, ','));
    if (good && take(p, ']'))
        return array;
    json_decref(array);
    return NULL;
}

static bool read_key(parser *p, char key[KEY_SIZE]) {
    size_t length = 0;
    if (!take(p, '"'))
        return false;
    while (p->at < p->end && is_plain(*p->at) && length < KEY_SIZE - 1)
        key[length++] = *p->at++;
    key[length] = '\0';
    return p->at < p->end && *p->at++ == '"';
}

static json_t *read_object(parser *p, unsigned depth) {
    char key[KEY_SIZE];
    json_t *object = json_object();
    p->at++;
    if (take(p, '}'))
        return object;
    bool good;
    do
        good = read_key(p, key) && take(p, ':') &&
               json_object_set_new_nocheck(object, key, read_value(p, depth)) == 0;
    while (good && take(p, ','));
    if (good && take(p, '}'))
        return object;
    json_decref(object);
    return NULL;
}

/* The functions of jansson that take a value take NULL too, and fail. */
static json_t *read_value(parser *p, unsigned depth) {
    skip_spaces(p);
    if (p->at == p->end || depth == DEPTH_MAX)
        return NULL;
    switch (*p->at) {
    case '{':
        return read_object(p, depth + 1);
    case '[':
        return read_array(p, depth + 1);
    case '"':
        return read_string(p);
    case 't':
        return read_word(p, "true", json_true());
    case 'f':
        return read_word(p, "false", json_false());
    case 'n':
        return read_word(p, "null", json_null());
    default:
        return *p->at == '-' || is_digit(*p->at) ? read_number(p) : NULL;
    }
}

json_t *plain_json_load(const char *text, size_t size) {
    parser p = {text, text + size};
    skip_spaces(&p);
    if (p.at == p.end || (*p.at != '{' && *p.at != '['))
        return NULL;
    json_t *root = read_value(&p, 0);
    skip_spaces(&p);
    if (p.at == p.end)
        return root;
    json_decref(root);
    return NULL;
}
