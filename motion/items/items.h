/* SPDX-License-Identifier: MIT
 *
 * The inputs of a batch: files, folders, lists and tar archives become one list of items, sorted by
 * the names of their outputs, so that every process of a batch finds the same list.
 */
#ifndef POSEMILL_MOTION_ITEMS_H
#define POSEMILL_MOTION_ITEMS_H

#include <posemill/posemill_motion.h>

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

#endif
