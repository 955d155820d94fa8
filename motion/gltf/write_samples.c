/* SPDX-License-Identifier: MIT
 *
 * The new data of a clip: times, and then the samples of each channel in a row, as accessors have
 * them. Samples come in pieces of time, so that those of one clip are held in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/write.h"
#include "motion/model/evaluate.h"

enum { PIECE = 1024 }; /* samples at a time */

typedef struct sample_block {
    const gltf_new_clip *clip;
    const pm_motion_clip *source;
    double *values;    /* of all channels, and a piece for those that stay */
    double **channels; /* by channel: where the next piece goes */
    size_t *offsets;   /* by channel, in numbers */
    motion_position positions[PIECE];
} sample_block;

static pm_status put_floats(const gltf_byte_sink *sink, const double *values, size_t count,
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
        status = put_floats(sink, times, n, error);
    }
    return status;
}

/* Samples on source keys have the source's values, whatever the rounding of the samples was. */
static void put_keys(const sample_block *b, size_t count) {
    for (size_t c = 0; c < b->source->channel_count; c++) {
        const pm_motion_channel *channel = &b->source->channels[c];
        const size_t keys = b->source->timelines[channel->timeline].key_count;
        for (size_t k = 0; k < count; k++) {
            const uint64_t key = motion_exact_key(b->positions[k]);
            double *to = b->channels[c] + k * channel->components;
            for (uint32_t i = 0; key < keys && i < channel->components; i++)
                to[i] = evaluate_number(&channel->keys, channel->components, (size_t)key, i);
        }
    }
}

static pm_status read_pieces(sample_block *b, pm_error *error) {
    const motion_samples *s = b->clip->samples;
    for (uint64_t first = 0; first < s->count; first += PIECE) {
        const size_t n = s->count - first < PIECE ? (size_t)(s->count - first) : PIECE;
        for (size_t c = 0; c < b->source->channel_count; c++) {
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

/* The sum was checked when the view was made, except for the pieces of channels that stay. */
static bool allocate(sample_block *b) {
    const size_t channels = b->source->channel_count;
    size_t numbers = 0; /* one more is allocated, so that there is always a block */
    b->channels = calloc(channels + 1, sizeof *b->channels);
    b->offsets = calloc(channels + 1, sizeof *b->offsets);
    if (!b->channels || !b->offsets)
        return false;
    for (size_t c = 0; c < channels; c++) {
        const pm_motion_channel *channel = &b->source->channels[c];
        const size_t count =
            gltf_is_resampled(channel) ? (size_t)b->clip->samples->count : (size_t)PIECE;
        b->offsets[c] = numbers;
        if (count > (SIZE_MAX / sizeof(double) - 1 - numbers) / channel->components)
            return false;
        numbers += count * channel->components;
    }
    b->values = calloc(numbers + 1, sizeof *b->values);
    return b->values != NULL;
}

static pm_status put_channels(const sample_block *b, const gltf_byte_sink *sink, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t c = 0; status == PM_OK && c < b->source->channel_count; c++) {
        const pm_motion_channel *channel = &b->source->channels[c];
        if (gltf_is_resampled(channel))
            status = put_floats(sink, b->values + b->offsets[c],
                                (size_t)b->clip->samples->count * channel->components, error);
    }
    return status;
}

pm_status gltf_write_samples(const gltf_writer *w, const gltf_new_clip *clip,
                             const gltf_byte_sink *sink, pm_error *error) {
    sample_block b = {.clip = clip, .source = &w->motion->content.clips[clip->samples->clip]};
    pm_status status = allocate(&b) ? PM_OK : motion_refuse_memory(error);
    if (status == PM_OK)
        status = read_pieces(&b, error);
    if (status == PM_OK)
        status = put_times(clip->samples, sink, error);
    if (status == PM_OK)
        status = put_channels(&b, sink, error);
    free(b.values);
    free(b.channels);
    free(b.offsets);
    return status;
}
