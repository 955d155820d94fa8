/* SPDX-License-Identifier: MIT
 *
 * One item: its texts, its fault, and which files of a folder or an archive become one.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/items/items.h"

#include "motion/base/fault.h"
#include "motion/base/printable.h"
#include "motion/files/digest.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ------------------------------------------------------------------------------- */

pm_status item_memory(pm_error *error) {
    return motion_fail_at(error, PM_ERROR_MEMORY, "inputs", NULL, "out of memory");
}

char *item_text(const char *first, const char *second, const char *third) {
    const size_t a = strlen(first), b = strlen(second), c = strlen(third);
    char *text = malloc(a + b + c + 1);
    if (text) {
        memcpy(text, first, a);
        memcpy(text + a, second, b);
        memcpy(text + a + b, third, c + 1);
    }
    return text;
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

/* ---- items ------------------------------------------------------------------------------- */

char *item_cut(char *text, size_t max) {
    enum { BEGINNING = 160 };
    const size_t size = text ? strlen(text) : 0;
    if (size <= max)
        return text;
    const digest all = digest_of(text, size);
    text[utf8_cut(text, size, BEGINNING)] = '\0';
    char *cut = item_text(text, "...", all.text);
    free(text);
    return cut;
}

batch_item *item_add(batch_items *items, char *path, char *name) {
    const size_t size = name ? strlen(name) : 0;
    const bool is_long = size > ITEM_NAME_MAX || (path != NULL && strlen(path) > ITEM_PATH_MAX);
    name = item_cut(name, ITEM_NAME_MAX);
    path = item_cut(path, ITEM_PATH_MAX);
    if (path && name && items->count == items->room) {
        const size_t room = items->room < 64 ? 64 : 2 * items->room;
        batch_item *more = realloc(items->items, room * sizeof *more);
        items->items = more ? more : items->items;
        items->room = more ? room : items->room;
    }
    if (!path || !name || items->count == items->room) {
        free(path);
        free(name);
        return NULL;
    }
    batch_item *item = &items->items[items->count++];
    *item = (batch_item){.path = path, .name = name};
    const bool good =
        !is_long || item_fault(item, "has a name of %zu bytes, longer than any system opens", size);
    return good ? item : NULL;
}

void item_release(batch_item *item) {
    free(item->path);
    free(item->name);
    free(item->layout);
    free(item->fault);
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
    const char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name;
    if (!match)
        return pm_motion_find_format(last) != PM_MOTION_ANY &&
               pm_motion_find_format(last) != PM_MOTION_USDA;
    return strchr(match, '/') ? fnmatch(match, name, FNM_PATHNAME) == 0
                              : fnmatch(match, last, 0) == 0;
}
