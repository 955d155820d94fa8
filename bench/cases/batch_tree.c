/* SPDX-License-Identifier: MIT
 *
 * Outputs are compared by their digests, so that no second folder of them has to be kept.
 */
#include "batch_tree.h"

#include "file_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1, COMPARED = 8 /* outputs, about */ };

static cli_exit refuse_path(const char *path) {
    return cli_fail(CLI_CANNOT_WRITE, path, NULL, "the path in TMPDIR is too long");
}

/* Lists all files of a folder. */
static cli_exit list(char *folder, batch_items *items) {
    const char *paths[] = {folder};
    const pm_motion_batch_sources sources = {.paths = paths, .path_count = 1};
    pm_error error = {.status = PM_OK};
    return cli_done(batch_items_find(&sources, items, &error), &error);
}

cli_exit batch_tree_write(const scratch_tree *root, const batch_content *content, size_t count,
                          batch_tree *tree) {
    if (tree->inputs.count > 0)
        return CLI_DONE;
    cli_exit code = scratch_tree_path(root, content->name, tree->folder);
    if (code == CLI_DONE)
        code = archive_write(archive_shape_find(content->shape), tree->folder, count, SEED,
                             &tree->size);
    return code == CLI_DONE ? list(tree->folder, &tree->inputs) : code;
}

void batch_tree_release(batch_tree *tree) {
    batch_items_release(&tree->inputs);
    free(tree->outputs);
    tree->outputs = NULL;
}

/* ---- one file after another ---------------------------------------------------- */

static cli_exit resample_file_alone(file_resampled *work, file_source *source) {
    pm_motion *motion = NULL;
    pm_error error = {0};
    pm_status status = pm_motion_open(source->path, NULL, &motion, &error);
    if (status == PM_OK) {
        const pm_motion_resample_options options = file_options(motion, work->ratio);
        source->frames = pm_motion_get_content(motion)->clips[0].timelines[0].key_count;
        status = pm_motion_resample(motion, work->engine, &options, source->output, &work->report,
                                    &error);
    }
    pm_motion_destroy(&motion);
    return status == PM_OK ? CLI_DONE : cli_fail_error("bench", &error);
}

static cli_exit compare(const file_resampled *work, batch_tree *tree) {
    bench_result one = {.max_error_rad = (double)NAN};
    const cli_exit code = file_check_resampled(work, &one);
    if (code == CLI_DONE) {
        tree->max_error = fmax(tree->max_error, one.max_error_rad);
        tree->bits = tree->bits == BITS_DIFFER ? BITS_DIFFER : one.bits;
    }
    return code;
}

static cli_exit resample_one(const batch_content *content, pm_engine *engine, const char *path,
                             size_t i, batch_tree *tree) {
    const char *input = tree->inputs.items[i].path;
    batch_output *output = &tree->outputs[i];
    file_source source = {.joints = file_joints(content->content)};
    file_resampled work = {.engine = engine, .source = &source, .ratio = content->ratio};
    if (strlen(input) >= sizeof source.path)
        return refuse_path(input);
    memcpy(source.path, input, strlen(input) + 1);
    memcpy(source.output, path, strlen(path) + 1);
    cli_exit code = resample_file_alone(&work, &source);
    if (code == CLI_DONE && !digest_of_file(path, &output->digest))
        code = cli_fail(CLI_CANNOT_WRITE, path, NULL, "cannot be read back");
    if (code == CLI_DONE && i % (tree->inputs.count / COMPARED + 1) == 0)
        code = compare(&work, tree);
    output->bytes = (size_t)work.report.bytes_written;
    tree->bytes_written += output->bytes;
    tree->rotations_written += (size_t)work.report.samples * file_joints(content->content);
    return code;
}

cli_exit batch_tree_resample(const scratch_tree *root, const batch_content *content,
                             pm_engine *engine, batch_tree *tree) {
    char name[32], path[SCRATCH_PATH];
    if (tree->outputs)
        return CLI_DONE;
    tree->outputs = calloc(tree->inputs.count, sizeof *tree->outputs);
    if (!tree->outputs)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    snprintf(name, sizeof name, "alone.%s", content->name);
    cli_exit code = scratch_tree_path(root, name, path);
    for (size_t i = 0; i < tree->inputs.count && code == CLI_DONE; i++)
        code = resample_one(content, engine, path, i, tree);
    return code;
}

/* ---- a batch ------------------------------------------------------------------- */

static bool is_output(const char *folder, const char *name, const digest *wanted) {
    char path[2 * SCRATCH_PATH];
    digest found;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && digest_of_file(path, &found) &&
           digest_equal(&found, wanted);
}

cli_exit batch_tree_check(const batch_tree *tree, const char *folder, bench_result *result) {
    char path[SCRATCH_PATH];
    batch_items outputs = {.count = 0};
    snprintf(path, sizeof path, "%s", folder);
    const cli_exit code = list(path, &outputs);
    bool same = outputs.count == tree->inputs.count;
    for (size_t i = 0; same && i < outputs.count; i++)
        same = is_output(folder, tree->inputs.items[i].name, &tree->outputs[i].digest);
    result->max_error_rad = same ? tree->max_error : (double)INFINITY;
    result->bits = tree->bits;
    batch_items_release(&outputs);
    return code;
}
