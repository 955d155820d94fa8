/* SPDX-License-Identifier: MIT
 *
 * Gives the samplers of resampled channels new accessors: one input for all channels of a clip, an
 * output for each. Samplers of channels that stay are not touched.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "motion/gltf/accessor.h"
#include "motion/gltf/extensions.h"
#include "motion/gltf/plain_json.h"
#include "motion/gltf/write.h"

float gltf_sample_time(const motion_samples *s, uint64_t k) {
    return (float)motion_sample_time(s, k);
}

json_t *gltf_array_of(json_t *root, const char *key) {
    json_t *array = json_object_get(root, key);
    if (!array && json_object_set_new(root, key, json_array()) == 0)
        array = json_object_get(root, key);
    return array;
}

/* jansson's copy leaves out what it finds no memory for, without a word. */
json_t *gltf_copy(const json_t *value) {
    json_t *copy = json_deep_copy(value);
    if (copy && json_equal(copy, value))
        return copy;
    json_decref(copy);
    return NULL;
}

bool gltf_set_integer(json_t *object, const char *key, size_t value) {
    return json_object_set_new(object, key, json_integer((json_int_t)value)) == 0;
}

size_t gltf_index_in(const json_t *holder, const char *key, size_t count) {
    const json_t *value = json_object_get(holder, key);
    const double number = value ? plain_json_number(value) : -1.0;
    return plain_json_is_number(value) && number >= 0.0 && number < (double)count ? (size_t)number
                                                                                  : GLTF_NONE;
}

/* ---- checks -------------------------------------------------------------------------------- */

/* Keys of a file must rise in float32, whose steps grow with the time. */
static pm_status check_times(const motion_samples *s, pm_error *error) {
    float before = gltf_sample_time(s, 0);
    for (uint64_t k = 1; k < s->count; k++) {
        const float time = gltf_sample_time(s, k);
        if (!(time > before))
            return motion_fail(error, PM_ERROR_TIME,
                               "samples %llu and %llu are both at %.9g s in glTF's float32: the "
                               "rate is too high for it",
                               (unsigned long long)k - 1, (unsigned long long)k, (double)time);
        before = time;
    }
    return PM_OK;
}

/* Channels that are carried over have times that cannot be moved. */
static pm_status check_moved(const gltf_writer *w, const motion_samples *s, pm_error *error) {
    const json_t *animation =
        json_array_get(json_object_get(w->document->root, "animations"), s->clip);
    const json_t *channels = json_object_get(animation, "channels");
    for (size_t i = 0; s->is_moved && i < json_array_size(channels); i++) {
        const json_t *target = json_object_get(json_array_get(channels, i), "target");
        if (!json_object_get(json_object_get(target, "extensions"), GLTF_POINTER_EXTENSION))
            continue;
        motion_refuse(error,
                      "/animations/%zu/channels/%zu: is carried over with its times; a cut that "
                      "begins at 0 would move the others",
                      s->clip, i);
        motion_cure(error, "keep-time", "true", "keeps the times of all");
        return PM_ERROR_FILE;
    }
    return PM_OK;
}

static pm_status check_samples(const gltf_writer *w, const motion_samples *s, size_t index,
                               pm_error *error) {
    if (s->clip >= w->motion->content.clip_count || s->count == 0 || !s->read)
        return motion_fail(error, PM_ERROR_ARGUMENT, "samples of clip %zu are not valid", s->clip);
    if (s->count > 1 && (s->rate.num <= 0 || s->rate.den <= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "rate of clip %zu is not above 0", s->clip);
    if (!(s->start >= 0.0 && s->start <= (double)FLT_MAX) ||
        (s->has_end && !(s->end >= 0.0 && s->end <= (double)FLT_MAX)))
        return motion_fail(error, PM_ERROR_TIME, "samples of clip %zu begin before 0 s", s->clip);
    for (size_t i = 0; i < index; i++)
        if (w->clips[i].samples->clip == s->clip)
            return motion_fail(error, PM_ERROR_ARGUMENT, "clip %zu has samples twice", s->clip);
    const pm_status status = check_moved(w, s, error);
    return status == PM_OK ? check_times(s, error) : status;
}

/* Bytes of a clip's new data; false if they cannot be counted. */
static bool count_bytes(const pm_motion_clip *clip, const motion_samples *s, size_t *bytes) {
    size_t per_sample = 1, others = 0;
    *bytes = 0;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        if (gltf_is_resampled(channel))
            per_sample += channel->components;
        else if (s->is_moved) /* at most two times the size of what was read */
            others += motion_keep_keys(s, &clip->timelines[channel->timeline]).count *
                      (channel->components + (size_t)1);
    }
    if (per_sample == 1 && others == 0)
        return true;
    if (s->count > SIZE_MAX / 8 / sizeof(float) / per_sample)
        return false;
    *bytes = ((size_t)s->count * per_sample + others) * sizeof(float);
    return true;
}

