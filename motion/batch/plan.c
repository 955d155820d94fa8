/* SPDX-License-Identifier: MIT
 *
 * Names of outputs, checks of all of them, and the order of the files.
 */
#include "motion/batch/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/files/output_names.h"

static pm_status refuse_memory(pm_error *error) {
    return motion_fail(error, PM_ERROR_OUTPUT, "out of memory for the file names");
}

/* The name of an item with the extension of a format in place of that of another. Standard input has the
 * extension of the format, if that is given. */
static char *name_output(const batch_item *item, const pm_motion_batch_options *options) {
    const bool is_stream = strcmp(item->path, "-") == 0 && strcmp(item->name, "-") == 0;
    const char *name = is_stream ? "stdin" : item->name;
    const pm_motion_format format = options->task.format, of_input = options->task.read.format;
    if (is_stream && (format != PM_MOTION_ANY || of_input != PM_MOTION_ANY)) {
        const pm_motion_format given = format != PM_MOTION_ANY ? format : of_input;
        return compose_format("stdin.%s", pm_motion_format_name(given));
    }
    const bool is_named = pm_motion_find_format(name) != PM_MOTION_ANY;
    const char *extension = pm_motion_format_name(format);
    if (format == PM_MOTION_ANY || !is_named || pm_motion_find_format(name) == format)
        return strdup(name);
    return compose_format("%.*s%s", (int)(strrchr(name, '.') + 1 - name), name, extension);
}

static bool make_names(const batch_items *items, const bool *mine,
                       const pm_motion_batch_options *options, batch_plan *plan) {
    plan->names = calloc(items->count + 1, sizeof *plan->names);
    plan->outs = calloc(items->count + 1, sizeof *plan->outs);
    plan->item_count = items->count;
    for (size_t i = 0; i < items->count && plan->names && plan->outs; i++) {
        plan->names[i] = name_output(&items->items[i], options);
        plan->outs[i] = mine[i] && plan->names[i]
                            ? compose_format("%s/%s", options->out_dir, plan->names[i])
                            : NULL;
        if (!plan->names[i] || (mine[i] && !plan->outs[i]))
            return false;
    }
    return plan->names != NULL && plan->outs != NULL;
}

static pm_status refuse_two(const char *output, pm_error *error) {
    return motion_fail(error, PM_ERROR_ARGUMENT, "two inputs would be written to the same file %s",
                       output);
}

