/* SPDX-License-Identifier: MIT
 *
 * The folders that a search has entered, by device and inode, and how it came to each.
 */
#ifndef POSEMILL_MOTION_FOLDER_SET_H
#define POSEMILL_MOTION_FOLDER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define FOLDER_NONE ((size_t)-1)

typedef struct folder_entered {
    dev_t device;
    ino_t inode;
    size_t parent; /* the folder that it was entered from; FOLDER_NONE: the first */
} folder_entered;

/* Zero-initialise. */
typedef struct folder_set {
    folder_entered *folders; /* in the order in which they were entered */
    size_t count;
    size_t *slots; /* a hash table of indices + 1; 0: free */
    size_t slot_count;
} folder_set;

/* The index of a folder; FOLDER_NONE: it was not entered. */
size_t folder_set_find(const folder_set *set, const struct stat *status);

/* Adds a folder that is not there. False if memory is exhausted. */
bool folder_set_add(folder_set *set, const struct stat *status, size_t parent);

/* Whether `above` is `folder` or was entered on the way to it. */
bool folder_set_leads_to(const folder_set *set, size_t above, size_t folder);

void folder_set_release(folder_set *set);

#endif
