/* SPDX-License-Identifier: MIT
 *
 * The JSON writer. It does only what the reports require: it sorts nothing and allocates nothing.
 */
#include "motion/base/json.h"

#include "motion/base/printable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond 16 bits as two surrogates. */
static void write_escape(FILE *file, uint32_t code) {
    if (code > 0xffff) {
        fprintf(file, "\\u%04x", 0xd800 + ((unsigned)(code - 0x10000) >> 10));
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    fprintf(file, "\\u%04x", (unsigned)code);
}

static void write_string(FILE *file, const char *text) {
    const char *end = text + strlen(text);
    fputc('"', file);
    for (size_t length = 0; text < end; text += length) {
        length = utf8_length(text, (size_t)(end - text));
        if (length == 0) {
            fputs("\\ufffd", file);
            length = 1;
        } else if (*text == '"' || *text == '\\') {
            fprintf(file, "\\%c", *text);
        } else if (utf8_is_control(text, length)) {
            write_escape(file, utf8_code(text, length));
        } else {
            fwrite(text, 1, length, file);
        }
    }
    fputc('"', file);
}

static void begin_value(json_writer *json, const char *key) {
    if (json->has_members)
        fputs(json->depth > 0 ? "," : ", ", json->file);
    if (json->depth > 0)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    if (key) {
        write_string(json->file, key);
        fputs(": ", json->file);
    }
    json->has_members = true;
}

static void begin_nest(json_writer *json, const char *key, char bracket) {
    begin_value(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->has_members = false;
}

static void end_nest(json_writer *json, char bracket) {
    json->depth--;
    if (json->has_members && json->depth >= 0)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->file);
    json->has_members = true;
    if (json->depth == 0)
        fputc('\n', json->file);
}

void json_begin_object(json_writer *json, const char *key) {
    begin_nest(json, key, '{');
}

void json_end_object(json_writer *json) {
    end_nest(json, '}');
}

void json_begin_array(json_writer *json, const char *key) {
    begin_nest(json, key, '[');
}

void json_end_array(json_writer *json) {
    end_nest(json, ']');
}

void json_write_string(json_writer *json, const char *key, const char *text) {
    begin_value(json, key);
    if (!text)
        fputs("null", json->file);
    else
        write_string(json->file, text);
}

/* A string of two hexadecimal digits per byte. */
static void write_bytes(json_writer *json, const char *key, const void *data, size_t size) {
    const unsigned char *bytes = data;
    begin_value(json, key);
    fputc('"', json->file);
    for (size_t i = 0; i < size; i++)
        fprintf(json->file, "%02x", (unsigned)bytes[i]);
    fputc('"', json->file);
}

static bool is_utf8(const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        const size_t length = utf8_length(text, left);
        if (length == 0)
            return false;
        text += length;
        left -= length;
    }
    return true;
}

void json_write_path(json_writer *json, const char *key, const char *path) {
    char member[32];
    json_write_string(json, key, path);
    if (path && !is_utf8(path)) {
        snprintf(member, sizeof member, "%s_bytes", key);
        write_bytes(json, member, path, strlen(path));
    }
}

int json_digit(char digit) {
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                          : -1;
}

bool json_read_bytes(const char *digits, size_t size, char *bytes) {
    bool good = size % 2 == 0;
    for (size_t i = 0; good && i < size; i += 2) {
        const int high = json_digit(digits[i]), low = json_digit(digits[i + 1]);
        good = high >= 0 && low >= 0 && high + low > 0;
        *bytes++ = (char)(16 * high + low);
    }
    return good;
}

static void write_number(FILE *file, double number) {
    char text[32] = "null";
    for (int digits = 6; isfinite(number) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, file);
}

void json_write_number(json_writer *json, const char *key, double number) {
    begin_value(json, key);
    write_number(json->file, number);
}

void json_write_numbers(json_writer *json, const char *key, const double *numbers, size_t count) {
    begin_value(json, key);
    if (!numbers) {
        fputs("null", json->file);
        return;
    }
    fputc('[', json->file);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", json->file);
        write_number(json->file, numbers[i]);
    }
    fputc(']', json->file);
}

void json_write_integer(json_writer *json, const char *key, uint64_t number) {
    begin_value(json, key);
    fprintf(json->file, "%llu", (unsigned long long)number);
}

void json_write_signed(json_writer *json, const char *key, int64_t number) {
    begin_value(json, key);
    fprintf(json->file, "%lld", (long long)number);
}

void json_write_rate(json_writer *json, const char *key, pm_rational rate) {
    char text[48];
    snprintf(text, sizeof text, "%lld/%lld", (long long)rate.num, (long long)rate.den);
    json_write_string(json, key, rate.den != 0 ? text : NULL);
}

void json_write_bool(json_writer *json, const char *key, bool value) {
    begin_value(json, key);
    fputs(value ? "true" : "false", json->file);
}

void json_write_null(json_writer *json, const char *key) {
    json_write_string(json, key, NULL);
}
