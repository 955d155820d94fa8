/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of skeletons of Acclaim: any bytes are read or refused, and what was read is a tree whose
 * numbers are finite.
 */
#include "fuzz.h"
#include "motion/amc/asf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(const asf *skeleton) {
    size_t freedoms = 0;
    require(skeleton->count > 0 && skeleton->bones[0].parent < 0);
    for (size_t b = 0; b < skeleton->count; b++) {
        const asf_bone *bone = &skeleton->bones[b];
        size_t at = b, steps = 0;
        for (; at != 0 && steps <= skeleton->count; steps++)
            at = (size_t)skeleton->bones[at].parent;
        require(steps <= skeleton->count && bone->first == freedoms);
        freedoms += bone->freedom_count;
        for (int i = 0; i < 4; i++)
            require(isfinite(bone->axis[i]) && isfinite(bone->offset[i % 3]));
        require(bone->freedom_count <= ASF_MOST_FREEDOMS);
    }
    require(freedoms == skeleton->freedoms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    motion_arena arena = {NULL};
    asf skeleton;
    pm_error error;
    /* A separate copy, so that a sanitizer detects a read past the end. */
    char *file = malloc(size > 0 ? size : 1);
    if (!file)
        return 0;
    memcpy(file, data, size);
    if (asf_parse(file, size, "fuzz.asf", &arena, &skeleton, &error) == PM_OK)
        check(&skeleton);
    motion_arena_release(&arena);
    free(file);
    return 0;
}
