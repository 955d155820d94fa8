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

static void put_name(pm_error *error, const char *name) {
    static const char between[] = {':', ' '};
    const size_t length = strlen(error->message), size = strlen(name);
    const size_t room = sizeof error->message - length - 1;
    if (room < sizeof between)
        return;
    const size_t most = room - sizeof between;
    const size_t shown = utf8_cut(name, size, size < most ? size : most);
    memmove(error->message + shown + sizeof between, error->message, length + 1);
    memcpy(error->message + shown, between, sizeof between);
    memcpy(error->message, name, shown);
    error->option_at += shown + sizeof between;
}

pm_status motion_name_failure(pm_status status, const char *name, pm_error *error) {
    if (status != PM_OK && error)
        put_name(error, name);
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

pm_status motion_require(const char *names, const void *const *pointers, pm_error *error) {
    for (; *names; pointers++) {
        const size_t size = strcspn(names, ",");
        if (!*pointers)
            return motion_fail(error, PM_ERROR_ARGUMENT, "%.*s is NULL", (int)size, names);
        names += size + strspn(names + size, ", ");
    }
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

static bool reserve(motion_notes *notes) {
    if (notes->count < notes->capacity)
        return true;
    const size_t capacity = notes->capacity ? 2 * notes->capacity : 8;
    const pm_error **all = motion_allocate(notes->arena, capacity, sizeof *all);
    const char **texts = motion_allocate(notes->arena, capacity, sizeof *texts);
    if (!all || !texts)
        return false;
    for (size_t i = 0; i < notes->count; i++) {
        all[i] = notes->all[i];
        texts[i] = notes->texts[i];
    }
    notes->all = all;
    notes->texts = texts;
    notes->capacity = capacity;
    return true;
}

void motion_keep_note(motion_notes *notes, const pm_error *note) {
    if (!notes)
        return;
    pm_error *copy = reserve(notes) ? motion_allocate(notes->arena, 1, sizeof *copy) : NULL;
    notes->lost |= copy == NULL;
    if (!copy)
        return;
    *copy = *note;
    if (note->cure_value) {
        copy->cure_value =
            motion_copy_text(notes->arena, note->cure_value, strlen(note->cure_value));
        notes->lost |= copy->cure_value == NULL;
    }
    notes->texts[notes->count] = copy->message;
    notes->all[notes->count++] = copy;
}

__attribute__((format(printf, 2, 0))) static pm_error
remark_of(motion_about about, const char *format, va_list arguments) {
    pm_error remark;
    clear(&remark, PM_OK);
    vsnprintf(remark.message, sizeof remark.message, format, arguments);
    remark.option = about.option;
    remark.cure = about.cure;
    remark.cure_value = about.cure_value;
    remark.hint = about.hint;
    return remark;
}

void motion_note_about(motion_notes *notes, motion_about about, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const pm_error note = remark_of(about, format, arguments);
    va_end(arguments);
    motion_keep_note(notes, &note);
}

void motion_tell(const motion_warnings *to, pm_log_level level, const pm_error *remark) {
    pm_error named = *remark;
    motion_keep_note(to->notes, remark);
    if (!to->log)
        return;
    if (to->name)
        put_name(&named, to->name);
    to->log(to->user, level, &named);
}

void motion_warn_about(const motion_warnings *to, motion_about about, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const pm_error warning = remark_of(about, format, arguments);
    va_end(arguments);
    motion_tell(to, PM_LOG_WARNING, &warning);
}

void motion_describe(pm_error *remark, motion_about about, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    *remark = remark_of(about, format, arguments);
    va_end(arguments);
}

void motion_write_line(const pm_error *error, pm_spelling spelling, char text[PM_ERROR_TEXT_SIZE]) {
    pm_error line = *error;
    line.cure = line.hint = NULL;
    pm_error_text(&line, spelling, text, PM_ERROR_TEXT_SIZE);
}

const char *motion_printable(char out[MOTION_PRINTABLE], const char *text, size_t size) {
    printable_text(out, MOTION_PRINTABLE, text, size);
    return out;
}
