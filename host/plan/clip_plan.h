/* SPDX-License-Identifier: MIT
 *
 * Building the planes of a clip on a device: which clips can be built there, what is sent, and the launches.
 */
#ifndef PM_HOST_CLIP_PLAN_H
#define PM_HOST_CLIP_PLAN_H

#include "step.h"

/* Whether kernels can build all channels of a checked description: keys are not coded, and arrays are at most
 * twice as long as their numbers. */
bool pm_plan_builds(const pm_clip_desc *desc);

/* An array of a description for a channel that is present; NULL: its curve reads none. PM_ARRAY_KEYS, or of the
 * channel's curve: PM_ARRAY_IN, which are user tangents where it reads those, and PM_ARRAY_OUT. */
const pm_array *pm_build_array_of(const pm_clip_desc *desc, unsigned channel, unsigned array);

/* The same as it lies in memory; data NULL: not given. */
pm_source pm_build_source(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned channel,
                          unsigned array);

/* The bytes that are sent to a device which builds the clip. */
uint64_t pm_build_bytes(const pm_clip_desc *desc, const pm_clip_data *clip);

/* A channel that a device builds. Owns its tables. */
typedef struct pm_build_plan {
    const pm_clip_data *clip; /* borrowed */
    unsigned channel;
    pm_build_job job;
    pm_build_track *tracks; /* (track_count) */
    double *times;          /* borders of the segments of all timelines */
    size_t time_count;
    size_t rows;         /* keys of all tracks, as they are given */
    size_t chunks, keys; /* of the longest track */
    size_t segments;     /* likewise; 0: the curve has no coefficients */
    size_t ranges;       /* likewise, whose rates are found; 0: none are */
    size_t solved_keys;  /* of a range, at most */
} pm_build_plan;

/* From a description that kernels can build, and its clip without keys. Free with pm_build_plan_free, after
 * a failure too. */
pm_status pm_build_plan_make(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned channel,
                             pm_build_plan *plan, pm_error *error);
void pm_build_plan_free(pm_build_plan *plan);

/* Lets the launches begin with a check of keys and tangents, which set PM_MEMORY_FAILURE where one may be bad. */
void pm_build_plan_check(const pm_clip_desc *desc, pm_build_plan *plan);

/* Bytes of PM_MEMORY_SIGNS; or of PM_MEMORY_TANGENTS_IN or PM_MEMORY_SOLVER where rates are found, else 0. */
size_t pm_build_memory(const pm_build_plan *plan, const pm_plan_device *device, pm_memory memory);

/* Launches a channel one after another. Begins with a position of {0}. False: there are no more. */
typedef struct pm_build_position {
    unsigned kernel;
    size_t first;
} pm_build_position;
bool pm_plan_build_step(const pm_build_plan *plan, const pm_plan_device *device,
                        pm_build_position *at, pm_step *step);

#endif
