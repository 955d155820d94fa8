/* SPDX-License-Identifier: MIT
 *
 * The lines of a list.
 */
#define _POSIX_C_SOURCE 200809L

#include "list_write.h"

#include "item_add.h"
#include "motion/base/json.h"
#include "motion/base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_utf8(const char *text, size_t size) {
    while (size > 0) {
        const size_t length = utf8_length(text, size);
        if (length == 0) {
            return false;
        }
        text += length;
        size -= length;
    }
    return true;
}

static void write_text(json_writer *json, const char *key, const char *text) {
    char bytes_key[32];
    json_write_string(json, key, text);
    if (!is_utf8(text, strlen(text))) {
        snprintf(bytes_key, sizeof bytes_key, "%s_bytes", key);
        json_write_bytes(json, bytes_key, text, strlen(text));
    }
}

static bool write_item(FILE *file, const batch_item *item, bool whole) {
    json_writer json = {.file = file, .depth = JSON_LINE};
    /* "takes.tar:walks/a.bvh" is a path and a member. */
    const bool is_member = item->archive != NULL;
    const char *file_path = is_member ? item->archive : item->path;
    const char *member = is_member ? item->path + strlen(item->archive) + 1 : item->path;
    char *derived = batch_name_of(member);
    if (derived == NULL) {
        return false;
    }
    json_begin_object(&json, NULL);
    write_text(&json, "path", file_path);
    if (is_member) {
        write_text(&json, "member", member);
    }
    if (item->fault == NULL) {
        json_write_integer(&json, "bytes", item->bytes);
    }
    if (whole || strcmp(derived, item->name) != 0) {
        write_text(&json, "out", item->name);
    }
    if (item->source_rate.den != 0) {
        json_write_rate(&json, "rate", item->source_rate);
    }
    if (item->layout != NULL) {
        write_text(&json, "layout", item->layout);
    }
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
    FILE *file = order != NULL ? open_memstream(text, size) : NULL;
    bool good = file != NULL;
    for (size_t i = 0; good && i < items->count; i++) {
        order[i] = &items->items[i];
    }
    if (good && items->count > 1) {
        qsort(order, items->count, sizeof *order, by_path);
    }
    for (size_t i = 0; good && i < items->count; i++) {
        good = (order[i]->fault != NULL && !whole) || write_item(file, order[i], whole);
    }
    if (file != NULL) {
        good = ferror(file) == 0 && good;
        good = fclose(file) == 0 && good;
    }
    free(order);
    return good;
}

cli_exit list_write(const char *path, const batch_items *items) {
    cli_output *output = NULL;
    char *text = NULL;
    size_t size = 0;
    cli_exit code = list_write_text(items, false, &text, &size) ? CLI_DONE : item_memory();
    code = code == CLI_DONE ? cli_output_open(path, &output) : code;
    code = code == CLI_DONE ? cli_output_write(output, text, size) : code;
    code = code == CLI_DONE ? cli_output_commit(&output) : code;
    cli_output_abandon(&output);
    free(text);
    return code;
}
