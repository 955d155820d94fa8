/* SPDX-License-Identifier: MIT
 *
 * Evaluates the channels of a clip at other times, piece by piece, on an engine.
 */
#ifndef POSEMILL_MOTION_SAMPLER_H
#define POSEMILL_MOTION_SAMPLER_H

#include "motion/model/model.h"
#include "motion/resample/tracks.h"
#include "motion/time/resample_grid.h"

typedef struct sampler_group {
    track_group *tracks;
    pm_clip *clip;
    float *samples;   /* (piece, track_count, 4 or 3) */
    float *reference; /* of check; else NULL */
} sampler_group;

typedef struct sampler {
    const pm_motion *motion;
    const pm_motion_clip *clip;
    pm_engine *engine;
    const pm_motion_resample_options *options;
    pm_motion_resample_report *report;
    bool *resampled;  /* for each channel */
    bool leaves_kept; /* the values of samples that lie on keys are not computed. May be changed
                         before channels are selected */
    /* Of the channels that are selected. */
    track_groups tracks;
    sampler_group groups[TRACKS_MAX_GROUPS];
    size_t piece;
    /* Numbers of a sample: of all channels, of those selected now, and of those selected before. */
    size_t numbers, selected, before;
    /* Clips with a rate: an exact grid. Others: times, which are those of float32 key times. */
    bool uniform, interpolating;
    resample_grid grid;
    resample_position position; /* of the next sample */
    uint64_t next, count;
    double first_time, last_time;
    double *times; /* (piece); NULL with a rate */
    const pm_timeline
        *longest; /* of a clip without a rate; its samples have passed so many keys: */
    size_t passed;
} sampler;

/* Finds the samples of clip number `index`; sampler_select must follow. Release the sampler also on
 * failure. */
pm_status sampler_open(sampler *s, const pm_motion *motion, size_t index, pm_engine *engine,
                       const pm_motion_resample_options *options, pm_motion_resample_report *report,
                       pm_error *error);

/* motion_samples.select; `user` is the sampler. */
pm_status sampler_select(void *user, size_t first, size_t count, pm_error *error);

/* motion_samples.read_velocities; `user` is the sampler. */
pm_status sampler_read_velocities(void *user, uint64_t first, size_t count,
                                  double *const velocities[], pm_error *error);

/* The samples for a writer. They are valid until the sampler is released. */
motion_samples sampler_samples(sampler *s);

void sampler_release(sampler *s);

#endif
