/* SPDX-License-Identifier: MIT
 *
 * How folders, lists and archives add their items.
 */
#ifndef POSEMILL_MOTION_ITEM_ADD_H
#define POSEMILL_MOTION_ITEM_ADD_H

#include "motion/items/items.h"

/* No system opens longer names, and records would take any number of bytes. */
enum {
    ITEM_NAME_MAX = 4095,
    ITEM_PATH_MAX = 2 * ITEM_NAME_MAX + 1 /* an archive, : and a member */
};

/* Adds an item and takes over both texts, which are malloc'ed, also on failure. Where one is too long,
 * both are cut, and the item has a fault. NULL if memory is exhausted or a text is NULL. The item stays
 * where it is until the next one is added. */
batch_item *item_add(batch_items *items, char *path, char *name);

/* Takes over a malloc'ed text. One of more than `max` bytes becomes its beginning and its digest, so
 * that texts remain different. NULL: memory is exhausted, or the text is NULL. */
char *item_cut(char *text, size_t max);

/* Sets the fault of an item. False if memory is exhausted. */
bool item_fault(batch_item *item, const char *reason, ...) __attribute__((format(printf, 2, 3)));

/* Keeps the path of an archive for its members. NULL: memory is exhausted. */
const char *item_archive(batch_items *items, const char *path);

/* Whether a file in a folder or an archive is an input. `name` is relative to the folder. */
bool item_matches(const char *match, const char *name);

/* Frees what an item holds. */
void item_release(batch_item *item);

/* The texts in malloc'ed memory, one after another. NULL: memory is exhausted. */
char *item_text(const char *first, const char *second, const char *third);

/* Refuses the inputs, because memory is exhausted. */
pm_status item_memory(pm_error *error);

#endif
