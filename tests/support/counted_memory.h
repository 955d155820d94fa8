/* SPDX-License-Identifier: MIT
 *
 * Counts the memory that code requests: work that a test can bound without a clock. Works only in an
 * executable linked with --wrap for malloc, calloc and realloc.
 */
#ifndef POSEMILL_TESTS_COUNTED_MEMORY_H
#define POSEMILL_TESTS_COUNTED_MEMORY_H

#include <stddef.h>

/* The sum of all requests so far, in bytes; each counts some bytes more than it requests. */
size_t counted_bytes(void);

#endif
