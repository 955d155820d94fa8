/* SPDX-License-Identifier: MIT
 *
 * The new data of a clip: times, and then the samples of each channel in a row, as accessors have
 * them. Samples come in pieces of time, so that those of a block of channels are held in memory, as
 * the floats that the file gets.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/base/huge_pages.h"
#include "motion/gltf/write.h"
#include "motion/model/evaluate.h"

enum {
    PIECE = 1024,            /* samples at a time, at most */
    LEAST_PIECE = 64,        /* and at least, of several samples */
    PIECE_NUMBERS = 1 << 15, /* of a piece, which stays in a cache */
    BLOCK_NUMBERS = 1 << 23, /* of the samples of several channels */
};

typedef struct sample_block {
    const gltf_new_clip *clip;
    const pm_motion_clip *source;
    size_t begin, end; /* its channels */
    size_t piece;      /* samples */
    float *samples;    /* of its channels */
    double *numbers;   /* of its channels, a piece of each, in which it is computed */
    double **channels; /* by channel: its piece. NULL: it is in another block */
    size_t *offsets;   /* by channel, in `samples` */
    motion_position positions[PIECE];
} sample_block;

static pm_status put_swapped(const gltf_byte_sink *sink, const float *values, size_t count,
                             pm_error *error) {
    unsigned char bytes[4 * PIECE];
    for (size_t i = 0; i < count; i += PIECE) {
        const size_t n = count - i < PIECE ? count - i : PIECE;
        for (size_t k = 0; k < n; k++) {
            uint32_t bits;
            memcpy(&bits, &values[i + k], sizeof bits);
            for (unsigned b = 0; b < 4; b++)
                bytes[4 * k + b] = (unsigned char)(bits >> (8 * b));
        }
        const pm_status status = sink->put(sink->user, bytes, 4 * n, error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

pm_status gltf_put_floats(const gltf_byte_sink *sink, const float *values, size_t count,
                          pm_error *error) {
    return gltf_is_little_endian() ? sink->put(sink->user, values, count * sizeof *values, error)
                                   : put_swapped(sink, values, count, error);
}

static pm_status put_times(const motion_samples *s, const gltf_byte_sink *sink, pm_error *error) {
    float times[PIECE];
    pm_status status = PM_OK;
    for (uint64_t first = 0; status == PM_OK && first < s->count; first += PIECE) {
        const size_t n = s->count - first < PIECE ? (size_t)(s->count - first) : PIECE;
        for (size_t k = 0; k < n; k++)
            times[k] = gltf_sample_time(s, first + k);
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

/* The samples from `first` on become floats. */
static void keep_piece(const sample_block *b, uint64_t first, size_t count) {
    for (size_t c = b->begin; c < b->end; c++) {
        const pm_motion_channel *channel = &b->source->channels[c];
        const size_t components = channel->components;
        if (!gltf_is_resampled(channel))
            continue;
        float *to = b->samples + b->offsets[c] + (size_t)first * components;
        for (size_t i = 0; i < count * components; i++)
            to[i] = (float)b->channels[c][i];
    }
}

static pm_status read_pieces(sample_block *b, pm_error *error) {
    const motion_samples *s = b->clip->samples;
    for (uint64_t first = 0; first < s->count; first += b->piece) {
        const size_t n = s->count - first < b->piece ? (size_t)(s->count - first) : b->piece;
        for (size_t k = 0; k < n; k++)
            b->positions[k] = (motion_position){.key = MOTION_NO_KEY};
        const pm_status status = s->read(s->user, first, n, b->channels, b->positions, error);
        if (status != PM_OK)
            return status;
        put_keys(b, n);
        keep_piece(b, first, n);
    }
    return PM_OK;
}

/* Numbers of all samples of a channel, which were counted when the view was made. */
static size_t numbers_of(const sample_block *b, size_t channel) {
    const pm_motion_channel *of = &b->source->channels[channel];
    return gltf_is_resampled(of) ? (size_t)b->clip->samples->count * of->components : 0;
}

/* The channels from b->begin on that fit in a block; at least one, if there is one. Returns the numbers
 * of a sample of all, those that stay included. */
static size_t place_block(sample_block *b, size_t *all) {
    size_t width = 0;
    *all = 0;
    for (b->end = b->begin; b->end < b->source->channel_count; b->end++) {
        const size_t more = numbers_of(b, b->end);
        if (b->end > b->begin && (*all > BLOCK_NUMBERS || more > BLOCK_NUMBERS - *all))
            break;
        b->offsets[b->end] = *all;
        *all += more;
        width += b->source->channels[b->end].components;
    }
    return width;
}

static bool allocate_block(sample_block *b) {
    size_t all;
    const size_t width = place_block(b, &all), fitting = PIECE_NUMBERS / width;
    b->piece = fitting < LEAST_PIECE ? LEAST_PIECE : fitting < PIECE ? fitting : PIECE;
    b->samples =
        all < SIZE_MAX / sizeof *b->samples ? malloc((all + 1) * sizeof *b->samples) : NULL;
    motion_ask_for_huge_pages(b->samples, (all + 1) * sizeof *b->samples);
    b->numbers = calloc(width, b->piece * sizeof *b->numbers);
    double *at = b->numbers;
    for (size_t c = b->begin; at && c < b->end; c++) {
        b->channels[c] = at;
        at += b->source->channels[c].components * b->piece;
    }
    return b->samples && b->numbers;
}

static void release_block(sample_block *b) {
    for (size_t c = b->begin; c < b->end; c++)
        b->channels[c] = NULL;
    free(b->samples);
    free(b->numbers);
    b->samples = NULL;
    b->numbers = NULL;
    b->begin = b->end;
}

/* Steps that are moved in time. */
static pm_status put_kept(const sample_block *b, const pm_motion_channel *channel,
                          const gltf_byte_sink *sink, pm_error *error) {
    const motion_kept_keys kept =
        motion_keep_keys(b->clip->samples, &b->source->timelines[channel->timeline]);
    pm_status status = PM_OK;
    for (size_t k = 0; status == PM_OK && k < kept.count; k++) {
        const float time = (float)motion_kept_time(&kept, k);
        status = gltf_put_floats(sink, &time, 1, error);
    }
    for (size_t k = 0; status == PM_OK && k < kept.count; k++)
        for (uint32_t i = 0; status == PM_OK && i < channel->components; i++) {
            const float value =
                (float)evaluate_number(&channel->keys, channel->components, kept.first + k, i);
            status = gltf_put_floats(sink, &value, 1, error);
        }
    return status;
}

static pm_status put_channels(const sample_block *b, const gltf_byte_sink *sink, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t c = b->begin; status == PM_OK && c < b->end; c++) {
        const pm_motion_channel *channel = &b->source->channels[c];
        if (gltf_is_resampled(channel))
            status = gltf_put_floats(sink, b->samples + b->offsets[c], numbers_of(b, c), error);
        else if (b->clip->samples->is_moved)
            status = put_kept(b, channel, sink, error);
    }
    return status;
}

static pm_status put_block(sample_block *b, const gltf_byte_sink *sink, pm_error *error) {
    const motion_samples *s = b->clip->samples;
    pm_status status = allocate_block(b) ? s->select(s->user, b->begin, b->end - b->begin, error)
                                         : motion_refuse_memory(error);
    if (status == PM_OK)
        status = read_pieces(b, error);
    if (status == PM_OK)
        status = put_channels(b, sink, error);
    release_block(b);
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
