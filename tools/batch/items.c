/* SPDX-License-Identifier: MIT
 *
 * Finds the items of all inputs, sorts them and checks their names.
 */
#define _POSIX_C_SOURCE 200809L

#include "items.h"

#include "archive.h"
#include "folders.h"
#include "item_add.h"
#include "list_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- inputs -------------------------------------------------------------------------------- */

static cli_exit add_file(const char *path, batch_items *items) {
    const bool is_stream = strcmp(path, "-") == 0;
    const char *slash = strrchr(path, '/');
    struct stat status = {.st_size = 0};
    batch_item *item = item_add(items, strdup(path), strdup(slash != NULL ? slash + 1 : path));
    bool good = item != NULL;
    if (good && !is_stream && stat(path, &status) != 0) {
        good = item_fault(item, "cannot be opened: %s", strerror(errno));
    } else if (good && S_ISREG(status.st_mode)) {
        item->bytes = (uint64_t)status.st_size;
    }
    return good ? CLI_DONE : item_memory();
}

static cli_exit add_operand(const char *path, const batch_sources *sources, batch_items *items) {
    struct stat status;
    const bool exists = strcmp(path, "-") != 0 && stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        return folders_search(path, sources, items);
    }
    if (exists && archive_is_named(path)) {
        return archive_list(path, sources->match, items);
    }
    return add_file(path, items);
}

static cli_exit add_sources(const batch_sources *sources, batch_items *items) {
    cli_exit code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < sources->operand_count; i++) {
        code = add_operand(sources->operands[i], sources, items);
    }
    if (code == CLI_DONE && sources->files_from != NULL) {
        code = archive_is_named(sources->files_from)
                   ? archive_list(sources->files_from, sources->match, items)
                   : list_file_read(sources->files_from, items);
    }
    return code;
}

/* ---- names --------------------------------------------------------------------------------- */

static cli_exit check_name(const batch_item *item) {
    static const char own[] = ".posemill";
    const size_t size = strcspn(item->name, "/");
    if (item->fault != NULL) {
        return CLI_DONE;
    }
    if (size == 0) {
        return cli_fail(CLI_USAGE, item->path, NULL, "names no file");
    }
    if (size == sizeof own - 1 && memcmp(item->name, own, size) == 0) {
        return cli_fail(CLI_USAGE, item->path, "give it another name: \"out\" in a list",
                        "its output would lie in %s, where records are", own);
    }
    return CLI_DONE;
}

static int by_name(const void *left, const void *right) {
    const batch_item *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : strcmp(a->path, b->path);
}

static const char names_hint[] =
    "give a folder that has both, or a list in which \"out\" tells them apart";

/* The item whose name is the first `size` bytes of a text; NULL: none. The items are sorted. */
static const batch_item *find_name(const batch_items *items, const char *text, size_t size) {
    size_t low = 0, high = items->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *name = items->items[middle].name;
        const int order = strncmp(name, text, size);
        if (order == 0 && name[size] == '\0') {
            return &items->items[middle];
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

/* Refuses a name with a folder that is the name of another item, whose output cannot be a folder too.
 * One with a fault has no output: it may be that folder, which could not be read to its end. Folders
 * that the name before has as well were looked at. */
static cli_exit check_folders(const batch_items *items, const batch_item *item,
                              const char *before) {
    const char *name = item->name;
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        const size_t size = (size_t)(slash - name);
        if (strncmp(before, name, size + 1) == 0) {
            continue;
        }
        const batch_item *other = find_name(items, name, size);
        if (other != NULL && other->fault == NULL) {
            return cli_fail(CLI_USAGE, item->path, names_hint,
                            "its output '%s' needs a folder where '%s' has its output", name,
                            other->path);
        }
    }
    return CLI_DONE;
}

static cli_exit check_names(const batch_items *items) {
    cli_exit code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < items->count; i++) {
        const batch_item *item = &items->items[i];
        const batch_item *before = &items->items[i > 0 ? i - 1 : 0];
        if (i > 0 && strcmp(item->name, before->name) == 0) {
            return cli_fail(CLI_USAGE, item->path, names_hint,
                            "has the output name '%s', which '%s' has too", item->name,
                            before->path);
        }
        code = check_folders(items, item, i > 0 ? before->name : "");
    }
    return code;
}

cli_exit batch_items_find(const batch_sources *sources, batch_items *items) {
    *items = (batch_items){.count = 0};
    cli_exit code = add_sources(sources, items);
    for (size_t i = 0; code == CLI_DONE && i < items->count; i++) {
        code = check_name(&items->items[i]);
    }
    if (code == CLI_DONE && items->count > 1) {
        qsort(items->items, items->count, sizeof *items->items, by_name);
    }
    return code == CLI_DONE ? check_names(items) : code;
}

void batch_items_release(batch_items *items) {
    for (size_t i = 0; i < items->count; i++) {
        item_release(&items->items[i]);
    }
    for (size_t i = 0; i < items->archive_count; i++) {
        free(items->archives[i]);
    }
    free(items->items);
    free(items->archives);
    *items = (batch_items){.count = 0};
}
