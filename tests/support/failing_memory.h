/* SPDX-License-Identifier: MIT
 *
 * Work whose allocations fail. Works only in an executable linked with --wrap for malloc, calloc, realloc,
 * free, strdup and strndup.
 */
#ifndef POSEMILL_TESTS_FAILING_MEMORY_H
#define POSEMILL_TESTS_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Runs `work` with each of its allocations failing, alone and with all that follow, until none fails;
 * there must be at least `least`. `work` says whether it succeeded, which it must where nothing failed,
 * and must not otherwise, but for up to `spare` failures that it can do without. What it prints to
 * stderr is lost. */
void fail_each_allocation(bool (*work)(void), size_t least, size_t spare);

/* Blocks that the wrapped functions gave and took. The blocks of libraries are not among them. */
long live_blocks(void);

/* The sum of all requests so far in bytes, and some more for each: work that a test bounds without a
 * clock. */
size_t counted_bytes(void);

#endif
