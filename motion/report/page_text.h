/* SPDX-License-Identifier: MIT
 *
 * Pieces of a page: text that is no markup, and numbers.
 */
#ifndef POSEMILL_MOTION_PAGE_TEXT_H
#define POSEMILL_MOTION_PAGE_TEXT_H

#include <posemill/posemill_motion.h>

#include <stdio.h>

/* Writes text from a file so that HTML shows it as it is spelled, control characters and bytes that are
 * not UTF-8 as \x1b. It cannot change the direction of the text around it. */
void page_write_text(FILE *file, const char *text, size_t size);

/* The name of a joint, or of one without a name its number; PAGE_NO_NUMBER: "(no name)". */
#define PAGE_NO_NUMBER SIZE_MAX
void page_write_name(FILE *file, pm_motion_name name, size_t number);

/* Writes JSON for a script element: `<` as \u003c. */
void page_write_script_json(FILE *file, const char *json, size_t size);

/* A cell of a table: a number with 4 digits, which sorts by all of them, or a dash for one that is not
 * known. */
void page_write_cell(FILE *file, double number);

#endif
