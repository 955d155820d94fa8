/* SPDX-License-Identifier: MIT
 *
 * Fills templates, and writes files in one piece.
 */
#define _POSIX_C_SOURCE 200809L

#include "page_template.h"

#include "motion/base/c_locale.h"
#include "page_parts.h"

#include <stdlib.h>
#include <string.h>

static const struct page_part *find_part(const char *name) {
    for (size_t i = 0; i < page_part_count; i++) {
        if (strcmp(page_parts[i].name, name) == 0) {
            return &page_parts[i];
        }
    }
    abort(); /* the build has left a file out */
}

void page_write_file(FILE *file, const char *name) {
    const struct page_part *part = find_part(name);
    fwrite(part->text, 1, part->size, file);
}

static page_part_writer find_writer(const page_writer *writers, size_t count, const char *name,
                                    size_t size) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(writers[i].name) == size && memcmp(writers[i].name, name, size) == 0) {
            return writers[i].write;
        }
    }
    abort(); /* the template names a part that there is not */
}

bool page_write_template(FILE *file, const char *name, const page_writer *writers, size_t count,
                         const void *content) {
    const char *at = (const char *)find_part(name)->text;
    for (const char *mark = strstr(at, "{{"); mark != NULL; mark = strstr(at, "{{")) {
        const char *end = strstr(mark, "}}");
        fwrite(at, 1, (size_t)(mark - at), file);
        if (!find_writer(writers, count, mark + 2, (size_t)(end - mark - 2))(file, content)) {
            return false;
        }
        at = end + 2;
    }
    fputs(at, file);
    return true;
}

char *page_compose(page_part_writer write, const void *content, size_t *size) {
    char *text = NULL;
    void *locale = c_locale_begin();
    FILE *file = open_memstream(&text, size);
    bool done = file != NULL && write(file, content) && ferror(file) == 0;
    done = file != NULL && fclose(file) == 0 && done;
    if (!done) {
        free(text);
        text = NULL;
    }
    c_locale_end(locale);
    return text;
}

bool page_write_head(FILE *file, const void *content) {
    (void)content;
    page_write_file(file, "page_head.html");
    return true;
}

cli_exit page_save_text(const char *path, const char *text, size_t size) {
    cli_output *output = NULL;
    cli_exit code = cli_output_open(path, &output);
    if (code == CLI_DONE) {
        code = cli_output_write(output, text, size);
    }
    if (code == CLI_DONE) {
        code = cli_output_commit(&output);
    }
    cli_output_abandon(&output);
    return code;
}

cli_exit page_save(const char *path, page_part_writer write, const void *content) {
    size_t size = 0;
    char *text = page_compose(write, content, &size);
    const cli_exit code =
        text != NULL ? page_save_text(path, text, size)
                     : cli_fail(CLI_BAD_INPUT, path, CLI_MEMORY_HINT, "memory is exhausted");
    free(text);
    return code;
}
