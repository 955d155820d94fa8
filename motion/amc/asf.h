/* SPDX-License-Identifier: MIT
 *
 * The skeletons of Acclaim, ASF: bones with a direction, a length, an axis frame and degrees of freedom.
 * And the words of a line, which its motions, AMC, have too.
 */
#pragma once

#include "motion/model/model.h"
#include "motion/model/names.h"
#include "motion/text/scan.h"

/* A text that is read by lines. Comments and empty lines are passed over. */
typedef struct asf_lines {
    text_span rest;
    size_t number; /* of the last line, from 1 */
} asf_lines;

/* The next line, without blanks around it. False at the end. */
bool asf_next_line(asf_lines *lines, text_span *line);
/* The next word of a line, which is taken from it. Parentheses count as blanks. */
bool asf_next_word(text_span *line, text_span *word);
/* A number that is the next word. */
bool asf_next_number(text_span *line, double *number);

/* Refuses the line that was read last. */
pm_status asf_refuse(const asf_lines *lines, const char *what, text_span word, pm_error *error);

enum { ASF_MOST_FREEDOMS = 6 };

typedef struct asf_bone {
    pm_motion_name name;
    int32_t parent;   /* the root is bone 0 */
    double axis[4];   /* the rotation of the axis frame */
    double offset[3]; /* from where it begins to where it ends; of the root its position */
    /* In the order in which they are applied: 'x', 'y', 'z' of rotations, 'X', 'Y', 'Z' of translations */
    char freedoms[ASF_MOST_FREEDOMS];
    size_t freedom_count, first; /* among the numbers of a frame */
    bool has_children;
} asf_bone;

typedef struct asf {
    asf_bone *bones;       /* in the arena */
    motion_named *by_name; /* likewise, in the order of the names */
    size_t count, freedoms;
    size_t moving; /* bones that have freedoms */
    bool radians;
    double length; /* that lengths are multiplied by, of the section of units. 0: 1 */
} asf;

/* Reads a skeleton, whose names are copied into the arena. `name` is of the file, for messages. */
pm_status asf_parse(const char *data, size_t size, const char *name, motion_arena *arena,
                    asf *skeleton, pm_error *error);

/* The bone with a name; SIZE_MAX: there is none. */
size_t asf_find(const asf *skeleton, text_span name);

/* q after a turn about an axis of the frame: 'x', 'y' or 'z', in degrees or radians. */
void asf_turn(double q[4], char axis, double angle, bool radians);
