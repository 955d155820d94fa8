/* SPDX-License-Identifier: MIT
 *
 * Joins the names of the records with those of the list, both sorted.
 */
#include "motion/batch/merge.h"
#include "motion/base/composed.h"
#include "motion/base/counts.h"

#include <stdlib.h>
#include <string.h>

const char *merge_state_name(merge_state state) {
    static const char *const names[MERGE_STATE_COUNT] = {"missing", "failed", "done",
                                                         "conflicting"};
    return names[state];
}

/* ---- the files --------------------------------------------------------------------------- */

static merge_state state_of(const batch_record *const *records, size_t count) {
    if (count == 0)
        return MERGE_MISSING;
    /* Failures are the last. */
    if (records[0]->status == RECORD_FAILED)
        return MERGE_FAILED;
    for (size_t i = 1; i < count && records[i]->status != RECORD_FAILED; i++)
        if (!digest_equal(&records[i]->output, &records[0]->output))
            return MERGE_CONFLICTING;
    return MERGE_DONE;
}

static void add_file(merge_result *result, const record_table *table, const char *name,
                     bool is_listed) {
    merge_file *file = &result->files[result->count++];
    file->name = name;
    file->is_listed = is_listed;
    file->records = record_table_find(table, name, &file->record_count);
    file->state = state_of(file->records, file->record_count);
    result->counts[file->state]++;
    result->unlisted += result->has_list && !is_listed;
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

/* ---- the list ---------------------------------------------------------------------------- */

static bool is_of_input(const batch_record *record, const char *path) {
    const char *in = strrchr(record->in, '/'), *last = strrchr(path, '/');
    return strcmp(in ? in + 1 : record->in, last ? last + 1 : path) == 0;
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
        if (found && is_of_input(found[0], item->path))
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
    char *room = malloc(longest + EXTENSION_MAX);
    if (names && room) {
        for (size_t i = 0; i < *count; i++)
            names[i] = output_name(table, &list->items[i], room);
        qsort(names, *count, sizeof *names, compare_texts);
    } else {
        free(names);
        names = NULL;
    }
    free(room);
    return names;
}

static bool find_files(merge_result *result, record_table *table, const batch_items *list) {
    size_t name_count = 0, listed_count = 0;
    const char *const *names = record_table_names(table, &name_count);
    const char **listed = names_of(table, list, &listed_count);
    merge_file *files = NULL;
    if (names && listed)
        files = calloc(name_count + listed_count + 1, sizeof *files);
    if (files) {
        result->files = files;
        join(result, table, names, name_count, listed, listed_count);
    }
    free(listed);
    return files != NULL;
}

/* ---- sums -------------------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b) {
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    return b == 0 || a <= UINT64_MAX / b ? a * b : UINT64_MAX;
}

static void add_record(merge_result *result, const batch_record *record) {
    result->frames = add(result->frames, record->frames);
    result->samples = add(result->samples, multiply(record->frames, record->joints));
    result->bytes_read = add(result->bytes_read, record->bytes_read);
    result->bytes_written = add(result->bytes_written, record->bytes_written);
    result->seconds += record->seconds;
}

static bool sum_files(merge_result *result) {
    digest_state *hash = digest_begin();
    if (!hash)
        return false;
    for (size_t i = 0; i < result->count; i++) {
        const merge_file *file = &result->files[i];
        if (file->state == MERGE_DONE || file->state == MERGE_CONFLICTING) {
            const batch_record *record = file->records[0];
            add_record(result, record);
            digest_add_result(hash, file->name, &record->output);
        }
    }
    result->digest = digest_end(&hash);
    return true;
}

/* ---- options ----------------------------------------------------------------------------- */

/* Records of others may lack the digest of what all files share. */
static digest options_of(const merge_file *file) {
    const batch_record *record = file->records[0];
    return record->shared.text[0] != '\0' ? record->shared : record->options;
}

static int by_options(const void *left, const void *right) {
    const merge_options_group *a = left, *b = right;
    const int order = strcmp(a->options.text, b->options.text);
    return order != 0 ? order : strcmp(a->first->name, b->first->name);
}

static int by_count(const void *left, const void *right) {
    const merge_options_group *a = left, *b = right;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : by_options(left, right);
}

/* Two runs into one folder leave outputs of both. */
static bool group_options(merge_result *result) {
    merge_options_group *all = calloc(result->count + 1, sizeof *all);
    size_t count = 0, groups = 0;
    for (size_t i = 0; all && i < result->count; i++) {
        const merge_file *file = &result->files[i];
        if (file->state == MERGE_DONE && options_of(file).text[0] != '\0')
            all[count++] = (merge_options_group){options_of(file), 1, file};
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
    result->group_count = groups;
    return all != NULL;
}

bool merge_records(record_table *table, const batch_items *list, merge_result *result) {
    memset(result, 0, sizeof *result);
    result->has_list = list != NULL;
    if (!find_files(result, table, list) || !sum_files(result) || !group_options(result))
        return false;
    result->is_complete = result->counts[MERGE_DONE] == result->count && result->group_count < 2 &&
                          (result->has_list || result->count > 0);
    return true;
}

void merge_release(merge_result *result) {
    free(result->files);
    free(result->groups);
    result->files = NULL;
    result->groups = NULL;
}
