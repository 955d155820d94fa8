/* SPDX-License-Identifier: MIT
 *
 * Evaluates the channels of a clip at other times, piece by piece, on an engine.
 */
#pragma once

#include "motion/model/model.h"
#include "motion/resample/tracks.h"
#include "motion/time/key_rate.h"
#include "motion/time/resample_grid.h"

typedef struct sampler_group {
    track_group *tracks;
    /* One of both, or none where all samples lie on keys. Plain C resamples values without a clip. */
    pm_clip *clip;
    pm_resampler *resampler;
    pm_filter *filter; /* instead of both, with a low-pass */
    track_keys keys;   /* of the resampler, which borrows them, and its axes */
    double *axes;
    float *samples;   /* (piece, track_count, 4 or 3) */
    float *reference; /* of check; else NULL */
} sampler_group;

typedef struct sampler {
    const pm_motion *motion;
    const pm_motion_clip *clip;
    pm_engine *engine;
    uint32_t plain_threads; /* of an engine in plain C; 0: the engine is a device */
    const pm_motion_resample_options *options;
    pm_motion_resample_report *report;
    bool *resampled;  /* for each channel */
    bool leaves_kept; /* the values of samples that lie on keys are not computed. May be changed
                         before channels are selected */
    double largest;   /* number that the output can hold; others are refused */
    bool keeps_keys;  /* samples on keys are the keys, also where a document has them */
    /* Of the channels that are selected. */
    track_groups tracks;
    sampler_group groups[TRACKS_MAX_GROUPS];
    size_t piece;
    size_t numbers, selected; /* of a sample: of all channels, of those selected now */
    bool has_first;           /* the first channel is selected: samples are counted with it */
    uint64_t done;            /* numbers that were read, of all channels */
    /* Clips with a rate have an exact grid of their frames, the first of which is at `origin`, after
     * the trim. Those with one timeline without times are uniform for the engine, too: its keys begin
     * at 0 after the trim. Others are sampled at times like those of keys, in float32. */
    bool uniform, interpolating;
    double cutoff;   /* Hz, of a low-pass, for whose keys samples are uniform; 0: none */
    key_grid source; /* the rate and the start of the frames */
    uint64_t frames; /* 0: no rate */
    pm_rational origin;
    resample_grid grid;
    resample_position position; /* of the next sample */
    uint64_t next, count;
    double first_time, last_time; /* of the samples, for the engine */
    double first_key;             /* of clips that are not uniform */
    bool is_moved;                /* the result begins at 0, and its source elsewhere */
    pm_rational begin;            /* of the result; 0/0: not known */
    double *times;                /* (piece); NULL: uniform */
    const pm_timeline *longest;   /* of a clip that is not uniform; it begins at a frame: */
    int64_t longest_frame;
    bool has_drifted; /* its times were added up, and have drifted from their frames */
    size_t passed;    /* keys of it that samples have passed */
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

/* Finds the samples of the sampler's clip, and refuses more than the options allow. */
pm_status sampler_find_grid(sampler *s, pm_error *error);

/* Begins at a sample. */
void sampler_restart(sampler *s, uint64_t sample);

/* The positions of the next `count` samples. */
void sampler_advance(sampler *s, size_t count, motion_position positions[]);

/* Whether all samples lie on keys that the curve passes through. False for loops. */
bool sampler_keeps_all(const sampler *s);

/* The time of a sample of a clip that is not uniform: that of a key, where it lies on one. */
double sampler_time(const sampler *s, uint64_t sample);

/* motion_samples.time; `user` is the sampler. */
double sampler_result_time(void *user, uint64_t sample);
