/* SPDX-License-Identifier: MIT
 *
 * The new data of a clip: times, and the values of each channel in a row, as accessors have them.
 * Samples come in pieces of time, so that those of a block of channels are held in memory, as the floats
 * that the file gets.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/base/os.h"
#include "motion/gltf/write.h"
#include "motion/model/evaluate.h"

enum {
    PIECE = 1024,            /* samples at a time, at most */
    LEAST_PIECE = 64,        /* and at least, of several samples */
    PIECE_NUMBERS = 1 << 15, /* of a piece, which stays in a cache */
    BLOCK_NUMBERS = 1 << 23, /* of the samples of several channels */
};

/* ---- numbers ------------------------------------------------------------------------------- */

/* a / b rounded once to float32, for whole numbers that a double holds. The quotient is made odd
 * where it is not exact, so that its own rounding does not decide a tie. */
static float divide_once(double a, double b) {
    double quotient = a / b;
    const double rest = pm_division_rest(a, quotient, b);
    int exponent = 0;
    if (rest == 0)
        return (float)quotient;
    if (rest < 0)
        quotient = nextafter(quotient, 0);
    const double last = ldexp(frexp(quotient, &exponent), 53);
    return (float)(fmod(last, 2) == 0 ? ldexp(last + 1, exponent - 53) : quotient);
}

static float key_time(const motion_kept_keys *keys, size_t k) {
    const pm_timeline *timeline = keys->timeline;
    return timeline->times || keys->shift != 0
               ? (float)motion_kept_time(keys, k)
               : divide_once((double)(keys->first + k) * (double)timeline->rate.den,
                             (double)timeline->rate.num);
}

/* What remains one value of a spline is one of another interpolation, whose rotations are unit ones. */
static float key_number(const gltf_part *part, size_t index) {
    const pm_motion_channel *channel = part->channel;
    const size_t components = channel->components, element = index / components;
    const size_t elements = gltf_elements_of(part), component = index % components;
    const size_t key = part->keys.first + (part->is_still ? 0 : element / elements);
    const pm_array *const arrays[] = {&channel->in, &channel->keys, &channel->out};
    if (elements == 1 && channel->interpolation == PM_MOTION_CUBICSPLINE &&
        channel->path == PM_MOTION_ROTATION) {
        double unit[4];
        evaluate_key(channel, key, unit);
        return (float)unit[component];
    }
    return (float)evaluate_number(arrays[elements == 1 ? 1 : element % elements],
                                  channel->components, key, (uint32_t)component);
}

motion_kept_keys gltf_keys_of(const gltf_new_clip *clip, const pm_motion_channel *channel) {
    const pm_timeline *timeline = &clip->clip->timelines[channel->timeline];
    return clip->samples
               ? motion_keep_keys(clip->samples, timeline)
               : (motion_kept_keys){timeline, 0, timeline->key_count, -(double)INFINITY, 0};
}

float gltf_number_of(const gltf_new_clip *clip, const gltf_part *part, size_t index) {
    return part->channel      ? key_number(part, index)
           : part->is_still   ? (float)clip->still_times[index]
           : part->is_sampled ? (float)motion_sample_time(clip->samples, index)
                              : key_time(&part->keys, index);
}

/* ---- bytes --------------------------------------------------------------------------------- */

static pm_status put_swapped(const motion_sink *sink, const float *values, size_t count,
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
        MOTION_TRY(sink->write(sink->user, bytes, 4 * n, error));
    }
    return PM_OK;
}

static pm_status put_floats(const motion_sink *sink, const float *values, size_t count,
                            pm_error *error) {
    return gltf_is_little_endian() ? sink->write(sink->user, values, count * sizeof *values, error)
                                   : put_swapped(sink, values, count, error);
}

static pm_status put_integers(const motion_sink *sink, const float *values, size_t count,
                              pm_error *error) {
    unsigned char bytes[2 * PIECE];
    for (size_t k = 0; k < count; k++) {
        const unsigned bits = (unsigned)lround((double)values[k] * INT16_MAX) & 0xffff;
        bytes[2 * k] = (unsigned char)bits;
        bytes[2 * k + 1] = (unsigned char)(bits >> 8);
    }
    return sink->write(sink->user, bytes, 2 * count, error);
}

static pm_status put_numbers(const gltf_new_clip *clip, const gltf_part *part,
                             const motion_sink *sink, pm_error *error) {
    float numbers[PIECE];
    for (size_t first = 0; first < part->numbers; first += PIECE) {
        const size_t n = part->numbers - first < PIECE ? part->numbers - first : PIECE;
        for (size_t k = 0; k < n; k++)
            numbers[k] = gltf_number_of(clip, part, first + k);
        MOTION_TRY(part->is_int16 ? put_integers(sink, numbers, n, error)
                                  : put_floats(sink, numbers, n, error));
    }
    return PM_OK;
}

/* ---- samples ------------------------------------------------------------------------------- */

