/* SPDX-License-Identifier: MIT
 *
 * The parts of a page that need no script: words, tables and pictures.
 */
#ifndef POSEMILL_MOTION_PAGE_SECTIONS_H
#define POSEMILL_MOTION_PAGE_SECTIONS_H

#include "motion/report/page.h"

void page_write_title(FILE *file, const page *p);
void page_write_verdict(FILE *file, const page *p);
void page_write_conditions(FILE *file, const page *p);
void page_write_moments(FILE *file, const page *p);
void page_write_slides(FILE *file, const page *p);
void page_write_table(FILE *file, const page *p);
void page_write_pictures(FILE *file, const page *p); /* inline SVG */

static inline bool page_is_one(const page *p) {
    return p->outcome->comparison->a == p->outcome->comparison->b;
}

#endif
