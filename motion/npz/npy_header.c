/* SPDX-License-Identifier: MIT
 *
 * Reads .npy headers: the magic bytes, version and length, and the dictionary with its three keys
 * in any order, any blanks, a trailing comma, either kind of quotes. Other Python is not supported:
 * what NumPy never writes for a plain array is rejected.
 */
#include "motion/npz/npy_header.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

bool npy_has_magic(const char *bytes, size_t size) {
    return memcmp(bytes, magic, size < sizeof magic ? size : sizeof magic) == 0;
}

/* The remaining text. */
typedef struct cursor {
    const char *at;
    const char *end;
} cursor;

static void skip_blanks(cursor *text) {
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t' || *text->at == '\n' ||
                                    *text->at == '\r' || *text->at == '\f'))
        text->at++;
}

/* The next character after blanks; NUL at the end. */
static char peek(cursor *text) {
    skip_blanks(text);
    return text->at < text->end ? *text->at : '\0';
}

static bool take(cursor *text, char wanted) {
    if (text->at >= text->end || peek(text) != wanted)
        return false;
    text->at++;
    return true;
}

/* A quoted string of printable ASCII without escapes. */
static bool take_string(cursor *text, char *string, size_t size) {
    char quote = peek(text);
    size_t length = 0;
    if (quote != '\'' && quote != '"')
        return false;
    text->at++;
    while (text->at < text->end && *text->at != quote) {
        char c = *text->at++;
        if (c < 0x20 || c > 0x7e || c == '\\' || length + 1 >= size)
            return false;
        string[length++] = c;
    }
    string[length] = '\0';
    return take(text, quote);
}

static bool take_word(cursor *text, const char *word) {
    size_t length = strlen(word);
    skip_blanks(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
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
        if (*value > (SIZE_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    if (digits > 0 && text->at < text->end && *text->at == 'L')
        text->at++;
    return digits > 0;
}

/* (), (3,), (3, 4), (3, 4,). A single number in parentheses is not a tuple. */
static bool take_shape(cursor *text, npy_header *header) {
    bool comma = true;
    header->rank = 0;
    if (!take(text, '('))
        return false;
    while (!take(text, ')')) {
        if (!comma || header->rank == NPY_MAX_RANK ||
            !take_size(text, &header->shape[header->rank]))
            return false;
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
    if (!take_string(text, key, sizeof key) || !take(text, ':'))
        return false;
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

static bool parse_dictionary(const char *text, size_t length, npy_header *header, char *reason) {
    cursor rest = {text, text + length};
    unsigned seen = 0;
    bool comma = true;
    memset(header, 0, sizeof *header);
    snprintf(reason, NPY_REASON_SIZE, "header is not a NumPy header");
    if (!take(&rest, '{'))
        return false;
    while (!take(&rest, '}')) {
        if (!comma || !take_entry(&rest, header, &seen, reason))
            return false;
        comma = take(&rest, ',');
    }
    skip_blanks(&rest);
    if (rest.at != rest.end || seen != (HAS_TYPE | HAS_ORDER | HAS_SHAPE))
        return false;
    reason[0] = '\0';
    return true;
}

static bool refuse(char *reason, const char *text) {
    snprintf(reason, NPY_REASON_SIZE, "%s", text);
    return false;
}

/* Finds the dictionary. False with the reason. */
static bool find_dictionary(const char *file, size_t size, size_t *begin, size_t *length,
                            char *reason) {
    const unsigned char *bytes = (const unsigned char *)file;
    if (size < sizeof magic || !npy_has_magic(file, size))
        return refuse(reason, "not a .npy file");
    if (size < 12)
        return refuse(reason, "header is truncated");
    if (bytes[6] < 1 || bytes[6] > 3) {
        snprintf(reason, NPY_REASON_SIZE, ".npy version %d.%d is not supported; expected 1 to 3",
                 bytes[6], bytes[7]);
        return false;
    }
    *begin = bytes[6] == 1 ? 10 : 12;
    *length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] != 1)
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (*length > (size_t)NPY_MAX_SIZE - *begin) {
        snprintf(reason, NPY_REASON_SIZE, "header has %zu bytes; expected at most %d", *length,
                 (int)NPY_MAX_SIZE);
        return false;
    }
    return *length <= size - *begin || refuse(reason, "header is truncated");
}

bool npy_read_header(const char *file, size_t size, npy_header *header, char *reason) {
    size_t begin = 0, length = 0;
    if (!find_dictionary(file, size, &begin, &length, reason) ||
        !parse_dictionary(file + begin, length, header, reason))
        return false;
    header->data_at = begin + length;
    return true;
}

/* A dimension of 0 makes the array empty, whatever the other dimensions are. */
bool npy_count(const npy_header *header, size_t *count) {
    bool empty = false;
    *count = 1;
    for (size_t i = 0; i < header->rank; i++)
        empty = empty || header->shape[i] == 0;
    for (size_t i = 0; i < header->rank && !empty; i++) {
        if (*count > SIZE_MAX / header->shape[i])
            return false;
        *count *= header->shape[i];
    }
    *count = empty ? 0 : *count;
    return true;
}

/* "<f4", "|S12", "<U7", "<M8[ns]": an order, a kind, and bytes, or characters of 4 bytes. */
size_t npy_element_size(const char *type) {
    size_t size = 0;
    if (strlen(type) < 3 || !strchr("<>|=", type[0]) || !strchr("biufcSUVmM", type[1]))
        return 0;
    const char *at = type + 2;
    for (; *at >= '0' && *at <= '9' && size < (size_t)1 << 30; at++)
        size = size * 10 + (size_t)(*at - '0');
    if (*at != '\0' && *at != '[')
        return 0;
    return type[1] == 'U' ? 4 * size : size;
}

bool npy_bytes(const npy_header *header, size_t *bytes) {
    const size_t element = npy_element_size(header->type);
    if (element == 0 || !npy_count(header, bytes) || *bytes > SIZE_MAX / element)
        return false;
    *bytes *= element;
    return true;
}

bool npy_has_size(const npy_header *header, uint64_t size) {
    size_t bytes;
    return size >= header->data_at && npy_bytes(header, &bytes) && bytes == size - header->data_at;
}

void npy_shape_text(size_t rank, const size_t *shape, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "(");
    for (size_t i = 0; i < rank && used < size; i++) {
        const char *mark = rank == 1 ? "," : (i + 1 < rank ? ", " : "");
        used += (size_t)snprintf(text + used, size - used, "%zu%s", shape[i], mark);
    }
    if (used < size)
        snprintf(text + used, size - used, ")");
}

size_t npy_write_any_header(const npy_header *header, char *out) {
    enum { FRAME = 10, ALIGNMENT = 64, SHAPE = NPY_MAX_RANK * 22 + 4 };
    char shape_text[SHAPE];
    npy_shape_text(header->rank, header->shape, shape_text, sizeof shape_text);
    int used = snprintf(out + FRAME, NPY_WRITTEN_MAX - FRAME,
                        "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", header->type,
                        header->fortran_order ? "True" : "False", shape_text);
    size_t text = used > 0 ? (size_t)used : 0;
    size_t total = (FRAME + text + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(out + FRAME + text, ' ', total - FRAME - text - 1);
    out[total - 1] = '\n';
    memcpy(out, magic, sizeof magic);
    out[6] = 1;
    out[7] = 0;
    out[8] = (char)((total - FRAME) & 0xff);
    out[9] = (char)((total - FRAME) >> 8);
    return total;
}
