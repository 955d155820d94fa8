/* SPDX-License-Identifier: MIT
 *
 * Memory of Linux, and of its C libraries.
 */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */

#include "motion/batch/schedule.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

static uint64_t quarter_of_memory(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages / 4 * (uint64_t)page : UINT64_C(1) << 30;
}

uint64_t machine_memory(uint64_t limit) {
    struct rusage usage;
    const uint64_t taken =
        getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss << 10 : 0;
    const uint64_t all = limit != 0 ? limit : quarter_of_memory();
    return all > taken ? all - taken : 0;
}

/* By default the C library gives 2 MB back to the system after each file, and takes them again:
 * measured, 20,000 files of 24 kB take 1.15 times as long. */
void machine_keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
#endif
}

/* The C library keeps what a thread freed for that thread, so that each would hold the memory of its
 * largest file. */
void machine_give_memory_back(uint64_t bytes) {
#ifdef __GLIBC__
    if (bytes >= UINT64_C(1) << 20)
        malloc_trim(0);
#else
    (void)bytes;
#endif
}
