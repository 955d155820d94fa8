/* SPDX-License-Identifier: MIT
 *
 * Shared by the parts of the BVH reader: the position in the text, words, and errors with a line
 * number. Not for other modules.
 */
#pragma once

#include "motion/bvh/bvh.h"

typedef struct bvh_scan {
    const motion_input *input;
    pm_error *error;
    const char *begin; /* after the byte order mark */
    const char *at;
    const char *end;
    const pm_motion_read_options *options;
    bvh *model;
    const char *frames; /* where the value of Frames: is expected; NULL: there is no Frames: */
    size_t commas;      /* number of decimal commas read */
    bool failed;        /* the error has a message */
} bvh_scan;

/* Skips blanks and returns the bytes up to the next blank or brace, or one brace. Empty at the end
 * of the text. */
text_span bvh_next_word(bvh_scan *scan);

/* The brace in begin..end, the rest of a line in a text up to `limit`, that opens the joint whose name
 * stands before it. It stands alone, or in front of the joint's first keyword. Any other brace is a
 * byte of the name, of whatever encoding. NULL: none, the name is the whole line. */
const char *bvh_opening_brace(const char *begin, const char *end, const char *limit);

/* A word of a file for the arguments of a message: control characters are escaped, and it is cut to 60
 * bytes. */
enum { BVH_PRINTABLE_BYTES = 60, BVH_PRINTABLE_SIZE = 4 * BVH_PRINTABLE_BYTES + 1 };
#define BVH_SHOWN(word) bvh_printable((word), (char[BVH_PRINTABLE_SIZE]){0})
char *bvh_printable(text_span word, char text[BVH_PRINTABLE_SIZE]);

/* Reads the next word as a finite number. On failure sets the error and returns false. */
bool bvh_next_number(bvh_scan *scan, const char *what, double *value);

/* Set the error to `line N: ...`. They always return false, and only the first error is kept. */
bool bvh_refuse(bvh_scan *scan, const char *location, const char *reason, ...)
    __attribute__((format(printf, 3, 4)));
bool bvh_refuse_about(bvh_scan *scan, const char *location, motion_about about, const char *reason,
                      ...) __attribute__((format(printf, 4, 5)));
bool bvh_out_of_memory(bvh_scan *scan);

/* The parts of a file, read from scan->at on. On failure they set the error and return false. */
bool bvh_scan_hierarchy(bvh_scan *scan); /* up to and including MOTION */
bool bvh_scan_head(bvh_scan *scan);      /* Frames: and Frame Time: */
bool bvh_scan_rows(bvh_scan *scan);      /* the rest */
