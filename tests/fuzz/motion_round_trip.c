/* SPDX-License-Identifier: MIT
 *
 * A motion that was read is consistent, and is written and read again.
 */
#include <stdlib.h>
#include <string.h>

#include "motion_fuzz.h"

static pm_status select_samples(void *user, size_t first, size_t count, pm_error *error) {
    (void)user, (void)first, (void)count, (void)error;
    return PM_OK;
}

static pm_status read_samples(void *user, uint64_t first, size_t count, double *const channels[],
                              motion_position positions[], pm_error *error) {
    const pm_motion_clip *clip = user;
    (void)error;
    for (size_t c = 0; c < clip->channel_count; c++)
        for (size_t i = 0; channels[c] && i < count * clip->channels[c].components; i++)
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
    const pm_status status =
        format->write(&(motion_writing){.motion = opened,
                                        .document = opened,
                                        .samples = &samples,
                                        .sample_count = content->clip_count > 0,
                                        .decimals = 6},
                      &sink, &error);
    /* Only new data without a buffer for them cannot be written. */
    require(status == PM_OK || status == PM_ERROR_OUTPUT);
    if (status == PM_OK) {
        require(pm_motion_parse(out.data, out.size, "", NULL, &options, &again, &error) == PM_OK);
        fuzz_check(again);
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
    fuzz_check(opened);
    move_root(opened);
    write_and_read(opened, &motion_glb);
    write_and_read(opened, &motion_gltf);
}
