/* SPDX-License-Identifier: MIT
 *
 * Checks that report the file and line of their caller, so that a failing refusal is found without
 * a debugger.
 */
#define _POSIX_C_SOURCE 200809L /* strnlen */

#include "check.h"

#include "oracle/random_tracks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD_BYTES 64u
#define POISON_BYTE 0xFFu /* four of them are a NaN that no formula returns */

static bool starts_with_word(const char *text, const char *word, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)text[i]) != tolower((unsigned char)word[i]))
            return false;
    return true;
}

static bool holds_word(const char *text, const char *word, size_t length) {
    for (; *text; text++)
        if (starts_with_word(text, word, length))
            return true;
    return false;
}

static bool holds_one_of(const char *text, const char *words) {
    for (;;) {
        size_t length = strcspn(words, "|");
        if (holds_word(text, words, length))
            return true;
        if (words[length] == '\0')
            return false;
        words += length + 1;
    }
}

void check_refusal(pm_status status, const pm_error *error, pm_status expected, const char *words,
                   const char *file, int line) {
    if (status != expected) {
        print_error("status is \"%s\", expected \"%s\"%s%s\n", pm_status_name(status),
                    pm_status_name(expected), status == PM_OK ? "" : ": ",
                    status == PM_OK ? "" : error->message);
        _fail(file, line);
    }
    if (error->status != expected) {
        print_error("error.status is \"%s\", the call returned \"%s\"\n",
                    pm_status_name(error->status), pm_status_name(status));
        _fail(file, line);
    }
    if (!memchr(error->message, '\0', sizeof error->message)) {
        print_error("the message is not terminated\n");
        _fail(file, line);
    }
    char field[PM_ERROR_TEXT_SIZE], command[PM_ERROR_TEXT_SIZE];
    pm_error_text(error, PM_SPELLING_FIELD, field, sizeof field);
    pm_error_text(error, PM_SPELLING_COMMAND, command, sizeof command);
    if (!holds_one_of(field, words) && !holds_one_of(command, words)) {
        print_error("\"%s\" does not contain %s\n", field, words);
        _fail(file, line);
    }
    if (error->next) {
        print_error("`next` of the error is not NULL\n");
        _fail(file, line);
    }
}

typedef struct cursor {
    size_t track, key, joint, instance;
} cursor;

/* The suffix of messages: " (track 3, key 2)", or an empty string where nothing is named. */
static void describe(cursor p, char *text, size_t size) {
    const char *const names[] = {"track", "key", "joint", "instance"};
    const size_t numbers[] = {p.track, p.key, p.joint, p.instance};
    const char *between = " (";
    text[0] = '\0';
    for (size_t i = 0; i < 4; i++) {
        const size_t length = strlen(text);
        if (numbers[i] == PM_NO_INDEX)
            continue;
        snprintf(text + length, size - length, "%s%s %zu", between, names[i], numbers[i]);
        between = ", ";
    }
    if (text[0])
        snprintf(text + strlen(text), size - strlen(text), ")");
}

static void expect_the_cursor(const pm_error *error, cursor wanted, const char *file, int line) {
    const cursor got = {error->track, error->key, error->joint, error->instance};
    const size_t length = strnlen(error->message, sizeof error->message);
    char is[128], expected[128];
    describe(got, is, sizeof is);
    describe(wanted, expected, sizeof expected);
    const size_t tail = strlen(expected);
    if (strcmp(is, expected) == 0 && length >= tail &&
        strcmp(error->message + length - tail, expected) == 0)
        return;
    print_error("\"%s\"\nnames \"%s\", expected \"%s\"\n", error->message, is, expected);
    _fail(file, line);
}

void check_error_at(const pm_error *error, size_t track, size_t key, const char *file, int line) {
    expect_the_cursor(error, (cursor){track, key, PM_NO_INDEX, PM_NO_INDEX}, file, line);
}

