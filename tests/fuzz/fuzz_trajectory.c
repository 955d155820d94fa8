/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of trajectories: any bytes as TUM and as CSV are read or refused, and what was read rises, is
 * written as it is, anew in the other format and at another rate, and read again with its stamps.
 */
#include <math.h>
#include <stdlib.h>

#include "motion_fuzz.h"

/* Without a file beside it. */
static pm_motion *read_as(const void *data, size_t size, pm_motion_format format,
                          pm_rational rate) {
    const pm_motion_read_options options = {.format = format, .source_rate = rate};
    pm_motion *motion = NULL;
    pm_error error = {0};
    const pm_status status = pm_motion_parse(data, size, "fuzz", NULL, &options, &motion, &error);
    require((status == PM_OK) == (motion != NULL));
    require(status == PM_OK || error.message[0] != '\0');
    if (motion && !pm_motion_get_content(motion)->has_stamps)
        pm_motion_destroy(&motion);
    return motion;
}

static void check(const pm_motion *motion) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    const pm_timeline *timeline = &content->clips[0].timelines[0];
    require(content->node_count == 1 && timeline->times && timeline->times[0] == 0);
    for (size_t k = 1; k < timeline->key_count; k++)
        require(timeline->times[k] > timeline->times[k - 1] && timeline->times[k] < 0x1p52 / 1e9);
}

/* Whether a format has it again, with the same stamps. Some numbers are too large to be written. */
static void write_and_read(const pm_motion *motion, const motion_format *format, bool is_same) {
    SCOPED(bytes_free) file_bytes out = {0};
    const motion_sink sink = bytes_sink(&out);
    const motion_writing writing = {
        .motion = motion, .document = is_same ? motion : NULL, .decimals = 6};
    pm_error error;
    require(format->write(&writing, &sink, &error) == PM_OK);
    pm_motion *again = read_as(out.data, out.size, format->id, (pm_rational){0, 0});
    if (is_same && !again) /* KITTI, whose times are given */
        again = read_as(out.data, out.size, format->id, (pm_rational){10, 1});
    require(again != NULL);
    const pm_timeline *a = &motion->content.clips[0].timelines[0],
                      *b = &again->content.clips[0].timelines[0];
    require(again->content.epoch == motion->content.epoch && a->key_count == b->key_count);
    for (size_t k = 0; k < a->key_count; k++)
        require(a->times[k] == b->times[k]);
    pm_motion_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const pm_motion_format formats[] = {PM_MOTION_TUM, PM_MOTION_CSV, PM_MOTION_CSV};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const pm_rational rate = {i == 2 ? 10 : 0, i == 2};
        pm_motion *motion = read_as(data, size, formats[i], rate);
        if (!motion)
            continue;
        check(motion);
        write_and_read(motion, motion->format, motion->format == &motion_tum);
        write_and_read(motion, motion->format == &motion_tum ? &motion_csv : &motion_tum, false);
        pm_motion_destroy(&motion);
    }
    return 0;
}
