/* SPDX-License-Identifier: MIT
 *
 * Animations of a new document: an input for each timeline, and an output for each channel of a node.
 * Other channels cannot be held.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "motion/gltf/compose.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"

/* State of composing one clip, and what all clips leave out. */
typedef struct clip_composer {
    gltf_composer *all;
    const pm_motion_clip *clip;
    size_t index;     /* of the clip */
    size_t *inputs;   /* by timeline: its accessor, GLTF_NONE: none yet */
    size_t *targeted; /* by node and path: clip + 1 of the last channel */
    json_t *samplers, *channels;
    size_t scalars, weights, nodeless, repeated, empty; /* that are left out */
} clip_composer;

enum { PATHS = 3 }; /* rotation, translation, scale */

/* ---- times --------------------------------------------------------------------------------- */

/* a / b rounded once to float32, for whole numbers that a double holds. The quotient is made odd
 * where it is not exact, so that its own rounding does not decide a tie. */
static float divide_once(double a, double b) {
    double quotient = a / b;
    const double rest = fma(-quotient, b, a);
    int exponent = 0;
    if (rest == 0)
        return (float)quotient;
    if (rest < 0)
        quotient = nextafter(quotient, 0);
    const double last = ldexp(frexp(quotient, &exponent), 53);
    return (float)(fmod(last, 2) == 0 ? ldexp(last + 1, exponent - 53) : quotient);
}

static float time_of(const pm_timeline *timeline, size_t key) {
    if (timeline->times)
        return (float)timeline->times[key];
    return divide_once((double)key * (double)timeline->rate.den, (double)timeline->rate.num);
}

static pm_status store_times(const clip_composer *c, const pm_timeline *timeline, unsigned char *at,
                             pm_error *error) {
    float before = -1;
    for (size_t k = 0; k < timeline->key_count; k++) {
        const float time = time_of(timeline, k);
        if (!gltf_store_float(at + k * sizeof time, (double)time) || time < 0)
            return motion_refuse(error,
                                 "clip %zu: key %zu is at %.9g s; glTF requires 0 or more in "
                                 "float32",
                                 c->index, k, evaluate_key_time(timeline, k));
        if (time <= before)
            return motion_refuse(error,
                                 "clip %zu: keys %zu and %zu are both at %.9g s in glTF's float32: "
                                 "they are too close for it",
                                 c->index, k - 1, k, (double)time);
        before = time;
    }
    return PM_OK;
}

static void set_bounds(clip_composer *c, size_t accessor, const pm_timeline *timeline) {
    static const char *const keys[] = {"min", "max"};
    for (size_t i = 0; i < 2; i++) {
        json_t *bound = json_array();
        const float time = time_of(timeline, i == 0 ? 0 : timeline->key_count - 1);
        gltf_append(c->all, bound, json_real((double)time + 0.0));
        gltf_set(c->all, json_array_get(c->all->accessors, accessor), keys[i], bound);
    }
}

/* The accessor of a timeline, which is made for its first channel. */
static pm_status find_input(clip_composer *c, uint32_t index, pm_error *error) {
    const pm_timeline *timeline = &c->clip->timelines[index];
    size_t *input = &c->inputs[index];
    if (*input != GLTF_NONE)
        return PM_OK;
    unsigned char *data = gltf_add_accessor(c->all, timeline->key_count, 1, "SCALAR", input);
    if (!data)
        return motion_refuse_memory(error);
    const pm_status status = store_times(c, timeline, data, error);
    if (status == PM_OK)
        set_bounds(c, *input, timeline);
    return status;
}

/* ---- values -------------------------------------------------------------------------------- */

/* A spline needs two keys; a value that is constant is the same by any interpolation. */
static bool is_cubic(const pm_motion_channel *channel, size_t keys) {
    return channel->interpolation == PM_MOTION_CUBICSPLINE && keys > 1;
}

static bool store_row(const pm_array *array, uint32_t components, size_t key, unsigned char **at) {
    bool is_finite = true;
    for (uint32_t i = 0; i < components; i++, *at += sizeof(float))
        is_finite = gltf_store_float(*at, evaluate_number(array, components, key, i)) && is_finite;
    return is_finite;
}

static pm_status store_values(const clip_composer *c, const pm_motion_channel *channel, size_t keys,
                              unsigned char *at, pm_error *error) {
    const bool cubic = is_cubic(channel, keys);
    for (size_t k = 0; k < keys; k++) {
        bool is_finite = !cubic || store_row(&channel->in, channel->components, k, &at);
        is_finite = store_row(&channel->keys, channel->components, k, &at) && is_finite;
        if (cubic)
            is_finite = store_row(&channel->out, channel->components, k, &at) && is_finite;
        if (!is_finite)
            return motion_refuse(error,
                                 "clip %zu: key %zu of channel %zu is not finite in glTF's float32",
                                 c->index, k, (size_t)(channel - c->clip->channels));
    }
    return PM_OK;
}

static pm_status add_output(clip_composer *c, const pm_motion_channel *channel, size_t *output,
                            pm_error *error) {
    const size_t keys = c->clip->timelines[channel->timeline].key_count;
    const size_t parts = is_cubic(channel, keys) ? 3 : 1;
    unsigned char *data = gltf_add_accessor(c->all, parts * keys, channel->components,
                                            channel->components == 4 ? "VEC4" : "VEC3", output);
    return data ? store_values(c, channel, keys, data, error) : motion_refuse_memory(error);
}

