/* SPDX-License-Identifier: MIT
 *
 * The search through folders, with a stack of folders instead of recursion, and a queue of links to
 * folders that begins when the stack is empty. One folder is open at a time. Special files are never
 * opened.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "motion/base/arena.h"
#include "motion/base/composed.h"
#include "motion/base/os.h"
#include "motion/items/items.h"

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

#define FOLDER_NONE SIZE_MAX

/* The folders that a search has entered, and how it came to each. */
typedef struct folder_set {
    size_t *parents; /* of each the folder that it was entered from; FOLDER_NONE: the first */
    size_t count, room;
    json_t *places; /* of each among `parents`, by their numbers */
} folder_set;

typedef struct folder_key {
    char text[48];
} folder_key;

static folder_key key_of(const os_info *info) {
    folder_key key;
    snprintf(key.text, sizeof key.text, "%llx:%llx", (unsigned long long)info->volume,
             (unsigned long long)info->file);
    return key;
}

/* FOLDER_NONE: it was not entered. */
static size_t find_entered(const folder_set *set, const os_info *info) {
    const json_t *place = json_object_get(set->places, key_of(info).text);
    return place ? (size_t)json_integer_value(place) : FOLDER_NONE;
}

/* False: memory is exhausted. */
static bool add_entered(folder_set *set, const os_info *info, size_t parent) {
    size_t *parents = motion_with_room(set->parents, set->count, &set->room, sizeof *parents);
    set->places = set->places ? set->places : json_object();
    set->parents = parents ? parents : set->parents;
    if (!parents || json_object_set_new(set->places, key_of(info).text,
                                        json_integer((json_int_t)set->count)) != 0)
        return false;
    parents[set->count++] = parent;
    return true;
}

/* Whether `above` is `folder` or was entered on the way to it. */
static bool leads_to(const folder_set *set, size_t above, size_t folder) {
    while (folder != FOLDER_NONE && folder != above)
        folder = set->parents[folder];
    return folder == above;
}

/* A folder to enter. */
typedef struct folder_todo {
    char *path, *name; /* the name is relative to the first folder; "" is that one */
    size_t parent;
} folder_todo;

typedef struct folder_todos {
    folder_todo *folders;
    size_t begin, count, room; /* those before `begin` are done */
} folder_todos;

typedef struct search {
    const pm_motion_batch_sources *sources;
    batch_items *items;
    folder_set entered;
    folder_todos stack, links;
    os_info skipped[2];
    size_t skipped_count;
} search;

/* Takes over both texts, also on failure. */
static bool push(folder_todos *todos, char *path, char *name, size_t parent) {
    folder_todo *more = motion_with_room(todos->folders, todos->count, &todos->room, sizeof *more);
    todos->folders = more ? more : todos->folders;
    if (!path || !name || !more) {
        free(path);
        free(name);
        return false;
    }
    todos->folders[todos->count++] = (folder_todo){path, name, parent};
    return true;
}

static void release_todo(folder_todo *todo) {
    free(todo->path);
    free(todo->name);
}

static void release_todos(folder_todos *todos) {
    for (size_t i = todos->begin; i < todos->count; i++)
        release_todo(&todos->folders[i]);
    free(todos->folders);
}

static bool next_todo(search *s, folder_todo *todo) {
    if (s->stack.count > 0) {
        *todo = s->stack.folders[--s->stack.count];
        return true;
    }
    if (s->links.begin < s->links.count) {
        *todo = s->links.folders[s->links.begin++];
        return true;
    }
    return false;
}

static char *join(const char *folder, const char *name) {
    const size_t length = strlen(folder);
    const bool has_slash = length == 0 || folder[length - 1] == '/';
    return compose_format("%s%s%s", folder, has_slash ? "" : "/", name);
}

static bool add_fault(search *s, const char *path, const char *name, const char *fault) {
    batch_item *item = item_add(s->items, strdup(path), strdup(*name != '\0' ? name : path));
    return item != NULL && item_fault(item, "%s", fault);
}

static bool add_file(search *s, const char *path, const char *name, const os_info *info) {
    if (!item_matches(s->sources->match, name))
        return true;
    if (strlen(path) >= PATH_MAX)
        return add_fault(s, path, name, strerror(ENAMETOOLONG));
    batch_item *item = item_add(s->items, strdup(path), strdup(name));
    if (item && !item->fault)
        item->bytes = info->size;
    return item != NULL;
}

/* An entry that stat cannot tell. One that vanished meanwhile is none. */
static bool add_unknown(search *s, const char *path, const char *name, bool is_link, int reason) {
    if (reason == ELOOP)
        return add_fault(s, path, name, "is a loop of links");
    if (reason != ENOENT)
        return add_fault(s, path, name, strerror(reason));
    return !is_link || !item_matches(s->sources->match, name) ||
           add_fault(s, path, name, "is a link to a file that does not exist");
}

