/* SPDX-License-Identifier: MIT
 *
 * What members an archive has: all that match, or those that a list names.
 */
#ifdef POSEMILL_LIBARCHIVE

#include "motion/base/composed.h"
#include "motion/base/os.h"
#include "motion/items/archive_reader.h"
#include "motion/items/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_file_or_link(struct archive_entry *entry) {
    const mode_t type = archive_functions.entry_filetype(entry);
    return type == AE_IFREG || type == AE_IFLNK || archive_functions.entry_hardlink(entry) != NULL;
}

/* Takes over the name. */
static bool add_entry(const archive_reader *reader, const char *archive, const char *member,
                      char *name, batch_items *items) {
    const char *fault = archive_fault_of(reader->entry);
    char *cut = item_cut(strdup(member), ITEM_NAME_MAX);
    char *path = cut ? compose_format("%s:%s", archive, cut) : NULL;
    batch_item *item = item_add(items, path, name);
    free(cut);
    if (!item)
        return false;
    item->archive = archive;
    item->member = reader->place;
    item->bytes =
        !fault && !item->fault ? (uint64_t)archive_functions.entry_size(reader->entry) : 0;
    return fault == NULL || item->fault != NULL || item_fault(item, "%s", fault);
}

static bool list_entry(const archive_reader *reader, const char *archive, const char *match,
                       batch_items *items) {
    const char *member = reader->name;
    if (!member || !is_file_or_link(reader->entry))
        return true;
    char *name = batch_name_of(member);
    if (!name)
        return false;
    const bool is_hidden = name[0] == '.' || strstr(name, "/.");
    if (name[0] == '\0' || is_hidden || !item_matches(match, name)) {
        free(name);
        return true;
    }
    return add_entry(reader, archive, member, name, items);
}

/* The last one of a name comes first. */
static int by_place(const void *left, const void *right) {
    const batch_item *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : a->member > b->member ? -1 : a->member < b->member;
}

/* Unpacking replaces a file by a later one of the same name, and a/b, ./a/b and ../a/b are one. */
static void drop_replaced(batch_items *items, size_t first) {
    batch_item *all = items->items;
    size_t kept = first;
    if (items->count > first + 1)
        qsort(all + first, items->count - first, sizeof *all, by_place);
    for (size_t i = first; i < items->count; i++)
        if (kept > first && strcmp(all[kept - 1].name, all[i].name) == 0)
            item_release(&all[i]);
        else
            all[kept++] = all[i];
    items->count = kept;
}

/* A million members with paths of 60 bytes have so many. */
enum { NAMES_MAX = 128 << 20 };

/* What could not be listed is one item with the name of the archive. */
static bool add_archive_fault(const char *path, const char *reason, batch_items *items) {
    batch_item *item = item_add(items, strdup(path), strdup(os_last_part(path)));
    return item != NULL && item_fault(item, "%s", reason);
}

static void drop_all(batch_items *items, size_t first) {
    while (items->count > first)
        item_release(&items->items[--items->count]);
}

pm_status archive_list(const char *path, const char *match, batch_items *items, pm_error *error) {
    char reason[ARCHIVE_REASON_SIZE] = "";
    const size_t first = items->count;
    size_t counted = first, names = 0;
    const char *archive = item_archive(items, path);
    archive_reader *reader = NULL;
    if (!archive)
        return item_memory(error);
    bool good = true;
    archive_step step = archive_open(path, &reader, reason) ? ARCHIVE_AT_ENTRY : ARCHIVE_BROKEN;
    while (good && step == ARCHIVE_AT_ENTRY) {
        step = archive_next(reader, reason);
        good = step != ARCHIVE_AT_ENTRY || list_entry(reader, archive, match, items);
        if (good && items->count > counted) {
            names += strlen(items->items[counted].path) + strlen(items->items[counted].name);
            counted++;
        }
        if (names > NAMES_MAX) {
            step = ARCHIVE_BROKEN;
            snprintf(reason, sizeof reason, "has names of more than 128 MiB");
            drop_all(items, first);
            break;
        }
    }
    archive_close(&reader);
    drop_replaced(items, first);
    if (good && step == ARCHIVE_BROKEN)
        good = add_archive_fault(path, reason, items);
    return good ? PM_OK : item_memory(error);
}

/* The first of the wanted with this name; `count` if there is none. */
static size_t find_wanted(const archive_wanted *wanted, size_t count, const char *member) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(wanted[middle].member, member) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(wanted[low].member, member) == 0 ? low : count;
}

static bool set_place(const archive_reader *reader, const archive_wanted *one, batch_item *item) {
    const char *fault = archive_fault_of(reader->entry);
    item->member = reader->place;
    if (fault)
        return item_fault(item, "%s", fault);
    item->bytes =
        one->has_bytes ? item->bytes : (uint64_t)archive_functions.entry_size(reader->entry);
    free(item->fault);
    item->fault = NULL;
    return true;
}

static bool find_entry(const archive_reader *reader, const archive_wanted *wanted, size_t count,
                       batch_items *items) {
    const char *member = reader->name;
    bool good = true;
    if (!member || !is_file_or_link(reader->entry))
        return true;
    for (size_t i = find_wanted(wanted, count, member);
         good && i < count && strcmp(wanted[i].member, member) == 0; i++)
        good = set_place(reader, &wanted[i], &items->items[wanted[i].item]);
    return good;
}

/* The fault of those that are not found. */
static bool set_faults(const archive_wanted *wanted, size_t count, batch_items *items,
                       const char *what, const char *reason) {
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = item_fault(&items->items[wanted[i].item], "%s%s", what, reason);
    return good;
}

static const char absent[] = "is not in the archive";

/* The fault of members that no entry was for gets the reason why the archive ended. */
static bool explain_faults(const archive_wanted *wanted, size_t count, batch_items *items,
                           const char *reason) {
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        batch_item *item = &items->items[wanted[i].item];
        if (item->fault && strcmp(item->fault, absent) == 0)
            good = item_fault(item, "the archive cannot be read: %s", reason);
    }
    return good;
}

pm_status archive_find(const char *path, const archive_wanted *wanted, size_t count,
                       batch_items *items, pm_error *error) {
    char reason[ARCHIVE_REASON_SIZE] = "";
    const char *archive = item_archive(items, path);
    archive_reader *reader = NULL;
    if (!archive || !set_faults(wanted, count, items, absent, ""))
        return item_memory(error);
    for (size_t i = 0; i < count; i++)
        items->items[wanted[i].item].archive = archive;
    bool good = true;
    archive_step step = archive_open(path, &reader, reason) ? ARCHIVE_AT_ENTRY : ARCHIVE_BROKEN;
    while (good && step == ARCHIVE_AT_ENTRY) {
        step = archive_next(reader, reason);
        good = step != ARCHIVE_AT_ENTRY || find_entry(reader, wanted, count, items);
    }
    archive_close(&reader);
    if (good && step == ARCHIVE_BROKEN)
        good = explain_faults(wanted, count, items, reason);
    return good ? PM_OK : item_memory(error);
}

#else

typedef int archive_list_is_absent; /* C requires a declaration */

#endif
