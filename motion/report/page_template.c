/* SPDX-License-Identifier: MIT
 *
 * Writes text, numbers and data for HTML, fills templates, and writes files in one piece.
 */
#include <math.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/base/printable.h"
#include "motion/files/output.h"
#include "motion/report/page.h"

/* ---- text, numbers and data for HTML ----------------------------------------------------------- */

static void write_character(FILE *file, const char *text, size_t length) {
    static const char special[] = "&<>\"'";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const char *found = length == 1 ? strchr(special, *text) : NULL;
    if (found)
        fputs(escapes[found - special], file);
    else
        fwrite(text, 1, length, file);
}

void page_write_text(FILE *file, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        const size_t length = utf8_length(text + at, size - at);
        const size_t taken = length > 0 ? length : 1;
        if (length == 0 || utf8_is_control(text + at, length))
            for (size_t i = 0; i < taken; i++)
                fprintf(file, "\\x%02x", (unsigned)(unsigned char)text[at + i]);
        else
            write_character(file, text + at, length);
        at += taken;
    }
}

void page_write_name(FILE *file, pm_motion_name name, size_t number) {
    if (name.size == 0 && number == PAGE_NO_NUMBER)
        fputs("(no name)", file);
    else if (name.size == 0)
        fprintf(file, "joint %zu", number);
    else
        page_write_text(file, name.text, name.size);
}

void page_write_script_json(FILE *file, const char *json, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (json[i] == '<')
            fputs("\\u003c", file);
        else
            fputc(json[i], file);
}

void page_write_cell(FILE *file, double number) {
    if (isfinite(number))
        fprintf(file, "<td data-v=\"%.17g\">%.4g</td>", number, number);
    else
        fputs("<td>–</td>", file);
}

static bool is_name(const char *name, const char *text, size_t size) {
    return strlen(name) == size && memcmp(name, text, size) == 0;
}

static const struct page_part *find_part(const char *name, size_t size) {
    for (size_t i = 0; i < page_part_count; i++)
        if (is_name(page_parts[i].name, name, size))
            return &page_parts[i];
    return NULL;
}

static bool write_part(FILE *file, const struct page_part *part) {
    return part != NULL && fwrite(part->text, 1, part->size, file) == part->size;
}

bool page_write_file(FILE *file, const char *name) {
    return write_part(file, find_part(name, strlen(name)));
}

static const page_writer *find_writer(const page_writer *writers, size_t count, const char *name,
                                      size_t size) {
    for (size_t i = 0; i < count; i++)
        if (is_name(writers[i].name, name, size))
            return &writers[i];
    return NULL;
}

bool page_write_template(FILE *file, const char *name, const page_writer *writers, size_t count,
                         const void *content) {
    const struct page_part *part = find_part(name, strlen(name));
    if (!part)
        return false;
    const char *at = (const char *)part->text;
    for (const char *mark = strstr(at, "{{"); mark; mark = strstr(at, "{{")) {
        const char *end = strstr(mark, "}}");
        const size_t size = (size_t)(end - mark - 2);
        const page_writer *writer = find_writer(writers, count, mark + 2, size);
        fwrite(at, 1, (size_t)(mark - at), file);
        if (!(writer ? writer->write(file, content) : write_part(file, find_part(mark + 2, size))))
            return false;
        at = end + 2;
    }
    fputs(at, file);
    return true;
}

pm_status page_save(const char *path, text_printer print, const void *content, pm_error *error) {
    size_t size = 0;
    FREED char *text = compose_text(print, content, &size);
    if (!text) {
        motion_report(error, PM_ERROR_MEMORY, "memory is exhausted");
        return motion_name_failure(PM_ERROR_MEMORY, path, error);
    }
    return motion_output_save(path, text, size, error);
}
