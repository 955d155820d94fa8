/* SPDX-License-Identifier: MIT
 *
 * Opening motions with their digests.
 */
#include "open.h"

#if POSEMILL_BATCH
#include "batch/digest.h"

static void see(void *user, const void *data, size_t size) {
    digest_add(user, data, size);
}
#endif

#include <stdio.h>

bool option_unit(const char *text, void *target, char *reason) {
    double unit = 0;
    if (!option_number(text, &unit, reason) || unit <= 0) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is no unit; expected millimetres per unit of the file", text);
        return false;
    }
    *(double *)target = unit;
    return true;
}

static cli_exit open_motion(const motion_options *options, open_clip *o) {
#if POSEMILL_BATCH
    digest_state *state = digest_begin();
    if (state == NULL) {
        return cli_fail(CLI_BAD_INPUT, o->path, CLI_MEMORY_HINT, "memory is exhausted");
    }
    const motion_observer observer = {see, state};
    const cli_exit code =
        motion_options_open_observed(options, o->path, NULL, 0, &observer, &o->motion);
    const digest found = digest_end(&state);
    snprintf(o->digest, sizeof o->digest, "%s", found.text);
    return code;
#else
    return motion_options_open(options, o->path, &o->motion);
#endif
}

static cli_exit find_clip(const open_clip *o, const char *clip, size_t *index) {
    const pm_motion_content *content = pm_motion_get_content(o->motion);
    *index = 0;
    if (content->clip_count == 0) {
        return cli_fail(CLI_BAD_INPUT, o->path, NULL, "has no clips");
    }
    if (content->clip_count == 1 && (clip == NULL || content->clips[0].name.size == 0)) {
        return CLI_DONE;
    }
    if (clip != NULL) {
        return motion_find_clip(o->motion, o->path, clip, index);
    }
    cli_warn(o->path, "has %zu clips; the first one is taken: --clip chooses another",
             content->clip_count);
    return CLI_DONE;
}

cli_exit open_clip_of(const motion_options *options, const char *path, const char *clip,
                      open_clip *opened) {
    size_t index = 0;
    pm_error error = {.status = PM_OK};
    *opened = (open_clip){.path = path};
    cli_exit code = open_motion(options, opened);
    if (code == CLI_DONE) {
        code = find_clip(opened, clip, &index);
    }
    if (code == CLI_DONE &&
        subject_make(&opened->subject, opened->motion, index, &error) != PM_OK) {
        code = cli_fail_error(path, &error);
    }
    return code;
}

void close_clip(open_clip *opened) {
    subject_release(&opened->subject);
    pm_motion_destroy(&opened->motion);
}
