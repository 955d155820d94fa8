/* SPDX-License-Identifier: MIT
 *
 * The up to three clips that a motion file becomes: its rotations, the vectors that go with
 * them, and plain numbers. Sampled together, piece by piece.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_CLIPS_H
#define POSEMILL_TOOLS_RESAMPLE_CLIPS_H

#include "resample.h"
#include "resample_pose.h"

typedef struct resample_clips {
    pm_clip *rotations, *vectors, *plains; /* NULL: the file has none */
    size_t rotation_count, vector_count, plain_count;
    /* Samples of a piece, and of the same on the reference with --check. */
    size_t piece;
    float *rotation_samples, *vector_samples, *plain_samples;
    float *reference_samples; /* rotations, then vectors */
} resample_clips;

/* Sets the plan's vector bases. To be released also on failure. */
cli_exit resample_clips_make(resample_clips *clips, const char *path, resample_options *options,
                             pm_engine *engine, pose_plan *plan, pm_rational source_rate,
                             uint64_t sample_count);
void resample_clips_release(resample_clips *clips);

/* Evaluates `count` samples from `first` on, at most clips->piece of them. */
cli_exit resample_clips_sample(resample_clips *clips, const char *path, pm_rational rate,
                               pm_rational start, uint64_t first, size_t count,
                               resample_report *report);

#endif
