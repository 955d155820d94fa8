/* SPDX-License-Identifier: MIT
 *
 * Pages are made of files that are embedded in the command: a template, in which {{name}} stands for a
 * part, styles and scripts.
 */
#ifndef POSEMILL_TOOLS_REPORT_PAGE_TEMPLATE_H
#define POSEMILL_TOOLS_REPORT_PAGE_TEMPLATE_H

#include "commands/cli.h"

#include <stdio.h>

/* Writes a part. False: memory is exhausted. */
typedef bool (*page_part_writer)(FILE *file, const void *content);

typedef struct page_writer {
    const char *name;
    page_part_writer write;
} page_writer;

/* Writes an embedded file as it is. */
void page_write_file(FILE *file, const char *name);

/* Writes an embedded template with the parts that `writers` know. False: memory is exhausted. */
bool page_write_template(FILE *file, const char *name, const page_writer *writers, size_t count,
                         const void *content);

/* All that a writer writes, in malloc'ed memory, in the locale "C". NULL: memory is exhausted. */
char *page_compose(page_part_writer write, const void *content, size_t *size);

/* The part "head", which all templates have: what a page may load, and how it is shown. */
bool page_write_head(FILE *file, const void *content);

/* Writes a file, or to standard output for "-", whole or not at all. On failure prints and returns the
 * code. */
cli_exit page_save_text(const char *path, const char *text, size_t size);
cli_exit page_save(const char *path, page_part_writer write, const void *content);

#endif