/* ---- channels ------------------------------------------------------------------------------ */

static void add_json(clip_composer *c, const pm_motion_channel *channel, size_t output) {
    static const char *const paths[PATHS] = {"rotation", "translation", "scale"};
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const size_t keys = c->clip->timelines[channel->timeline].key_count;
    const bool is_step = channel->interpolation == PM_MOTION_STEP;
    json_t *sampler = json_object(), *target = json_object(), *json = json_object();
    gltf_set(c->all, sampler, "input", gltf_index(c->inputs[channel->timeline]));
    gltf_set(c->all, sampler, "interpolation",
             json_string(names[is_step                   ? 1
                               : is_cubic(channel, keys) ? 2
                                                         : 0]));
    gltf_set(c->all, sampler, "output", gltf_index(output));
    gltf_set(c->all, target, "node", gltf_index((size_t)channel->node));
    gltf_set(c->all, target, "path", json_string(paths[channel->path]));
    gltf_set(c->all, json, "sampler", gltf_index(json_array_size(c->samplers)));
    gltf_set(c->all, json, "target", target);
    gltf_append(c->all, c->samplers, sampler);
    gltf_append(c->all, c->channels, json);
}

/* Whether glTF can hold a channel; it is counted if not. */
static bool is_held(clip_composer *c, const pm_motion_channel *channel) {
    if (channel->path == PM_MOTION_SCALAR)
        c->scalars++;
    else if (channel->node < 0)
        c->nodeless++;
    else if (channel->path == PM_MOTION_WEIGHTS) /* which belong to a mesh */
        c->weights++;
    else {
        size_t *last = &c->targeted[PATHS * (size_t)channel->node + (size_t)channel->path];
        const bool is_first = *last != c->index + 1;
        *last = c->index + 1;
        c->repeated += !is_first;
        return is_first;
    }
    return false;
}

static pm_status add_channels(clip_composer *c, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < c->clip->channel_count; i++) {
        const pm_motion_channel *channel = &c->clip->channels[i];
        size_t output = GLTF_NONE;
        if (!is_held(c, channel))
            continue;
        status = find_input(c, channel->timeline, error);
        if (status == PM_OK)
            status = add_output(c, channel, &output, error);
        if (status == PM_OK)
            add_json(c, channel, output);
    }
    return status;
}

/* ---- clips --------------------------------------------------------------------------------- */

static pm_status add_data(clip_composer *c, pm_error *error) {
    const size_t timelines = c->clip->timeline_count;
    c->inputs = calloc(timelines + 1, sizeof *c->inputs);
    if (!c->inputs)
        return motion_refuse_memory(error);
    for (size_t t = 0; t < timelines; t++)
        c->inputs[t] = GLTF_NONE;
    gltf_begin_view(c->all);
    const pm_status status = add_channels(c, error);
    if (json_array_size(c->channels) > 0)
        gltf_end_view(c->all);
    free(c->inputs);
    return status;
}

static void state_rate(const clip_composer *c, json_t *animation) {
    const pm_rational rate = c->clip->rate;
    char text[48];
    if (rate.den == 0)
        return;
    snprintf(text, sizeof text, "%lld/%lld", (long long)rate.num, (long long)rate.den);
    gltf_set(c->all, animation, "extras", json_pack("{ss}", GLTF_RATE, text));
}

/* glTF has no animation without channels. */
static pm_status add_clip(clip_composer *c, json_t *animations, pm_error *error) {
    json_t *animation = json_object();
    c->channels = json_array();
    c->samplers = json_array();
    gltf_set_name(c->all, animation, c->clip->name);
    state_rate(c, animation);
    gltf_set(c->all, animation, "channels", c->channels);
    gltf_set(c->all, animation, "samplers", c->samplers);
    const pm_status status = c->all->failed ? motion_refuse_memory(error) : add_data(c, error);
    if (json_array_size(c->channels) > 0) {
        gltf_append(c->all, animations, animation);
        return status;
    }
    c->empty++;
    json_decref(animation);
    return status;
}

static void leave_out(const clip_composer *c) {
    motion_leave_out(c->all->options, c->scalars, "scalar", "scalars");
    motion_leave_out(c->all->options, c->nodeless, "channel of no node", "channels of no node");
    motion_leave_out(c->all->options, c->weights, "channel of weights", "channels of weights");
    motion_leave_out(c->all->options, c->repeated, "second channel of a node's property",
                     "second channels of a node's property");
    motion_leave_out(c->all->options, c->empty, "clip without channels of nodes",
                     "clips without channels of nodes");
}

pm_status gltf_compose_clips(gltf_composer *all, pm_error *error) {
    const pm_motion_content *content = all->content;
    clip_composer c = {.all = all};
    json_t *animations = json_array();
    c.targeted = calloc(content->node_count, PATHS * sizeof *c.targeted);
    pm_status status = animations && c.targeted ? PM_OK : motion_refuse_memory(error);
    for (; status == PM_OK && c.index < content->clip_count; c.index++) {
        c.clip = &content->clips[c.index];
        status = add_clip(&c, animations, error);
    }
    if (status == PM_OK)
        leave_out(&c);
    if (json_array_size(animations) > 0)
        gltf_set(all, all->root, "animations", json_incref(animations));
    json_decref(animations);
    free(c.targeted);
    return status;
}
