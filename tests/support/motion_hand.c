/* SPDX-License-Identifier: MIT
 *
 * The builder of motions, and the writer that records.
 */
#include "motion_hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/counts.h"
#include "oracle/oracle_quat.h"

static void poison(double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)NAN;
}

/* Reads all samples in pieces into `values`. Channels that are not resampled get memory too, which
 * must not be written. */
static pm_status read_pieces(recorder *r, const pm_motion_clip *clip, const motion_samples *s,
                             recorded_clip *to, pm_error *error) {
    double *channels[HAND_CHANNELS] = {NULL};
    for (uint64_t first = 0; first < s->count;) {
        const uint64_t left = s->count - first;
        uint64_t piece = r->pieces ? random_size(r->pieces, 1, 1 + (size_t)left / 3) : left;
        piece = piece < left ? piece : left;
        for (size_t c = 0; c < clip->channel_count; c++)
            channels[c] = to->values[c] && to->resampled[c]
                              ? to->values[c] + first * clip->channels[c].components
                              : to->values[c];
        const pm_status status =
            s->read(s->user, first, (size_t)piece, channels, to->positions + first, error);
        if (status != PM_OK)
            return status;
        first += piece;
    }
    return PM_OK;
}

/* Also checks that channels which keep their keys were not written. */
static void drop_untouched(const pm_motion_clip *clip, size_t count, recorded_clip *to) {
    for (size_t c = 0; c < clip->channel_count; c++) {
        if (to->resampled[c] || !to->values[c])
            continue;
        for (size_t i = 0; i < count * clip->channels[c].components; i++)
            assert_true(isnan(to->values[c][i]));
        free(to->values[c]);
        to->values[c] = NULL;
    }
}

static pm_status record(recorder *r, const pm_motion *motion, const motion_samples *s,
                        pm_error *error) {
    const pm_motion_clip *clip = &motion->content.clips[s->clip];
    recorded_clip *to = &r->clips[r->clip_count++];
    assert_true(clip->channel_count <= HAND_CHANNELS && r->clip_count <= HAND_CLIPS);
    assert_true(s->count > 0);
    *to = (recorded_clip){.samples = *s};
    to->positions = test_array((size_t)s->count, sizeof *to->positions);
    for (size_t c = 0; c < clip->channel_count; c++) {
        const size_t numbers = (size_t)s->count * clip->channels[c].components;
        to->resampled[c] = s->resampled[c];
        if (r->wants_nothing)
            continue;
        to->values[c] = test_array(numbers, sizeof(double));
        poison(to->values[c], numbers);
    }
    const pm_status status = read_pieces(r, clip, s, to, error);
    if (status == PM_OK)
        drop_untouched(clip, (size_t)s->count, to);
    return status;
}

static pm_status write(const motion_writing *writing, const motion_sink *sink, pm_error *error) {
    const pm_motion *motion = writing->document;
    recorder *r = motion->document;
    r->times++;
    for (size_t i = 0; i < writing->sample_count; i++) {
        const pm_status status = record(r, motion, &writing->samples[i], error);
        if (status != PM_OK)
            return status;
    }
    return sink->write(sink->user, HAND_TEXT, strlen(HAND_TEXT), error);
}

static void release(void *document) {
    if (document)
        hand_forget(document);
    free(document);
}

static const motion_format hand_format = {
    .id = PM_MOTION_GLTF, .name = "hand", .document = "hand", .write = write, .release = release};

recorder *hand_recorder(const pm_motion *motion) {
    return motion->document;
}

void hand_forget(recorder *r) {
    for (size_t i = 0; i < r->clip_count; i++) {
        for (size_t c = 0; c < HAND_CHANNELS; c++)
            free(r->clips[i].values[c]);
        free(r->clips[i].positions);
        r->clips[i] = (recorded_clip){.positions = NULL};
    }
    r->clip_count = r->times = 0;
}

static void *allocate(pm_motion *motion, size_t count, size_t size) {
    void *memory = motion_allocate(&motion->arena, count, size);
    assert_non_null(memory);
    return memory;
}

pm_motion *hand_motion(size_t node_count, size_t clip_count) {
    pm_motion *motion = calloc(1, sizeof *motion);
    assert_non_null(motion);
    pm_motion_node *nodes = allocate(motion, node_count, sizeof *nodes);
    for (size_t n = 0; n < node_count; n++)
        nodes[n] = (pm_motion_node){.name = {"", 0},
                                    .parent = (int32_t)n - 1,
                                    .rotation = {0, 0, 0, 1},
                                    .scale = {1, 1, 1}};
    motion->content = (pm_motion_content){
        .format = PM_MOTION_GLTF,
        .layout = "",
        .nodes = nodes,
        .node_count = node_count,
        .clips = allocate(motion, clip_count, sizeof(pm_motion_clip)),
        .clip_count = clip_count,
        .unit_mm = 1000,
        .up = PM_MOTION_UP_Y,
        .unit_from = PM_MOTION_STATED,
        .up_from = PM_MOTION_STATED,
        .mover = PM_NO_INDEX32,
    };
    motion->format = &hand_format;
    motion->document = calloc(1, sizeof(recorder));
    assert_non_null(motion->document);
    return motion;
}

