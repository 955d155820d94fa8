/* SPDX-License-Identifier: MIT
 *
 * The up to three clips of a motion file: rotations, vectors, and plain numbers. They are sampled
 * together, piece by piece.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_CLIPS_H
#define POSEMILL_TOOLS_RESAMPLE_CLIPS_H

#include "motion/bvh/bvh_pose.h"
#include "resample.h"

typedef struct resample_clips {
    pm_clip *rotations, *vectors, *plains; /* NULL: the file has none */
    size_t rotation_count, vector_count, plain_count;
    /* Samples of a piece, and with --check the samples of the reference path. */
    size_t piece;
    float *rotation_samples, *vector_samples, *plain_samples;
    float *reference_samples; /* for rotations, then for vectors */
} resample_clips;

/* Sets the vector bases of the plan. Release the clips also on failure. */
cli_exit resample_clips_make(resample_clips *clips, const char *path, resample_options *options,
                             pm_engine *engine, pose_plan *plan, pm_rational source_rate,
                             uint64_t sample_count);
void resample_clips_release(resample_clips *clips);

/* Evaluates `count` samples from `first`, at most clips->piece. */
cli_exit resample_clips_sample(resample_clips *clips, const char *path, pm_rational rate,
                               pm_rational start, uint64_t first, size_t count,
                               resample_report *report);

#endif
