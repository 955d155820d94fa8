/* SPDX-License-Identifier: MIT
 *
 * A request for samples: a checked job with everything that backends need resolved. This file alone
 * maps outputs, cuts a job into pieces, and locates samples among keys.
 */
#ifndef PM_HOST_SAMPLE_REQUEST_H
#define PM_HOST_SAMPLE_REQUEST_H

#include "base/base.h"
#include "clip/clip.h"

/* The outputs of a job: a channel's values, or derivatives of rotations. */
enum {
    PM_OUT_ROTATIONS,
    PM_OUT_POSITIONS,
    PM_OUT_SCALES,
    PM_OUT_VELOCITIES,
    PM_OUT_ACCELERATIONS,
    PM_OUTPUT_COUNT
};

typedef struct pm_output {
    const char *name;    /* of the field of pm_sample_job */
    unsigned channel;    /* PM_ROTATIONS and so on */
    unsigned order;      /* of the derivative; 0: values */
    unsigned components; /* floats per value */
    size_t field;        /* offset in pm_sample_job of the output's float * */
} pm_output;

extern const pm_output pm_outputs[PM_OUTPUT_COUNT];

/* Borrows the clip and the job's arrays. */
typedef struct pm_sample_request {
    const pm_clip_data *clip;
    size_t sample_count;
    size_t width;       /* values per sample: track_count, or 1 for pairs */
    size_t cursor_rows; /* rows of cursors: timeline_count, or 1 for pairs */
    bool parent_frame;  /* derivatives in the parent's frame */
    /* Bit o: pm_pairs_repay_sorting for output o. The same for all pieces, so that they use the same
     * kernels. */
    unsigned sorted_outputs;
    size_t host_threads; /* at least 1 */
    /* Sample times: see pm_sample_job. */
    pm_rational rate, start;
    uint64_t first;
    const double *times;
    const uint32_t *tracks; /* (sample_count): the tracks of pairs; else NULL */
    /* (sample_count, width, components) in host memory; NULL: not requested there */
    float *outputs[PM_OUTPUT_COUNT];
} pm_sample_request;

/* The request of a checked job. `host_threads` applies where the job sets none. */
pm_sample_request pm_sample_request_of(const pm_clip_data *clip, const pm_sample_job *job,
                                       size_t host_threads);

/* A request for samples [from, from + count) of a request. Cursors are exact, so that they do not
 * depend on where a piece begins. */
pm_sample_request pm_sample_request_piece(const pm_sample_request *request, const pm_piece *piece);

/* Size of an output in bytes, for all samples. */
size_t pm_sample_output_bytes(const pm_sample_request *request, unsigned output);

/* Writes the cursors of a request: (cursor_rows, sample_count). Uses up to host_threads threads. */
void pm_sample_cursors(const pm_sample_request *request, pm_cursor *cursors);

/* Whether a device can compute the cursors of a request. Sets *map; its scale is 0 if not. */
bool pm_sample_uniform_map(const pm_sample_request *request, pm_uniform_map *map);

/* PM_OK unless rate, start and first cannot be combined exactly with the keys' rates. */
pm_status pm_sample_check_rate(const pm_clip_data *clip, const pm_sample_job *job, pm_error *error);

#endif
