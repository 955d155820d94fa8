/* SPDX-License-Identifier: MIT
 *
 * A request for samples: a checked job with everything that backends need resolved. This file alone
 * maps outputs, cuts a job into pieces, and locates samples among keys.
 */
#ifndef PM_HOST_SAMPLE_REQUEST_H
#define PM_HOST_SAMPLE_REQUEST_H

#include "address.h"
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
    size_t stride;       /* likewise of its stride */
} pm_output;

extern const pm_output pm_outputs[PM_OUTPUT_COUNT];

struct pm_lowpass;

/* Borrows the clip and the job's arrays. */
typedef struct pm_sample_request {
    const pm_host *host; /* that of the clip, or of pieces within another request. Borrowed */
    const pm_clip_data *clip;
    const struct pm_lowpass *lowpass; /* lowpass.h; NULL: samples of the curve. Borrowed */
    size_t sample_count;
    size_t width;        /* values per sample: track_count, or 1 for pairs */
    size_t cursor_rows;  /* rows of cursors: timeline_count, or 1 for pairs */
    bool parent_frame;   /* derivatives in the parent's frame */
    size_t host_threads; /* at least 1 */
    /* Sample times: see pm_sample_job. */
    pm_rational rate, start;
    uint64_t first;
    const double *times;
    pm_uniform_map
        map; /* of samples to keys, in 64 bits. Scale 0: there is none, and the host locates samples */
    const uint32_t *tracks; /* (sample_count): the tracks of pairs; else NULL */
    /* (sample_count), of one timeline: what the rate would give on all keys, where the clip has some of
     * them. NULL: the samples are located by what is above. Borrowed */
    const pm_cursor *cursors;
    /* (sample_count, width, components) in host memory; NULL: not requested there */
    float *outputs[PM_OUTPUT_COUNT];
    pm_address handles[PM_OUTPUT_COUNT]; /* likewise, in objects of the backend's API */
    size_t strides
        [PM_OUTPUT_COUNT]; /* bytes from row to row; backends compute into host memory without */
} pm_sample_request;

/* Makes the clip of a job's subset (pm_clip_subset), for pm_clip_data_free; NULL: the job is of all tracks. It stands for
 * the clip below. PM_ERROR_ARGUMENT where the subset is invalid, or beside pairs. */
pm_status pm_sample_subset(const pm_clip_data *clip, const pm_sample_job *job,
                           pm_clip_data **subset, pm_error *error);

/* The request of a checked job. `host_threads` applies where the job sets none. */
pm_sample_request pm_sample_request_of(const pm_clip_data *clip, const pm_sample_job *job,
                                       size_t host_threads);

/* The part of pm_sample_check that does not check outputs, by up to `threads` threads. */
pm_status pm_sample_check_times(const pm_clip_data *clip, const pm_sample_job *job, size_t threads,
                                pm_error *error);

/* The time in seconds of sample k at the request's rate, for listed key times from `first_key` on. Computed
 * from integers for each sample, so that errors do not accumulate. */
double pm_sample_time(const pm_sample_request *request, double first_key, uint64_t k);

/* A request for samples [from, from + count) of a request. Cursors are exact, so that they do not
 * depend on where a piece begins. */
pm_sample_request pm_sample_request_piece(const pm_sample_request *request, const pm_piece *piece);

/* Bit o: output o is requested. */
unsigned pm_sample_outputs(const pm_sample_request *request);

/* Bytes of the values of a sample in an output, and from them to those of the next one. */
size_t pm_sample_row_bytes(const pm_sample_request *request, unsigned output);
size_t pm_sample_stride(const pm_sample_request *request, unsigned output);

/* Bytes from the first value of an output to the end of the last one. */
size_t pm_sample_span(const pm_sample_request *request, unsigned output);

/* Size of an output in bytes, for all samples, without what strides leave between them. */
size_t pm_sample_output_bytes(const pm_sample_request *request, unsigned output);

/* Writes the cursors of a request: (cursor_rows, sample_count). Uses up to host_threads threads. */
void pm_sample_cursors(const pm_sample_request *request, pm_cursor *cursors);

/* PM_OK unless rate, start and first cannot be combined exactly with the keys' rates. */
pm_status pm_sample_check_rate(const pm_clip_data *clip, const pm_sample_job *job, pm_error *error);

#endif
