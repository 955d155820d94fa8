/* SPDX-License-Identifier: MIT
 *
 * The table of records: an entry for each name, with a record for each file that has one. Memory is in
 * proportion to the files.
 */
#include "motion/batch/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "motion/base/arena.h"
#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/files/line_reader.h"

typedef struct entry {
    batch_record **records; /* one per file, the one to trust first; at least one */
    size_t count, room;
} entry;

struct record_table {
    entry *entries;
    size_t count, room;
    json_t *
        places; /* of each name among `entries`. Its hash has a seed: equal ones cannot be prepared */
    char **files;
    size_t file_count, file_room;
    size_t dropped;
    const char **names; /* NULL: not made since records were added */
};

record_table *record_table_create(void) {
    record_table *table = calloc(1, sizeof *table);
    if (table && !(table->places = json_object()))
        record_table_destroy(&table);
    return table;
}

void record_table_destroy(record_table **table) {
    record_table *t = *table;
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++) {
        for (size_t k = 0; k < t->entries[i].count; k++)
            free(t->entries[i].records[k]);
        free(t->entries[i].records);
    }
    for (size_t i = 0; i < t->file_count; i++)
        free(t->files[i]);
    free(t->entries);
    json_decref(t->places);
    MOTION_FREE(t->files, t->names, t);
    *table = NULL;
}

/* NULL: there is none. */
static entry *find_entry(const record_table *table, const char *name) {
    const json_t *place = json_object_get(table->places, name);
    return place ? &table->entries[json_integer_value(place)] : NULL;
}

/* Whether `a` is to be trusted before `b`. */
static bool is_better(const batch_record *a, const batch_record *b) {
    const bool a_failed = a->status == RECORD_FAILED, b_failed = b->status == RECORD_FAILED;
    return a_failed != b_failed ? b_failed : a->time > b->time;
}

/* Adds a record to those of its name, in place of the one of its file. Of equal ones the later file's
 * comes first. */
static bool add_to_entry(entry *e, batch_record *record) {
    size_t at = 0;
    batch_record **records = motion_with_room(e->records, e->count, &e->room, sizeof *records);
    if (!records)
        return false;
    e->records = records;
    for (size_t i = 0; i < e->count; i++) {
        if (records[i]->from == record->from) {
            free(records[i]);
            e->count--;
            memmove(records + i, records + i + 1, (e->count - i) * sizeof *records);
            break;
        }
    }
    while (at < e->count && is_better(records[at], record))
        at++;
    memmove(records + at + 1, records + at, (e->count - at) * sizeof *records);
    records[at] = record;
    e->count++;
    return true;
}

/* Adds a name with its first record. Names may have bytes that are not UTF-8. */
static bool add_entry(record_table *table, batch_record *record) {
    entry *entries = motion_with_room(table->entries, table->count, &table->room, sizeof *entries);
    table->entries = entries ? entries : table->entries;
    batch_record **records = entries ? malloc(sizeof *records) : NULL;
    if (!records || json_object_set_new_nocheck(table->places, record->name,
                                                json_integer((json_int_t)table->count)) != 0) {
        free(records);
        return false;
    }
    records[0] = record;
    entries[table->count++] = (entry){records, 1, 1};
    return true;
}

/* The table owns the record then. False: memory is exhausted. */
static bool add_record(record_table *table, batch_record *record) {
    entry *known = find_entry(table, record->name);
    return known ? add_to_entry(known, record) : add_entry(table, record);
}

static bool is_blank(const char *line, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    return true;
}

/* Returns 0 or an errno. */
static int add_lines(record_table *table, const char *from, line_reader *reader, size_t *dropped) {
    const char *line = NULL;
    size_t size = 0;
    int failure = 0;
    while (line_reader_next(reader, &line, &size, &failure)) {
        bool no_memory = false;
        batch_record *record = record_line_read(line, size, &no_memory);
        if (record) {
            record->from = from;
            no_memory = !add_record(table, record);
        } else {
            *dropped += !is_blank(line, size);
        }
        if (no_memory) {
            free(record);
            return ENOMEM;
        }
    }
    *dropped += reader->too_long;
    return failure;
}

static pm_status refuse(const char *path, int failure, pm_error *error) {
    return motion_fail_at(error, PM_ERROR_FILE, path, failure == ENOMEM ? MOTION_MEMORY_HINT : NULL,
                          "records cannot be read: %s", strerror(failure));
}

