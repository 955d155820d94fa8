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

static const struct page_part *find_part(const char *name) {
    for (size_t i = 0; i < page_part_count; i++)
        if (strcmp(page_parts[i].name, name) == 0)
            return &page_parts[i];
    return NULL;
}

bool page_write_file(FILE *file, const char *name) {
    const struct page_part *part = find_part(name);
    return part != NULL && fwrite(part->text, 1, part->size, file) == part->size;
}

static const page_writer *find_writer(const page_writer *writers, size_t count, const char *name,
                                      size_t size) {
    for (size_t i = 0; i < count; i++)
        if (strlen(writers[i].name) == size && memcmp(writers[i].name, name, size) == 0)
            return &writers[i];
    return NULL;
}

bool page_write_template(FILE *file, const char *name, const page_writer *writers, size_t count,
                         const void *content) {
    const struct page_part *part = find_part(name);
    if (!part)
        return false;
    const char *at = (const char *)part->text;
    for (const char *mark = strstr(at, "{{"); mark; mark = strstr(at, "{{")) {
        const char *end = strstr(mark, "}}");
        const page_writer *writer = find_writer(writers, count, mark + 2, (size_t)(end - mark - 2));
        fwrite(at, 1, (size_t)(mark - at), file);
        if (!writer || !writer->write(file, content))
            return false;
        at = end + 2;
    }
    fputs(at, file);
    return true;
}

bool page_write_head(FILE *file, const void *content) {
    (void)content;
    return page_write_file(file, "page_head.html");
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