static bool sort_entry(search *s, os_folder *folder, const char *entry, const char *path,
                       const char *name, size_t parent) {
    os_info info;
    bool is_link = false;
    if (!os_folder_look_at(folder, entry, false, &info))
        return add_unknown(s, path, name, false, errno);
    if (info.kind == OS_LINK) {
        is_link = true;
        if (!os_folder_look_at(folder, entry, true, &info))
            return add_unknown(s, path, name, true, errno);
    }
    if (info.kind == OS_FOLDER)
        return push(is_link ? &s->links : &s->stack, strdup(path), strdup(name), parent);
    return info.kind != OS_REGULAR || add_file(s, path, name, &info);
}

static void free_names(char **names, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* The names in a folder that are not hidden, sorted, so that every search finds the same. Returns 0
 * or an errno. */
static int read_names(os_folder *folder, char ***names, size_t *count) {
    size_t room = 0;
    const char *entry;
    while ((entry = os_folder_next(folder)) != NULL) {
        if (entry[0] == '.')
            continue;
        char **more = motion_with_room(*names, *count, &room, sizeof *more);
        if (!more)
            return ENOMEM;
        *names = more;
        (*names)[*count] = strdup(entry);
        if (!(*names)[*count])
            return ENOMEM;
        ++*count;
    }
    const int fault = errno;
    if (*count > 1)
        qsort(*names, *count, sizeof **names, compare_texts);
    return fault;
}

/* The folder on top of a stack is the next. */
static void reverse(folder_todo *folders, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        const folder_todo moved = folders[i];
        folders[i] = folders[count - 1 - i];
        folders[count - 1 - i] = moved;
    }
}

static bool sort_entries(search *s, os_folder *folder, const folder_todo *todo) {
    char **names = NULL;
    size_t count = 0;
    const size_t parent = s->entered.count - 1, before = s->stack.count;
    const int fault = read_names(folder, &names, &count);
    bool good = fault != ENOMEM;
    if (good && fault != 0)
        good = add_fault(s, todo->path, todo->name, strerror(fault));
    for (size_t i = 0; good && i < count; i++) {
        char *path = join(todo->path, names[i]), *name = join(todo->name, names[i]);
        good = path != NULL && name != NULL && sort_entry(s, folder, names[i], path, name, parent);
        free(path);
        free(name);
    }
    if (s->stack.count > before)
        reverse(s->stack.folders + before, s->stack.count - before);
    free_names(names, count);
    return good;
}

static bool is_skipped(const search *s, const os_info *info, size_t parent) {
    for (size_t i = 0; parent != FOLDER_NONE && i < s->skipped_count; i++)
        if (os_same_file(info, &s->skipped[i]))
            return true;
    return false;
}

static void skip(search *s, const char *folder) {
    if (folder && os_look(folder, &s->skipped[s->skipped_count]))
        s->skipped_count++;
}

static bool enter_opened(search *s, os_folder *folder, const folder_todo *todo) {
    os_info info;
    if (!os_folder_look(folder, &info))
        return add_fault(s, todo->path, todo->name, strerror(errno));
    const size_t found = find_entered(&s->entered, &info);
    if (found != FOLDER_NONE)
        return !leads_to(&s->entered, found, todo->parent) ||
               add_fault(s, todo->path, todo->name,
                         "is a loop: it leads to a folder that it lies in");
    return is_skipped(s, &info, todo->parent) ||
           (add_entered(&s->entered, &info, todo->parent) && sort_entries(s, folder, todo));
}

static bool enter(search *s, const folder_todo *todo) {
    os_folder *folder = os_folder_open(todo->path);
    if (!folder)
        return errno != ENOMEM && add_fault(s, todo->path, todo->name, strerror(errno));
    const bool good = enter_opened(s, folder, todo);
    os_folder_close(folder);
    return good;
}

pm_status folders_search(const char *path, const pm_motion_batch_sources *sources,
                         batch_items *items, pm_error *error) {
    search s = {.sources = sources, .items = items};
    folder_todo todo;
    skip(&s, sources->out_dir);
    skip(&s, sources->report);
    bool good = push(&s.stack, strdup(path), strdup(""), FOLDER_NONE);
    while (good && next_todo(&s, &todo)) {
        good = enter(&s, &todo);
        release_todo(&todo);
    }
    release_todos(&s.stack);
    release_todos(&s.links);
    free(s.entered.parents);
    json_decref(s.entered.places);
    return good ? PM_OK : item_memory(error);
}