/* The table's copy of the name of a file. NULL: memory is exhausted. */
static const char *keep_file(record_table *table, const char *path) {
    char **files =
        motion_with_room(table->files, table->file_count, &table->file_room, sizeof *table->files);
    char *copy = strdup(path);
    table->files = files ? files : table->files;
    if (!files || !copy) {
        free(copy);
        return NULL;
    }
    files[table->file_count++] = copy;
    return copy;
}

static pm_status add_open_file(record_table *table, const char *path, int file, size_t *dropped,
                               pm_error *error) {
    line_reader reader;
    os_info info;
    if (!os_look_at_open(file, &info))
        return refuse(path, errno, error);
    if (info.kind != OS_REGULAR)
        return motion_fail_at(error, PM_ERROR_FILE, path, NULL, "records cannot be read: %s",
                              info.kind == OS_FOLDER ? "is a folder" : "is not a regular file");
    const char *from = keep_file(table, path);
    int failure = ENOMEM;
    if (from && line_reader_begin(&reader, file, RECORD_LINE_MAX)) {
        failure = add_lines(table, from, &reader, dropped);
        line_reader_end(&reader);
    }
    return failure == 0 ? PM_OK : refuse(path, failure, error);
}

pm_status record_table_add(record_table *table, const char *path, bool optional, size_t *dropped,
                           pm_error *error) {
    size_t count = 0;
    const int file = os_open_to_read(path);
    free(table->names);
    table->names = NULL;
    pm_status status = PM_OK;
    if (file >= 0) {
        status = add_open_file(table, path, file, &count, error);
        close(file);
    } else if (errno != ENOENT || !optional) {
        status = refuse(path, errno, error);
    }
    table->dropped += count;
    if (dropped)
        *dropped = count;
    return status;
}

static bool is_record_file(const char *name) {
    static const char begin[] = "records-", end[] = ".jsonl";
    const size_t size = strlen(name), ends = sizeof end - 1;
    return size >= sizeof begin - 1 + ends && strncmp(name, begin, sizeof begin - 1) == 0 &&
           strcmp(name + size - ends, end) == 0;
}

static pm_status add_file_of(record_table *table, const char *folder, const char *name,
                             pm_error *error) {
    FREED char *path = compose_format("%s/%s", folder, name);
    if (!path)
        return refuse(folder, ENOMEM, error);
    return record_table_add(table, path, true, NULL, error);
}

/* The names of the files of records, sorted. Returns 0 or an errno. */
static int list_files(os_folder *folder, char ***names, size_t *count) {
    size_t room = 0;
    const char *name;
    while ((name = os_folder_next(folder))) {
        if (!is_record_file(name))
            continue;
        char **more = motion_with_room(*names, *count, &room, sizeof *more);
        *names = more ? more : *names;
        if (!more || !(more[*count] = strdup(name)))
            return ENOMEM;
        ++*count;
    }
    const int failure = errno;
    if (*count > 1)
        qsort(*names, *count, sizeof **names, compare_texts);
    return failure;
}

pm_status record_table_add_folder(record_table *table, const char *folder, pm_error *error) {
    char **names = NULL;
    size_t count = 0;
    os_folder *opened = os_folder_open(folder);
    if (!opened)
        return errno == ENOENT ? PM_OK : refuse(folder, errno, error);
    const int failure = list_files(opened, &names, &count);
    pm_status status = failure == 0 ? PM_OK : refuse(folder, failure, error);
    os_folder_close(opened);
    for (size_t i = 0; i < count; i++) {
        if (status == PM_OK)
            status = add_file_of(table, folder, names[i], error);
        free(names[i]);
    }
    free(names);
    return status;
}

const batch_record *const *record_table_find(const record_table *table, const char *name,
                                             size_t *count) {
    const entry *found = find_entry(table, name);
    *count = found ? found->count : 0;
    return found ? (const batch_record *const *)found->records : NULL;
}

const char *const *record_table_names(record_table *table, size_t *count) {
    *count = table->count;
    if (!table->names) {
        /* One more, so that an empty table has an array. */
        table->names = malloc((table->count + 1) * sizeof *table->names);
        if (!table->names)
            return NULL;
        for (size_t i = 0; i < table->count; i++)
            table->names[i] = table->entries[i].records[0]->name;
        qsort(table->names, table->count, sizeof *table->names, compare_texts);
    }
    return table->names;
}

const char *const *record_table_files(const record_table *table, size_t *count) {
    *count = table->file_count;
    return (const char *const *)table->files;
}

size_t record_table_dropped(const record_table *table) {
    return table->dropped;
}
