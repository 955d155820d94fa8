/* SPDX-License-Identifier: MIT
 *
 * Writes the line of a record, with the members in the order in which people read them. Warnings and
 * errors quote hostile files, so that their sizes are bounded.
 */
#include "motion/batch/record.h"

#include <stdio.h>

#include <string.h>

#include "motion/base/composed.h"
#include "motion/base/printable.h"

/* An escape has up to six bytes for one of the text: warnings take at most half of the longest line. */
enum { WARNINGS_MAX = RECORD_LINE_MAX / 16, ERROR_MAX = 4096 };

static const char *non_empty(const char *text) {
    return text && text[0] != '\0' ? text : NULL;
}

static void text_member(json_writer *json, const char *key, const char *text) {
    json_write_string(json, key, non_empty(text));
}

static void warnings_member(json_writer *json, const batch_record *record) {
    size_t used = 0, written = 0;
    json_begin_array(json, "warnings");
    for (; written < record->warning_count; written++) {
        /* Each has quotes and a comma too. */
        used += strlen(record->warnings[written]) + 3;
        if (used > WARNINGS_MAX)
            break;
        json_write_string(json, NULL, record->warnings[written]);
    }
    if (written < record->warning_count) {
        char text[64];
        snprintf(text, sizeof text, "%zu more warnings", record->warning_count - written);
        json_write_string(json, NULL, text);
    }
    json_end_array(json);
}

static void failure_members(json_writer *json, const batch_record *record) {
    char error[ERROR_MAX + 1] = "";
    if (record->error) {
        const size_t size = utf8_cut(record->error, strlen(record->error), ERROR_MAX);
        memcpy(error, record->error, size);
        error[size] = '\0';
    }
    text_member(json, "error", error);
    json_write_integer(json, "code", (uint64_t)record->code);
}

static void reduced_member(json_writer *json, const task_reduced *reduced) {
    json_begin_object(json, "reduced");
    json_write_integer(json, "keys_before", reduced->keys_before);
    json_write_integer(json, "keys_after", reduced->keys_after);
    json_write_number(json, "degrees", reduced->degrees);
    json_write_number(json, "distance", reduced->distance);
    json_write_number(json, "position", reduced->position);
    json_write_number(json, "scale", reduced->scale);
    json_end_object(json);
}

void record_members_write(json_writer *json, const batch_record *record) {
    static const char *const statuses[] = {"done", "kept", "failed"};
    json_write_path(json, "name", non_empty(record->name));
    json_write_path(json, "in", non_empty(record->in));
    json_write_path(json, "out", non_empty(record->out));
    json_write_string(json, "status", statuses[record->status]);
    text_member(json, "input_digest", record->input.text);
    text_member(json, "options_digest", record->options.text);
    text_member(json, "batch_digest", record->shared.text);
    text_member(json, "output_digest", record->output.text);
    text_member(json, "version", record->version);
    json_write_rate(json, "source_rate", record->source_rate);
    json_write_rate(json, "rate", record->rate);
    json_write_integer(json, "frames", record->frames);
    json_write_integer(json, "joints", record->joints);
    text_member(json, "method", record->method);
    text_member(json, "device", record->device);
    warnings_member(json, record);
    if (record->checked) {
        json_write_bool(json, "identical", record->identical);
        json_write_number(json, "max_error", record->max_error);
    }
    if (record->reduced.is_done)
        reduced_member(json, &record->reduced);
    json_write_number(json, "seconds", record->seconds);
    json_write_integer(json, "bytes_read", record->bytes_read);
    json_write_integer(json, "bytes_written", record->bytes_written);
    json_write_signed(json, "output_time", record->output_time);
    json_write_signed(json, "time", record->time);
    if (record->status == RECORD_FAILED)
        failure_members(json, record);
}

static bool print_line(FILE *file, const void *content) {
    json_writer json = {file, JSON_LINE, false};
    fputc('\n', file);
    json_begin_object(&json, NULL);
    record_members_write(&json, content);
    json_end_object(&json);
    fputc('\n', file);
    return true;
}

char *record_line_write(const batch_record *record, size_t *size) {
    return compose_text(print_line, record, size);
}
