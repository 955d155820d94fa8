/* SPDX-License-Identifier: MIT
 *
 * A parser of JSON. Strings with escapes or characters beyond ASCII are found here, and jansson reads
 * each. A number that is no plain integer is a string that begins with a byte that UTF-8 does not
 * have, so that it is no string of a document.
 */
#include "motion/gltf/plain_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/text/text.h"

enum { NUMBER_SIZE = 64, DIGITS_MAX = 18 };

static const char number_mark = '\xff';

typedef struct parser {
    const char *text, *at, *end;
    plain_json_fault *fault;
    bool has_fault;
} parser;

static void find_line(const parser *p, const char *at, plain_json_fault *fault) {
    fault->line = fault->column = 1;
    for (const char *c = p->text; c < at; c++) {
        fault->column = *c == '\n' ? 1 : fault->column + 1;
        fault->line += *c == '\n';
    }
}

/* The first fault is kept. what NULL: memory is exhausted. */
static json_t *fail_at(parser *p, const char *at, const char *what) {
    if (p->has_fault)
        return NULL;
    p->has_fault = true;
    find_line(p, at, p->fault);
    (void)snprintf(p->fault->text, sizeof p->fault->text, "%s", what ? what : "");
    return NULL;
}

static json_t *fail(parser *p, const char *expected) {
    return fail_at(p, p->at,
                   p->at == p->end ? "the document ends before it is complete" : expected);
}

static json_t *made(parser *p, json_t *value) {
    return value ? value : fail_at(p, p->at, NULL);
}

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

static const char *skip_digits(const parser *p, const char *at) {
    while (at < p->end && is_digit(*at))
        at++;
    return at;
}

/* The end of a fraction and an exponent, each of which may be missing. NULL: one has no digits. */
static const char *skip_fraction(const parser *p, const char *at) {
    const char *digits = at;
    if (at < p->end && *at == '.') {
        digits = at + 1;
        at = skip_digits(p, digits);
        if (at == digits)
            return NULL;
    }
    if (at == p->end || (*at | 0x20) != 'e')
        return at;
    at++;
    digits = at < p->end && (*at == '+' || *at == '-') ? at + 1 : at;
    at = skip_digits(p, digits);
    return at == digits ? NULL : at;
}

static json_t *keep_number(parser *p, const char *token, size_t size) {
    char small[NUMBER_SIZE], *text = size < sizeof small ? small : malloc(size + 1);
    if (!text)
        return fail_at(p, token, NULL);
    text[0] = number_mark;
    memcpy(text + 1, token, size);
    json_t *value = json_stringn_nocheck(text, size + 1);
    if (text != small)
        free(text);
    return made(p, value);
}

static json_t *read_number(parser *p) {
    const char *token = p->at, *first = token + (*token == '-' ? 1 : 0);
    const char *last = skip_digits(p, first);
    const char *end =
        last > first && (*first != '0' || last == first + 1) ? skip_fraction(p, last) : NULL;
    json_int_t number = 0;
    if (!end)
        return fail_at(p, token, "is no number of JSON");
    p->at = end;
    if (end != last || last - first > DIGITS_MAX || (first > token && *first == '0'))
        return keep_number(p, token, (size_t)(end - token));
    for (const char *at = first; at < last; at++)
        number = 10 * number + (*at - '0');
    return made(p, json_integer(first > token ? -number : number));
}

const char *plain_json_number_text(const json_t *value, size_t *size) {
    const char *text = json_string_value(value);
    if (!text || text[0] != number_mark)
        return NULL;
    *size = json_string_length(value) - 1;
    return text + 1;
}

bool plain_json_is_number(const json_t *value) {
    size_t size = 0;
    return json_is_number(value) || plain_json_number_text(value, &size);
}

bool plain_json_is_string(const json_t *value) {
    return json_is_string(value) && !plain_json_is_number(value);
}

