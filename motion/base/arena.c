/* SPDX-License-Identifier: MIT
 *
 * A list of blocks from calloc. A motion has few and large ones, so that nothing is gained by
 * dividing blocks.
 */
#include "motion/base/arena.h"

#include "motion/base/os.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct motion_block {
    struct motion_block *next;
    alignas(max_align_t) char bytes[];
} motion_block;

void *motion_allocate(motion_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - sizeof(motion_block)) / size)
        return NULL;
    motion_block *block = calloc(1, sizeof *block + count * size);
    if (!block)
        return NULL;
    os_ask_for_huge_pages(block, sizeof *block + count * size);
    block->next = arena->blocks;
    arena->blocks = block;
    return block->bytes;
}

char *motion_copy_text(motion_arena *arena, const char *text, size_t size) {
    char *copy = size < SIZE_MAX ? motion_allocate(arena, size + 1, 1) : NULL;
    if (copy && size > 0)
        memcpy(copy, text, size);
    return copy;
}

void motion_arena_release(motion_arena *arena) {
    while (arena->blocks) {
        motion_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}

void *motion_with_room(void *array, size_t count, size_t *room, size_t size) {
    if (count < *room)
        return array;
    const size_t more = *room == 0 ? 4 : *room * 2;
    void *moved = more <= SIZE_MAX / size ? realloc(array, more * size) : NULL;
    *room = moved ? more : *room;
    return moved;
}
