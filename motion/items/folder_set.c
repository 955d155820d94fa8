/* SPDX-License-Identifier: MIT
 *
 * A hash table with open addressing, at most half full.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/items/items.h"

#include <stdint.h>
#include <stdlib.h>

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
