/* SPDX-License-Identifier: MIT
 *
 * Large memory in huge pages where the system offers them.
 */
#define _DEFAULT_SOURCE

#include "large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

void *pm_large_allocate(size_t size) {
    const size_t page = size >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    if (size > SIZE_MAX - page)
        return NULL;
    void *memory = aligned_alloc(page, (size + page - 1) / page * page);
#ifdef MADV_HUGEPAGE
    if (memory && page == HUGE_PAGE)
        madvise(memory, size, MADV_HUGEPAGE); /* only advice: small pages do as well */
#endif
    return memory;
}
