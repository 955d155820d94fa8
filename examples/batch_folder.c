/* SPDX-License-Identifier: MIT
 *
 * Resamples all motion files of a folder into another one, and keeps what an earlier run has done.
 */
#include <stdio.h>

#include <posemill/posemill_motion.h>

static void show(void *user, const pm_motion_batch_file *file) {
    (void)user;
    char text[PM_ERROR_TEXT_SIZE] = "done";
    if (file->error)
        pm_error_text(file->error, PM_SPELLING_FIELD, text, sizeof text);
    printf("%s: %s\n", file->name, text);
}

int main(int argc, char **argv) {
    pm_motion_batch_list *list = NULL;
    pm_engine *engine = NULL;
    pm_error error = {.status = PM_OK};
    if (argc != 4)
        return fputs("usage: batch_folder FOLDER OUT RATE\n", stderr), 2;
    const pm_motion_batch_sources sources = {.paths = (const char *const *)&argv[1],
                                             .path_count = 1};
    const pm_motion_batch_options options = {
        .out_dir = argv[2], .task = {.rate = argv[3]}, .resume = true, .ended = show};
    pm_motion_batch_result result = {.files = 0};
    pm_status status = pm_motion_batch_list_create(&sources, &list, &error);
    if (status == PM_OK)
        status = pm_engine_create(NULL, &engine, &error);
    if (status == PM_OK)
        status = pm_motion_batch_run(list, engine, &options, &result, &error);
    if (status == PM_OK)
        printf("%d done, %d kept, %d failed, digest %s\n", (int)result.done, (int)result.kept,
               (int)result.failed, result.digest);
    else {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    pm_engine_destroy(&engine);
    pm_motion_batch_list_destroy(&list);
    return status != PM_OK || result.failed > 0;
}
