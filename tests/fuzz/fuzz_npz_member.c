/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the members of NPZ files. The input is a list of arrays, `name NUL size bytes`, which
 * become an archive that is in order: so the fuzzer reaches headers, layouts and rates, and the
 * writer.
 */
#include <stdlib.h>
#include <string.h>

#include "member_archive.h"
#include "motion_fuzz.h"

/* What was written is read again with the frames that were asked for. */
static void write_and_read(const pm_motion *motion) {
    pm_motion_clip clip = motion->content.clips[0];
    const motion_samples samples = fuzz_samples(&clip);
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ, .source_rate = {48, 1}};
    SCOPED(bytes_free) file_bytes out = {0};
    const motion_sink sink = bytes_sink(&out);
    pm_motion *again = NULL;
    pm_error error;
    if (samples.count > 4096)
        return;
    const pm_status status = motion->format->write(&(motion_writing){.motion = motion,
                                                                     .document = motion,
                                                                     .samples = &samples,
                                                                     .sample_count = 1,
                                                                     .decimals = 6},
                                                   &sink, &error);
    require(status == PM_OK || status == PM_ERROR_FILE);
    if (status == PM_OK) {
        const pm_status read =
            pm_motion_parse(out.data, out.size, "again", NULL, &options, &again, &error);
        /* A member that had another number of rows can be refused now. */
        require(read == PM_OK || read == PM_ERROR_FILE);
        require(!again || again->content.clips[0].timelines[0].key_count == samples.count);
        pm_motion_destroy(&again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ,
                                            .source_rate = {size % 2 ? 24 : 0, size % 2}};
    pm_motion *motion = NULL;
    pm_error error;
    file_bytes out = {0};
    if (size > 0)
        make_archive((const char *)data, size, &out);
    if (pm_motion_parse(out.data ? out.data : "", out.size, "fuzz", NULL, &options, &motion,
                        &error) == PM_OK)
        write_and_read(motion);
    else
        require(error.message[0] != '\0');
    pm_motion_destroy(&motion);
    free(out.data);
    return 0;
}
