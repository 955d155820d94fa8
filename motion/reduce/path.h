/* SPDX-License-Identifier: MIT
 *
 * The fewest keys of a curve: the shortest path from its first key to its last one, over pairs of
 * keys between which all others may be dropped.
 */
#ifndef POSEMILL_MOTION_REDUCE_PATH_H
#define POSEMILL_MOTION_REDUCE_PATH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct path_problem {
    size_t count; /* of keys, at least 2 */
    /* Whether the keys between `from` and `to` may be dropped, from < to. */
    bool (*holds)(void *user, size_t from, size_t to);
    void *user;
} path_problem;

typedef enum path_end {
    PATH_FOUND = 0,
    PATH_NONE, /* some key cannot be reached */
    PATH_NO_MEMORY
} path_end;

/* Gives the keys that remain, in order; *keys is malloc'ed, for the caller to free. For PATH_NONE *count is the first
 * key that is not reached, and *keys is NULL. */
path_end path_find(const path_problem *problem, size_t **keys, size_t *count);

#endif
