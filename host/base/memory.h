/* SPDX-License-Identifier: MIT
 *
 * Memory from the application (pm_host), or from the C library where the host is NULL or has no functions
 * for it. Memory knows where it is from: pm_release frees all of it. It is aligned for every
 * type, and may have 0 bytes. NULL: no memory.
 */
#ifndef PM_HOST_MEMORY_H
#define PM_HOST_MEMORY_H

#include <posemill/posemill.h>

/* Undefined. */
void *pm_allocate(const pm_host *host, size_t size);

/* `count` elements of `size` bytes, zero. */
void *pm_allocate_zeroed(const pm_host *host, size_t count, size_t size);

/* Undefined, aligned to a cache line; in huge pages where the system has them, because making small ones
 * takes as long as filling them. */
void *pm_allocate_lines(const pm_host *host, size_t size);

/* Memory of another size with the contents of `memory`, which may be NULL and is released, but for
 * a failure. */
void *pm_reallocate(const pm_host *host, void *memory, size_t size);

char *pm_copy_text(const pm_host *host, const char *text);

/* The host of work within a call, which does not report progress. */
pm_host pm_host_within(const pm_host *host);

/* PM_ERROR_ARGUMENT for one function of two that belong together. */
pm_status pm_host_check(const pm_host *host, pm_error *error);

/* Accepts NULL. */
void pm_release(void *memory);

/* Blocks of pools (large.h), which know themselves where they are from. */
void *pm_allocate_whole(const pm_host *host, size_t alignment, size_t size);
void pm_release_whole(const pm_host *host, size_t alignment, size_t size, void *whole);

#endif