double plain_json_number(const json_t *value) {
    size_t size = 0, commas = 0;
    const char *text = plain_json_number_text(value, &size);
    double number = json_number_value(value);
    if (text)
        (void)text_read_number(text, text + size, &number, &commas);
    return number;
}

/* A string with escapes, or with characters that are not ASCII. */
static json_t *leave_to_jansson(parser *p, const char *token, const char *end) {
    json_error_t error;
    json_t *value =
        json_loadb(token, (size_t)(end - token), JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!value)
        (void)fail_at(p, token,
                      json_error_code(&error) == json_error_out_of_memory ? NULL : error.text);
    return value;
}

static json_t *read_string(parser *p) {
    const char *first = p->at + 1, *at = first;
    while (at < p->end && is_plain(*at))
        at++;
    const bool is_simple = at < p->end && *at == '"';
    while (at < p->end && *at != '"')
        at += *at == '\\' && p->end - at > 1 ? 2 : 1;
    if (at == p->end)
        return fail_at(p, p->at, "the string has no end");
    p->at = at + 1;
    return is_simple ? made(p, json_stringn_nocheck(first, (size_t)(at - first)))
                     : leave_to_jansson(p, first - 1, at + 1);
}

static json_t *read_word(parser *p, const char *word, json_t *value) {
    const size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return fail(p, "expected a value");
    p->at += length;
    return value;
}

static json_t *read_value(parser *p, unsigned depth);

/* The functions of jansson that take a value take NULL too, and fail. */
static json_t *read_array(parser *p, unsigned depth) {
    json_t *array = json_array();
    p->at++;
    if (take(p, ']'))
        return made(p, array);
    bool good;
    do
        good = json_array_append_new(array, read_value(p, depth)) == 0;
    while (good && take(p, ','));
    if (good && take(p, ']'))
        return array;
    (void)(good ? fail(p, "expected , or ]") : made(p, NULL));
    json_decref(array);
    return NULL;
}

static json_t *read_key(parser *p) {
    skip_spaces(p);
    if (p->at == p->end || *p->at != '"')
        return fail(p, "expected the key of a member");
    const char *token = p->at;
    json_t *key = read_string(p);
    if (!key || strlen(json_string_value(key)) == json_string_length(key))
        return key;
    json_decref(key);
    return fail_at(p, token, "the key has a NUL");
}

static bool read_member(parser *p, json_t *object, unsigned depth) {
    json_auto_t *key = read_key(p);
    bool good = key != NULL;
    if (good && !take(p, ':')) {
        (void)fail(p, "expected :");
        good = false;
    }
    good = good &&
           json_object_set_new_nocheck(object, json_string_value(key), read_value(p, depth)) == 0;
    return good;
}

static json_t *read_object(parser *p, unsigned depth) {
    json_t *object = json_object();
    p->at++;
    if (take(p, '}'))
        return made(p, object);
    bool good;
    do
        good = read_member(p, object, depth);
    while (good && take(p, ','));
    if (good && take(p, '}'))
        return object;
    (void)(good ? fail(p, "expected , or }") : made(p, NULL));
    json_decref(object);
    return NULL;
}

static json_t *read_value(parser *p, unsigned depth) {
    skip_spaces(p);
    if (p->at == p->end)
        return fail(p, "expected a value");
    if (depth == PLAIN_JSON_DEPTH && (*p->at == '{' || *p->at == '['))
        return fail(p, "values are nested too deep; expected at most 128 levels");
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
        return *p->at == '-' || is_digit(*p->at) ? read_number(p) : fail(p, "expected a value");
    }
}

json_t *plain_json_load(const char *text, size_t size, plain_json_fault *fault) {
    parser p = {.text = text, .at = text, .end = text + size, .fault = fault};
    skip_spaces(&p);
    if (p.at == p.end || (*p.at != '{' && *p.at != '['))
        return fail(&p, "expected an object");
    json_t *root = read_value(&p, 0);
    skip_spaces(&p);
    if (!root || p.at == p.end)
        return root;
    (void)fail(&p, "text follows the end of the document");
    json_decref(root);
    return NULL;
}
