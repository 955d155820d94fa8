/* SPDX-License-Identifier: MIT
 *
 * A request for samples: a checked job with all that backends need of it resolved. The one place
 * where outputs are mapped, where a part of a job is cut out, and where samples are located among
 * keys.
 */
#ifndef PM_HOST_SAMPLE_REQUEST_H
#define PM_HOST_SAMPLE_REQUEST_H

#include "base/base.h"
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
    size_t field; /* offset in pm_sample_job of the float * that says where to */
} pm_output;

extern const pm_output pm_outputs[PM_OUTPUT_COUNT];

typedef struct pm_sample_request {
    const pm_clip_data *clip;
    size_t sample_count;
    size_t width;       /* values of a sample: all tracks, or one of pairs */
    size_t cursor_rows; /* rows of cursors: one, or one a timeline */
    bool parent_frame;  /* derivatives in the parent's frame */
    size_t host_threads;
    /* Where samples lie: see pm_sample_job. */
    pm_rational rate, start;
    uint64_t first;
    const double *times;
    const uint32_t *tracks; /* pairs; else NULL */
    /* (sample_count, width, components) in host memory; NULL: not wanted there */
    float *outputs[PM_OUTPUT_COUNT];
} pm_sample_request;

/* Of a checked job; host_threads where the job leaves them open. */
pm_sample_request pm_sample_request_of(const pm_clip_data *clip, const pm_sample_job *job,
                                       size_t host_threads);

/* Samples [from, from + count) of a request, as a request. Cursors are exact, so that they do not
 * depend on where a piece begins. */
pm_sample_request pm_sample_request_piece(const pm_sample_request *request, const pm_piece *piece);

/* Bytes of an output of all samples. */
size_t pm_sample_output_bytes(const pm_sample_request *request, unsigned output);

/* Cursors of a request: [sample] for a common timeline and for pairs, else [timeline][sample];
 * cursor_rows * sample_count of them. */
void pm_sample_cursors(const pm_sample_request *request, pm_cursor *cursors);

/* Whether a device can compute the cursors of a request by pm_locate_uniform. */
bool pm_sample_uniform_map(const pm_sample_request *request, pm_uniform_map *map);

/* PM_OK unless rate, start and first cannot be combined exactly with the keys' rates. */
pm_status pm_sample_check_rate(const pm_clip_data *clip, const pm_sample_job *job, pm_error *error);

#endif
