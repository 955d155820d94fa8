/* SPDX-License-Identifier: MIT
 *
 * The index of many files: a page with a table that has a row for each, and links to their pages.
 */
#pragma once

#include "motion/base/composed.h"

#include <posemill/posemill.h>

#include <stdbool.h>
#include <stdio.h>

typedef struct index_page {
    const char *title;  /* which the name of the folder follows */
    const char *folder; /* of what the index lists */
    const char *folder_has;
    const char *made_by;         /* the command line, or what else made it */
    const char *order;           /* of the rows, as a heading */
    const char *heads, *columns; /* embedded files: the headings of the table; what they say */
    text_printer verdict, rows;  /* of `content` */
    const void *content;
} index_page;

/* Writes a file whole or not at all. */
pm_status index_page_write(const char *path, const index_page *index, pm_error *error);

/* Pieces of rows. Texts may have any bytes. */

/* Text that does not change the direction of what is around it. NULL is empty. */
void index_write_isolated(FILE *file, const char *text, const char *if_empty);

/* The beginning of a link to a page below the folder of the index, up to the path. */
void index_write_link(FILE *file, const char *link);

/* A name, which leads to its page unless `link` is NULL. */
void index_write_name(FILE *file, const char *name, const char *link);

/* The beginning of a row and of its name. `refused`: it says why there are no numbers; the first of these
 * rows is the one that a link leads to. */
void index_begin_row(FILE *file, bool refused, bool *has_mark);

/* The end of the sentence that counts files: a link to the first row that says why, if there is one. */
void index_end_counts(FILE *file, bool has_refused);

/* A cell over all columns beside the name. */
void index_write_refusal(FILE *file, int columns, const char *what, const char *error);
