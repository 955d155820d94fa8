/* SPDX-License-Identifier: MIT
 *
 * Biovision motion text (BVH) as found in practice: a skeleton whose joints declare their
 * channels, and rows of numbers. The reader keeps the text of the source, so that a frame can be
 * written again unchanged. Rotations are interpreted in bvh_pose.h.
 */
#pragma once

#include "motion/files/input.h"
#include "motion/model/model.h"
#include "motion/text/scan.h"
#include "motion/time/rate.h"

#define BVH_NO_JOINT SIZE_MAX

typedef enum bvh_channel_kind {
    BVH_X_POSITION = 0,
    BVH_Y_POSITION,
    BVH_Z_POSITION,
    BVH_X_ROTATION, /* degrees, intrinsic, in the order of the channels */
    BVH_Y_ROTATION,
    BVH_Z_ROTATION,
    BVH_X_SCALE,
    BVH_Y_SCALE,
    BVH_Z_SCALE,
    BVH_OTHER /* any other name: a plain number */
} bvh_channel_kind;

typedef struct bvh_channel {
    bvh_channel_kind kind;
    text_span name;
    size_t joint;
} bvh_channel;

typedef struct bvh_joint {
    text_span name; /* may be empty, and need not be unique */
    size_t parent;  /* BVH_NO_JOINT for a root */
    double offset[3];
    text_span offset_text; /* its three numbers in the hierarchy; empty if there is no OFFSET */
    size_t first_channel;  /* the channels of a joint are contiguous */
    size_t channel_count;
    bool has_channels_line;
    text_span channels_text; /* their number and names in the hierarchy; where there is no CHANNELS,
                               empty, behind the brace */
} bvh_joint;

typedef struct bvh_site {
    size_t joint;
    text_span name; /* text after `End Site`, usually empty */
    double offset[3];
    text_span offset_text;
} bvh_site;

typedef struct bvh_row {
    text_span text; /* the numbers, and the blanks between them */
    bool held;      /* some value was replaced by that of the row before */
} bvh_row;

/* Channels are numbered in file order over all joints, which is the order of a row. Names and texts of
 * the hierarchy lie in `hierarchy`. */
typedef struct bvh {
    bvh_joint *joints;
    size_t joint_count;
    bvh_site *sites;
    size_t site_count;
    bvh_channel *channels;
    size_t channel_count;
    double *values; /* (frame_count, channel_count) */
    bvh_row *rows;
    size_t frame_count;     /* at least 1 */
    uint64_t frames_stated; /* value of Frames:; UINT64_MAX: it has none that can be counted to */
    pm_rational rate;
    rate_snap rate_how;      /* RATE_LITERAL also for a source_rate */
    pm_rational stated_rate; /* of the frame time, whatever the options; 0/0: none */
    text_span frame_time;    /* as written; empty if the file has none */
    bool comma;              /* whether a number has a decimal comma */
    const char *line_end;    /* "\n", "\r\n" or "\r", as the first line ends */
    char *hierarchy;         /* the text before MOTION, with decimal points for decimal commas */
    size_t hierarchy_size;
} bvh;

/* Recognised by HIERARCHY after blanks and a byte order mark. */
extern const input_kind bvh_kind;

/* Parses text that must outlive the model. Unusual but unambiguous input causes a warning. Other
 * input is refused, with the line and the joint in the message. On success free *model with
 * bvh_free. */
pm_status bvh_parse(const motion_input *input, bvh **model, pm_error *error);

/* Parses a hierarchy with MOTION at its end. The model has no rows. */
pm_status bvh_parse_hierarchy(const char *text, size_t size, bvh **model, pm_error *error);

/* Writes `joint 3 (Spine)` for messages, with the name made printable by bvh_printable. */
enum { BVH_JOINT_TEXT = 280 };
void bvh_describe_joint(const bvh *model, size_t joint, char text[BVH_JOINT_TEXT]);

/* Moves the names and texts of the hierarchy from one copy of its bytes to another. */
void bvh_move_texts(bvh *model, const char *from, const char *to);

/* Sets *model to NULL, which is also allowed as input. */
void bvh_free(bvh **model);

/* A buffer for a sink. */
typedef struct bvh_writer {
    const bvh *model;
    const motion_sink *sink;
    unsigned decimals;
    char *buffer;
    size_t used, capacity;
    uint64_t bytes; /* written so far, including the buffer */
} bvh_writer;

/* Writes the hierarchy unchanged, and the head of a motion. The model and the sink are borrowed. Call
 * bvh_writer_release in every case. */
pm_status bvh_writer_begin(bvh_writer *writer, const bvh *model, const motion_sink *sink,
                           uint64_t frame_count, pm_rational rate, unsigned decimals,
                           pm_error *error);

/* Writes frame `frame` of a file with the channels of the model, with its digits and single spaces. */
pm_status bvh_writer_source_row(bvh_writer *writer, const bvh *from, size_t frame, pm_error *error);

/* Writes channel_count numbers, which must be finite. A number whose word is not empty is written as that;
 * no words: NULL. */
pm_status bvh_writer_row(bvh_writer *writer, const double *values, const text_span words[],
                         pm_error *error);

/* Flushes the buffer to the sink. */
pm_status bvh_writer_end(bvh_writer *writer, pm_error *error);

void bvh_writer_release(bvh_writer *writer);
