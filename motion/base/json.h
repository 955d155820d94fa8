/* SPDX-License-Identifier: MIT
 *
 * Writes JSON, indented or in one line, one member per call. The key is NULL inside arrays and for
 * the outermost value. Write errors stay in the FILE for ferror.
 */
#pragma once

#include <posemill/posemill.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The depth to begin with for one line, without its newline: what is nested stays below the depths that
 * are indented. */
enum { JSON_LINE = -1000 };

typedef struct json_writer {
    FILE *file;
    int depth;        /* begins at 0, or at JSON_LINE */
    bool has_members; /* for the innermost object or array */
} json_writer;

void json_begin_object(json_writer *json, const char *key);
void json_end_object(json_writer *json);
void json_begin_array(json_writer *json, const char *key);
void json_end_array(json_writer *json);

/* Bytes that are not UTF-8 become U+FFFD, control characters \u00XX. NULL is written as null. */
void json_write_string(json_writer *json, const char *key, const char *text);
/* A path as a string. One with bytes that are not UTF-8 has a second member, with the suffix _bytes, of
 * two hexadecimal digits per byte. */
void json_write_path(json_writer *json, const char *key, const char *path);
/* The size / 2 bytes of such digits, none of which is NUL. False: they are none. */
bool json_read_bytes(const char *digits, size_t size, char *bytes);
/* The value of a hexadecimal digit in small letters; -1: it is none. */
int json_digit(char digit);
/* The shortest form that reads back as the same double. NaN and infinity become null. */
void json_write_number(json_writer *json, const char *key, double number);
/* An array of numbers in one line; null for NULL. */
void json_write_numbers(json_writer *json, const char *key, const double *numbers, size_t count);
void json_write_integer(json_writer *json, const char *key, uint64_t number);
void json_write_signed(json_writer *json, const char *key, int64_t number);
/* "30000/1001"; null for 0/0. */
void json_write_rate(json_writer *json, const char *key, pm_rational rate);
void json_write_bool(json_writer *json, const char *key, bool value);
void json_write_null(json_writer *json, const char *key);
