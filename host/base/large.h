/* SPDX-License-Identifier: MIT
 *
 * Memory for arrays of many megabytes, aligned so that OpenCL devices can share it.
 */
#ifndef PM_HOST_LARGE_H
#define PM_HOST_LARGE_H

#include <stddef.h>

/* `size` bytes, undefined, aligned to at least 4096 bytes; in huge pages where the system has them,
 * because making small ones takes as long as filling them. NULL: no memory. Free with free(). */
void *pm_large_allocate(size_t size);

#endif
