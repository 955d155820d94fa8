/* SPDX-License-Identifier: MIT
 *
 * Pages of motions: what they show, and the parts of which they are written.
 */
#pragma once

#include "motion/base/composed.h"
#include "motion/compare/compare.h"
#include "motion/compare/outcome.h"

#include <posemill/posemill.h>
#include <posemill/posemill_motion.h>

#include <stddef.h>
#include <stdio.h>

/* Pages are made of files that are embedded in the library: a template, in which {{name}} stands for a
 * part or for another file, styles and scripts. */

typedef struct page_writer {
    const char *name;
    text_printer write; /* the part */
} page_writer;

/* Writes an embedded file as it is. False: the build has left it out. */
bool page_write_file(FILE *file, const char *name);

/* Writes an embedded template with the parts that `writers` know. False: a part cannot be written. */
bool page_write_template(FILE *file, const char *name, const page_writer *writers, size_t count,
                         const void *content);

/* Writes a file, or to standard output for "-", whole or not at all. */
pm_status page_save(const char *path, text_printer print, const void *content, pm_error *error);

/* Pieces of a page: text that is no markup, and numbers. */

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

/* What the page shows along the time: places and values of the joints, at as many times as fit. Where
 * there are more, a frame stands for neighbouring times: it has the poses of the one with the largest
 * angle, and of every difference the largest. */

/* Differences in the order of compare_measure, then what A and B do. */
enum {
    PAGE_ANGLE_A = MEASURE_COUNT, /* from the first pose of A, in degrees */
    PAGE_ANGLE_B,
    PAGE_VELOCITY_A, /* degrees/s */
    PAGE_VELOCITY_B,
    PAGE_ACCELERATION_A, /* degrees/s^2 */
    PAGE_ACCELERATION_B,
    PAGE_VALUES
};

typedef struct page_frames {
    const comparison *c;
    size_t clips;               /* that share the bytes of the page */
    size_t joints;              /* the pairs */
    size_t count;               /* of frames */
    uint64_t per_frame;         /* times that a frame stands for, but for the last */
    double *times;              /* (count) */
    double *angles;             /* the largest of each frame's time */
    float *places[2];           /* (count, joints, 3); NULL: not known */
    float *values[PAGE_VALUES]; /* (count, joints); NaN: not known */
    int32_t *parents;           /* (joints): the nearest ancestor of A that is compared, if the way
                                 there is a bone; -1: none */
    double *first;              /* (joints, 4): rotations of A at the first time */
    motion_arena arena;
} page_frames;

/* Makes room for the frames of a comparison that is prepared, within `bytes` of the page's data. With
 * one motion only (A is B) the differences take no room. False: memory is exhausted. Release the frames
 * also on failure. */
bool page_frames_begin(page_frames *f, const comparison *c, size_t bytes);
void page_frames_release(page_frames *f);

/* For compare_run. */
compare_observer page_frames_observer(page_frames *f);

/* The frame nearest to a time. */
size_t page_frames_at(const page_frames *f, double time);

/* A page that shows two motions over each other, or one: a file of HTML that needs nothing else. */

enum {
    PAGE_MOST_JOINTS = 4000,
    PAGE_BYTES = 20000000, /* of a page */
    PAGE_MOST_CLIPS = 64
};

/* Compares, and keeps the frames of a page, which has `clips` like them. Messages name `path`. Frames and comparison are released by
 * the caller, also on failure. */
pm_status page_compute(comparison *c, page_frames *frames, uint64_t max_times, size_t clips,
                       const char *path, pm_error *error);

/* What a page shows. */
typedef struct page {
    const outcome *outcome; /* one motion: A and B of the comparison are the same subject */
    const page_frames *frames;
    const char *command;       /* the command line or the call that made it */
    bool hides_poses;          /* shows the curves, without the skeletons */
    const size_t *joint;       /* the pair that is chosen at first. NULL: the worst one */
    size_t clip;               /* its number in the file */
    bool is_other;             /* it is one of `others` of a page */
    const struct page *others; /* other clips of one motion, which a reader can choose */
    size_t other_count;
    size_t left_out; /* clips of the file that the page does not have */
} page;

/* The joint that turns most, of one motion; of two the one that differs most. */
size_t page_first_joint(const page *p);

/* Writes the page to a file, or to standard output for "-". */
pm_status page_write(const char *path, const page *p, pm_error *error);

/* The data of a page for its script: a JSON head, and blocks of 16-bit numbers in base64. */

/* Writes the script elements `head`, `times`, `placesA`, `angleA` and so on. False: memory is
 * exhausted. */
bool page_write_data(FILE *file, const page *p);

/* The bytes of the times of a subject's keys as text, at most, on a page of so many clips. */
size_t page_keys_text(const subject *s, size_t clips);

/* The files of a page that are embedded in the library. The build generates the table. */

struct page_part {
    const char *name;          /* file name without its folder, such as "page.css" */
    const unsigned char *text; /* ends with a zero byte that `size` does not count */
    size_t size;
};

extern const struct page_part page_parts[];
extern const size_t page_part_count;

/* The parts of a page that need no script: words, tables and pictures. */

void page_write_title(FILE *file, const page *p);
void page_write_clips(FILE *file, const page *p); /* the choice of one, where there are several */
void page_write_verdict(FILE *file, const page *p);
void page_write_conditions(FILE *file, const page *p);
void page_write_moments(FILE *file, const page *p);
void page_write_slides(FILE *file, const page *p);
void page_write_table(FILE *file, const page *p);
void page_write_pictures(FILE *file, const page *p); /* inline SVG */

static inline bool page_is_one(const page *p) {
    return p->outcome->comparison->a == p->outcome->comparison->b;
}
