/* SPDX-License-Identifier: MIT
 *
 * Advice to the system, which may ignore it: small pages do as well.
 */
#define _DEFAULT_SOURCE

#include "motion/base/huge_pages.h"

#include <stdint.h>
#include <sys/mman.h>

void motion_ask_for_huge_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
    enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };
    const size_t before = -(uintptr_t)memory % PAGE;
    if (memory && size >= 2 * (size_t)HUGE_PAGE)
        madvise((char *)memory + before, size - before, MADV_HUGEPAGE);
#endif
    (void)memory;
    (void)size;
}
