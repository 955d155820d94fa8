/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of tar archives: an archive is refused, or its members have names that stay below a folder,
 * are found again by those names, and are read with the size that was listed or refused.
 */
#include "fuzz.h"
#include "motion/base/composed.h"
#include "motion/items/archive.h"
#include "motion/items/items.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBER_MAX = 1 << 20 };

/* The member of an item. NULL: the item is the rest of an archive that cannot be read to its end. */
static const char *member_of(const char *path, const batch_item *item) {
    return item->path[strlen(path)] == ':' ? item->path + strlen(path) + 1 : NULL;
}

static void check_name(const batch_item *item) {
    SCOPED(free_at) char *name = batch_name_of(item->name);
    require(name != NULL && name[0] != '\0' && strcmp(name, item->name) == 0);
}

static int by_name(const void *left, const void *right) {
    const archive_wanted *a = left, *b = right;
    return strcmp(a->member, b->member);
}

static void find_again(const char *path, const batch_items *items) {
    SCOPED(free_at) archive_wanted *wanted = calloc(items->count + 1, sizeof *wanted);
    const batch_item **listed = calloc(items->count + 1, sizeof *listed);
    SCOPED(batch_items_release) batch_items again = {.count = 0};
    require(wanted != NULL && listed != NULL);
    for (size_t i = 0; i < items->count; i++) {
        const char *member = member_of(path, &items->items[i]);
        if (!member) {
            require(items->items[i].fault != NULL);
            continue;
        }
        listed[again.count] = &items->items[i];
        wanted[again.count] = (archive_wanted){NULL, (char *)(uintptr_t)member, again.count, false};
        require(item_add(&again, compose_format("%s:%s", path, member),
                         compose_format("%s", member)) != NULL);
    }
    if (again.count > 1)
        qsort(wanted, again.count, sizeof *wanted, by_name);
    require(archive_find(path, wanted, again.count, &again, NULL) == PM_OK);
    for (size_t i = 0; i < again.count; i++) {
        const batch_item *a = listed[i], *b = &again.items[i];
        require(a->member == b->member && (a->fault != NULL) == (b->fault != NULL));
        require(a->fault != NULL || a->bytes == b->bytes);
    }
    free(listed);
}

static int by_member(const void *left, const void *right) {
    const batch_item *a = left, *b = right;
    return a->member < b->member ? -1 : a->member > b->member;
}

static void read_members(const char *path, const batch_items *items) {
    char reason[ARCHIVE_REASON_SIZE] = "";
    SCOPED(archive_close) archive_reader *reader = NULL;
    if (!archive_open(path, &reader, reason)) {
        require(items->count == 1 && items->items[0].fault != NULL && reason[0] != '\0');
        return;
    }
    for (size_t i = 0; i < items->count; i++) {
        const batch_item *item = &items->items[i];
        SCOPED(free_at) char *member = NULL;
        size_t size = 0;
        if (item->fault || item->bytes > MEMBER_MAX)
            continue;
        if (archive_read(reader, item, NULL, &member, &size, reason))
            require(size == item->bytes && member[size] == '\0');
        else
            require(member == NULL && reason[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[SCRATCH_PATH];
    batch_items items = {.count = 0};
    scratch_path("input.tar", path);
    scratch_write(path, data, size);
    if (archive_list(path, "*", &items, NULL) == PM_OK) {
        for (size_t i = 0; i < items.count; i++)
            if (member_of(path, &items.items[i]))
                check_name(&items.items[i]);
        find_again(path, &items);
        if (items.count > 1)
            qsort(items.items, items.count, sizeof *items.items, by_member);
        read_members(path, &items);
    }
    batch_items_release(&items);
    scratch_remove(path);
    require(scratch_count() == 0);
    return 0;
}
