/* SPDX-License-Identifier: MIT
 *
 * A page that shows two motions over each other, or one: a file of HTML that needs nothing else.
 */
#ifndef POSEMILL_MOTION_PAGE_H
#define POSEMILL_MOTION_PAGE_H

#include "motion/compare/outcome.h"
#include "motion/report/page_frames.h"

enum {
    PAGE_MOST_JOINTS = 4000,
    PAGE_BYTES = 20000000 /* of a page */
};

/* The bytes that the frames of a page may have, before they are text. */
size_t page_room(const comparison *c);

/* Compares, and keeps the frames of a page. Messages name `path`. Frames and comparison are released by
 * the caller, also on failure. */
pm_status page_compute(comparison *c, page_frames *frames, uint64_t max_times, const char *path,
                       pm_error *error);

/* What a page shows. */
typedef struct page {
    const outcome *outcome; /* one motion: A and B of the comparison are the same subject */
    const page_frames *frames;
    const char *command; /* the command line or the call that made it */
    bool hides_poses;    /* shows the curves, without the skeletons */
    const size_t *joint; /* the pair that is chosen at first. NULL: the worst one */
} page;

/* Writes the page to a file, or to standard output for "-". */
pm_status page_write(const char *path, const page *p, pm_error *error);

/* The page in memory, malloc'ed. NULL: memory is exhausted. */
char *page_text(const page *p, size_t *size);

#endif
