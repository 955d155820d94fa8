/* SPDX-License-Identifier: MIT
 *
 * A page that shows two motions over each other, or one: a file of HTML that needs nothing else.
 */
#ifndef POSEMILL_TOOLS_REPORT_PAGE_H
#define POSEMILL_TOOLS_REPORT_PAGE_H

#include "compare/outcome.h"
#include "options/options.h"
#include "page_frames.h"

enum {
    PAGE_MOST_JOINTS = 4000,
    PAGE_BYTES = 20000000 /* of a page */
};

/* The bytes that the frames of a page may have, before they are text. */
size_t page_room(const comparison *c);

/* Compares, and keeps the frames of a page. Messages name `path`. Frames and comparison are released by
 * the caller, also on failure. */
cli_exit page_compute(comparison *c, page_frames *frames, uint64_t max_times, const char *path);

/* Prints and returns the code if a page cannot have this name: that of an input, or of another kind of
 * file. */
cli_exit page_check_name(const command_help *help, const char *path, char **inputs, size_t count);

/* The words of a command line, malloc'ed. NULL: memory is exhausted. */
char *page_command_line(int argc, char **argv);

/* What a page shows. */
typedef struct page {
    const outcome *outcome; /* one motion: A and B of the comparison are the same subject */
    const page_frames *frames;
    const char *command; /* the command line that made it */
    bool hides_poses;    /* shows the curves, without the skeletons */
    const size_t *joint; /* the pair that is chosen at first. NULL: the worst one */
} page;

/* What `posemill compare --json` prints, malloc'ed, not terminated. NULL: memory is exhausted. */
char *page_numbers(const outcome *o, size_t *size);

/* The page in memory, malloc'ed, not terminated. NULL: memory is exhausted. */
char *page_text(const page *p, size_t *size);

/* Writes the page to a file, or to standard output for "-". On failure prints and returns the code. */
cli_exit page_write(const char *path, const page *p);

#endif