/* ---- accessors ----------------------------------------------------------------------------- */

/* Appends an accessor of floats from `offset` on in the clip's view; its index, or GLTF_NONE if
 * memory is exhausted. */
static size_t add_accessor(gltf_writer *w, size_t view, size_t offset, size_t count,
                           const char *type) {
    json_t *accessors = gltf_array_of(w->root, "accessors");
    json_t *accessor = json_pack("{sI sI si sI ss}", "bufferView", (json_int_t)view, "byteOffset",
                                 (json_int_t)offset, "componentType", (int)GLTF_FLOAT, "count",
                                 (json_int_t)count, "type", type);
    const size_t index = json_array_size(accessors);
    return json_array_append_new(accessors, accessor) == 0 ? index : GLTF_NONE;
}

size_t gltf_add_input(gltf_writer *w, gltf_output_place *at, size_t count, double min, double max) {
    const size_t index = add_accessor(w, at->view, at->offset, count, "SCALAR");
    json_t *accessor = json_array_get(json_object_get(w->root, "accessors"), index);
    at->offset += count * sizeof(float);
    if (index == GLTF_NONE || json_object_set_new(accessor, "min", json_pack("[f]", min)) != 0 ||
        json_object_set_new(accessor, "max", json_pack("[f]", max)) != 0)
        return GLTF_NONE;
    return index;
}

size_t gltf_add_output(gltf_writer *w, gltf_output_place *at, const pm_motion_channel *channel,
                       size_t count) {
    static const char *const types[] = {[PM_MOTION_ROTATION] = "VEC4",
                                        [PM_MOTION_POSITION] = "VEC3",
                                        [PM_MOTION_SCALE] = "VEC3",
                                        [PM_MOTION_WEIGHTS] = "SCALAR"};
    const size_t elements =
        channel->path == PM_MOTION_WEIGHTS ? count * channel->components : count;
    const size_t index = add_accessor(w, at->view, at->offset, elements, types[channel->path]);
    at->offset += count * channel->components * sizeof(float);
    return index;
}

static size_t add_sample_times(gltf_writer *w, gltf_output_place *at, const motion_samples *s) {
    return gltf_add_input(w, at, (size_t)s->count, (double)gltf_sample_time(s, 0),
                          (double)gltf_sample_time(s, s->count - 1));
}

/* The input of steps that are moved. */
static size_t add_kept_times(gltf_writer *w, gltf_output_place *at, const motion_kept_keys *kept) {
    return gltf_add_input(w, at, kept->count, (double)(float)motion_kept_time(kept, 0),
                          (double)(float)motion_kept_time(kept, kept->count - 1));
}

bool gltf_add_view(gltf_writer *w, gltf_new_clip *clip, size_t *index) {
    json_t *views = gltf_array_of(w->root, "bufferViews");
    *index = json_array_size(views);
    clip->view = json_pack("{si sI sI}", "buffer", 0, "byteOffset", (json_int_t)0, "byteLength",
                           (json_int_t)clip->size);
    return json_array_append_new(views, clip->view) == 0;
}

/* ---- samplers ------------------------------------------------------------------------------ */

/* Marks samplers that a channel which stays uses. */
static void mark_kept(const gltf_writer *w, const motion_samples *s, const json_t *channels,
                      size_t sampler_count, bool *is_taken) {
    const pm_motion_clip *clip = &w->motion->content.clips[s->clip];
    const size_t *json_channels = w->document->json_channels[s->clip];
    size_t c = 0;
    for (size_t i = 0; i < json_array_size(channels); i++) {
        const bool is_read = c < clip->channel_count && json_channels[c] == i;
        const size_t sampler = gltf_index_in(json_array_get(channels, i), "sampler", sampler_count);
        if (sampler != GLTF_NONE && !(is_read && gltf_is_replaced(s, &clip->channels[c])))
            is_taken[sampler] = true;
        c += is_read;
    }
}

