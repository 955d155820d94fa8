/* SPDX-License-Identifier: MIT
 *
 * Reads the library's sources for OpenCL calls without a wrapper, which failure injection would
 * otherwise leave out without notice.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "faults.h"

static bool is_known_call(const char *name, size_t length) {
    for (const char *known = faults_known_calls; *known;) {
        const size_t known_length = strcspn(known, " ");
        if (known_length == length && strncmp(known, name, length) == 0)
            return true;
        known += known_length + (known[known_length] == ' ');
    }
    return false;
}

/* The start of the next word of the form clFlush(, or NULL; *length is the length of its name. */
static const char *next_call(const char *text, size_t *length) {
    static const char *const letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    for (; *text; text += strspn(text, letters) ? strspn(text, letters) : 1) {
        *length = strspn(text, letters);
        if (*length > 2 && strncmp(text, "cl", 2) == 0 && text[2] >= 'A' && text[2] <= 'Z' &&
            text[*length] == '(')
            return text;
    }
    return NULL;
}

size_t faults_check_source(const char *path) {
    static char text[1 << 18];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    assert_true(size < sizeof text - 1);
    text[size] = '\0';
    fclose(file);
    size_t found = 0, length = 0;
    for (const char *call = text; (call = next_call(call, &length)); call += length, found++)
        if (!is_known_call(call, length))
            fail_msg("%s calls %.*s, which cl_calls.h does not list", path, (int)length, call);
    return found;
}
