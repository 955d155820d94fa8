/* SPDX-License-Identifier: MIT
 *
 * The new rows of the members with a row per frame. Many rows of a compressed member are made and
 * compressed some at a time.
 */
#ifndef POSEMILL_MOTION_NPZ_WRITE_H
#define POSEMILL_MOTION_NPZ_WRITE_H

#include "motion/npz/npz.h"

/* The new rows of a member. */
typedef struct npz_output {
    char *bytes;          /* the header, and the rows in C order: all, or those made last */
    bool is_partial;      /* those made last */
    zip_packing *packing; /* NULL: none */
    size_t size, rows_at, row_size; /* `size` of all bytes */
    uint32_t crc;                   /* of rows that are made to be counted */
    const char *source;             /* the member's rows in the file, in C order */
    char *extracted;                /* memory of `source`. NULL: that of the document */
    double *near; /* rotations: the last row, whose branch or signs the next one continues */
} npz_output;

/* Makes the rows of all members, one output per rows of the document. Release them also on
 * failure. */
pm_status npz_make_outputs(const npz_document *document, const pm_motion_clip *clip,
                           const motion_samples *samples, npz_output **outputs, pm_error *error);

void npz_release_outputs(const npz_document *document, npz_output *outputs);

/* Writes the rows of a document's only member, which are stored and have no source: they are read twice,
 * because the checksum stands before them, and never all in memory. Rotations are written as they are
 * sampled. */
pm_status npz_stream_rows(const npz_document *document, const pm_motion_clip *clip,
                          const motion_samples *samples, zip_writer *zip, pm_error *error);

/* Writes a new file of layout `plain`. */
pm_status npz_write_new(const motion_writing *writing, const motion_sink *sink, pm_error *error);

#endif
