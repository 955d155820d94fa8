/* SPDX-License-Identifier: MIT
 *
 * Writing rows. Channels are sampled block by block: what the engine needs for a channel, all its keys, is
 * then in memory for a few of them at a time. A block gives its columns of every row. The rows of large
 * members are made span by span, each by all blocks, and compressed.
 */
#pragma once

#include "motion/npz/npz_source.h"

/* The new rows of a member. */
typedef struct npz_output {
    char *bytes;                    /* the header, and the rows in C order: all, or of a span */
    bool is_partial;                /* of a span */
    zip_packing *packing;           /* NULL: none */
    size_t size, rows_at, row_size; /* `size` of all bytes */
    uint32_t crc;                   /* of rows that are made to be counted */
    const char *source;             /* the member's rows in the file, in C order */
    char *extracted;                /* memory of `source`. NULL: that of the document */
    double *near; /* rotations: the last row, whose branch or signs the next one continues */
} npz_output;

typedef struct npz_writer {
    const npz_document *document;
    const pm_motion_clip *clip;
    const motion_samples *samples; /* NULL: the document as it was read */
    npz_output *outputs;           /* one per rows of the document */
    bool is_streamed;              /* spans are counted and written, and not kept */
    bool is_counted;               /* spans are written */
    uint64_t first, rows;          /* the samples of the span */
    /* The channels of the block, and those behind it. */
    size_t begin, end;
    size_t piece;                    /* samples that are computed at once */
    bool *derived;                   /* for each channel: its velocities are wanted */
    double *numbers;                 /* of the block's channels, and of their velocities */
    double **channels, **velocities; /* of all channels; NULL outside of the block */
    motion_position *positions;
    const npz_source **files; /* of each, where another one has its row; NULL: the document */
    npz_sources sources;
    double *row; /* one row of the widest member */
    zip_writer zip;
    pm_error *error;
} npz_writer;

/* Memory for making rows, but for that of outputs. Release it also on failure. */
pm_status npz_prepare_rows(npz_writer *w);
void npz_release_rows(npz_writer *w);

/* Makes the rows of a span. */
pm_status npz_make_rows(npz_writer *w);

/* Writes the rows of a document's only member, which are stored and have no source: they are read twice,
 * because the checksum stands before them, and never all in memory. Rotations are written as they are
 * sampled. */
pm_status npz_stream_rows(npz_writer *w);
