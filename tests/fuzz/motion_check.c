/* SPDX-License-Identifier: MIT
 *
 * Whether a motion is consistent: a tree of nodes, times that rise, and numbers that are finite.
 */
#include <math.h>
#include <string.h>

#include "motion_fuzz.h"

static double number_at(const pm_array *array, size_t key, size_t i) {
    const char *row = (const char *)array->data + key * array->stride;
    if (array->type == PM_FLOAT64) {
        double value;
        memcpy(&value, row + i * sizeof value, sizeof value);
        return value;
    }
    float value;
    memcpy(&value, row + i * sizeof value, sizeof value);
    return (double)value;
}

static void check_array(const pm_array *array, size_t keys, size_t components) {
    for (size_t k = 0; array->data && k < keys; k++)
        for (size_t i = 0; i < components; i++)
            require(isfinite(number_at(array, k, i)));
}

static void check_clip(const pm_motion_content *content, const pm_motion_clip *clip) {
    for (size_t i = 0; i < clip->timeline_count; i++)
        for (size_t k = 0; clip->timelines[i].times && k < clip->timelines[i].key_count; k++)
            require(isfinite(clip->timelines[i].times[k]) &&
                    (k == 0 || clip->timelines[i].times[k] > clip->timelines[i].times[k - 1]));
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        require(channel->timeline < clip->timeline_count);
        require(channel->node == PM_MOTION_NO_NODE || (size_t)channel->node < content->node_count);
        const size_t keys = clip->timelines[channel->timeline].key_count;
        require(keys > 0 && channel->components > 0 && channel->keys.data);
        check_array(&channel->keys, keys, channel->components);
        check_array(&channel->in, keys, channel->components);
        check_array(&channel->out, keys, channel->components);
    }
}

void fuzz_check(const pm_motion *motion) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    for (size_t i = 0; i < content->node_count; i++) {
        size_t depth = 0;
        for (int32_t at = (int32_t)i; at >= 0; at = content->nodes[at].parent)
            require((size_t)at < content->node_count && depth++ < content->node_count);
    }
    for (size_t i = 0; i < content->skin_count; i++)
        for (size_t k = 0; k < content->skins[i].joint_count; k++)
            require(content->skins[i].joints[k] < content->node_count);
    for (size_t i = 0; i < content->clip_count; i++)
        check_clip(content, &content->clips[i]);
}
