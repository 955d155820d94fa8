/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of NPZ archives: any bytes are read as a motion or refused, and what is read is written
 * again as an archive with the same members.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/npz/zip.h"
#include "motion_fuzz.h"

static void compare(const zip_archive *a, const zip_archive *b) {
    require(a->count == b->count);
    for (size_t i = 0; i < a->count; i++) {
        const zip_member *x = &a->members[i], *y = &b->members[i];
        require(x->name.size == y->name.size && x->packed.size == y->packed.size);
        require(memcmp(x->name.data, y->name.data, x->name.size) == 0);
        require(memcmp(x->packed.data, y->packed.data, x->packed.size) == 0);
        require(x->crc == y->crc && x->size == y->size && x->method == y->method);
    }
}

static void check_motion(const pm_motion *motion) {
    const pm_motion_content *content = &motion->content;
    require(content->clip_count == 1 && content->clips[0].timelines[0].key_count > 0);
    require(content->clips[0].rate.num > 0 && content->clips[0].rate.den > 0);
    for (size_t i = 0; i < content->clips[0].channel_count; i++) {
        const pm_motion_channel *c = &content->clips[0].channels[i];
        require(c->keys.data && c->components > 0);
        require((uintptr_t)c->keys.data % (c->keys.type == PM_FLOAT64 ? 8 : 4) == 0);
        require(c->name.text[c->name.size] == '\0');
    }
}

static void write_again(const pm_motion *motion, const char *data, size_t size) {
    pm_error error;
    SCOPED(bytes_free) file_bytes out = {0};
    SCOPED(motion_arena_release) motion_arena arena = {0};
    zip_archive before = {0}, after = {0};
    const motion_sink sink = bytes_sink(&out);
    require(motion->format->write(
                &(motion_writing){.motion = motion, .document = motion, .decimals = 6}, &sink,
                &error) == PM_OK);
    require(zip_open(&arena, data, size, &before, &error) == PM_OK);
    require(zip_open(&arena, out.data, out.size, &after, &error) == PM_OK);
    compare(&before, &after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pm_motion *motion = fuzz_open(data, size, PM_MOTION_NPZ);
    if (motion) {
        check_motion(motion);
        write_again(motion, (const char *)data, size);
    }
    pm_motion_destroy(&motion);
    return 0;
}
