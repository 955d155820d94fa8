/* SPDX-License-Identifier: MIT
 *
 * Channels that do not move. One key says all of them, at the first time of the clip. Where no other
 * channel has the last time, they have it, so that the clip keeps its duration. Those that are equal to the
 * rest pose may be dropped.
 */
#include <math.h>
#include <stdlib.h>

#include "motion/gltf/write.h"
#include "motion/model/evaluate.h"

/* ---- values -------------------------------------------------------------------------------- */

static bool is_equal(const pm_motion_channel *channel, size_t key, size_t other) {
    bool equal = true;
    for (uint32_t i = 0; equal && i < channel->components; i++)
        equal = (float)evaluate_number(&channel->keys, channel->components, key, i) ==
                (float)evaluate_number(&channel->keys, channel->components, other, i);
    return equal;
}

static bool has_tangents(const pm_motion_channel *channel, size_t key) {
    bool any = false;
    for (uint32_t i = 0; channel->interpolation == PM_MOTION_CUBICSPLINE && i < channel->components;
         i++)
        any = any || evaluate_number(&channel->in, channel->components, key, i) != 0 ||
              evaluate_number(&channel->out, channel->components, key, i) != 0;
    return any;
}

/* As keys and samples are written; the curve between equal keys is constant by any method, but samples may
 * lie between a key that is kept and one behind it. */
static bool is_still(const gltf_new_clip *clip, const pm_motion_channel *channel) {
    const size_t all = clip->clip->timelines[channel->timeline].key_count;
    const bool is_step = channel->interpolation == PM_MOTION_STEP;
    const motion_kept_keys keys = gltf_keys_of(clip, channel);
    const size_t first = is_step ? keys.first : 0, count = is_step ? keys.count : all;
    bool still = count > 0;
    for (size_t k = first; still && k < first + count; k++)
        still = is_equal(channel, k, first) && (count == 1 || !has_tangents(channel, k));
    return still;
}

/* The rest pose of weights belongs to meshes. */
static bool is_at_rest(const gltf_new_clip *clip, const pm_motion_channel *channel) {
    if (channel->node < 0 || channel->path > PM_MOTION_SCALE)
        return false;
    const double *rest = evaluate_rest_value(&clip->rest[channel->node], channel->path);
    const gltf_part part = {
        .channel = channel, .is_still = true, .keys = gltf_keys_of(clip, channel)};
    bool same = true, opposite = channel->path == PM_MOTION_ROTATION;
    for (uint32_t i = 0; i < channel->components; i++) {
        const float value = gltf_number_of(clip, &part, i);
        same = same && value == (float)rest[i];
        opposite = opposite && value == -(float)rest[i];
    }
    return same || opposite;
}

/* ---- times --------------------------------------------------------------------------------- */

typedef struct range {
    double begin, end;
} range;

static void extend(range *r, double begin, double end) {
    r->begin = fmin(r->begin, begin);
    r->end = fmax(r->end, end);
}

static void add_times(range *r, const gltf_new_clip *clip, const pm_motion_channel *channel) {
    const motion_kept_keys keys = gltf_keys_of(clip, channel);
    const motion_samples *s = clip->samples;
    if (s && channel->interpolation != PM_MOTION_STEP)
        extend(r, motion_sample_time(s, 0), motion_sample_time(s, s->count - 1));
    else if (keys.count > 0)
        extend(r, motion_kept_time(&keys, 0), motion_kept_time(&keys, keys.count - 1));
}

/* ---- kinds --------------------------------------------------------------------------------- */

static void drop_rest(gltf_new_clip *clip, bool needs_one) {
    size_t first = SIZE_MAX, dropped = 0;
    bool has_still = false;
    for (size_t c = 0; c < clip->clip->channel_count; c++) {
        if (clip->json_channels[c] == GLTF_NONE || clip->kinds[c] != GLTF_STILL)
            continue;
        if (!is_at_rest(clip, &clip->clip->channels[c])) {
            has_still = true;
            continue;
        }
        clip->kinds[c] = GLTF_DROPPED;
        first = dropped == 0 ? c : first;
        dropped++;
    }
    const size_t all = json_array_size(json_object_get(clip->animation, "channels"));
    if (dropped > 0 && (dropped == all || (needs_one && !has_still)))
        clip->kinds[first] = GLTF_STILL; /* an animation without channels is not valid */
}

void gltf_find_kinds(gltf_new_clip *clip) {
    range all = {(double)INFINITY, -(double)INFINITY}, moving = all;
    for (size_t c = 0; c < clip->clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->clip->channels[c];
        if (clip->json_channels[c] == GLTF_NONE)
            continue;
        clip->kinds[c] = is_still(clip, channel) ? GLTF_STILL : GLTF_MOVES;
        add_times(&all, clip, channel);
        if (clip->kinds[c] == GLTF_MOVES || !gltf_is_replaced(clip, c))
            add_times(&moving, clip, channel);
    }
    clip->still_times[0] = all.begin;
    clip->still_times[1] = all.end;
    clip->still_count = moving.end < all.end && (float)all.begin < (float)all.end ? 2 : 1;
    if (clip->rest)
        drop_rest(clip, clip->still_count > 1 || moving.begin > all.begin);
}

/* ---- dropping ------------------------------------------------------------------------------ */

/* Keeps the samplers of the channels that are left, in their order. */
static bool keep_samplers(const json_t *channels, const json_t *samplers, json_t *kept,
                          size_t *places) {
    const size_t count = json_array_size(samplers);
    bool is_good = true;
    for (size_t i = 0; is_good && i < json_array_size(channels); i++) {
        json_t *channel = json_array_get(channels, i);
        const size_t index = gltf_index_in(channel, "sampler", count);
        if (index == GLTF_NONE)
            continue;
        if (places[index] == 0) { /* counted from 1 */
            is_good = json_array_append(kept, json_array_get(samplers, index)) == 0;
            places[index] = json_array_size(kept);
        }
        is_good = is_good && gltf_set_integer(channel, "sampler", places[index] - 1);
    }
    return is_good;
}

static bool keep_channels(const gltf_new_clip *clip, json_t *kept) {
    const json_t *channels = json_object_get(clip->animation, "channels");
    bool is_good = kept != NULL;
    for (size_t i = 0, c = 0; is_good && i < json_array_size(channels); i++) {
        while (c < clip->clip->channel_count &&
               (clip->json_channels[c] == GLTF_NONE || clip->json_channels[c] < i))
            c++;
        const bool is_read = c < clip->clip->channel_count && clip->json_channels[c] == i;
        if (!(is_read && clip->kinds[c] == GLTF_DROPPED))
            is_good = json_array_append(kept, json_array_get(channels, i)) == 0;
    }
    return is_good;
}

bool gltf_drop_channels(const gltf_new_clip *clip) {
    const json_t *samplers = json_object_get(clip->animation, "samplers");
    json_auto_t *channels = json_array(), *kept = json_array();
    FREED size_t *places = calloc(json_array_size(samplers) + 1, sizeof *places);
    return kept && places && keep_channels(clip, channels) &&
           keep_samplers(channels, samplers, kept, places) &&
           json_object_set(clip->animation, "channels", channels) == 0 &&
           json_object_set(clip->animation, "samplers", kept) == 0;
}
