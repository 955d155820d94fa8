/* SPDX-License-Identifier: MIT
 *
 * A job inside the library: which places it wants, in the order kernels take them.
 */
#ifndef PM_HOST_JOB_H
#define PM_HOST_JOB_H

#include "clip/clip.h"

/* Everything a job can write: a channel's values, or derivatives of rotations. */
enum {
    PM_OUT_ROTATIONS,
    PM_OUT_POSITIONS,
    PM_OUT_SCALES,
    PM_OUT_VELOCITIES,
    PM_OUT_ACCELERATIONS,
    PM_OUTPUT_COUNT
};

typedef struct pm_output {
    const char *name;
    unsigned channel;
    unsigned order; /* of the derivative */
    unsigned components;
} pm_output;

extern const pm_output pm_outputs[PM_OUTPUT_COUNT];

/* The host memory that a job wants outputs in, NULL where not wanted. */
void pm_job_outputs(const pm_sample_job *job, float *outputs[PM_OUTPUT_COUNT]);

/* A part of a job: samples [from, from + count). */
typedef struct pm_piece {
    size_t from;
    size_t count;
} pm_piece;

/* How many values a sample has: all tracks, or one in a job of pairs. */
size_t pm_job_width(const pm_clip *clip, const pm_sample_job *job);

/* A piece as a job of its own. Places are exact, so they do not depend on where it begins. */
pm_sample_job pm_job_part(const pm_clip *clip, const pm_sample_job *job, const pm_piece *piece);

/* What pm_sample_check looks at but for the output pointers. */
pm_status pm_job_check_samples(const pm_clip *clip, const pm_sample_job *job, pm_error *error);

/* Places of a piece: [sample] for shared timelines and for pairs, else
 * [timeline][sample], piece->count in a row. For a checked job. */
void pm_job_cursors(const pm_clip *clip, const pm_sample_job *job, const pm_piece *piece,
                    pm_cursor *cursors);

/* Whether the device can compute the places of a whole job by pm_locate_uniform. */
bool pm_job_uniform_map(const pm_clip *clip, const pm_sample_job *job, pm_uniform_map *uniform_map);

/* A checked job, on the reference path. */
pm_status pm_sample_on_reference(const pm_clip *clip, const pm_sample_job *job, pm_error *error);

/* Evaluates a piece on the host, into the job's outputs for the piece. */
void pm_reference_sample(const pm_clip *clip, const pm_sample_job *job, const pm_piece *piece,
                         const pm_cursor *cursors, float *const outputs[PM_OUTPUT_COUNT]);

#endif
