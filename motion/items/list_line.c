/* SPDX-License-Identifier: MIT
 *
 * One line of a list. JSON is read by jansson, which refuses what is not UTF-8; members that are not
 * known are refused, so that a misspelt one is not ignored.
 */
#include "motion/items/list_line.h"

#include "motion/base/json.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/items/items.h"
#include "motion/text/text.h"
#include "motion/time/rate.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(char *reason, const char *text) {
    snprintf(reason, LIST_REASON_SIZE, "%s", text);
    return false;
}

/* Text with a NUL byte, which C would cut there, is shown with escapes. */
static char *show_nul(const char *text, size_t size) {
    const size_t room = ESCAPED_BYTE_SIZE * size + 1;
    char *shown = malloc(room);
    if (shown)
        printable_text(shown, room, text, size);
    return shown;
}

static bool set_text(list_line *line, char **target, const char *text, size_t size, char *reason) {
    const bool has_nul = memchr(text, '\0', size) != NULL;
    *target = has_nul ? show_nul(text, size) : strndup(text, size);
    line->has_nul = line->has_nul || has_nul;
    return *target != NULL || refuse(reason, "out of memory");
}

static bool refuse_member(char *reason, const char *key, const char *expected) {
    snprintf(reason, LIST_REASON_SIZE, "\"%.40s\": %s", key, expected);
    return false;
}

static bool check_keys(json_t *object, char *reason) {
    static const char *const keys[] = {"path",         "path_bytes",  "member",
                                       "member_bytes", "out",         "out_bytes",
                                       "bytes",        "source_rate", "layout"};
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        bool known = false;
        for (size_t i = 0; i < sizeof keys / sizeof keys[0] && !known; i++)
            known = strcmp(key, keys[i]) == 0;
        if (!known) {
            return refuse_member(
                reason, key,
                "is unknown; expected path, member, bytes, source_rate, layout or out");
        }
    }
    return true;
}

/* Two hexadecimal digits for each byte, for names that are not UTF-8. */
static bool take_hex(const char *key, const json_t *value, char **target, char *reason) {
    const char *text = json_string_value(value);
    const size_t size = json_string_length(value);
    char *bytes = text ? malloc(size / 2 + 1) : NULL;
    if (!bytes || size == 0 || !json_read_bytes(text, size, bytes)) {
        free(bytes);
        return refuse_member(reason, key, "expected bytes as pairs of digits 0 to 9 and a to f");
    }
    bytes[size / 2] = '\0';
    *target = bytes;
    return true;
}

/* The text of a key, or the bytes of the key with _bytes, which come first. Without either the target
 * stays NULL. */
static bool take_text(const json_t *object, const char *key, list_line *line, char **target,
                      char *reason) {
    char bytes_key[32];
    snprintf(bytes_key, sizeof bytes_key, "%s_bytes", key);
    const json_t *bytes = json_object_get(object, bytes_key);
    const json_t *value = json_object_get(object, key);
    if (bytes)
        return take_hex(bytes_key, bytes, target, reason);
    if (!value)
        return true;
    if (!json_is_string(value) || json_string_length(value) == 0)
        return refuse_member(reason, key, "expected a text that is not empty");
    return set_text(line, target, json_string_value(value), json_string_length(value), reason);
}

static bool take_bytes(const json_t *object, list_line *line, char *reason) {
    const json_t *value = json_object_get(object, "bytes");
    const json_int_t bytes = json_is_integer(value) ? json_integer_value(value) : -1;
    if (value && (bytes < 0 || (uint64_t)bytes > LIST_BYTES_MAX))
        return refuse_member(reason, "bytes", "expected a whole number, at most 2^50");
    line->has_bytes = value != NULL;
    line->bytes = value ? (uint64_t)bytes : 0;
    return true;
}

/* A text such as "30000/1001", or a number. */
static bool take_rate(const json_t *object, pm_rational *rate, char *reason) {
    const json_t *value = json_object_get(object, "source_rate");
    char text[RATE_TEXT] = "";
    if (json_is_string(value) && json_string_length(value) < sizeof text)
        (void)printable_text(text, sizeof text, json_string_value(value),
                             json_string_length(value));
    else if (json_is_integer(value))
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, sizeof text, "%.15g", json_real_value(value));
    return value == NULL || rate_parse(text, rate) ||
           refuse_member(reason, "source_rate", "expected 60, 29.97 or \"30000/1001\", above 0");
}

static bool check_out(const char *out, char *reason) {
    char *name = out ? batch_name_of(out) : NULL;
    const bool good = out == NULL || (name != NULL && strcmp(name, out) == 0);
    free(name);
    return good || refuse_member(reason, "out", "expected a relative path without . and ..");
}

static bool take_members(json_t *object, list_line *line, char *reason) {
    if (!json_is_object(object))
        return refuse(reason, "is no JSON object");
    return check_keys(object, reason) && take_text(object, "path", line, &line->path, reason) &&
           take_text(object, "member", line, &line->member, reason) &&
           take_text(object, "out", line, &line->out, reason) && check_out(line->out, reason) &&
           take_text(object, "layout", line, &line->layout, reason) &&
           take_bytes(object, line, reason) && take_rate(object, &line->rate, reason) &&
           (line->path != NULL || refuse(reason, "has no \"path\""));
}

static bool read_object(const char *text, size_t size, list_line *line, char *reason) {
    json_error_t error;
    if (size > LIST_OBJECT_MAX)
        return refuse(reason, "is longer than 1 MiB");
    if (text_json_is_deep(text, size)) {
        snprintf(reason, LIST_REASON_SIZE,
                 "is no JSON object of a list: values are nested too deep");
        return false;
    }
    json_auto_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!object) {
        snprintf(reason, LIST_REASON_SIZE, "is no JSON object: %.200s, at byte %d", error.text,
                 error.position);
        return false;
    }
    return take_members(object, line, reason);
}

list_text list_text_of(const char *data, size_t size) {
    static const char mark[] = "\xef\xbb\xbf"; /* some editors begin UTF-8 with it */
    const size_t skipped = size >= 3 && memcmp(data, mark, 3) == 0 ? 3 : 0;
    return (list_text){data + skipped, data + size, 0};
}

static bool read_line(const char *text, size_t size, list_line *line, char *reason) {
    return text[0] == '{' ? read_object(text, size, line, reason)
                          : set_text(line, &line->path, text, size, reason);
}

list_found list_next(list_text *text, list_line *line, char reason[LIST_REASON_SIZE]) {
    *line = (list_line){.path = NULL};
    while (text->at < text->end) {
        const char *at = text->at;
        const char *newline = memchr(at, '\n', (size_t)(text->end - at));
        const char *end = newline ? newline : text->end;
        text->at = newline ? newline + 1 : text->end;
        line->number = ++text->lines;
        if (end > at && end[-1] == '\r')
            end--;
        if (end > at)
            return read_line(at, (size_t)(end - at), line, reason) ? LIST_LINE : LIST_BAD;
    }
    return LIST_END;
}

void list_line_release(list_line *line) {
    free(line->path);
    free(line->member);
    free(line->out);
    free(line->layout);
    *line = (list_line){.path = NULL};
}
