/* SPDX-License-Identifier: MIT
 *
 * The search through folders, with a stack of folders instead of recursion, and a queue of links to
 * folders that begins when the stack is empty. One folder is open at a time. Special files are never
 * opened.
 */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 /* S_ISSOCK, and POSIX 2008 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "motion/items/items.h"

/* ---- the set of folders ------------------------------------------------------------------------ */

/* A hash table with open addressing, at most half full. */

/* The slot of a folder, or the free one where it belongs. */
static size_t slot_of(const folder_set *set, dev_t device, ino_t inode) {
    const uint64_t key = (uint64_t)inode ^ (uint64_t)device << 40;
    size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (set->slot_count - 1);
    while (set->slots[slot] != 0) {
        const folder_entered *folder = &set->folders[set->slots[slot] - 1];
        if (folder->device == device && folder->inode == inode)
            break;
        slot = (slot + 1) & (set->slot_count - 1);
    }
    return slot;
}

size_t folder_set_find(const folder_set *set, const struct stat *status) {
    if (set->slot_count == 0)
        return FOLDER_NONE;
    const size_t found = set->slots[slot_of(set, status->st_dev, status->st_ino)];
    return found == 0 ? FOLDER_NONE : found - 1;
}

/* Doubles the table, and the room for folders with it. */
static bool grow(folder_set *set) {
    const size_t count = set->slot_count == 0 ? 64 : 2 * set->slot_count;
    folder_entered *folders = realloc(set->folders, count / 2 * sizeof *folders);
    if (!folders)
        return false;
    set->folders = folders;
    size_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(set->slots);
    set->slots = slots;
    set->slot_count = count;
    for (size_t i = 0; i < set->count; i++)
        slots[slot_of(set, folders[i].device, folders[i].inode)] = i + 1;
    return true;
}

bool folder_set_add(folder_set *set, const struct stat *status, size_t parent) {
    if (set->count == set->slot_count / 2 && !grow(set))
        return false;
    set->folders[set->count] = (folder_entered){status->st_dev, status->st_ino, parent};
    set->slots[slot_of(set, status->st_dev, status->st_ino)] = set->count + 1;
    set->count++;
    return true;
}

bool folder_set_leads_to(const folder_set *set, size_t above, size_t folder) {
    while (folder != FOLDER_NONE && folder != above)
        folder = set->folders[folder].parent;
    return folder == above;
}

void folder_set_release(folder_set *set) {
    free(set->folders);
    free(set->slots);
    *set = (folder_set){.count = 0};
}

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

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
    struct stat skipped[2];
    size_t skipped_count;
} search;

/* ---- folders to enter ---------------------------------------------------------------------- */

