/* SPDX-License-Identifier: MIT
 *
 * Opening motions with their digests, and what a page may be named.
 */
#include "open_clip.h"

#include "motion/base/os.h"
#include "motion/files/output_names.h"
#include "motion/task/task_files.h"

#if POSEMILL_BATCH
#include "motion/files/digest.h"

static void see(void *user, const void *data, size_t size) {
    digest_add(user, data, size);
}
#endif

#include <stdio.h>
#include <string.h>
#include <strings.h>

static pm_status open_motion(const pm_motion_read_options *options, const char *data, size_t size,
                             open_clip *o, pm_error *error) {
    pm_motion_read_options observed = *options;
    observed.log = options->log ? options->log : cli_log;
#if POSEMILL_BATCH
    digest_state *state = digest_begin();
    if (!state)
        return motion_fail_at(error, PM_ERROR_MEMORY, o->path, CLI_MEMORY_HINT,
                              "memory is exhausted");
    const pm_motion_observer observer = {.see = see, .user = state};
    observed.observer = &observer;
    const pm_status status = task_read(&observed, o->path, data, size, &o->motion, error);
    const digest found = digest_end(&state);
    snprintf(o->digest, sizeof o->digest, "%s", found.text);
    return status;
#else
    return task_read(&observed, o->path, data, size, &o->motion, error);
#endif
}

static pm_status find_clip(const char *clip, open_clip *o, pm_error *error) {
    const pm_motion_content *content = pm_motion_get_content(o->motion);
    o->clip = motion_first_clip(content);
    if (content->clip_count == 0)
        return motion_fail_at(error, PM_ERROR_FILE, o->path, NULL, "has no clips");
    if (clip && (content->clip_count > 1 || content->clips[0].name.size > 0))
        MOTION_TRY(task_find_clip(o->motion, o->path, clip, &o->clip, error));
    else
        o->is_first_of = content->clip_count;
    return motion_name_failure(motion_check_clip(content, o->clip, error), o->path, error);
}

pm_status open_clip_read(const pm_motion_read_options *options, const char *data, size_t size,
                         const char *clip, open_clip *opened, pm_error *error) {
    MOTION_TRY(open_motion(options, data, size, opened, error));
    return find_clip(clip, opened, error);
}

cli_exit open_clip_of(const pm_motion_read_options *options, const char *path, const char *clip,
                      open_clip *opened) {
    pm_error error = {.status = PM_OK};
    *opened = (open_clip){.path = path};
    return cli_done(open_clip_read(options, NULL, 0, clip, opened, &error), &error);
}

/* By the name, which also gives the format and the rate. A pipe is read anew. */
static bool is_same_file(const char *a, const char *b) {
    os_info info;
    return strcmp(a, b) == 0 && os_look(a, &info) && info.kind == OS_REGULAR;
}

cli_exit open_clip_beside(const pm_motion_read_options *options, const char *path, const char *clip,
                          const open_clip *of, open_clip *opened) {
    if (!is_same_file(of->path, path))
        return open_clip_of(options, path, clip, opened);
    *opened = (open_clip){.path = path, .motion = of->motion, .shares_motion = true};
    memcpy(opened->digest, of->digest, sizeof of->digest);
    pm_error error = {.status = PM_OK};
    return cli_done(find_clip(clip, opened, &error), &error);
}

void open_clip_warn(const open_clip *o) {
    if (o->is_first_of > 1)
        cli_warn(o->path, "has %zu clips; the first one%s is taken: --clip chooses another",
                 o->is_first_of, o->clip > 0 ? " with channels" : "");
}

void close_clip(open_clip *opened) {
    if (!opened->shares_motion)
        pm_motion_destroy(&opened->motion);
}

/* A name without an extension may be anything's, such as /dev/stdout. */
static bool is_page_name(const char *path) {
    const char *name = os_last_part(path);
    const char *dot = strrchr(name, '.');
    return dot == NULL || dot == name || strcasecmp(dot, ".html") == 0 ||
           strcasecmp(dot, ".htm") == 0;
}

cli_exit page_check_name(const command_options *o, const char *path, char **inputs, size_t count) {
    return is_page_name(path)
               ? page_check_inputs(path, inputs, count)
               : options_usage(o, path,
                               "a page is a file of HTML; expected a name that ends in "
                               ".html, or - for standard output; view also draws .svg and .gif");
}

cli_exit page_check_inputs(const char *path, char **inputs, size_t count) {
    const named_file *output = NULL, *other = NULL;
    for (size_t i = 0; i < count; i++) {
        const named_file names[] = {{path, LOCATION_OUTPUT}, {inputs[i], LOCATION_INPUT}};
        if (names_clash(names, 2, &output, &other))
            return cli_fail(CLI_CANNOT_WRITE, inputs[i], "choose another name for the page",
                            "would be overwritten by the page");
    }
    return CLI_DONE;
}
