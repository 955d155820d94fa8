/* SPDX-License-Identifier: MIT
 *
 * Gives the samplers of a clip's channels new accessors, in one view: one input for all channels that are
 * sampled, or for those of one timeline, and an output for each. Samplers of channels that stay are not
 * touched.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "motion/gltf/accessor.h"
#include "motion/gltf/extensions.h"
#include "motion/gltf/write.h"

/* ---- checks -------------------------------------------------------------------------------- */

/* Channels that are carried over have times that cannot be moved. */
static pm_status check_moved(const gltf_new_clip *fresh, pm_error *error) {
    const json_t *channels = json_object_get(fresh->animation, "channels");
    for (size_t i = 0; fresh->samples->is_moved && i < json_array_size(channels); i++) {
        const json_t *target = json_object_get(json_array_get(channels, i), "target");
        if (!json_object_get(json_object_get(target, "extensions"), GLTF_POINTER_EXTENSION))
            continue;
        motion_refuse(error,
                      "/animations/%zu/channels/%zu: is carried over with its times; a cut that "
                      "begins at 0 would move the others",
                      fresh->index, i);
        motion_cure(error, "keep-time", "true", "keeps the times of all");
        return PM_ERROR_FILE;
    }
    return PM_OK;
}

static pm_status check_samples(const gltf_new_clip *fresh, pm_error *error) {
    const motion_samples *s = fresh->samples;
    if (s->count == 0 || !s->read)
        return motion_fail(error, PM_ERROR_ARGUMENT, "samples of clip %zu are not valid", s->clip);
    if (s->count > SIZE_MAX / 8)
        return motion_refuse_memory(error);
    if (s->count > 1 && (s->rate.num <= 0 || s->rate.den <= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "rate of clip %zu is not above 0", s->clip);
    if (!(s->start >= 0.0 && s->start <= (double)FLT_MAX) ||
        (s->has_end && !(s->end >= 0.0 && s->end <= (double)FLT_MAX)))
        return motion_fail(error, PM_ERROR_TIME, "samples of clip %zu begin before 0 s", s->clip);
    return check_moved(fresh, error);
}

/* Keys of a file must rise in float32, whose steps grow with the time. */
static pm_status check_times(const gltf_new_clip *fresh, const gltf_part *part, pm_error *error) {
    float before = -1;
    for (size_t k = 0; k < part->numbers; k++) {
        const float time = gltf_number_of(fresh, part, k);
        if (!part->is_sampled && !(time >= 0 && isfinite(time)))
            return motion_refuse(error,
                                 "clip %zu: key %zu is at %.9g s; glTF requires 0 or more in "
                                 "float32",
                                 fresh->index, k,
                                 part->is_still ? fresh->still_times[k]
                                                : motion_kept_time(&part->keys, k));
        if (!(time > before))
            return part->is_sampled
                       ? motion_fail(error, PM_ERROR_TIME,
                                     "samples %zu and %zu are both at %.9g s in glTF's float32: "
                                     "the rate is too high for it",
                                     k - 1, k, (double)time)
                       : motion_refuse(error,
                                       "clip %zu: keys %zu and %zu are both at %.9g s in glTF's "
                                       "float32: they are too close for it",
                                       fresh->index, k - 1, k, (double)time);
        before = time;
    }
    return PM_OK;
}

static pm_status check_values(const gltf_new_clip *fresh, const gltf_part *part, pm_error *error) {
    for (size_t i = 0; i < part->numbers; i++)
        if (!isfinite(gltf_number_of(fresh, part, i)))
            return motion_refuse(
                error, "clip %zu: key %zu of channel %zu is not finite in glTF's float32",
                fresh->index,
                i / (part->numbers / (part->is_still ? fresh->still_count : part->keys.count)),
                (size_t)(part->channel - fresh->clip->channels));
    return PM_OK;
}

/* ---- accessors ----------------------------------------------------------------------------- */

/* Behind what the clip's view or the stream has. */
static json_t *add_accessor(gltf_writer *w, gltf_new_clip *fresh, gltf_stream *stream,
                            const gltf_part *part, size_t count, const char *type, size_t *index) {
    size_t *const view = stream ? &stream->view_index : &fresh->view_index;
    const size_t offset = stream ? stream->size - count * stream->width : fresh->size;
    *index = json_array_size(gltf_array_of(w->root, "accessors")) - w->accessor_count;
    if (!gltf_add_view(w->root, stream ? &stream->view : &fresh->view, view))
        return NULL;
    json_t *accessor = gltf_add_accessor(w->root, GLTF_NEW + (json_int_t)(*view - w->view_count),
                                         offset, count, type);
    if (accessor && part->is_int16 &&
        (!gltf_set_integer(accessor, "componentType", GLTF_INT16) ||
         json_object_set_new(accessor, "normalized", json_true()) != 0))
        return NULL;
    if (accessor && offset == 0 && (w->packing.quantizes || w->packing.compresses))
        json_object_del(accessor, "byteOffset");
    return accessor;
}

/* Adds a part with its accessor of `count` elements of as many components, whose index among the new ones
 * is *index. */
static pm_status add_part(gltf_writer *w, gltf_new_clip *fresh, gltf_part part, size_t count,
                          size_t components, const char *type, size_t *index, pm_error *error) {
    static const char *const bounds[] = {"min", "max"};
    if (count > (SIZE_MAX / 4 - fresh->size) / sizeof(float) / components)
        return motion_refuse_memory(error);
    part.numbers = count * components;
    MOTION_TRY(!part.channel      ? check_times(fresh, &part, error)
               : !part.is_sampled ? check_values(fresh, &part, error)
                                  : PM_OK);
    size_t packed = GLTF_NONE;
    MOTION_TRY(gltf_pack_part(w, fresh, &part, components, &packed, error));
    gltf_stream *const stream = packed != GLTF_NONE ? &w->streams[packed] : NULL;
    json_t *accessor = add_accessor(w, fresh, stream, &part, count, type, index);
    bool is_done = accessor != NULL;
    for (size_t i = 0; is_done && !part.channel && i < 2; i++) {
        /* as the file has it: a bound that is not float32 is not the time */
        const double bound = (double)gltf_number_of(fresh, &part, i == 0 ? 0 : count - 1) + 0.0;
        is_done = json_object_set_new(accessor, bounds[i], json_pack("[f]", bound)) == 0;
    }
    if (!stream) {
        fresh->size += part.numbers * (part.is_int16 ? sizeof(int16_t) : sizeof(float));
        fresh->parts[fresh->part_count++] = part;
    }
    return is_done ? PM_OK : motion_refuse_memory(error);
}

static pm_status add_output(gltf_writer *w, gltf_new_clip *fresh, gltf_part part, size_t keys,
                            size_t *index, pm_error *error) {
    const pm_motion_channel *channel = part.channel;
    const bool is_weights = channel->path == PM_MOTION_WEIGHTS;
    const size_t elements = gltf_elements_of(&part);
    const size_t parts = elements * (is_weights ? channel->components : 1);
    if (keys > SIZE_MAX / parts)
        return motion_refuse_memory(error);
    return add_part(w, fresh, part, keys * parts, is_weights ? 1 : channel->components,
                    gltf_type_of[channel->path], index, error);
}

/* ---- samplers ------------------------------------------------------------------------------ */

/* State of one clip. */
typedef struct replacing {
    gltf_writer *writer;
    gltf_new_clip *fresh;
    json_t *samplers;
    size_t sampler_count;      /* that the document has */
    bool *is_taken;            /* by sampler: a channel has it */
    size_t times, still_times; /* the accessors of the samples' times and of still channels.
                                  GLTF_NONE: none yet */
    size_t *inputs;            /* by timeline: the accessor of its times */
} replacing;

/* Marks samplers that a channel which stays uses. */
static void mark_kept(const replacing *r) {
    const json_t *channels = json_object_get(r->fresh->animation, "channels");
    const size_t *json_channels = r->fresh->json_channels;
    size_t c = 0;
    for (size_t i = 0; i < json_array_size(channels); i++) {
        while (c < r->fresh->clip->channel_count &&
               (json_channels[c] == GLTF_NONE || json_channels[c] < i))
            c++;
        const bool is_read = c < r->fresh->clip->channel_count && json_channels[c] == i;
        const size_t sampler =
            gltf_index_in(json_array_get(channels, i), "sampler", r->sampler_count);
        if (sampler != GLTF_NONE && !(is_read && gltf_is_replaced(r->fresh, c)))
            r->is_taken[sampler] = true;
    }
}

/* The sampler that a channel writes to: its own, or a copy if another channel uses that. */
static json_t *own_sampler(const replacing *r, json_t *channel) {
    const size_t index = gltf_index_in(channel, "sampler", r->sampler_count);
    json_t *sampler = json_array_get(r->samplers, index);
    if (!r->is_taken[index]) {
        r->is_taken[index] = true;
        return sampler;
    }
    sampler = gltf_copy(sampler);
    const size_t copied = json_array_size(r->samplers);
    if (json_array_append_new(r->samplers, sampler) != 0 ||
        !gltf_set_integer(channel, "sampler", copied))
        return NULL;
    return sampler;
}

static bool set_reference(json_t *object, const char *key, size_t index) {
    return json_object_set_new(object, key, json_integer(GLTF_NEW + (json_int_t)index)) == 0;
}

/* LINEAR is what is meant without a word. */
static bool set_sampler(const gltf_writer *w, json_t *sampler, size_t input, size_t output,
                        pm_motion_interpolation interpolation) {
    if (!sampler || !set_reference(sampler, "input", input) ||
        !set_reference(sampler, "output", output))
        return false;
    if (interpolation != PM_MOTION_LINEAR || !(w->packing.quantizes || w->packing.compresses))
        return json_object_set_new(sampler, "interpolation",
                                   json_string(gltf_interpolations[interpolation])) == 0;
    json_object_del(sampler, "interpolation");
    return true;
}

/* Of channels that are lines whatever the method is: glTF has no word for it. */
static bool set_extras(json_t *sampler, bool always_linear) {
    json_t *extras = json_object_get(sampler, "extras");
    (void)json_object_del(extras, GLTF_ALWAYS_LINEAR); /* which may not be there */
    if (!always_linear)
        return true;
    if (!json_is_object(extras) &&
        json_object_set_new(sampler, "extras", extras = json_object()) != 0)
        return false;
    return json_object_set_new(extras, GLTF_ALWAYS_LINEAR, json_true()) == 0;
}

/* The accessor of a channel's times, which is made for the first that has them. Steps that are moved with
 * samples have their own. */
static pm_status find_input(replacing *r, const gltf_part *values, size_t keys, size_t *input,
                            pm_error *error) {
    size_t *shared = values->is_still     ? &r->still_times
                     : values->is_sampled ? &r->times
                                          : &r->inputs[values->channel->timeline];
    const bool is_own = !values->is_still && !values->is_sampled && r->fresh->samples;
    gltf_part times = *values;
    times.channel = NULL;
    const pm_status status =
        *shared != GLTF_NONE && !is_own
            ? PM_OK
            : add_part(r->writer, r->fresh, times, keys, 1, "SCALAR", shared, error);
    *input = *shared;
    return status;
}

static pm_status replace_channel(replacing *r, size_t index, pm_error *error) {
    gltf_new_clip *fresh = r->fresh;
    const pm_motion_channel *channel = &fresh->clip->channels[index];
    json_t *json =
        json_array_get(json_object_get(fresh->animation, "channels"), fresh->json_channels[index]);
    const gltf_part values = {.channel = channel,
                              .is_sampled = gltf_is_sampled(fresh, channel),
                              .is_still = fresh->kinds[index] == GLTF_STILL,
                              .keys = gltf_keys_of(fresh, channel)};
    const size_t keys = values.is_still     ? fresh->still_count
                        : values.is_sampled ? (size_t)fresh->samples->count
                                            : values.keys.count;
    size_t input = GLTF_NONE, output = GLTF_NONE;
    MOTION_TRY(find_input(r, &values, keys, &input, error));
    MOTION_TRY(add_output(r->writer, fresh, values, keys, &output, error));
    const pm_motion_interpolation own = channel->interpolation;
    const bool is_linear =
        values.is_sampled || (own == PM_MOTION_CUBICSPLINE && gltf_elements_of(&values) == 1);
    json_t *sampler = own_sampler(r, json);
    return set_sampler(r->writer, sampler, input, output, is_linear ? PM_MOTION_LINEAR : own) &&
                   set_extras(sampler, channel->always_linear && !values.is_sampled)
               ? PM_OK
               : motion_refuse_memory(error);
}

static pm_status replace_channels(replacing *r, pm_error *error) {
    const pm_motion_clip *clip = r->fresh->clip;
    gltf_find_kinds(r->fresh);
    mark_kept(r);
    for (size_t c = 0; c < clip->channel_count; c++)
        if (gltf_is_replaced(r->fresh, c))
            MOTION_TRY(replace_channel(r, c, error));
    return (!r->fresh->view || gltf_set_integer(r->fresh->view, "byteLength", r->fresh->size)) &&
                   (!r->fresh->rest || gltf_drop_channels(r->fresh))
               ? PM_OK
               : motion_refuse_memory(error);
}

pm_status gltf_replace_clip(gltf_writer *w, gltf_new_clip *fresh, pm_error *error) {
    const pm_motion_clip *clip = fresh->clip;
    replacing r = {.writer = w, .fresh = fresh, .times = GLTF_NONE, .still_times = GLTF_NONE};
    MOTION_TRY(fresh->samples ? check_samples(fresh, error) : PM_OK);
    r.samplers = json_object_get(fresh->animation, "samplers");
    r.sampler_count = json_array_size(r.samplers);
    r.is_taken = calloc(r.sampler_count + 1, sizeof *r.is_taken);
    r.inputs = calloc(clip->timeline_count + 1, sizeof *r.inputs);
    fresh->parts = calloc(2 * clip->channel_count + 1, sizeof *fresh->parts);
    fresh->kinds = calloc(clip->channel_count + 1, sizeof *fresh->kinds);
    for (size_t t = 0; r.inputs && t < clip->timeline_count; t++)
        r.inputs[t] = GLTF_NONE;
    pm_status status = r.is_taken && r.inputs && fresh->parts && fresh->kinds
                           ? replace_channels(&r, error)
                           : motion_refuse_memory(error);
    MOTION_FREE(r.is_taken, r.inputs);
    return status;
}