void check_joint(const pm_error *error, size_t joint, const char *file, int line) {
    expect_the_cursor(error, (cursor){PM_NO_INDEX, PM_NO_INDEX, joint, PM_NO_INDEX}, file, line);
}

void check_instance(const pm_error *error, size_t instance, const char *file, int line) {
    expect_the_cursor(error, (cursor){PM_NO_INDEX, PM_NO_INDEX, PM_NO_INDEX, instance}, file, line);
}

void check_ok(pm_status status, const pm_error *error, const char *file, int line) {
    if (status == PM_OK)
        return;
    print_error("\"%s\" (OpenCL %d): %.255s\n", pm_status_name(status), error->cl_status,
                error->message);
    _fail(file, line);
}

pm_error poisoned_error(void) {
    pm_error error;
    memset(&error, 0x5A, sizeof error);
    error.status = PM_OK;
    return error;
}

static _Thread_local pm_error error_of_thread;

pm_error *new_error(void) {
    error_of_thread = poisoned_error();
    return &error_of_thread;
}

pm_error *last_error(void) {
    return &error_of_thread;
}

/* The start of an array relative to malloc's alignment: a random float position in a cache line. */
static size_t draw_shift(void) {
    static random_source source;
    static bool begun = false;
    if (!begun)
        source = random_start();
    begun = true;
    return random_size(&source, 0, 15) * sizeof(float);
}

/* Memory layout: the start offset, a guard, the floats, a guard. */
/* Before the first guard, at any alignment. */
typedef struct guarded {
    unsigned char *memory;
    size_t count;
} guarded;

float *guarded_floats(size_t count) {
    const size_t bytes = count * sizeof(float), shift = draw_shift();
    const guarded g = {test_array(sizeof g + shift + bytes + 2 * GUARD_BYTES, 1), count};
    unsigned char *begin = g.memory + sizeof g + shift;
    memcpy(begin - sizeof g, &g, sizeof g);
    memset(begin, (int)POISON_BYTE, bytes + 2 * GUARD_BYTES);
    return (float *)(void *)(begin + GUARD_BYTES);
}

static bool is_all_poison(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != POISON_BYTE)
            return false;
    return true;
}

void check_guards(const float *values, size_t count, const char *file, int line) {
    const unsigned char *begin = (const unsigned char *)values;
    if (!is_all_poison(begin - GUARD_BYTES, GUARD_BYTES)) {
        print_error("memory before the output was written\n");
        _fail(file, line);
    }
    if (!is_all_poison(begin + count * sizeof(float), GUARD_BYTES)) {
        print_error("memory after the output was written\n");
        _fail(file, line);
    }
}

bool is_poison(float value) {
    return is_all_poison((const unsigned char *)&value, sizeof value);
}

void guarded_free(float *values) {
    guarded g;
    if (!values)
        return;
    memcpy(&g, (unsigned char *)values - GUARD_BYTES - sizeof g, sizeof g);
    check_guards(values, g.count, __FILE__, __LINE__);
    free(g.memory);
}

void check_same_bits(const float *a, const float *b, size_t count, size_t width, const char *file,
                     int line) {
    if (count == 0 || memcmp(a, b, count * sizeof(float)) == 0)
        return;
    size_t i = 0, differing = 0;
    for (size_t k = count; k-- > 0;)
        if (memcmp(a + k, b + k, sizeof(float)) != 0) {
            i = k;
            differing++;
        }
    print_error("%zu of %zu floats differ, first row %zu [%zu]: %.9g and %.9g\n", differing, count,
                i / width, i % width, (double)a[i], (double)b[i]);
    _fail(file, line);
}

void *test_array(size_t count, size_t element) {
    assert_true(element == 0 || count <= SIZE_MAX / element);
    void *memory = malloc(count * element + 1);
    assert_non_null(memory);
    return memory;
}

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && value[0] != '\0' && strcmp(value, "0") != 0;
}

bool small_sizes(void) {
    return is_set("POSEMILL_TEST_SMALL");
}

bool long_sweeps(void) {
    return is_set("POSEMILL_TEST_LONG");
}
