/* SPDX-License-Identifier: MIT
 *
 * The lines of a list.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/items/list_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/json.h"
#include "motion/files/output.h"
#include "motion/items/items.h"

static bool write_item(FILE *file, const batch_item *item, bool whole) {
    json_writer json = {.file = file, .depth = JSON_LINE};
    /* "takes.tar:walks/a.bvh" is a path and a member. */
    const bool is_member = item->archive != NULL;
    const char *file_path = is_member ? item->archive : item->path;
    const char *member = is_member ? item->path + strlen(item->archive) + 1 : item->path;
    char *derived = batch_name_of(member);
    if (!derived)
        return false;
    json_begin_object(&json, NULL);
    json_write_path(&json, "path", file_path);
    if (is_member)
        json_write_path(&json, "member", member);
    if (!item->fault)
        json_write_integer(&json, "bytes", item->bytes);
    if (whole || strcmp(derived, item->name) != 0)
        json_write_path(&json, "out", item->name);
    if (item->source_rate.den != 0)
        json_write_rate(&json, "source_rate", item->source_rate);
    if (item->layout)
        json_write_path(&json, "layout", item->layout);
    json_end_object(&json);
    fputc('\n', file);
    free(derived);
    return true;
}

static int by_path(const void *left, const void *right) {
    const batch_item *a = *(const batch_item *const *)left, *b = *(const batch_item *const *)right;
    const int order = strcmp(a->path, b->path);
    return order != 0 ? order : strcmp(a->name, b->name);
}

bool list_write_text(const batch_items *items, bool whole, char **text, size_t *size) {
    const batch_item **order = calloc(items->count + 1, sizeof *order);
    FILE *file = order ? open_memstream(text, size) : NULL;
    bool good = file != NULL;
    for (size_t i = 0; good && i < items->count; i++)
        order[i] = &items->items[i];
    if (good && items->count > 1)
        qsort(order, items->count, sizeof *order, by_path);
    for (size_t i = 0; good && i < items->count; i++)
        good = (order[i]->fault != NULL && !whole) || write_item(file, order[i], whole);
    if (file) {
        good = ferror(file) == 0 && good;
        good = fclose(file) == 0 && good;
    }
    free(order);
    return good;
}

pm_status list_write(const char *path, const batch_items *items, pm_error *error) {
    char *text = NULL;
    size_t size = 0;
    const pm_status status = list_write_text(items, false, &text, &size)
                                 ? motion_output_save(path, text, size, error)
                                 : item_memory(error);
    free(text);
    return status;
}
