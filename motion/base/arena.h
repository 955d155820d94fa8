/* SPDX-License-Identifier: MIT
 *
 * Memory that is freed together: what a motion points to; and arrays that grow.
 */
#pragma once

#include <stddef.h>

/* Zero-initialise. */
typedef struct motion_arena {
    struct motion_block *blocks;
} motion_arena;

/* Zeroed memory for `count` elements of `size` bytes, aligned for any type. NULL: the product cannot
 * be represented, or memory is exhausted. count 0 gives a pointer that is not NULL. */
void *motion_allocate(motion_arena *arena, size_t count, size_t size);

/* A copy of `size` bytes with a NUL after them. */
char *motion_copy_text(motion_arena *arena, const char *text, size_t size);

void motion_arena_release(motion_arena *arena);

/* An array of malloc with room for one more element of `size` bytes. NULL: memory is exhausted, and the
 * array is as it was. */
void *motion_with_room(void *array, size_t count, size_t *room, size_t size);
