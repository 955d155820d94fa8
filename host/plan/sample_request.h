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
    size_t width;            /* values per sample: track_count, or 1 for pairs */
    size_t cursor_rows;      /* rows of cursors: timeline_count, or 1 for pairs */
    bool parent_frame;       /* derivatives in the parent's frame */
    unsigned sorted_outputs; /* bit o: plain C sorts the pairs of output o */
    size_t host_threads;     /* at least 1 */
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

/* The order in which plain C computes many (track, time) pairs: by the place of their keys in
 * memory, so that keys stay in a core's cache while they are used. Only pairs in random order over
 * keys that exceed the cache gain from it. */

/* Keys are divided into buckets of equal size. Pairs are divided into blocks, and the pairs of a
 * block are sorted by bucket; each bucket of a block is padded to whole groups. */
typedef struct pm_pair_order {
    const pm_channel *channel;
    bool needs_tracks; /* the curve has constants, or four keys */
    unsigned shift;    /* from the place of a key to its bucket */
    size_t bucket_count;
    size_t block_room; /* sorted pairs of a block, with the padding */
} pm_pair_order;

/* The sorted pairs of a piece. The arrays are the caller's. */
typedef struct pm_sorted_pairs {
    pm_sorted_pair *pairs; /* (pm_pair_room): undefined after the groups of a block */
    uint32_t *tracks;      /* (pm_pair_room) likewise; NULL unless the order needs them */
    uint16_t *places;      /* (sample_count): where each pair is among those of its block */
    /* (pm_pair_room / PM_PAIR_GROUP): where each group begins, bucket after bucket */
    uint32_t *groups;
    size_t group_count;
} pm_sorted_pairs;

/* The end of the places of a channel's segments: in units of four floats, as in pm_sorted_pair. */
uint64_t pm_keys_end(const pm_clip_data *clip, const pm_channel *channel);

/* The order for such a request and output. It holds for all pieces of the request. */
pm_pair_order pm_pair_order_of(const pm_sample_request *request, unsigned output);

/* The maximum number of pairs in a piece that is sorted: more would not find more keys in a cache,
 * and take more memory. */
enum { PM_SORTED_PIECE = 1 << 22 };

/* Sorted pairs of a piece of `count` pairs, with the padding; below 2^32. */
size_t pm_pair_room(const pm_pair_order *order, size_t count);

/* Locates the pairs of a piece and sorts them. Uses up to host_threads threads. */
pm_status pm_sort_pairs(const pm_pair_order *order, const pm_sample_request *piece,
                        pm_sorted_pairs *sorted, pm_error *error);

#endif
