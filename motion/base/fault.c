/* SPDX-License-Identifier: MIT
 *
 * Refusals and warnings of the motion library.
 */
#include "motion/base/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "motion/base/printable.h"

static void clear(pm_error *error, pm_status status) {
    *error = (pm_error){.status = status,
                        .track = PM_NO_INDEX,
                        .key = PM_NO_INDEX,
                        .joint = PM_NO_INDEX,
                        .instance = PM_NO_INDEX};
}

void motion_report(pm_error *error, pm_status status, const char *format, ...) {
    va_list arguments;
    if (!error)
        return;
    clear(error, status);
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
}

pm_status motion_name_failure(pm_status status, const char *name, pm_error *error) {
    static const char between[] = {':', ' '};
    if (status == PM_OK || !error)
        return status;
    const size_t length = strlen(error->message), size = strlen(name);
    const size_t room = sizeof error->message - length - 1;
    if (room < sizeof between)
        return status;
    const size_t most = room - sizeof between;
    const size_t shown = utf8_cut(name, size, size < most ? size : most);
    memmove(error->message + shown + sizeof between, error->message, length + 1);
    memcpy(error->message + shown, between, sizeof between);
    memcpy(error->message, name, shown);
    return status;
}

pm_status motion_fail_at(pm_error *error, pm_status status, const char *name, const char *hint,
                         const char *format, ...) {
    va_list arguments;
    if (!error)
        return status;
    clear(error, status);
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->hint = hint;
    return motion_name_failure(status, name, error);
}

typedef struct field_name {
    const char *field, *words;
} field_name;

static const field_name field_names[] = {
    {"loop_period", "the loop period"},         {"key_count", "number of keys"},
    {"sample_count", "number of samples"},      {"track_count", "number of tracks"},
    {"user_tangents", "the tangents"},          {"rotations_in", "the incoming tangents"},
    {"rotations_out", "the outgoing tangents"},
};

static const field_name *field_at(const char *text) {
    for (size_t i = 0; i < sizeof field_names / sizeof field_names[0]; i++)
        if (strncmp(text, field_names[i].field, strlen(field_names[i].field)) == 0)
            return &field_names[i];
    return NULL;
}

void motion_use_words(pm_error *error) {
    char text[sizeof error->message];
    const char *at = error->message[0] ? error->message : pm_status_name(error->status);
    size_t used = 0;
    while (*at && used + 1 < sizeof text) {
        const field_name *found = field_at(at);
        const size_t room = sizeof text - used - 1, length = found ? strlen(found->words) : 1;
        const size_t size = length < room ? length : room;
        memcpy(text + used, found ? found->words : at, size);
        used += size;
        at += found ? strlen(found->field) : 1;
    }
    text[used] = '\0';
    memcpy(error->message, text, used + 1);
}

pm_status motion_check_zero(const char *type, const uint64_t *reserved, size_t count,
                            pm_error *error) {
    for (size_t i = 0; i < count; i++)
        if (reserved[i])
            return motion_fail(error, PM_ERROR_ARGUMENT, "%s.reserved[%zu] is not 0", type, i);
    return PM_OK;
}

pm_status motion_check_texts(const char *name, const char *const *texts, size_t count,
                             pm_error *error) {
    if (count > 0 && !texts)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", name);
    for (size_t i = 0; i < count; i++)
        if (!texts[i])
            return motion_fail(error, PM_ERROR_ARGUMENT, "%s[%zu] is NULL", name, i);
    return PM_OK;
}

/* ---- remarks --------------------------------------------------------------------------------- */

enum { REMARK = 640 };

static bool reserve(motion_notes *notes) {
    if (notes->count < notes->capacity)
        return true;
    const size_t capacity = notes->capacity ? 2 * notes->capacity : 8;
    const char **grown = motion_allocate(notes->arena, capacity, sizeof *grown);
    if (!grown)
        return false;
    for (size_t i = 0; i < notes->count; i++)
        grown[i] = notes->texts[i];
    notes->texts = grown;
    notes->capacity = capacity;
    return true;
}

static void keep(motion_notes *notes, const char *text) {
    if (!notes)
        return;
    const char *copy = reserve(notes) ? motion_copy_text(notes->arena, text, strlen(text)) : NULL;
    if (copy)
        notes->texts[notes->count++] = copy;
    notes->lost |= copy == NULL;
}

void motion_note(motion_notes *notes, const char *format, ...) {
    char text[REMARK];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep(notes, text);
}

void motion_warn(const motion_warnings *warnings, const char *format, ...) {
    char text[REMARK], line[REMARK + 420];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep(warnings->notes, text);
    if (!warnings->log)
        return;
    snprintf(line, sizeof line, "%.400s: %s", warnings->name, text);
    warnings->log(warnings->user, PM_LOG_WARNING, line);
}

const char *motion_printable(char out[MOTION_PRINTABLE], const char *text, size_t size) {
    printable_text(out, MOTION_PRINTABLE, text, size);
    return out;
}
