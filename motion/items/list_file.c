/* SPDX-License-Identifier: MIT
 *
 * From the lines of a list to items, and back. Each archive that lines name is opened once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/arena.h"
#include "motion/base/composed.h"
#include "motion/base/fault.h"
#include "motion/base/json.h"
#include "motion/base/os.h"
#include "motion/files/input.h"
#include "motion/files/output.h"
#include "motion/items/archive.h"
#include "motion/items/items.h"
#include "motion/items/list_line.h"

/* The lines about members of archives. */
typedef struct member_lines {
    archive_wanted *lines;
    size_t count, room;
} member_lines;

/* Takes the archive and the member from the line. */
static bool keep_member(member_lines *members, list_line *line, size_t item) {
    archive_wanted *more =
        motion_with_room(members->lines, members->count, &members->room, sizeof *more);
    if (!more)
        return false;
    members->lines = more;
    members->lines[members->count++] =
        (archive_wanted){line->path, line->member, item, line->has_bytes};
    line->path = line->member = NULL;
    return true;
}

static int by_archive(const void *left, const void *right) {
    const archive_wanted *a = left, *b = right;
    const int order = strcmp(a->archive, b->archive);
    return order != 0 ? order : strcmp(a->member, b->member);
}

static pm_status find_members(member_lines *members, batch_items *items, pm_error *error) {
    pm_status status = PM_OK;
    if (members->count > 1)
        qsort(members->lines, members->count, sizeof *members->lines, by_archive);
    for (size_t i = 0, end; status == PM_OK && i < members->count; i = end) {
        for (end = i + 1; end < members->count &&
                          strcmp(members->lines[end].archive, members->lines[i].archive) == 0;)
            end++;
        status = archive_find(members->lines[i].archive, &members->lines[i], end - i, items, error);
    }
    return status;
}

static void release_members(member_lines *members) {
    for (size_t i = 0; i < members->count; i++)
        MOTION_FREE(members->lines[i].archive, members->lines[i].member);
    free(members->lines);
}

/* The size of a file; a fault where it is none. */
static bool look_at(batch_item *item) {
    os_info info;
    if (!os_look(item->path, &info))
        return item_fault(item, "%s", strerror(errno));
    if (info.kind == OS_FOLDER)
        return item_fault(item, "is a folder; a list names files");
    item->bytes = info.kind == OS_REGULAR ? info.size : 0;
    return info.kind == OS_REGULAR || item_fault(item, "is no regular file");
}

static bool add_line(list_line *line, member_lines *members, batch_items *items) {
    const bool is_member = line->member != NULL;
    char *name = line->out ? line->out : batch_name_of(is_member ? line->member : line->path);
    char *path =
        compose_format("%s%s%s", line->path, is_member ? ":" : "", is_member ? line->member : "");
    line->out = NULL;
    batch_item *item = item_add(items, path, name);
    if (!item)
        return false;
    item->bytes = line->bytes;
    item->source_rate = line->rate;
    item->layout = line->layout;
    line->layout = NULL;
    if (item->fault)
        return true;
    if (line->has_nul)
        return item_fault(item, "has a NUL byte in a name");
    if (is_member)
        return keep_member(members, line, items->count - 1);
    return line->has_bytes || look_at(item);
}

static pm_status read_lines(const char *label, const char *data, size_t size, member_lines *members,
                            batch_items *items, pm_error *error) {
    list_text text = list_text_of(data, size);
    list_found found = LIST_LINE;
    char reason[LIST_REASON_SIZE] = "";
    while (found == LIST_LINE) {
        list_line line;
        bool good = true;
        found = list_next(&text, &line, reason);
        if (found == LIST_LINE)
            good = add_line(&line, members, items);
        list_line_release(&line);
        if (!good)
            return item_memory(error);
    }
    return found == LIST_END
               ? PM_OK
               : motion_fail_at(error, PM_ERROR_FILE, label,
                                "a line is a path, or {\"path\": ..., \"bytes\": ...}",
                                "line %zu: %s", text.lines, reason);
}

/* Lists are text. A name with a NUL byte fails alone; many of them are another file, or UTF-16. */
static input_kind_found find_text(const char *bytes, size_t size) {
    enum { OFTEN = 16 };
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += bytes[i] == '\0';
    return size < INPUT_FIRST_BYTES ? INPUT_KIND_UNKNOWN
           : count > size / OFTEN   ? INPUT_KIND_NO
                                    : INPUT_KIND_YES;
}

static const input_kind list_kind = {find_text, "is no list: it has many NUL bytes"};

pm_status list_text_read(const char *label, const char *text, size_t size, batch_items *items,
                         pm_error *error) {
    SCOPED(release_members) member_lines members = {.count = 0};
    MOTION_TRY(read_lines(label, text, size, &members, items, error));
    return find_members(&members, items, error);
}

pm_status list_file_read(const char *path, batch_items *items, pm_error *error) {
    const char *label = strcmp(path, "-") == 0 ? "standard input" : path;
    char reason[INPUT_REASON_SIZE] = "";
    FREED char *data = NULL;
    size_t size = 0;
    return input_read_file(path, &list_kind, &data, &size, reason)
               ? list_text_read(label, data, size, items, error)
               : motion_fail_at(error, PM_ERROR_FILE, label, NULL, "%s", reason);
}

static bool write_item(FILE *file, const batch_item *item, bool whole) {
    json_writer json = {.file = file, .depth = JSON_LINE};
    /* "takes.tar:walks/a.bvh" is a path and a member. */
    const bool is_member = item->archive != NULL;
    const char *file_path = is_member ? item->archive : item->path;
    const char *member = is_member ? item->path + strlen(item->archive) + 1 : item->path;
    FREED char *derived = batch_name_of(member);
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
    return true;
}

static int by_path(const void *left, const void *right) {
    const batch_item *a = *(const batch_item *const *)left, *b = *(const batch_item *const *)right;
    const int order = strcmp(a->path, b->path);
    return order != 0 ? order : strcmp(a->name, b->name);
}

typedef struct list_content {
    const batch_items *items;
    bool whole;
} list_content;

static bool write_items(FILE *file, const void *content) {
    const list_content *c = content;
    const size_t count = c->items->count;
    FREED const batch_item **order = calloc(count + 1, sizeof *order);
    bool good = order != NULL;
    for (size_t i = 0; good && i < count; i++)
        order[i] = &c->items->items[i];
    if (good && count > 1)
        qsort(order, count, sizeof *order, by_path);
    for (size_t i = 0; good && i < count; i++)
        good = (order[i]->fault != NULL && !c->whole) || write_item(file, order[i], c->whole);
    return good;
}

char *list_write_text(const batch_items *items, bool whole, size_t *size) {
    return compose_text(write_items, &(list_content){items, whole}, size);
}

pm_status list_write(const char *path, const batch_items *items, pm_error *error) {
    size_t size = 0;
    FREED char *text = list_write_text(items, false, &size);
    return text ? motion_output_save(path, text, size, error) : item_memory(error);
}
