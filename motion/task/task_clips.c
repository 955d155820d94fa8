/* SPDX-License-Identifier: MIT
 *
 * A name comes before a number: clips may have names of digits.
 */
#include "motion/task/task_clips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"

static bool is_named(const pm_motion_clip *clip, const char *name) {
    return clip->name.size == strlen(name) && memcmp(clip->name.text, name, clip->name.size) == 0;
}

pm_status task_find_clip(const pm_motion *motion, const char *path, const char *clip, size_t *index,
                         pm_error *error) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    char *end = NULL;
    for (size_t i = 0; i < content->clip_count; i++) {
        if (is_named(&content->clips[i], clip)) {
            *index = i;
            return PM_OK;
        }
    }
    errno = 0;
    const unsigned long long number = strtoull(clip, &end, 10);
    if (*clip >= '0' && *clip <= '9' && *end == '\0' && errno == 0 &&
        number < content->clip_count) {
        *index = (size_t)number;
        return PM_OK;
    }
    return motion_fail_at(error, PM_ERROR_FILE, path, "list the clips with: posemill info FILE",
                          "no clip is named '%.120s', and none of the %zu has that number", clip,
                          content->clip_count);
}

static int by_index(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

pm_status task_find_clips(const pm_motion *motion, const char *path,
                          const pm_motion_batch_task *task, size_t indices[TASK_CLIPS_MAX],
                          size_t *count, pm_error *error) {
    size_t kept = 0;
    for (size_t i = 0; i < task->clip_count; i++)
        MOTION_TRY(task_find_clip(motion, path, task->clips[i], &indices[i], error));
    qsort(indices, task->clip_count, sizeof *indices, by_index);
    for (size_t i = 0; i < task->clip_count; i++)
        if (kept == 0 || indices[kept - 1] != indices[i])
            indices[kept++] = indices[i];
    *count = kept;
    return PM_OK;
}
