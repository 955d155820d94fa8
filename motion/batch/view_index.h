/* SPDX-License-Identifier: MIT
 *
 * The index of the pages of many motions: a line for each file, in the order of their names, those that
 * failed last.
 */
#pragma once

#include "motion/model/meaning.h"

/* Zero-initialise but for the name. */
typedef struct view_row {
    const char *name; /* of the file, relative */
    char *page;       /* below the folder of the index. NULL: the file failed */
    char *error;      /* why there is none */
    const char *format;
    double seconds;   /* of the clip that the page shows at first */
    pm_rational rate; /* of its keys; 0/0: not uniform */
    size_t joints;    /* that the page shows; the caller sets them */
    size_t clips;     /* of the file */
    char unit[MOTION_MEANING_TEXT], up[MOTION_MEANING_TEXT];
    char *odd; /* the first remark about the file. NULL: none, or memory is exhausted */
    size_t odd_count;
} view_row;

/* Takes over what a motion is, and the notes about it. */
void view_row_fill(view_row *row, const pm_motion *motion, size_t clip, pm_spelling spelling);

/* Adds a remark. */
void view_row_remark(view_row *row, const char *text);
void view_row_release(view_row *row);

typedef struct view_index {
    const char *folder;
    const char *made_by; /* the command line, or what else made it */
    const view_row *rows;
    size_t row_count, failed;
} view_index;

/* Writes index.html of the folder whole or not at all. */
pm_status view_index_write(const view_index *index, pm_error *error);