/* Takes over both texts, also on failure. */
static bool push(folder_todos *todos, char *path, char *name, size_t parent) {
    if (path && name && todos->count == todos->room) {
        const size_t room = todos->room < 16 ? 16 : 2 * todos->room;
        folder_todo *more = realloc(todos->folders, room * sizeof *more);
        todos->folders = more ? more : todos->folders;
        todos->room = more ? room : todos->room;
    }
    if (!path || !name || todos->count == todos->room) {
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

/* ---- entries of a folder ------------------------------------------------------------------- */

static char *join(const char *folder, const char *name) {
    const size_t length = strlen(folder);
    const bool has_slash = length == 0 || folder[length - 1] == '/';
    return item_text(folder, has_slash ? "" : "/", name);
}

static bool add_fault(search *s, const char *path, const char *name, const char *fault) {
    batch_item *item = item_add(s->items, strdup(path), strdup(*name != '\0' ? name : path));
    return item != NULL && item_fault(item, "%s", fault);
}

static bool add_file(search *s, const char *path, const char *name, const struct stat *status) {
    if (!item_matches(s->sources->match, name))
        return true;
    if (strlen(path) >= PATH_MAX)
        return add_fault(s, path, name, strerror(ENAMETOOLONG));
    batch_item *item = item_add(s->items, strdup(path), strdup(name));
    if (item && !item->fault)
        item->bytes = (uint64_t)status->st_size;
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

static bool sort_entry(search *s, int folder, const char *entry, const char *path, const char *name,
                       size_t parent) {
    struct stat status;
    bool is_link = false;
    if (fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return add_unknown(s, path, name, false, errno);
    if (S_ISLNK(status.st_mode)) {
        is_link = true;
        if (fstatat(folder, entry, &status, 0) != 0)
            return add_unknown(s, path, name, true, errno);
    }
    if (S_ISDIR(status.st_mode))
        return push(is_link ? &s->links : &s->stack, strdup(path), strdup(name), parent);
    return !S_ISREG(status.st_mode) || add_file(s, path, name, &status);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(char **names, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* The names in a folder that are not hidden, sorted, so that every search finds the same. Returns 0
 * or an errno. */
static int read_names(DIR *folder, char ***names, size_t *count) {
    size_t room = 0;
    struct dirent *entry;
    while (errno = 0, (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (*count == room) {
            room = room < 64 ? 64 : 2 * room;
            char **more = realloc(*names, room * sizeof *more);
            if (!more)
                return ENOMEM;
            *names = more;
        }
        (*names)[*count] = strdup(entry->d_name);
        if (!(*names)[*count])
            return ENOMEM;
        ++*count;
    }
    const int fault = errno;
    if (*count > 1)
        qsort(*names, *count, sizeof **names, by_text);
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

static bool sort_entries(search *s, DIR *folder, const folder_todo *todo) {
    char **names = NULL;
    size_t count = 0;
    const size_t parent = s->entered.count - 1, before = s->stack.count;
    const int fault = read_names(folder, &names, &count);
    bool good = fault != ENOMEM;
    if (good && fault != 0)
        good = add_fault(s, todo->path, todo->name, strerror(fault));
    for (size_t i = 0; good && i < count; i++) {
        char *path = join(todo->path, names[i]), *name = join(todo->name, names[i]);
        good = path != NULL && name != NULL &&
               sort_entry(s, dirfd(folder), names[i], path, name, parent);
        free(path);
        free(name);
    }
    if (s->stack.count > before)
        reverse(s->stack.folders + before, s->stack.count - before);
    free_names(names, count);
    return good;
}

/* ---- folders ------------------------------------------------------------------------------- */

static bool is_skipped(const search *s, const struct stat *status, size_t parent) {
    for (size_t i = 0; parent != FOLDER_NONE && i < s->skipped_count; i++)
        if (status->st_dev == s->skipped[i].st_dev && status->st_ino == s->skipped[i].st_ino)
            return true;
    return false;
}

static void skip(search *s, const char *folder) {
    if (folder && stat(folder, &s->skipped[s->skipped_count]) == 0)
        s->skipped_count++;
}

static bool enter_opened(search *s, DIR *folder, const folder_todo *todo) {
    struct stat status;
    if (fstat(dirfd(folder), &status) != 0)
        return add_fault(s, todo->path, todo->name, strerror(errno));
    const size_t found = folder_set_find(&s->entered, &status);
    if (found != FOLDER_NONE)
        return !folder_set_leads_to(&s->entered, found, todo->parent) ||
               add_fault(s, todo->path, todo->name,
                         "is a loop: it leads to a folder that it lies in");
    return is_skipped(s, &status, todo->parent) ||
           (folder_set_add(&s->entered, &status, todo->parent) && sort_entries(s, folder, todo));
}

static bool enter(search *s, const folder_todo *todo) {
    DIR *folder = opendir(todo->path);
    if (!folder)
        return errno != ENOMEM && add_fault(s, todo->path, todo->name, strerror(errno));
    const bool good = enter_opened(s, folder, todo);
    closedir(folder);
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
    folder_set_release(&s.entered);
    return good ? PM_OK : item_memory(error);
}
