/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of CSV files of robots: any bytes are read or refused, and what was read is written, kept rows and
 * new ones, and read again with as many rows and columns.
 */
#include <math.h>
#include <stdlib.h>

#include "motion_fuzz.h"

static void check(const pm_motion *motion) {
    const pm_motion_clip *clip = &motion->content.clips[0];
    for (size_t c = 0; c < clip->channel_count; c++)
        for (size_t k = 0; k < clip->timelines[0].key_count; k++)
            for (size_t i = 0; i < clip->channels[c].components; i++) {
                const char *key =
                    (const char *)clip->channels[c].keys.data + k * clip->channels[c].keys.stride;
                require(isfinite(((const double *)(const void *)key)[i]));
            }
}

static void write_and_read(const pm_motion *motion) {
    pm_motion_clip clip = motion->content.clips[0];
    const motion_samples samples = fuzz_samples(&clip);
    const pm_motion_read_options options = {.format = PM_MOTION_CSV};
    SCOPED(bytes_free) file_bytes out = {0};
    const motion_sink sink = bytes_sink(&out);
    SCOPED(pm_motion_destroy) pm_motion *again = NULL;
    pm_error error;
    require(motion->format->write(&(motion_writing){.motion = motion,
                                                    .document = motion,
                                                    .samples = &samples,
                                                    .sample_count = 1,
                                                    .decimals = 6},
                                  &sink, &error) == PM_OK);
    require(pm_motion_parse(out.data, out.size, "again", NULL, &options, &again, &error) == PM_OK);
    require(again->content.clips[0].timelines[0].key_count == samples.count);
    require(again->content.clips[0].channel_count == clip.channel_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pm_motion *motion = fuzz_open(data, size, PM_MOTION_CSV);
    if (motion && !motion->content.has_stamps) { /* else see fuzz_trajectory */
        check(motion);
        write_and_read(motion);
    }
    pm_motion_destroy(&motion);
    return 0;
}