typedef struct sample_block {
    const gltf_new_clip *clip;
    size_t begin, end; /* its channels */
    size_t piece;      /* samples */
    float *samples;    /* of its channels */
    double *numbers;   /* of its channels, a piece of each, in which it is computed */
    double **channels; /* by channel: its piece. NULL: it is in another block */
    size_t *offsets;   /* by channel, in `samples` */
    motion_position positions[PIECE];
} sample_block;

/* Samples on source keys have the source's values, whatever the rounding of the samples was. */
static void put_keys(const sample_block *b, size_t count) {
    const pm_motion_clip *clip = b->clip->clip;
    for (size_t c = b->begin; c < b->end; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        const size_t keys = clip->timelines[channel->timeline].key_count;
        for (size_t k = 0; b->channels[c] && k < count; k++) {
            const uint64_t key = motion_exact_key(b->positions[k]);
            if (key < keys)
                evaluate_key(channel, (size_t)key, b->channels[c] + k * channel->components);
        }
    }
}

/* The samples from `first` on become floats. */
static void keep_piece(const sample_block *b, uint64_t first, size_t count) {
    for (size_t c = b->begin; c < b->end; c++) {
        const pm_motion_channel *channel = &b->clip->clip->channels[c];
        const size_t components = channel->components;
        if (!gltf_is_sampled(b->clip, channel))
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
        MOTION_TRY(s->read(s->user, first, n, b->channels, b->positions, error));
        put_keys(b, n);
        keep_piece(b, first, n);
    }
    return PM_OK;
}

/* The channels from b->begin on that fit in a block; at least one. Returns the numbers of a sample of all,
 * those that are not sampled included; those of all samples were counted when the view was made. */
static size_t place_block(sample_block *b, size_t *all) {
    const pm_motion_clip *clip = b->clip->clip;
    size_t width = 0;
    *all = 0;
    for (b->end = b->begin; b->end < clip->channel_count; b->end++) {
        const pm_motion_channel *channel = &clip->channels[b->end];
        const size_t more = gltf_is_sampled(b->clip, channel)
                                ? (size_t)b->clip->samples->count * channel->components
                                : 0;
        if (b->end > b->begin && (*all > BLOCK_NUMBERS || more > BLOCK_NUMBERS - *all))
            break;
        b->offsets[b->end] = *all;
        *all += more;
        width += channel->components;
    }
    return width;
}

static bool allocate_block(sample_block *b) {
    size_t all;
    const size_t width = place_block(b, &all), fitting = PIECE_NUMBERS / width;
    b->piece = fitting < LEAST_PIECE ? LEAST_PIECE : fitting < PIECE ? fitting : PIECE;
    b->samples =
        all < SIZE_MAX / sizeof *b->samples ? malloc((all + 1) * sizeof *b->samples) : NULL;
    os_ask_for_huge_pages(b->samples, (all + 1) * sizeof *b->samples);
    b->numbers = calloc(width, b->piece * sizeof *b->numbers);
    double *at = b->numbers;
    for (size_t c = b->begin; at && c < b->end; c++) {
        b->channels[c] = gltf_is_sampled(b->clip, &b->clip->clip->channels[c]) ? at : NULL;
        at += b->clip->clip->channels[c].components * b->piece;
    }
    return b->samples && b->numbers;
}

static void release_block(sample_block *b) {
    for (size_t c = b->begin; c < b->end; c++)
        b->channels[c] = NULL;
    MOTION_FREE(b->samples, b->numbers);
    b->samples = NULL;
    b->numbers = NULL;
}

/* The block after the one that is held, which is released. */
static pm_status read_block(sample_block *b, pm_error *error) {
    const motion_samples *s = b->clip->samples;
    release_block(b);
    b->begin = b->end;
    MOTION_TRY_MEMORY(allocate_block(b), error);
    if (s->select)
        MOTION_TRY(s->select(s->user, b->begin, b->end - b->begin, error));
    return read_pieces(b, error);
}

static pm_status put_samples(sample_block *b, const gltf_part *part, const motion_sink *sink,
                             pm_error *error) {
    const size_t channel = (size_t)(part->channel - b->clip->clip->channels);
    MOTION_TRY(channel >= b->end ? read_block(b, error) : PM_OK);
    return put_floats(sink, b->samples + b->offsets[channel], part->numbers, error);
}

pm_status gltf_write_clip(const gltf_new_clip *clip, const motion_sink *sink, pm_error *error) {
    sample_block b = {.clip = clip};
    b.channels = calloc(clip->clip->channel_count + 1, sizeof *b.channels);
    b.offsets = calloc(clip->clip->channel_count + 1, sizeof *b.offsets);
    pm_status status = b.channels && b.offsets ? PM_OK : motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < clip->part_count; i++) {
        const gltf_part *part = &clip->parts[i];
        status = part->channel && part->is_sampled ? put_samples(&b, part, sink, error)
                                                   : put_numbers(clip, part, sink, error);
    }
    release_block(&b);
    MOTION_FREE(b.channels, b.offsets);
    return status;
}
