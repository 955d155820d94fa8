/* SPDX-License-Identifier: MIT
 *
 * The new data of a clip: times, and then the samples of each channel in a row, as accessors have
 * them. Samples come in pieces of time, so that those of a block of channels are held in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/write.h"
#include "motion/model/evaluate.h"

enum {
    PIECE = 1024,           /* samples at a time */
    BLOCK_BYTES = 64 << 20, /* of the samples of several channels */
};

typedef struct sample_block {
    const gltf_new_clip *clip;
    const pm_motion_clip *source;
    size_t begin, end; /* its channels */
    double *values;    /* of its channels, and a piece for those that stay */
    double **channels; /* by channel: where the next piece goes. NULL: it is in another block */
    size_t *offsets;   /* by channel, in numbers */
    motion_position positions[PIECE];
} sample_block;

pm_status gltf_put_floats(const gltf_byte_sink *sink, const double *values, size_t count,
                          pm_error *error) {
    unsigned char bytes[4 * PIECE];
    for (size_t i = 0; i < count; i += PIECE) {
        const size_t n = count - i < PIECE ? count - i : PIECE;
        for (size_t k = 0; k < n; k++) {
            const float value = (float)values[i + k];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (unsigned b = 0; b < 4; b++)
                bytes[4 * k + b] = (unsigned char)(bits >> (8 * b));
        }
        const pm_status status = sink->put(sink->user, bytes, 4 * n, error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

static pm_status put_times(const motion_samples *s, const gltf_byte_sink *sink, pm_error *error) {
    double times[PIECE];
    pm_status status = PM_OK;
    for (uint64_t first = 0; status == PM_OK && first < s->count; first += PIECE) {
        const size_t n = s->count - first < PIECE ? (size_t)(s->count - first) : PIECE;
        for (size_t k = 0; k < n; k++)
            times[k] = (double)gltf_sample_time(s, first + k);
        status = gltf_put_floats(sink, times, n, error);
    }
    return status;
}

/* Samples on source keys have the source's values, whatever the rounding of the samples was. */
static void put_keys(const sample_block *b, size_t count) {
    for (size_t c = b->begin; c < b->end; c++) {
        const pm_motion_channel *channel = &b->source->channels[c];
        const size_t keys = b->source->timelines[channel->timeline].key_count;
        for (size_t k = 0; k < count; k++) {
            const uint64_t key = motion_exact_key(b->positions[k]);
            if (key < keys)
                evaluate_key(channel, (size_t)key, b->channels[c] + k * channel->components);
        }
    }
}

static pm_status read_pieces(sample_block *b, pm_error *error) {
    const motion_samples *s = b->clip->samples;
    for (uint64_t first = 0; first < s->count; first += PIECE) {
        const size_t n = s->count - first < PIECE ? (size_t)(s->count - first) : PIECE;
        for (size_t c = b->begin; c < b->end; c++) {
            const pm_motion_channel *channel = &b->source->channels[c];
            const size_t passed =
                gltf_is_resampled(channel) ? (size_t)first * channel->components : 0;
            b->channels[c] = b->values + b->offsets[c] + passed;
        }
        for (size_t k = 0; k < n; k++)
            b->positions[k] = (motion_position){.key = MOTION_NO_KEY};
        const pm_status status = s->read(s->user, first, n, b->channels, b->positions, error);
        if (status != PM_OK)
            return status;
        put_keys(b, n);
    }
    return PM_OK;
}

/* Numbers of a channel in a block. Those of all samples were counted when the view was made. */
static size_t numbers_of(const sample_block *b, size_t channel) {
    const pm_motion_channel *of = &b->source->channels[channel];
    return (gltf_is_resampled(of) ? (size_t)b->clip->samples->count : (size_t)PIECE) *
           of->components;
}

/* The channels from b->begin on that fit in a block; at least one, if there is one. */
static size_t place_block(sample_block *b) {
    const size_t most = BLOCK_BYTES / sizeof(double);
    size_t numbers = 0;
    for (b->end = b->begin; b->end < b->source->channel_count; b->end++) {
        const size_t more = numbers_of(b, b->end);
        if (b->end > b->begin && (numbers > most || more > most - numbers))
            break;
        b->offsets[b->end] = numbers;
        numbers += more;
    }
    return numbers;
}

/* Steps that are moved in time. */
static pm_status put_kept(const sample_block *b, const pm_motion_channel *channel,
                          const gltf_byte_sink *sink, pm_error *error) {
    const motion_kept_keys kept =
        motion_keep_keys(b->clip->samples, &b->source->timelines[channel->timeline]);
    pm_status status = PM_OK;
    for (size_t k = 0; status == PM_OK && k < kept.count; k++) {
        const double time = motion_kept_time(&kept, k);
        status = gltf_put_floats(sink, &time, 1, error);
    }
    for (size_t k = 0; status == PM_OK && k < kept.count; k++)
        for (uint32_t i = 0; status == PM_OK && i < channel->components; i++) {
            const double value =
                evaluate_number(&channel->keys, channel->components, kept.first + k, i);
            status = gltf_put_floats(sink, &value, 1, error);
        }
    return status;
}

static pm_status put_channels(const sample_block *b, const gltf_byte_sink *sink, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t c = b->begin; status == PM_OK && c < b->end; c++) {
        const pm_motion_channel *channel = &b->source->channels[c];
        if (gltf_is_resampled(channel))
            status = gltf_put_floats(sink, b->values + b->offsets[c],
                                     (size_t)b->clip->samples->count * channel->components, error);
        else if (b->clip->samples->is_moved)
            status = put_kept(b, channel, sink, error);
    }
    return status;
}

/* All channels are selected before the first block. */
static pm_status select_block(const sample_block *b, pm_error *error) {
    const motion_samples *s = b->clip->samples;
    return b->end - b->begin == b->source->channel_count
               ? PM_OK
               : s->select(s->user, b->begin, b->end - b->begin, error);
}

static pm_status put_block(sample_block *b, const gltf_byte_sink *sink, pm_error *error) {
    const size_t numbers = place_block(b);
    b->values =
        numbers < SIZE_MAX / sizeof *b->values ? calloc(numbers + 1, sizeof *b->values) : NULL;
    pm_status status = b->values ? select_block(b, error) : motion_refuse_memory(error);
    if (status == PM_OK)
        status = read_pieces(b, error);
    if (status == PM_OK)
        status = put_channels(b, sink, error);
    for (size_t c = b->begin; c < b->end; c++)
        b->channels[c] = NULL;
    free(b->values);
    b->begin = b->end;
    return status;
}

pm_status gltf_write_samples(const gltf_writer *w, const gltf_new_clip *clip,
                             const gltf_byte_sink *sink, pm_error *error) {
    sample_block b = {.clip = clip, .source = &w->motion->content.clips[clip->samples->clip]};
    b.channels = calloc(b.source->channel_count + 1, sizeof *b.channels);
    b.offsets = calloc(b.source->channel_count + 1, sizeof *b.offsets);
    pm_status status = b.channels && b.offsets ? put_times(clip->samples, sink, error)
                                               : motion_refuse_memory(error);
    while (status == PM_OK && b.begin < b.source->channel_count)
        status = put_block(&b, sink, error);
    free(b.channels);
    free(b.offsets);
    return status;
}
