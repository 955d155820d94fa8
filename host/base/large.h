/* SPDX-License-Identifier: MIT
 *
 * Memory for arrays of many megabytes, aligned so that OpenCL devices can share it.
 */
#ifndef PM_HOST_LARGE_H
#define PM_HOST_LARGE_H

#include <stdbool.h>
#include <stddef.h>

#include "memory.h"

/* Large memory that is kept for later use, at most PM_POOL_KEPT bytes in blocks of at least
 * PM_POOL_LEAST, because making its pages takes longer than filling them. All functions are
 * thread-safe, and none waits, so that a process that was forked can call them.
 * A pool of the application's memory keeps none. */
typedef struct pm_pool pm_pool;
typedef struct pm_pool_block pm_pool_block;
#define PM_POOL_KEPT ((size_t)256 << 20)
#define PM_POOL_LEAST ((size_t)256 << 10)

/* NULL: no memory. Closing accepts NULL; blocks that are lent may be given back later. */
pm_pool *pm_pool_open(const pm_host *host);
void pm_pool_close(pm_pool *pool);

/* Lends a block of at least `size` bytes, of undefined contents and aligned to a cache line, or from
 * PM_POOL_LEAST on to 4096 bytes. NULL: no memory. */
pm_pool_block *pm_pool_take(pm_pool *pool, size_t size);

/* Such a block of no pool, which is freed when it is given back. */
pm_pool_block *pm_block_make(const pm_host *host, size_t size);

/* NULL for NULL. */
void *pm_pool_memory(const pm_pool_block *block);

/* Gives a block back, or frees it. Accepts NULL. */
void pm_pool_give(pm_pool_block *block);

#endif