/* The sampler that a channel writes to: its own, or a copy if another channel uses that. */
static json_t *own_sampler(json_t *channel, json_t *samplers, size_t count, bool *is_taken) {
    const size_t index = gltf_index_in(channel, "sampler", count);
    json_t *sampler = json_array_get(samplers, index);
    if (!is_taken[index]) {
        is_taken[index] = true;
        return sampler;
    }
    sampler = gltf_copy(sampler);
    const size_t copied = json_array_size(samplers);
    if (json_array_append_new(samplers, sampler) != 0 ||
        !gltf_set_integer(channel, "sampler", copied))
        return NULL;
    return sampler;
}

static bool set_sampler(json_t *sampler, size_t input, size_t output, bool is_linear) {
    return sampler && input != GLTF_NONE && output != GLTF_NONE &&
           gltf_set_integer(sampler, "input", input) &&
           gltf_set_integer(sampler, "output", output) &&
           json_object_set_new(sampler, "interpolation",
                               json_string(is_linear ? "LINEAR" : "STEP")) == 0;
}

/* Gives a channel accessors for its new data, and the sampler them. `times`: the accessor of those of
 * all samples. */
static bool replace_sampler(gltf_writer *w, const motion_samples *s,
                            const pm_motion_channel *channel, json_t *sampler, size_t times,
                            gltf_output_place *at) {
    const pm_motion_clip *clip = &w->motion->content.clips[s->clip];
    const bool is_resampled = gltf_is_resampled(channel);
    const motion_kept_keys kept = motion_keep_keys(s, &clip->timelines[channel->timeline]);
    const size_t input = is_resampled ? times : add_kept_times(w, at, &kept);
    const size_t output =
        gltf_add_output(w, at, channel, is_resampled ? (size_t)s->count : kept.count);
    return set_sampler(sampler, input, output, is_resampled);
}

static bool replace_samplers(gltf_writer *w, const gltf_new_clip *new, size_t view,
                             bool *is_taken) {
    const motion_samples *s = new->samples;
    const pm_motion_clip *clip = &w->motion->content.clips[s->clip];
    const json_t *animation = json_array_get(json_object_get(w->root, "animations"), s->clip);
    const json_t *channels = json_object_get(animation, "channels");
    json_t *samplers = json_object_get(animation, "samplers");
    const size_t sampler_count = json_array_size(samplers);
    gltf_output_place at = {view, 0};
    const size_t times = add_sample_times(w, &at, s);
    mark_kept(w, s, channels, sampler_count, is_taken);
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        json_t *json = json_array_get(channels, w->document->json_channels[s->clip][c]);
        if (gltf_is_replaced(s, channel) &&
            !replace_sampler(w, s, channel, own_sampler(json, samplers, sampler_count, is_taken),
                             times, &at))
            return false;
    }
    return true;
}

static pm_status replace_clip(gltf_writer *w, gltf_new_clip *new, pm_error *error) {
    const size_t clip = new->samples->clip;
    const json_t *animation = json_array_get(json_object_get(w->root, "animations"), clip);
    size_t view = 0;
    if (!count_bytes(&w->motion->content.clips[clip], new->samples, &new->size))
        return motion_refuse_memory(error);
    if (new->size == 0)
        return PM_OK;
    bool *is_taken =
        calloc(json_array_size(json_object_get(animation, "samplers")) + 1, sizeof *is_taken);
    const bool is_done =
        is_taken && gltf_add_view(w, new, &view) && replace_samplers(w, new, view, is_taken);
    free(is_taken);
    return is_done ? PM_OK : motion_refuse_memory(error);
}

pm_status gltf_replace_clips(gltf_writer *w, const motion_samples *samples, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < w->clip_count; i++) {
        w->clips[i].samples = &samples[i];
        status = check_samples(w, &samples[i], i, error);
        if (status == PM_OK)
            status = replace_clip(w, &w->clips[i], error);
    }
    return status;
}
