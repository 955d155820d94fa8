/* SPDX-License-Identifier: MIT
 *
 * Fills templates, and writes files in one piece.
 */
#include "motion/report/page.h"

#include "motion/base/fault.h"
#include "motion/files/output.h"

#include <stdlib.h>
#include <string.h>

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
    char *text = compose_text(print, content, &size);
    if (!text) {
        motion_report(error, PM_ERROR_MEMORY, "memory is exhausted");
        return motion_name_failure(PM_ERROR_MEMORY, path, error);
    }
    const pm_status status = motion_output_save(path, text, size, error);
    free(text);
    return status;
}
