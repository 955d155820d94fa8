/* SPDX-License-Identifier: MIT
 *
 * The inputs of a batch: files, folders, lists and tar archives become one list of items, sorted by
 * the names of their outputs, so that every process of a batch finds the same list.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct batch_item {
    char *path;     /* to open, and for messages and records; of a member "takes.tar:walks/a.bvh" */
    char *name;     /* "walks/a.bvh": relative, without . and .., unique */
    uint64_t bytes; /* of the file when it was listed; 0 where that is not known */
    pm_rational source_rate; /* instead of the file's; 0/0: the file's */
    char *layout;            /* of NPZ. NULL: that of the options */
    char *fault;             /* why it cannot be used, such as a loop of links. NULL: it can */
    const char *archive;     /* a tar archive that the item is a member of; NULL: a file */
    uint64_t member;         /* its place among the entries of the archive, from 0 */
} batch_item;

typedef struct batch_items {
    batch_item *items;
    size_t count, room;
    char **archives; /* paths of all archives; one may be there twice */
    size_t archive_count;
} batch_items;

/* Finds all items. Folders are searched through, without hidden files and folders; their items have
 * names relative to the folder. A file that is given has its last name. A path of a list has the
 * member "out" as its name, else the path without leading / and .., so that lists of the same files
 * give the same names. Links are followed, after all that lies in the folder itself; a folder that
 * links lead to twice is entered once, and a loop becomes an item with a fault, like a folder that
 * cannot be read. Fails where a list or an archive cannot be read, a list has a line that is none, two
 * items have one name, or the name of one is a folder of another's. Release the items in either case. */
pm_status batch_items_find(const pm_motion_batch_sources *sources, batch_items *items,
                           pm_error *error);
void batch_items_release(batch_items *items);

/* The name of an item without "out": the path without . and .., and without leading /. NULL: memory
 * is exhausted. */
char *batch_name_of(const char *path);

/* How folders, lists and archives add their items. */

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

/* Refuses the inputs, because memory is exhausted. */
pm_status item_memory(pm_error *error);

/* Adds the files below a folder whose names match. Real folders are entered before those that links
 * lead to, so that files have the names of the folders that they lie in. Reads one folder at a time,
 * so depth is limited by the length of paths alone; a longer one is a fault. Fails only where memory
 * is exhausted. */
pm_status folders_search(const char *path, const pm_motion_batch_sources *sources,
                         batch_items *items, pm_error *error);
