/* SPDX-License-Identifier: MIT
 *
 * A motion that was read is consistent, and is written and read again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion_fuzz.h"

static void check_array(const pm_array *array, size_t keys, size_t components) {
    for (size_t k = 0; array->data && k < keys; k++)
        for (size_t i = 0; i < components; i++) {
            float value;
            memcpy(&value, (const char *)array->data + k * array->stride + i * sizeof value,
                   sizeof value);
            require(isfinite(value));
        }
}

static void check_clip(const pm_motion_content *content, const pm_motion_clip *clip) {
    for (size_t i = 0; i < clip->timeline_count; i++)
        for (size_t k = 1; k < clip->timelines[i].key_count; k++)
            require(clip->timelines[i].times[k] > clip->timelines[i].times[k - 1]);
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        require(channel->timeline < clip->timeline_count);
        require(channel->node >= 0 && (size_t)channel->node < content->node_count);
        const size_t keys = clip->timelines[channel->timeline].key_count;
        require(keys > 0 && channel->components > 0 && channel->keys.data);
        check_array(&channel->keys, keys, channel->components);
        check_array(&channel->in, keys, channel->components);
        check_array(&channel->out, keys, channel->components);
    }
}

static void check_content(const pm_motion_content *content) {
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

static pm_status select_samples(void *user, size_t first, size_t count, pm_error *error) {
    (void)user, (void)first, (void)count, (void)error;
    return PM_OK;
}

static pm_status read_samples(void *user, uint64_t first, size_t count, double *const channels[],
                              motion_position positions[], pm_error *error) {
    const pm_motion_clip *clip = user;
    (void)error;
    for (size_t c = 0; c < clip->channel_count; c++)
        for (size_t i = 0; i < count * clip->channels[c].components; i++)
            channels[c][i] = 0.5;
    positions[0] = (motion_position){.key = first, .exact = true};
    return PM_OK;
}

static void write_and_read(const pm_motion *opened, const motion_format *format) {
    const pm_motion_content *content = pm_motion_get_content(opened);
    const motion_samples samples = {.count = 3,
                                    .rate = {2, 1},
                                    .select = select_samples,
                                    .read = read_samples,
                                    .user = (void *)(uintptr_t)content->clips};
    const pm_motion_read_options options = {.format = format->id};
    SCOPED(bytes_free) file_bytes out = {0};
    const motion_sink sink = bytes_sink(&out);
    SCOPED(pm_motion_destroy) pm_motion *again = NULL;
    pm_error error;
    const pm_status status = format->write(opened, &samples, content->clip_count > 0,
                                           &(motion_write_options){.decimals = 6}, &sink, &error);
    /* Only new data without a buffer for them cannot be written. */
    require(status == PM_OK || status == PM_ERROR_OUTPUT);
    if (status == PM_OK) {
        require(pm_motion_parse(out.data, out.size, "", NULL, &options, &again, &error) == PM_OK);
        check_content(pm_motion_get_content(again));
    }
}

/* A root that moves, of any motion; above the first node, whatever the clips do. */
static void move_root(const pm_motion *opened) {
    const pm_motion_content *content = pm_motion_get_content(opened);
    pm_motion_root_options options = {.add = true};
    SCOPED(pm_motion_destroy) pm_motion *made = NULL;
    pm_error error = {0};
    if (content->node_count > 0 && strlen(content->nodes[0].name.text) > 0)
        options.joint = content->nodes[0].name.text;
    const pm_status status = pm_motion_extract_root(opened, &options, &made, NULL, &error);
    require((status == PM_OK) == (made != NULL));
    require(status == PM_OK || error.message[0] != '\0');
    if (made)
        require(made->content.node_count == content->node_count + 1);
}

void motion_round_trip(const uint8_t *data, size_t size, pm_motion_format format) {
    const pm_motion_read_options options = {.format = format,
                                            .strict = size > 0 && (data[size - 1] & 1)};
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
    pm_error error = {0};
    const pm_status status = pm_motion_parse(data, size, "", NULL, &options, &opened, &error);
    if (status != PM_OK) {
        require(status == PM_ERROR_FILE && error.message[0] != '\0' && !opened);
        return;
    }
    check_content(pm_motion_get_content(opened));
    move_root(opened);
    write_and_read(opened, &motion_glb);
    write_and_read(opened, &motion_gltf);
}
