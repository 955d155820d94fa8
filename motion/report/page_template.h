/* SPDX-License-Identifier: MIT
 *
 * Pages are made of files that are embedded in the library: a template, in which {{name}} stands for a
 * part, styles and scripts.
 */
#ifndef POSEMILL_MOTION_PAGE_TEMPLATE_H
#define POSEMILL_MOTION_PAGE_TEMPLATE_H

#include <posemill/posemill.h>

#include "motion/base/composed.h"

typedef struct page_writer {
    const char *name;
    text_printer write; /* the part */
} page_writer;

/* Writes an embedded file as it is. False: the build has left it out. */
bool page_write_file(FILE *file, const char *name);

/* Writes an embedded template with the parts that `writers` know. False: a part cannot be written. */
bool page_write_template(FILE *file, const char *name, const page_writer *writers, size_t count,
                         const void *content);

/* The part "head", which all templates have: what a page may load, and how it is shown. */
bool page_write_head(FILE *file, const void *content);

/* Writes a file, or to standard output for "-", whole or not at all. */
pm_status page_save(const char *path, text_printer print, const void *content, pm_error *error);

#endif
