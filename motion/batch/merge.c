/* SPDX-License-Identifier: MIT
 *
 * Joins the names of the records with those of the list, both sorted.
 */
#include "motion/batch/merge.h"
#include "motion/base/composed.h"
#include "motion/base/os.h"

#include <stdlib.h>
#include <string.h>

const char *merge_state_name(pm_motion_batch_state state) {
    static const char *const names[] = {"done", "kept", "failed", "missing", "conflicting"};
    return names[state];
}

static pm_motion_batch_state state_of(const merge_records *r) {
    if (r->count == 0)
        return PM_MOTION_BATCH_MISSING;
    /* Failures are the last. */
    if (r->of[0]->status == RECORD_FAILED)
        return PM_MOTION_BATCH_FAILED;
    for (size_t i = 1; i < r->count && r->of[i]->status != RECORD_FAILED; i++)
        if (!digest_equal(&r->of[i]->output, &r->of[0]->output))
            return PM_MOTION_BATCH_CONFLICTING;
    return PM_MOTION_BATCH_DONE;
}

static void add_file(merge_result *result, const record_table *table, const char *name,
                     bool is_listed) {
    pm_motion_batch_merged *all = &result->shown;
    merge_records *records = &result->records[all->file_count];
    pm_motion_batch_merged_file *file = &result->files[all->file_count++];
    records->of = record_table_find(table, name, &records->count);
    *file = (pm_motion_batch_merged_file){
        .name = name, .state = state_of(records), .is_listed = is_listed};
    if (file->state == PM_MOTION_BATCH_FAILED) {
        file->failure = records->of[0]->error ? records->of[0]->error : "";
        file->code = records->of[0]->code;
    }
    all->done += file->state == PM_MOTION_BATCH_DONE;
    all->failed += file->state == PM_MOTION_BATCH_FAILED;
    all->missing += file->state == PM_MOTION_BATCH_MISSING;
    all->conflicting += file->state == PM_MOTION_BATCH_CONFLICTING;
    all->unlisted += result->has_list && !is_listed;
}

/* Advances over a name and its repetitions. */
static size_t skip(const char *const *names, size_t count, size_t at) {
    const char *name = names[at++];
    while (at < count && strcmp(names[at], name) == 0)
        at++;
    return at;
}

static void join(merge_result *result, const record_table *table, const char *const *names,
                 size_t name_count, const char *const *listed, size_t listed_count) {
    size_t n = 0, l = 0;
    while (n < name_count || l < listed_count) {
        const int order = n == name_count     ? 1
                          : l == listed_count ? -1
                                              : strcmp(names[n], listed[l]);
        add_file(result, table, order <= 0 ? names[n] : listed[l], order >= 0);
        n += order <= 0;
        l = order >= 0 ? skip(listed, listed_count, l) : l;
    }
}

/* The name of an item's output: with --to it has the extension of another format. That of the item
 * where there is no record. `room` has room for the name with any extension. */
static const char *output_name(const record_table *table, const batch_item *item, char *room) {
    size_t count = 0;
    const char *dot = strrchr(item->name, '.');
    if (pm_motion_find_format(item->name) == PM_MOTION_ANY ||
        record_table_find(table, item->name, &count))
        return item->name;
    const size_t stem = (size_t)(dot + 1 - item->name);
    memcpy(room, item->name, stem);
    for (int f = PM_MOTION_ANY + 1; f < PM_MOTION_FORMAT_COUNT; f++) {
        const char *extension = pm_motion_format_name((pm_motion_format)f);
        memcpy(room + stem, extension, strlen(extension) + 1);
        const batch_record *const *found = record_table_find(table, room, &count);
        if (found && strcmp(os_last_part(found[0]->in), os_last_part(item->path)) == 0)
            return found[0]->name;
    }
    return item->name;
}

/* The names of the outputs of the items, sorted. NULL: memory is exhausted. */
static const char **names_of(const record_table *table, const batch_items *list, size_t *count) {
    enum { EXTENSION_MAX = 16 };
    size_t longest = 0;
    *count = list ? list->count : 0;
    for (size_t i = 0; i < *count; i++) {
        const size_t size = strlen(list->items[i].name);
        longest = size > longest ? size : longest;
    }
    const char **names = malloc((*count + 1) * sizeof *names);
    FREED char *room = malloc(longest + EXTENSION_MAX);
    if (names && room) {
        for (size_t i = 0; i < *count; i++)
            names[i] = output_name(table, &list->items[i], room);
        qsort(names, *count, sizeof *names, compare_texts);
    } else {
        free(names);
        names = NULL;
    }
    return names;
}

