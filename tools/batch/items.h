/* SPDX-License-Identifier: MIT
 *
 * The inputs of a batch: files, folders, lists and tar archives become one list of items, sorted by
 * the names of their outputs, so that every process of a batch finds the same list.
 */
#ifndef POSEMILL_TOOLS_BATCH_ITEMS_H
#define POSEMILL_TOOLS_BATCH_ITEMS_H

#include "commands/cli.h"

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

/* What a batch was given. */
typedef struct batch_sources {
    char **operands; /* files, folders and tar archives; "-" is standard input */
    size_t operand_count;
    const char *files_from;  /* a list, a tar archive, or "-". NULL: none */
    const char *match;       /* glob for files in folders and archives, of the last name, or of the
                                relative path where the glob has a /. NULL: the extensions of motion
                                formats */
    const char *skip_folder; /* a folder that is not searched although a folder that was given has
                                it, such as that of the outputs; it need not exist. NULL: none */
    const char *skip_report; /* likewise that of a report */
} batch_sources;

/* Finds all items. Folders are searched through, without hidden files and folders; their items have
 * names relative to the folder. A file that is given has its last name. A path of a list has the
 * member "out" as its name, else the path without leading / and .., so that lists of the same files
 * give the same names. Links are followed, after all that lies in the folder itself; a folder that
 * links lead to twice is entered once, and a loop becomes an item with a fault, like a folder that
 * cannot be read. Fails where a list or an archive cannot be read, a list has a line that is none, two
 * items have one name, or the name of one is a folder of another's. On failure prints and returns the
 * code. Release the items in either case. */
cli_exit batch_items_find(const batch_sources *sources, batch_items *items);
void batch_items_release(batch_items *items);

/* The name of an item without "out": the path without . and .., and without leading /. NULL: memory
 * is exhausted. */
char *batch_name_of(const char *path);

#endif
