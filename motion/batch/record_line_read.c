/* SPDX-License-Identifier: MIT
 *
 * Reads the line of a record. Every member is checked: a line with a member of a wrong type, or
 * without what a record of its status has, is none. Unknown members are those of later versions. null
 * is the same as no member.
 */
#include "motion/batch/record.h"

#include "motion/text/text.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The record, its pointers to warnings and its texts are one block. Texts with their NULs take no more
 * than the strings of the line with their quotes. */
typedef struct reader {
    const json_t *object;
    char *texts; /* room for the next */
    bool good;
} reader;

static const json_t *member(const reader *r, const char *key) {
    const json_t *value = json_object_get(r->object, key);
    return json_is_null(value) ? NULL : value;
}

static const char *keep_text(reader *r, const json_t *string) {
    const size_t size = json_string_length(string) + 1;
    char *copy = memcpy(r->texts, json_string_value(string), size);
    r->texts += size;
    return copy;
}

/* NULL: there is none. */
static const char *take_text(reader *r, const char *key) {
    const json_t *value = member(r, key);
    if (!value)
        return NULL;
    r->good = r->good && json_is_string(value);
    return r->good ? keep_text(r, value) : NULL;
}

static const char *keep_bytes(reader *r, const json_t *string) {
    const size_t size = json_string_length(string);
    char *copy = r->texts;
    r->good = r->good && json_read_bytes(json_string_value(string), size, copy);
    r->texts += size / 2;
    *r->texts++ = '\0';
    return copy;
}

/* `key`, or as bytes `key_bytes`. */
static const char *take_path(reader *r, const char *key, const char *key_bytes) {
    const char *text = take_text(r, key);
    const json_t *bytes = member(r, key_bytes);
    if (!bytes)
        return text;
    r->good = r->good && json_is_string(bytes);
    return r->good ? keep_bytes(r, bytes) : NULL;
}

static digest take_digest(reader *r, const char *key) {
    digest result = {""};
    const json_t *value = member(r, key);
    if (!value)
        return result;
    r->good = r->good && json_is_string(value) && json_string_length(value) == DIGEST_TEXT - 1;
    for (size_t i = 0; r->good && i < DIGEST_TEXT - 1; i++) {
        result.text[i] = json_string_value(value)[i];
        r->good = json_digit(result.text[i]) >= 0;
    }
    return result;
}

static void take_warnings(reader *r, batch_record *record, const char **warnings) {
    const json_t *array = member(r, "warnings");
    record->warnings = warnings;
    if (!array)
        return;
    r->good = r->good && json_is_array(array);
    for (size_t i = 0; r->good && i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        r->good = json_is_string(value);
        warnings[i] = r->good ? keep_text(r, value) : NULL;
        record->warning_count = i + 1;
    }
}

static int64_t take_signed(reader *r, const char *key) {
    const json_t *value = member(r, key);
    r->good = r->good && (value == NULL || json_is_integer(value));
    return value && r->good ? json_integer_value(value) : 0;
}

static uint64_t take_count(reader *r, const char *key) {
    const int64_t value = take_signed(r, key);
    r->good = r->good && value >= 0;
    return r->good ? (uint64_t)value : 0;
}

static double take_number(reader *r, const char *key) {
    const json_t *value = member(r, key);
    r->good = r->good && (value == NULL || json_is_number(value));
    const double number = r->good ? json_number_value(value) : 0;
    r->good = r->good && isfinite(number) && number >= 0;
    return r->good ? number : 0;
}

/* Digits of a number above 0. Moves *text behind them. */
static bool take_digits(const char **text, int64_t *number) {
    *number = 0;
    while (**text >= '0' && **text <= '9') {
        const int digit = *(*text)++ - '0';
        if (*number > (INT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return *number > 0;
}

static pm_rational take_rate(reader *r, const char *key) {
    pm_rational rate = {0, 0};
    const json_t *value = member(r, key);
    if (!value)
        return rate;
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    r->good = r->good && take_digits(&text, &rate.num) && *text++ == '/' &&
              take_digits(&text, &rate.den) && *text == '\0';
    return rate;
}

static record_status take_status(reader *r) {
    const char *word = json_string_value(member(r, "status"));
    if (word && strcmp(word, "done") == 0)
        return RECORD_DONE;
    if (word && strcmp(word, "kept") == 0)
        return RECORD_KEPT;
    r->good = r->good && word != NULL && strcmp(word, "failed") == 0;
    return RECORD_FAILED;
}

static void take_failure(reader *r, batch_record *record) {
    const int64_t code = take_signed(r, "code");
    record->error = take_text(r, "error");
    r->good = r->good && code > 0 && code <= RECORD_CODE_MAX;
    record->code = r->good ? (int)code : RECORD_CODE_MAX;
}

static bool is_given(const char *text) {
    return text != NULL && text[0] != '\0';
}

static bool is_complete(const batch_record *record) {
    return is_given(record->name) && is_given(record->in) &&
           (record->status == RECORD_FAILED ||
            (is_given(record->out) && is_given(record->output.text)));
}

static bool take_record(reader *r, batch_record *record, const char **warnings) {
    record->name = take_path(r, "name", "name_bytes");
    record->in = take_path(r, "in", "in_bytes");
    record->out = take_path(r, "out", "out_bytes");
    record->status = take_status(r);
    record->input = take_digest(r, "input_digest");
    record->options = take_digest(r, "options_digest");
    record->shared = take_digest(r, "batch_digest");
    record->output = take_digest(r, "output_digest");
    record->version = take_text(r, "version");
    record->source_rate = take_rate(r, "source_rate");
    record->rate = take_rate(r, "rate");
    record->frames = take_count(r, "frames");
    record->joints = take_count(r, "joints");
    record->method = take_text(r, "method");
    record->device = take_text(r, "device");
    take_warnings(r, record, warnings);
    record->seconds = take_number(r, "seconds");
    record->bytes_read = take_count(r, "bytes_read");
    record->bytes_written = take_count(r, "bytes_written");
    record->output_time = take_signed(r, "output_time");
    record->time = take_signed(r, "time");
    if (record->status == RECORD_FAILED)
        take_failure(r, record);
    return r->good && is_complete(record);
}

batch_record *record_line_read(const char *line, size_t size, bool *no_memory) {
    json_error_t error;
    *no_memory = false;
    if (text_json_is_deep(line, size))
        return NULL;
    json_auto_t *object = json_loadb(line, size, 0, &error);
    *no_memory = object == NULL && json_error_code(&error) == json_error_out_of_memory;
    if (!json_is_object(object))
        return NULL;
    const size_t count = json_array_size(json_object_get(object, "warnings"));
    batch_record *record = calloc(1, sizeof *record + count * sizeof(char *) + size);
    *no_memory = record == NULL;
    if (record) {
        const char **warnings = (const char **)(record + 1);
        reader r = {object, (char *)(warnings + count), true};
        if (!take_record(&r, record, warnings)) {
            free(record);
            record = NULL;
        }
    }
    return record;
}