/* Items have different names, but their extensions were replaced. */
static pm_status check_names(const batch_plan *plan, pm_error *error) {
    FREED const char **sorted = malloc((plan->item_count + 1) * sizeof *sorted);
    if (!sorted)
        return refuse_memory(error);
    for (size_t i = 0; i < plan->item_count; i++)
        sorted[i] = plan->names[i];
    qsort(sorted, plan->item_count, sizeof *sorted, compare_texts);
    for (size_t i = 1; i < plan->item_count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return refuse_two(sorted[i], error);
    return PM_OK;
}

/* Results in the folder of the inputs would overwrite the inputs. */
static pm_status refuse_clash(const named_file *output, const named_file *other, pm_error *error) {
    if (other->use == LOCATION_OUTPUT)
        return refuse_two(output->name, error);
    motion_fail_at(error, PM_ERROR_OUTPUT, other->name, NULL, "would be overwritten by a result");
    motion_cure(error, "out-dir", NULL, "chooses another folder");
    return PM_ERROR_OUTPUT;
}

/* Links may lead outputs to inputs, or to each other. */
static pm_status check_locations(const batch_items *items, const batch_plan *plan,
                                 pm_error *error) {
    FREED named_file *names = calloc(2 * items->count + items->archive_count + 1, sizeof *names);
    const named_file *output = NULL, *other = NULL;
    size_t count = 0;
    if (!names)
        return refuse_memory(error);
    for (size_t i = 0; i < items->count; i++) {
        if (plan->outs[i] && !items->items[i].fault)
            names[count++] = (named_file){plan->outs[i], LOCATION_OUTPUT};
        if (!items->items[i].archive)
            names[count++] = (named_file){items->items[i].path, LOCATION_INPUT};
    }
    for (size_t i = 0; i < items->archive_count; i++)
        names[count++] = (named_file){items->archives[i], LOCATION_INPUT};
    return names_clash(names, count, &output, &other) ? refuse_clash(output, other, error) : PM_OK;
}

static pm_status check_existing(const batch_items *items, const batch_plan *plan, pm_error *error) {
    os_info info;
    for (size_t i = 0; i < plan->item_count; i++)
        if (plan->outs[i] && !items->items[i].fault && os_look(plan->outs[i], &info)) {
            motion_fail_at(error, PM_ERROR_OUTPUT, plan->outs[i], NULL, "exists already");
            motion_cure(error, "resume", "true", "keeps what is done, overwrite replaces it");
            return PM_ERROR_OUTPUT;
        }
    return PM_OK;
}

/* In a folder that does not exist no name leads elsewhere. */
static pm_status check_outputs(const batch_items *items, const pm_motion_batch_options *options,
                               const batch_plan *plan, pm_error *error) {
    os_info folder;
    pm_status status = check_names(plan, error);
    if (status != PM_OK || (!os_look_at_link(options->out_dir, &folder) && errno == ENOENT))
        return status;
    if (os_look(options->out_dir, &folder) && folder.kind != OS_FOLDER)
        return motion_fail_at(error, PM_ERROR_OUTPUT, options->out_dir, NULL,
                              "is a file; expected a folder");
    status = check_locations(items, plan, error);
    const bool may_exist = options->resume || options->overwrite;
    return status == PM_OK && !may_exist ? check_existing(items, plan, error) : status;
}

/* Archives are in the order of their paths. */
static int compare_files(const void *left, const void *right) {
    const batch_item *a = ((const batch_file *)left)->item;
    const batch_item *b = ((const batch_file *)right)->item;
    if (!a->archive && !b->archive)
        return a->bytes != b->bytes ? (a->bytes < b->bytes ? 1 : -1) : strcmp(a->name, b->name);
    if (!a->archive || !b->archive)
        return !a->archive ? -1 : 1;
    const int order = strcmp(a->archive, b->archive);
    return order != 0 ? order : (a->member > b->member) - (a->member < b->member);
}

static bool make_files(const batch_items *items, const bool *mine, batch_plan *plan) {
    plan->files = calloc(items->count + 1, sizeof *plan->files);
    for (size_t i = 0; plan->files && i < items->count; i++) {
        if (mine[i]) {
            plan->files[plan->count++] = (batch_file){
                .item = &items->items[i], .name = plan->names[i], .out = plan->outs[i]};
            plan->bytes += items->items[i].bytes;
        }
    }
    if (plan->files)
        qsort(plan->files, plan->count, sizeof *plan->files, compare_files);
    return plan->files != NULL;
}

pm_status batch_plan_of(const pm_motion_batch_list *list, const pm_motion_batch_options *options,
                        batch_plan *plan, pm_error *error) {
    const batch_items *items = &list->items;
    const batch_shard shard = {options->shard, options->shard_count > 0 ? options->shard_count : 1};
    FREED bool *mine = calloc(items->count + 1, sizeof *mine);
    *plan = (batch_plan){.count = 0};
    MOTION_TRY(mine && shard_divide(items, shard, mine) && make_names(items, mine, options, plan) &&
                       make_files(items, mine, plan)
                   ? PM_OK
                   : refuse_memory(error));
    return check_outputs(items, options, plan, error);
}

void batch_plan_release(batch_plan *plan) {
    for (size_t i = 0; i < plan->count && plan->files; i++)
        MOTION_FREE(plan->files[i].data, plan->files[i].fault);
    for (size_t i = 0; i < plan->item_count; i++) {
        if (plan->names)
            free(plan->names[i]);
        if (plan->outs)
            free(plan->outs[i]);
    }
    MOTION_FREE(plan->files, plan->names, plan->outs);
    *plan = (batch_plan){.count = 0};
}