/* The model is const for its readers; whoever builds it writes to it. */
#define WRITABLE(type, pointer) ((type *)(uintptr_t)(pointer))

pm_motion_node *hand_node(pm_motion *motion, size_t node) {
    return WRITABLE(pm_motion_node, &motion->content.nodes[node]);
}

pm_motion *hand_named(const char *const *names, size_t count) {
    pm_motion *motion = hand_motion(count, 0);
    for (size_t n = 0; n < count; n++) {
        hand_node(motion, n)->name = (pm_motion_name){names[n], strlen(names[n])};
        hand_node(motion, n)->parent = -1;
    }
    return motion;
}

pm_motion_clip *hand_clip(pm_motion *motion, size_t clip, size_t timelines, size_t channels) {
    pm_motion_clip *made = WRITABLE(pm_motion_clip, &motion->content.clips[clip]);
    pm_motion_channel *all = allocate(motion, channels, sizeof *all);
    for (size_t c = 0; c < channels; c++)
        all[c].name = (pm_motion_name){"", 0};
    *made = (pm_motion_clip){.name = {"", 0},
                             .rate_text = {"", 0},
                             .timelines = allocate(motion, timelines, sizeof(pm_timeline)),
                             .timeline_count = timelines,
                             .channels = all,
                             .channel_count = channels};
    return made;
}

pm_timeline *hand_timeline(pm_motion_clip *clip, size_t timeline) {
    return WRITABLE(pm_timeline, &clip->timelines[timeline]);
}

pm_motion_channel *hand_channel(pm_motion_clip *clip, size_t channel) {
    return WRITABLE(pm_motion_channel, &clip->channels[channel]);
}

void hand_times(pm_motion *motion, pm_motion_clip *clip, size_t timeline, random_source *source,
                size_t keys, double first) {
    double *times = allocate(motion, keys, sizeof *times);
    random_key_times(source, keys, first, 0.05, 0.8, times);
    for (size_t k = 0; k < keys; k++)
        times[k] = (double)(float)times[k];
    *hand_timeline(clip, timeline) = (pm_timeline){.key_count = keys, .times = times};
}

static void store(char *at, pm_number type, double number) {
    const float narrow = (float)number;
    if (type == PM_FLOAT32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &number, sizeof number);
}

/* (keys, components) random numbers in [-size, size], with poison between the rows. */
static pm_array random_rows(pm_motion *motion, random_source *source, size_t keys,
                            size_t components, double size, pm_number type, size_t padding) {
    const size_t number = type == PM_FLOAT32 ? sizeof(float) : sizeof(double);
    const size_t stride = number * components + padding;
    char *rows = allocate(motion, keys, stride);
    memset(rows, 0xFF, keys * stride);
    for (size_t k = 0; k < keys; k++)
        for (size_t i = 0; i < components; i++)
            store(rows + k * stride + i * number, type, random_between(source, -size, size));
    return (pm_array){.data = rows, .type = type, .stride = padding ? stride : 0};
}

/* Overwrites rows with a random walk of rotations; of either sign, unless a spline divides by their
 * length. */
static void walk(random_source *source, pm_array *rows, size_t keys, double turn, bool signs) {
    const size_t number = rows->type == PM_FLOAT32 ? sizeof(float) : sizeof(double);
    const size_t stride = rows->stride ? rows->stride : 4 * number;
    double q[4], axis[3];
    random_quaternion(source, q);
    quat at = quat_of(q);
    for (size_t k = 0; k < keys; k++) {
        const double sign = signs && random_unit(source) < 0.5 ? -1 : 1;
        const double numbers[4] = {sign * at.x, sign * at.y, sign * at.z, sign * at.w};
        for (size_t i = 0; i < 4; i++)
            store(WRITABLE(char, rows->data) + k * stride + i * number, rows->type, numbers[i]);
        random_direction(source, axis);
        const double half = 0.5 * random_between(source, 0.1 * turn, turn);
        at = quat_multiply(at, quat_exp(vec3_scale(vec3_of(axis), half)));
    }
}

void hand_keys(pm_motion *motion, const pm_motion_clip *clip, pm_motion_channel *channel,
               random_source *source, pm_number type, size_t padding, double turn) {
    const size_t keys = clip->timelines[channel->timeline].key_count;
    const bool rotates = channel->path == PM_MOTION_ROTATION;
    const size_t width = channel->components;
    const double size = rotates ? 0.4 : 5;
    channel->keys = random_rows(motion, source, keys, width, 10, type, padding);
    if (rotates)
        walk(source, &channel->keys, keys, turn, channel->interpolation != PM_MOTION_CUBICSPLINE);
    if (channel->interpolation != PM_MOTION_CUBICSPLINE)
        return;
    channel->in = random_rows(motion, source, keys, width, size, type, padding);
    channel->out = random_rows(motion, source, keys, width, size, type, padding);
}

void hand_random(pm_motion *motion, pm_motion_clip *clip, size_t channel, pm_motion_path path,
                 uint32_t timeline, pm_number type, random_source *source, double turn) {
    static const uint32_t components[PM_MOTION_PATH_COUNT] = {4, 3, 3, 5, 2};
    pm_motion_channel *made = hand_channel(clip, channel);
    made->path = path;
    made->components = components[path];
    made->timeline = timeline;
    hand_keys(motion, clip, made, source, type, 0, turn);
}
