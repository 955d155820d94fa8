/* SPDX-License-Identifier: MIT
 *
 * Finds the items of all inputs, sorts them and checks their names; which files of a folder or an archive
 * become one.
 */
#include "motion/items/items.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/arena.h"
#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/base/wildcard.h"
#include "motion/files/digest.h"
#include "motion/items/archive.h"
#include "motion/items/list_line.h"

static pm_status add_file(const char *path, batch_items *items, pm_error *error) {
    const bool is_stream = strcmp(path, "-") == 0;
    os_info info = {.size = 0};
    batch_item *item = item_add(items, strdup(path), strdup(os_last_part(path)));
    bool good = item != NULL;
    if (good && !is_stream && !os_look(path, &info))
        good = item_fault(item, "cannot be opened: %s", strerror(errno));
    else if (good && info.kind == OS_REGULAR)
        item->bytes = info.size;
    return good ? PM_OK : item_memory(error);
}

static pm_status add_path(const char *path, const pm_motion_batch_sources *sources,
                          batch_items *items, pm_error *error) {
    os_info info;
    const bool exists = strcmp(path, "-") != 0 && os_look(path, &info);
    if (exists && info.kind == OS_FOLDER)
        return folders_search(path, sources, items, error);
    if (exists && archive_is_named(path))
        return archive_list(path, sources->match, items, error);
    return add_file(path, items, error);
}

static pm_status add_sources(const pm_motion_batch_sources *sources, batch_items *items,
                             pm_error *error) {
    const char *from = sources->files_from;
    for (size_t i = 0; i < sources->path_count; i++)
        MOTION_TRY(add_path(sources->paths[i], sources, items, error));
    if (from)
        MOTION_TRY(archive_is_named(from) ? archive_list(from, sources->match, items, error)
                                          : list_file_read(from, items, error));
    if (sources->list)
        MOTION_TRY(list_text_read("list", sources->list, sources->list_size, items, error));
    return PM_OK;
}

/* The fault of a name that no output can have. */
static bool check_name(batch_item *item) {
    static const char own[] = ".posemill";
    const size_t size = strcspn(item->name, "/");
    if (item->fault)
        return true;
    if (size == 0)
        return item_fault(item, "names no file");
    if (!os_can_have_name(item->name))
        return item_fault(item, "has the output name '%s', which this system cannot give a file",
                          item->name);
    return size != sizeof own - 1 || memcmp(item->name, own, size) != 0 ||
           item_fault(item,
                      "its output would lie in %s, where records are; \"out\" in a list gives "
                      "it another name",
                      own);
}

static int by_name(const void *left, const void *right) {
    const batch_item *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : strcmp(a->path, b->path);
}

static const char names_hint[] =
    "give a folder that has both, or a list in which \"out\" tells them apart";

/* Sorts what lies in a folder directly behind the folder: / comes before all other bytes. */
static int by_folders(const void *left, const void *right) {
    const batch_item *a = *(batch_item *const *)left, *b = *(batch_item *const *)right;
    const unsigned char *x = (const unsigned char *)a->name, *y = (const unsigned char *)b->name;
    while (*x != '\0' && *x == *y) {
        x++;
        y++;
    }
    return (*x == '/' ? 1 : *x << 1) - (*y == '/' ? 1 : *y << 1);
}

static bool lies_in(const batch_item *item, const batch_item *folder) {
    const size_t size = strlen(folder->name);
    return strncmp(item->name, folder->name, size) == 0 && item->name[size] == '/';
}

/* A name with a folder that is the name of another item, whose output cannot be a folder too. What is
 * in an archive fails alone; what was given is refused. */
static pm_status refuse_folder(batch_item *item, batch_item *other, pm_error *error) {
    static const char reason[] = "its output '%s' needs a folder where '%s' has its output";
    batch_item *refused = item->archive ? item : other;
    if (!refused->archive)
        return motion_fail_at(error, PM_ERROR_ARGUMENT, item->path, names_hint, reason, item->name,
                              other->path);
    return item_fault(refused, reason, item->name, other->path) ? PM_OK : item_memory(error);
}

/* One with a fault has no output: it may be that folder, which could not be read to its end. */
static pm_status check_folders(const batch_items *items, pm_error *error) {
    FREED batch_item **order = malloc((items->count + 1) * sizeof *order);
    batch_item *file = NULL; /* the last one that may be a folder of those that follow */
    if (!order)
        return item_memory(error);
    for (size_t i = 0; i < items->count; i++)
        order[i] = &items->items[i];
    if (items->count > 1)
        qsort(order, items->count, sizeof *order, by_folders);
    for (size_t i = 0; i < items->count; i++) {
        const bool is_used = order[i]->fault == NULL;
        if (is_used && file && lies_in(order[i], file))
            return refuse_folder(order[i], file, error);
        if (is_used && (!file || file->fault || !lies_in(order[i], file)))
            file = order[i];
    }
    return PM_OK;
}

/* A file with a fault that is listed twice fails once. */
static void drop_repeated(batch_items *items) {
    size_t kept = 0;
    for (size_t i = 0; i < items->count; i++) {
        batch_item *item = &items->items[i];
        const batch_item *last = kept > 0 ? &items->items[kept - 1] : NULL;
        if (last && item->fault && last->fault && by_name(last, item) == 0)
            item_release(item);
        else
            items->items[kept++] = *item;
    }
    items->count = kept;
}

