/* SPDX-License-Identifier: MIT
 *
 * Large memory in huge pages where the system offers them, and pools of it. A pool outlives its
 * owner by the blocks that are lent.
 */
#define _DEFAULT_SOURCE

#include "large.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* Only advice: small pages do as well. Of memory that begins anywhere, the whole pages. */
static void ask_for_huge_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
    const size_t before = -(uintptr_t)memory % PAGE;
    if (memory && size >= HUGE_PAGE)
        madvise((char *)memory + before, size - before, MADV_HUGEPAGE);
#endif
    (void)memory;
    (void)size;
}

void *pm_large_allocate(size_t size) {
    const size_t page = size >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    if (size > SIZE_MAX - page)
        return NULL;
    void *memory = aligned_alloc(page, (size + page - 1) / page * page);
    ask_for_huge_pages(memory, size);
    return memory;
}

void *pm_large_zeros(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory)
        ask_for_huge_pages(memory, count * size);
    return memory;
}

struct pm_pool_block {
    pm_pool *pool;
    void *memory;
    size_t size;
    pm_pool_block *next; /* in the pool */
};

struct pm_pool {
    pthread_mutex_t lock;
    size_t users;        /* the owner, and blocks that are lent */
    bool is_closed;      /* blocks that come back are freed */
    pm_pool_block *kept; /* the latest comes first */
    size_t kept_bytes;
};

pm_pool *pm_pool_open(void) {
    pm_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pool->users = 1;
    return pool;
}

static void free_block(pm_pool_block *block) {
    free(block->memory);
    free(block);
}

/* Removes a block from the list. */
static pm_pool_block *remove_at(pm_pool *pool, pm_pool_block **at) {
    pm_pool_block *block = *at;
    *at = block->next;
    pool->kept_bytes -= block->size;
    return block;
}

static void free_kept(pm_pool *pool) {
    while (pool->kept)
        free_block(remove_at(pool, &pool->kept));
}

/* Unlocks the pool, and frees it after its last user. */
static void leave(pm_pool *pool) {
    const bool is_last = --pool->users == 0;
    pthread_mutex_unlock(&pool->lock);
    if (is_last) {
        pthread_mutex_destroy(&pool->lock);
        free(pool);
    }
}

void pm_pool_close(pm_pool *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    free_kept(pool);
    pool->is_closed = true;
    leave(pool);
}

/* Whether a block is large enough, and not so large that it should wait for a larger job. */
static bool suits(const pm_pool_block *block, size_t size) {
    return block->size >= size && block->size / 2 <= size;
}

static pm_pool_block *new_block(pm_pool *pool, size_t size) {
    pm_pool_block *block = malloc(sizeof *block);
    if (!block)
        return NULL;
    *block = (pm_pool_block){.pool = pool, .memory = pm_large_allocate(size), .size = size};
    if (block->memory)
        return block;
    free(block);
    return NULL;
}

pm_pool_block *pm_pool_take(pm_pool *pool, size_t size) {
    pthread_mutex_lock(&pool->lock);
    pm_pool_block **at = &pool->kept;
    while (*at && !suits(*at, size))
        at = &(*at)->next;
    pm_pool_block *block = *at ? remove_at(pool, at) : new_block(pool, size);
    pool->users += block != NULL;
    pthread_mutex_unlock(&pool->lock);
    return block;
}

void *pm_pool_memory(const pm_pool_block *block) {
    return block ? block->memory : NULL;
}

void pm_pool_give(pm_pool_block *block) {
    if (!block)
        return;
    pm_pool *pool = block->pool;
    pthread_mutex_lock(&pool->lock);
    if (block->size > PM_POOL_KEPT - pool->kept_bytes)
        free_kept(pool);
    if (pool->is_closed || block->size > PM_POOL_KEPT) {
        free_block(block);
    } else {
        block->next = pool->kept;
        pool->kept = block;
        pool->kept_bytes += block->size;
    }
    leave(pool);
}
