/* SPDX-License-Identifier: MIT
 *
 * Biovision motion text (BVH), as it is found: a skeleton whose joints declare their own
 * channels, and rows of numbers. Reading keeps the source's text, so that a frame can be
 * written again exactly as it was. No rotation is understood here; see resample_pose.h.
 */
#ifndef POSEMILL_TOOLS_BVH_H
#define POSEMILL_TOOLS_BVH_H

#include "commands/cli.h"
#include "resample/rate.h"

#define BVH_NO_JOINT SIZE_MAX

/* Bytes of a file, verbatim: no NUL behind them, any encoding. */
typedef struct bvh_text {
    const char *begin;
    size_t size;
} bvh_text;

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
    BVH_OTHER /* a name that is none of these: a plain number */
} bvh_channel_kind;

typedef struct bvh_channel {
    bvh_channel_kind kind;
    bvh_text name;
    size_t joint;
} bvh_channel;

typedef struct bvh_joint {
    bvh_text name; /* may be empty, and need not be the only one of this name */
    size_t parent; /* BVH_NO_JOINT for a root */
    double offset[3];
    size_t first_channel; /* the joint's channels are neighbours */
    size_t channel_count;
    bool has_channels_line;
} bvh_joint;

typedef struct bvh_site {
    size_t joint;
    bvh_text name; /* what follows `End Site`, mostly nothing */
    double offset[3];
} bvh_site;

typedef struct bvh_row {
    bvh_text text; /* its numbers with whatever blanks stand between */
    bool held;     /* some value is not the text's, but that of the row before */
} bvh_row;

typedef struct bvh_options {
    bool strict;             /* --strict: refuse where Frames: and the rows disagree */
    bool hold_nan;           /* --nan hold: take the value before instead of refusing */
    bool no_snap;            /* --no-snap: the frame time is what it says, to the digit */
    pm_rational source_rate; /* --src-rate, instead of the frame time. 0/0: not given */
} bvh_options;

/* Channels are numbered in file order over all joints: that is the order of a row. */
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
    uint64_t frames_stated; /* what Frames: says */
    pm_rational rate;
    rate_snap rate_how;   /* RATE_LITERAL also for a source_rate */
    bvh_text frame_time;  /* as written; empty when the file states none */
    bool comma;           /* some number has a decimal comma */
    const char *line_end; /* "\n", "\r\n" or "\r", as the first line ends */
    char *hierarchy;      /* the text before MOTION, decimal commas made points */
    size_t hierarchy_size;
} bvh;

/* By HIERARCHY, behind blanks and a byte order mark. */
extern const cli_kind bvh_kind;

/* Reads text that must outlive the model and is called `path` in messages. What is odd
 * but clear is warned of; what is not is refused with CLI_BAD_INPUT and a message that
 * names the line and the joint. On success *model is to be freed with bvh_free. */
cli_exit bvh_parse(const char *path, const char *data, size_t size, const bvh_options *options,
                   bvh **model);

/* `joint 3 (Spine)`, the name as bvh_printable has it, for messages. */
enum { BVH_JOINT_TEXT = 280 };
void bvh_describe_joint(const bvh *model, size_t joint, char text[BVH_JOINT_TEXT]);

/* Clears the handle; takes a pointer to NULL. */
void bvh_free(bvh **model);

/* ---- writing ------------------------------------------------------------------- */

/* A buffer in front of a cli_output. */
typedef struct bvh_writer {
    const bvh *model;
    cli_output *output;
    unsigned decimals;
    char *buffer;
    size_t used, capacity;
    uint64_t bytes; /* written so far, the buffer's included */
} bvh_writer;

/* Writes the hierarchy as it was and the head of a motion. The model and the output are
 * borrowed. On failure prints and returns the code; bvh_writer_release in every case. */
cli_exit bvh_writer_begin(bvh_writer *writer, const bvh *model, cli_output *output,
                          uint64_t frame_count, pm_rational rate, unsigned decimals);

/* Writes source frame `frame` as the file had it: its own digits, single spaces. */
cli_exit bvh_writer_source_row(bvh_writer *writer, size_t frame);

/* Writes channel_count numbers, which must be finite. */
cli_exit bvh_writer_row(bvh_writer *writer, const double *values);

/* Hands the rest to the output, which the caller commits. */
cli_exit bvh_writer_end(bvh_writer *writer);

void bvh_writer_release(bvh_writer *writer);

#endif
