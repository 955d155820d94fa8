/* SPDX-License-Identifier: MIT
 *
 * Writing rows. Channels are sampled block by block: what the engine needs for a channel, all its keys, is
 * then in memory for a few of them at a time. A block gives its columns of every row. The rows of large
 * members are made span by span, each by all blocks, and compressed.
 */
#pragma once

#include "motion/npz/npz.h"

/* Rows of other files with the members of a document, which are written into it as they are. */
typedef struct npz_source {
    const npz_document *of;
    const char **
        rows; /* of each of the document's rows, those of the file, in C order. NULL: it has others */
    char **extracted; /* memory of some of them */
} npz_source;

/* Zero-initialise. */
typedef struct npz_sources {
    npz_source **all;
    size_t count;
} npz_sources;

/* Whether a file has the members of another that have rows. */
bool npz_shares_rows(const pm_motion *a, const pm_motion *b);

/* The rows of a file. NULL: it has other members than the document. */
pm_status npz_find_source(npz_sources *sources, const npz_document *document,
                          const pm_motion *motion, const npz_source **found, pm_error *error);

void npz_release_sources(npz_sources *sources, const npz_document *document);

/* Rows as they are in the file. Those whose memory has quaternions now are extracted once more. */
pm_status npz_source_rows(const npz_document *document, const npz_rows *rows, const char **data,
                          char **extracted, pm_error *error);

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
