/* SPDX-License-Identifier: MIT
 *
 * Folders of motion files for the cases that measure batches, and what the outputs have to be.
 */
#ifndef POSEMILL_BENCH_BATCH_TREE_H
#define POSEMILL_BENCH_BATCH_TREE_H

#include "file_archive.h"
#include "motion/files/digest.h"
#include "motion/items/items.h"
#include "runner/runner.h"
#include "runner/scratch_tree.h"

/* What a folder holds, and what becomes of it. */
typedef struct batch_content {
    const char *name;
    const char *shape;    /* of the archive */
    file_content content; /* one that the archive has */
    pm_rational ratio;    /* of the rates, in lowest terms */
    const char *rate;     /* the same as an option */
} batch_content;

/* An output of a file that was resampled alone. */
typedef struct batch_output {
    digest digest;
    size_t bytes;
} batch_output;

/* Zero-initialise. */
typedef struct batch_tree {
    char folder[SCRATCH_PATH];
    batch_items inputs;
    archive_size size;
    batch_output *outputs; /* of the inputs; NULL: not resampled yet */
    size_t bytes_written, rotations_written;
    double max_error;
    bench_bits bits;
} batch_tree;

/* Writes and lists `count` files, unless they are there already. */
cli_exit batch_tree_write(const scratch_tree *root, const batch_content *content, size_t count,
                          batch_tree *tree);

/* Resamples each file alone through the motion library, unless that was done. Some of the outputs are
 * compared with the reference path and with the frames of the source, as those of files. */
cli_exit batch_tree_resample(const scratch_tree *root, const batch_content *content,
                             pm_engine *engine, batch_tree *tree);

/* Sets max_error_rad and bits. A folder that does not hold the outputs of batch_tree_resample, byte by
 * byte and no others, is an infinite error. */
cli_exit batch_tree_check(const batch_tree *tree, const char *folder, bench_result *result);

void batch_tree_release(batch_tree *tree);

#endif