static bool find_files(merge_result *result, record_table *table, const batch_items *list) {
    size_t name_count = 0, listed_count = 0;
    const char *const *names = record_table_names(table, &name_count);
    FREED const char **listed = names_of(table, list, &listed_count);
    if (names && listed) {
        result->files = calloc(name_count + listed_count + 1, sizeof *result->files);
        result->records = calloc(name_count + listed_count + 1, sizeof *result->records);
    }
    const bool good = result->files && result->records;
    if (good)
        join(result, table, names, name_count, listed, listed_count);
    result->shown.files = result->files;
    return good;
}

static uint64_t add(uint64_t a, uint64_t b) {
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    return b == 0 || a <= UINT64_MAX / b ? a * b : UINT64_MAX;
}

static void add_record(pm_motion_batch_merged *all, const batch_record *record) {
    all->frames = add(all->frames, record->frames);
    all->joint_samples = add(all->joint_samples, multiply(record->frames, record->joints));
    all->bytes_read = add(all->bytes_read, record->bytes_read);
    all->bytes_written = add(all->bytes_written, record->bytes_written);
    all->seconds += record->seconds;
}

static bool sum_files(merge_result *result) {
    digest_state *hash = digest_begin();
    if (!hash)
        return false;
    for (size_t i = 0; i < result->shown.file_count; i++) {
        const pm_motion_batch_state state = result->files[i].state;
        if (state == PM_MOTION_BATCH_DONE || state == PM_MOTION_BATCH_CONFLICTING) {
            const batch_record *record = result->records[i].of[0];
            add_record(&result->shown, record);
            digest_add_result(hash, record->name, &record->output);
        }
    }
    result->digest = digest_end(&hash);
    result->shown.digest = result->digest.text;
    return true;
}

/* Records of others may lack the digest of what all files share. */
static digest options_of(const batch_record *record) {
    return record->shared.text[0] != '\0' ? record->shared : record->options;
}

static int by_options(const void *left, const void *right) {
    const merge_options_group *a = left, *b = right;
    const int order = strcmp(a->options.text, b->options.text);
    return order != 0 ? order : (a->first > b->first) - (a->first < b->first);
}

static int by_count(const void *left, const void *right) {
    const merge_options_group *a = left, *b = right;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : by_options(left, right);
}

/* Two runs into one folder leave outputs of both. */
static bool group_options(merge_result *result) {
    merge_options_group *all = calloc(result->shown.file_count + 1, sizeof *all);
    size_t count = 0, groups = 0;
    for (size_t i = 0; all && i < result->shown.file_count; i++) {
        if (result->files[i].state != PM_MOTION_BATCH_DONE)
            continue;
        const digest options = options_of(result->records[i].of[0]);
        if (options.text[0] != '\0')
            all[count++] = (merge_options_group){options, 1, i};
    }
    if (count > 1)
        qsort(all, count, sizeof *all, by_options);
    for (size_t i = 0; i < count; i++)
        if (groups > 0 && digest_equal(&all[groups - 1].options, &all[i].options))
            all[groups - 1].count++;
        else
            all[groups++] = all[i];
    if (groups > 1)
        qsort(all, groups, sizeof *all, by_count);
    result->groups = all;
    result->shown.option_count = groups;
    return all != NULL;
}

bool merge_find(record_table *table, const batch_items *list, merge_result *result) {
    pm_motion_batch_merged *all = &result->shown;
    *result = (merge_result){.has_list = list != NULL};
    if (!find_files(result, table, list) || !sum_files(result) || !group_options(result))
        return false;
    all->dropped_lines = record_table_dropped(table);
    all->is_complete = all->done == all->file_count && all->option_count < 2 &&
                       (result->has_list || all->file_count > 0);
    return true;
}

void merge_release(merge_result *result) {
    MOTION_FREE(result->files, result->records, result->groups);
}
