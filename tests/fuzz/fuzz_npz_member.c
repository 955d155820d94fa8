/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the members of NPZ files. The input is a list of arrays, `name NUL size bytes`, which
 * become an archive that is in order: so the fuzzer reaches headers, layouts and rates, and the
 * writer.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/npz/zip.h"
#include "motion_fuzz.h"

/* The first bit of the size selects deflate. */
static void make_archive(const char *data, size_t size, file_bytes *out) {
    const motion_sink sink = bytes_sink(out);
    zip_writer zip = {.sink = &sink};
    pm_error error;
    const char *at = data, *end = data + size;
    while (at < end) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        if (!stop || end - stop < 3)
            break;
        const size_t claimed = (size_t)(unsigned char)stop[1] | (size_t)(unsigned char)stop[2] << 8;
        const size_t left = (size_t)(end - stop - 3), length = claimed >> 1;
        const zip_member member = {.name = {at, (size_t)(stop - at)},
                                   .method = claimed & 1 ? ZIP_DEFLATED : ZIP_STORED};
        const zip_bytes bytes = {stop + 3, length < left ? length : left};
        require(zip_write_bytes(&zip, &member, bytes, &error) == PM_OK);
        at = bytes.data + bytes.size;
    }
    require(zip_write_end(&zip, (zip_bytes){"", 0}, &error) == PM_OK);
    zip_writer_release(&zip);
}

/* What was written is read again with the frames that were asked for. */
static void write_and_read(const pm_motion *motion) {
    pm_motion_clip clip = motion->content.clips[0];
    const motion_samples samples = fuzz_samples(&clip);
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ, .source_rate = {48, 1}};
    file_bytes out = {0};
    const motion_sink sink = bytes_sink(&out);
    pm_motion *again = NULL;
    pm_error error;
    if (samples.count > 4096)
        return;
    const pm_status status = motion->format->write(
        motion, &samples, 1, &(motion_write_options){.decimals = 6}, &sink, &error);
    require(status == PM_OK || status == PM_ERROR_FILE);
    if (status == PM_OK) {
        const pm_status read =
            pm_motion_parse(out.data, out.size, "again", NULL, &options, &again, &error);
        /* A member that had another number of rows can be refused now. */
        require(read == PM_OK || read == PM_ERROR_FILE);
        require(!again || again->content.clips[0].timelines[0].key_count == samples.count);
        pm_motion_destroy(&again);
    }
    free(out.data);
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
