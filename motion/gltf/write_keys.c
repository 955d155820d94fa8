/* SPDX-License-Identifier: MIT
 *
 * New keys of a clip: each channel gets keys and tangents of its own, and channels with the same times an
 * input in common.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/write.h"
#include "motion/model/evaluate.h"

/* Whether a channel is the first one with its times. */
static bool has_new_times(const gltf_new_clip *clip, size_t channel) {
    for (size_t c = 0; c < channel; c++)
        if (clip->keys->channels[c].timeline == clip->keys->channels[channel].timeline)
            return false;
    return true;
}

static size_t keys_of(const gltf_new_clip *clip, size_t channel) {
    return clip->keys->timelines[clip->keys->channels[channel].timeline].key_count;
}

/* Tangents before and after each key. */
static size_t parts_of(const pm_motion_channel *channel) {
    return channel->interpolation == PM_MOTION_CUBICSPLINE ? 3 : 1;
}

/* Numbers of a channel, without its times. */
static size_t numbers_of(const gltf_new_clip *clip, size_t channel) {
    const pm_motion_channel *of = &clip->keys->channels[channel];
    return keys_of(clip, channel) * of->components * parts_of(of);
}

/* ---- samplers ------------------------------------------------------------------------------ */

/* Gives a channel a sampler of its own. `inputs` has the accessors of the times, once they are made. */
static bool replace_sampler(gltf_writer *w, const gltf_new_clip *clip, size_t channel,
                            size_t *inputs, gltf_output_place *at) {
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const pm_motion_channel *of = &clip->keys->channels[channel];
    const pm_timeline *timeline = &clip->keys->timelines[of->timeline];
    const json_t *animation = json_array_get(json_object_get(w->root, "animations"), clip->index);
    json_t *json = json_array_get(json_object_get(animation, "channels"),
                                  w->document->json_channels[clip->index][channel]);
    json_t *samplers = json_object_get(animation, "samplers");
    json_t *sampler = gltf_copy(
        json_array_get(samplers, gltf_index_in(json, "sampler", json_array_size(samplers))));
    const size_t count = timeline->key_count, added = json_array_size(samplers);
    if (has_new_times(clip, channel))
        inputs[of->timeline] = gltf_add_input(w, at, count, evaluate_key_time(timeline, 0),
                                              evaluate_key_time(timeline, count - 1));
    const size_t input = inputs[of->timeline];
    const size_t output = gltf_add_output(w, at, of, count * parts_of(of));
    return json_array_append_new(samplers, sampler) == 0 && input != GLTF_NONE &&
           output != GLTF_NONE && gltf_set_integer(sampler, "input", input) &&
           gltf_set_integer(sampler, "output", output) &&
           json_object_set_new(sampler, "interpolation", json_string(names[of->interpolation])) ==
               0 &&
           gltf_set_integer(json, "sampler", added);
}

/* Samplers that no channel uses any more are dropped, so that their data are. */
static bool drop_samplers(const json_t *animation) {
    json_t *samplers = json_object_get(animation, "samplers");
    const json_t *channels = json_object_get(animation, "channels");
    const size_t count = json_array_size(samplers);
    size_t *moved = calloc(count + 1, sizeof *moved), kept = 0;
    bool is_set = moved != NULL;
    for (size_t i = 0; moved && i < json_array_size(channels); i++) {
        const size_t index = gltf_index_in(json_array_get(channels, i), "sampler", count);
        if (index != GLTF_NONE)
            moved[index] = 1;
    }
    for (size_t s = 0; moved && s < count; s++) {
        const bool is_used = moved[s] != 0;
        moved[s] = kept;
        kept += is_used;
        if (!is_used)
            json_array_remove(samplers, kept);
    }
    for (size_t i = 0; is_set && i < json_array_size(channels); i++) {
        json_t *channel = json_array_get(channels, i);
        const size_t index = gltf_index_in(channel, "sampler", count);
        if (index != GLTF_NONE)
            is_set = gltf_set_integer(channel, "sampler", moved[index]);
    }
    free(moved);
    return is_set;
}

static bool replace_samplers(gltf_writer *w, const gltf_new_clip *clip, size_t view) {
    gltf_output_place at = {.view = view};
    size_t *inputs = calloc(clip->keys->timeline_count + 1, sizeof *inputs);
    bool is_done = inputs != NULL;
    for (size_t c = 0; is_done && c < clip->keys->channel_count; c++)
        is_done = replace_sampler(w, clip, c, inputs, &at);
    free(inputs);
    return is_done &&
           drop_samplers(json_array_get(json_object_get(w->root, "animations"), clip->index));
}

static bool replace_clip(gltf_writer *w, gltf_new_clip *clip) {
    size_t view = 0;
    for (size_t c = 0; c < clip->keys->channel_count; c++)
        clip->size +=
            ((has_new_times(clip, c) ? keys_of(clip, c) : 0) + numbers_of(clip, c)) * sizeof(float);
    return gltf_add_view(w, clip, &view) && replace_samplers(w, clip, view);
}

pm_status gltf_replace_keys(gltf_writer *w, const pm_motion_content *keys, pm_error *error) {
    bool is_done = true;
    for (size_t i = 0; i < w->clip_count; i++) {
        w->clips[i].index = i;
        w->clips[i].keys = &keys->clips[i];
    }
    /* All channels of all clips are written again if one has changed: their data mostly are one view,
     * which remains as long as one accessor refers to it. */
    for (size_t i = 0; w->is_changed && is_done && i < w->clip_count; i++)
        is_done = w->clips[i].keys->channel_count == 0 || replace_clip(w, &w->clips[i]);
    return is_done ? PM_OK : motion_refuse_memory(error);
}

/* ---- data ---------------------------------------------------------------------------------- */

static pm_status put_array(const pm_array *array, uint32_t components, size_t key,
                           const gltf_byte_sink *sink, pm_error *error) {
    pm_status status = PM_OK;
    for (uint32_t i = 0; status == PM_OK && i < components; i++) {
        const float number = (float)evaluate_number(array, components, key, i);
        status = gltf_put_floats(sink, &number, 1, error);
    }
    return status;
}

static pm_status put_channel(const gltf_new_clip *clip, size_t index, const gltf_byte_sink *sink,
                             pm_error *error) {
    const pm_motion_channel *channel = &clip->keys->channels[index];
    const pm_timeline *timeline = &clip->keys->timelines[channel->timeline];
    const size_t times = has_new_times(clip, index) ? timeline->key_count : 0;
    const bool is_cubic = channel->interpolation == PM_MOTION_CUBICSPLINE;
    pm_status status = PM_OK;
    for (size_t k = 0; status == PM_OK && k < times; k++) {
        const float time = (float)evaluate_key_time(timeline, k);
        status = gltf_put_floats(sink, &time, 1, error);
    }
    for (size_t k = 0; status == PM_OK && k < timeline->key_count; k++) {
        if (is_cubic)
            status = put_array(&channel->in, channel->components, k, sink, error);
        if (status == PM_OK)
            status = put_array(&channel->keys, channel->components, k, sink, error);
        if (status == PM_OK && is_cubic)
            status = put_array(&channel->out, channel->components, k, sink, error);
    }
    return status;
}

pm_status gltf_write_keys(const gltf_new_clip *clip, const gltf_byte_sink *sink, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t c = 0; status == PM_OK && c < clip->keys->channel_count; c++)
        status = put_channel(clip, c, sink, error);
    return status;
}
