/* SPDX-License-Identifier: MIT
 *
 * Large memory that a device keeps for later jobs, because making its pages takes longer than filling
 * them. A block is lent to a buffer, and comes back when the driver deletes the buffer: no command
 * uses it then. Buffers of a job on a caller's queue may outlive the device, and so does the pool.
 */
#include "device.h"

#include <stdlib.h>

struct pm_cl_block {
    pm_cl_scratch *pool;
    void *memory;
    size_t size;
    pm_cl_block *next; /* in the pool */
};

struct pm_cl_scratch {
    pthread_mutex_t lock;
    size_t users;      /* the device, and blocks that are lent */
    bool is_closed;    /* the device is: blocks that come back are freed */
    pm_cl_block *kept; /* the latest comes first */
    size_t kept_bytes;
};

pm_cl_scratch *pm_cl_scratch_open(void) {
    pm_cl_scratch *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pool->users = 1;
    return pool;
}

static void free_block(pm_cl_block *block) {
    free(block->memory);
    free(block);
}

/* Removes a block from the list. */
static pm_cl_block *remove_at(pm_cl_scratch *pool, pm_cl_block **at) {
    pm_cl_block *block = *at;
    *at = block->next;
    pool->kept_bytes -= block->size;
    return block;
}

static void free_kept(pm_cl_scratch *pool) {
    while (pool->kept)
        free_block(remove_at(pool, &pool->kept));
}

/* Unlocks the pool, and frees it after its last user. */
static void leave(pm_cl_scratch *pool) {
    const bool is_last = --pool->users == 0;
    pthread_mutex_unlock(&pool->lock);
    if (is_last) {
        pthread_mutex_destroy(&pool->lock);
        free(pool);
    }
}

void pm_cl_scratch_close(pm_cl_scratch *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    free_kept(pool);
    pool->is_closed = true;
    leave(pool);
}

/* Whether a block is large enough, and not so large that it should wait for a larger job. */
static bool suits(const pm_cl_block *block, size_t size) {
    return block->size >= size && block->size / 2 <= size;
}

static pm_cl_block *new_block(pm_cl_scratch *pool, size_t size) {
    pm_cl_block *block = malloc(sizeof *block);
    if (!block)
        return NULL;
    *block = (pm_cl_block){.pool = pool, .memory = pm_large_allocate(size), .size = size};
    if (block->memory)
        return block;
    free(block);
    return NULL;
}

pm_cl_block *pm_cl_block_take(pm_cl_scratch *pool, size_t size) {
    pthread_mutex_lock(&pool->lock);
    pm_cl_block **at = &pool->kept;
    while (*at && !suits(*at, size))
        at = &(*at)->next;
    pm_cl_block *block = *at ? remove_at(pool, at) : new_block(pool, size);
    pool->users += block != NULL;
    pthread_mutex_unlock(&pool->lock);
    return block;
}

void *pm_cl_block_memory(const pm_cl_block *block) {
    return block ? block->memory : NULL;
}

void pm_cl_block_give(pm_cl_block *block) {
    if (!block)
        return;
    pm_cl_scratch *pool = block->pool;
    pthread_mutex_lock(&pool->lock);
    if (block->size > PM_MAX_KEPT_SCRATCH - pool->kept_bytes)
        free_kept(pool);
    if (pool->is_closed || block->size > PM_MAX_KEPT_SCRATCH) {
        free_block(block);
    } else {
        block->next = pool->kept;
        pool->kept = block;
        pool->kept_bytes += block->size;
    }
    leave(pool);
}

static void CL_CALLBACK give_back(cl_mem buffer, void *block) {
    (void)buffer;
    pm_cl_block_give(block);
}

pm_status pm_cl_block_buffer(pm_opencl_device *cl, pm_cl_block *block, size_t size, cl_mem *buffer,
                             pm_error *error) {
    *buffer = NULL;
    if (!block)
        return pm_fail_memory(error);
    pm_status status = pm_cl_buffer(cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, block->memory,
                                    size, buffer, error);
    if (status == PM_OK) {
        const cl_int code = clSetMemObjectDestructorCallback(*buffer, give_back, block);
        if (code == CL_SUCCESS)
            return PM_OK;
        clReleaseMemObject(*buffer);
        *buffer = NULL;
        status = pm_cl_fail(error, code, "clSetMemObjectDestructorCallback");
    }
    pm_cl_block_give(block);
    return status;
}
