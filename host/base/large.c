/* SPDX-License-Identifier: MIT
 *
 * Large memory in huge pages where the system offers them, and pools of it. A pool outlives its
 * owner by the blocks that are lent.
 */
#include "large.h"

#include <stdatomic.h>
#include <stdint.h>

#include "os.h"

enum { LINE = 64, PAGE = 4096 };

struct pm_pool_block {
    pm_pool *pool; /* NULL: freed when it is given back */
    pm_host host;  /* from which the memory is */
    void *memory;
    size_t size, alignment;
    pm_pool_block *next; /* in the pool */
};

/* A thread that does not get the lock at once allocates or frees instead. In a child process the lock
 * may belong to a thread of the parent for ever. */
struct pm_pool {
    pm_host host;
    pthread_mutex_t lock;
    atomic_size_t users; /* the owner, and blocks that are lent */
    atomic_bool is_closed;
    pm_pool_block *kept; /* the latest comes first */
    size_t kept_bytes;
};

pm_pool *pm_pool_open(const pm_host *host) {
    pm_pool *pool = pm_allocate_zeroed(host, 1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->host = host ? *host : (pm_host){0};
    pthread_mutex_init(&pool->lock, NULL);
    atomic_init(&pool->users, 1);
    return pool;
}

static void free_blocks(pm_pool_block *block) {
    while (block) {
        pm_pool_block *next = block->next;
        pm_release_whole(&block->host, block->alignment, block->size, block->memory);
        pm_release(block);
        block = next;
    }
}

/* Takes all blocks out of the pool. */
static pm_pool_block *empty(pm_pool *pool) {
    pm_pool_block *kept = pool->kept;
    pool->kept = NULL;
    pool->kept_bytes = 0;
    return kept;
}

/* The last user frees what was kept meanwhile, and the pool. */
static void leave(pm_pool *pool) {
    if (atomic_fetch_sub(&pool->users, 1) > 1)
        return;
    free_blocks(empty(pool));
    pthread_mutex_destroy(&pool->lock);
    pm_release(pool);
}

void pm_pool_close(pm_pool *pool) {
    if (!pool)
        return;
    atomic_store(&pool->is_closed, true);
    if (pthread_mutex_trylock(&pool->lock) == 0) {
        pm_pool_block *kept = empty(pool);
        pthread_mutex_unlock(&pool->lock);
        free_blocks(kept);
    }
    leave(pool);
}

/* Whether a block is large enough, and not so large that it should wait for a larger job. */
static bool suits(const pm_pool_block *block, size_t size) {
    return block->size >= size && block->size / 2 <= size;
}

/* Takes the latest block that suits out of the pool. NULL: none does. */
static pm_pool_block *find_kept(pm_pool *pool, size_t size) {
    if (size < PM_POOL_LEAST / 2 || pthread_mutex_trylock(&pool->lock) != 0)
        return NULL;
    pm_pool_block **at = &pool->kept;
    while (*at && !suits(*at, size))
        at = &(*at)->next;
    pm_pool_block *block = *at;
    if (block) {
        *at = block->next;
        pool->kept_bytes -= block->size;
    }
    pthread_mutex_unlock(&pool->lock);
    return block;
}

/* Small blocks are not aligned to pages, because glibc never reuses such memory: it is unmapped when it is
 * freed, and as much memory is mapped the next time. */
pm_pool_block *pm_block_make(const pm_host *host, size_t size) {
    const size_t alignment = size < PM_POOL_LEAST ? LINE : PAGE;
    pm_pool_block *block = pm_allocate(host, sizeof *block);
    if (!block)
        return NULL;
    *block = (pm_pool_block){.host = host ? *host : (pm_host){0},
                             .memory = pm_allocate_whole(host, alignment, size),
                             .size = size,
                             .alignment = alignment};
    if (block->memory)
        return block;
    pm_release(block);
    return NULL;
}

pm_pool_block *pm_pool_take(pm_pool *pool, size_t size) {
    pm_pool_block *block = find_kept(pool, size);
    if (!block)
        block = pm_block_make(&pool->host, size);
    if (!block)
        return NULL;
    block->pool = pool;
    block->next = NULL;
    atomic_fetch_add(&pool->users, 1);
    return block;
}

void *pm_pool_memory(const pm_pool_block *block) {
    return block ? block->memory : NULL;
}

/* Keeps a block, in place of all others if they would be too much together. Returns what is to be freed. */
static pm_pool_block *keep(pm_pool *pool, pm_pool_block *block) {
    if (pool->host.allocate || atomic_load(&pool->is_closed) || block->size < PM_POOL_LEAST ||
        block->size > PM_POOL_KEPT || pthread_mutex_trylock(&pool->lock) != 0)
        return block;
    pm_pool_block *old = block->size > PM_POOL_KEPT - pool->kept_bytes ? empty(pool) : NULL;
    block->next = pool->kept;
    pool->kept = block;
    pool->kept_bytes += block->size;
    pthread_mutex_unlock(&pool->lock);
    return old;
}

void pm_pool_give(pm_pool_block *block) {
    if (!block)
        return;
    pm_pool *pool = block->pool;
    free_blocks(pool ? keep(pool, block) : block);
    if (pool)
        leave(pool);
}