static bool has_name_of(const batch_items *items, size_t index, size_t other) {
    return other < items->count && strcmp(items->items[index].name, items->items[other].name) == 0;
}

/* An item with a fault has no output: it leaves its name to another item, and is named after its path. */
static bool rename_faulty(batch_items *items) {
    bool good = true;
    for (size_t i = 0; good && i < items->count; i++) {
        batch_item *item = &items->items[i];
        if (!item->fault ||
            !(has_name_of(items, i, i + 1) || (i > 0 && has_name_of(items, i, i - 1))))
            continue;
        char *name = item_cut(strdup(item->path), 0);
        good = name != NULL;
        if (good) {
            free(item->name);
            item->name = name;
        }
    }
    return good;
}

static void sort(batch_items *items) {
    if (items->count > 1)
        qsort(items->items, items->count, sizeof *items->items, by_name);
}

static pm_status check_names(const batch_items *items, pm_error *error) {
    for (size_t i = 1; i < items->count; i++) {
        const batch_item *item = &items->items[i], *before = &items->items[i - 1];
        if (strcmp(item->name, before->name) == 0)
            return motion_fail_at(error, PM_ERROR_ARGUMENT, item->path, names_hint,
                                  "has the output name '%s', which '%s' has too", item->name,
                                  before->path);
    }
    return check_folders(items, error);
}

pm_status batch_items_find(const pm_motion_batch_sources *sources, batch_items *items,
                           pm_error *error) {
    *items = (batch_items){.count = 0};
    MOTION_TRY(add_sources(sources, items, error));
    for (size_t i = 0; i < items->count; i++)
        MOTION_TRY(check_name(&items->items[i]) ? PM_OK : item_memory(error));
    sort(items);
    drop_repeated(items);
    if (!rename_faulty(items))
        return item_memory(error);
    sort(items);
    return check_names(items, error);
}

void batch_items_release(batch_items *items) {
    for (size_t i = 0; i < items->count; i++)
        item_release(&items->items[i]);
    for (size_t i = 0; i < items->archive_count; i++)
        free(items->archives[i]);
    MOTION_FREE(items->items, items->archives);
    *items = (batch_items){.count = 0};
}

pm_status item_memory(pm_error *error) {
    return motion_fail_at(error, PM_ERROR_MEMORY, "inputs", NULL, "out of memory");
}

static bool is_dots(const char *part, size_t size) {
    return (size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.');
}

char *batch_name_of(const char *path) {
    char *name = malloc(strlen(path) + 1), *out = name;
    while (name && *path != '\0') {
        const size_t size = strcspn(path, "/");
        if (size > 0 && !is_dots(path, size)) {
            if (out != name)
                *out++ = '/';
            memcpy(out, path, size);
            out += size;
        }
        path += size + (path[size] == '/');
    }
    if (name)
        *out = '\0';
    return name;
}

char *item_cut(char *text, size_t max) {
    enum { BEGINNING = 160 };
    const size_t size = text ? strlen(text) : 0;
    if (size <= max)
        return text;
    const digest all = digest_of(text, size);
    text[utf8_cut(text, size, BEGINNING)] = '\0';
    char *cut = compose_format("%s...%s", text, all.text);
    free(text);
    return cut;
}

batch_item *item_add(batch_items *items, char *path, char *name) {
    const size_t size = name ? strlen(name) : 0;
    const bool is_long = size > ITEM_NAME_MAX || (path != NULL && strlen(path) > ITEM_PATH_MAX);
    name = item_cut(name, ITEM_NAME_MAX);
    path = item_cut(path, ITEM_PATH_MAX);
    batch_item *more = motion_with_room(items->items, items->count, &items->room, sizeof *more);
    items->items = more ? more : items->items;
    if (!path || !name || !more) {
        MOTION_FREE(path, name);
        return NULL;
    }
    batch_item *item = &items->items[items->count++];
    *item = (batch_item){.path = path, .name = name};
    const bool good =
        !is_long || item_fault(item, "has a name of %zu bytes, longer than any system opens", size);
    return good ? item : NULL;
}

void item_release(batch_item *item) {
    MOTION_FREE(item->path, item->name, item->layout, item->fault);
    *item = (batch_item){.path = NULL};
}

bool item_fault(batch_item *item, const char *reason, ...) {
    va_list arguments;
    va_start(arguments, reason);
    char *fault = format_alloc(reason, arguments);
    va_end(arguments);
    free(item->fault);
    item->fault = fault;
    return fault != NULL;
}

const char *item_archive(batch_items *items, const char *path) {
    const size_t size = (items->archive_count + 1) * sizeof *items->archives;
    char **more = realloc(items->archives, size);
    if (!more)
        return NULL;
    items->archives = more;
    more[items->archive_count] = strdup(path);
    return more[items->archive_count] ? more[items->archive_count++] : NULL;
}

bool item_matches(const char *match, const char *name) {
    const char *last = os_last_part(name);
    if (!match)
        return pm_motion_find_format(last) != PM_MOTION_ANY &&
               pm_motion_find_format(last) != PM_MOTION_USDA;
    const bool by_part = strchr(match, '/') != NULL;
    return wildcard_matches(match, by_part ? name : last, by_part);
}
