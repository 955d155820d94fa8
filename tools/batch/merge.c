/* SPDX-License-Identifier: MIT
 *
 * Joins the names of the records with those of the list, both sorted.
 */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

const char *merge_state_name(merge_state state) {
    static const char *const names[MERGE_STATE_COUNT] = {"done", "failed", "missing",
                                                         "conflicting"};
    return names[state];
}

/* ---- the files --------------------------------------------------------------------------- */

static merge_state state_of(const batch_record *const *records, size_t count) {
    if (count == 0) {
        return MERGE_MISSING;
    }
    /* Failures are the last. */
    if (records[0]->status == RECORD_FAILED) {
        return MERGE_FAILED;
    }
    for (size_t i = 1; i < count && records[i]->status != RECORD_FAILED; i++) {
        if (!digest_equal(&records[i]->output, &records[0]->output)) {
            return MERGE_CONFLICTING;
        }
    }
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

static void join(merge_result *result, const record_table *table, const char *const *names,
                 size_t name_count, const char *const *listed, size_t listed_count) {
    size_t n = 0, l = 0;
    while (n < name_count || l < listed_count) {
        const int order = n == name_count     ? 1
                          : l == listed_count ? -1
                                              : strcmp(names[n], listed[l]);
        add_file(result, table, order <= 0 ? names[n] : listed[l], order >= 0);
        n += order <= 0;
        l += order >= 0;
    }
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* NULL: memory is exhausted. */
static const char **names_of(const batch_items *list, size_t *count) {
    *count = list != NULL ? list->count : 0;
    const char **names = malloc((*count + 1) * sizeof *names);
    if (names != NULL) {
        for (size_t i = 0; i < *count; i++) {
            names[i] = list->items[i].name;
        }
        qsort(names, *count, sizeof *names, compare_names);
    }
    return names;
}

static bool find_files(merge_result *result, record_table *table, const batch_items *list) {
    size_t name_count = 0, listed_count = 0;
    const char *const *names = record_table_names(table, &name_count);
    const char **listed = names_of(list, &listed_count);
    if (names != NULL && listed != NULL) {
        result->files = calloc(name_count + listed_count + 1, sizeof *result->files);
    }
    if (result->files != NULL) {
        join(result, table, names, name_count, listed, listed_count);
    }
    free(listed);
    return result->files != NULL;
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
    if (hash == NULL) {
        return false;
    }
    for (size_t i = 0; i < result->count; i++) {
        const merge_file *file = &result->files[i];
        if (file->state == MERGE_DONE || file->state == MERGE_CONFLICTING) {
            const batch_record *record = file->records[0];
            add_record(result, record);
            digest_add(hash, file->name, strlen(file->name) + 1);
            digest_add(hash, record->output.text, strlen(record->output.text));
            digest_add(hash, "\n", 1);
        }
    }
    result->digest = digest_end(&hash);
    return true;
}

bool merge_records(record_table *table, const batch_items *list, merge_result *result) {
    memset(result, 0, sizeof *result);
    result->has_list = list != NULL;
    if (!find_files(result, table, list) || !sum_files(result)) {
        return false;
    }
    result->is_complete = result->counts[MERGE_DONE] == result->count;
    return true;
}

void merge_release(merge_result *result) {
    free(result->files);
    result->files = NULL;
}
