/* SPDX-License-Identifier: MIT
 *
 * The linker's --wrap requires these names.
 */
#include "counted_memory.h"
#include "wrapped.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { EACH = 64 }; /* so that many small requests count too */

static atomic_size_t total;

size_t counted_bytes(void) {
    return atomic_load(&total);
}

WRAPPED(void *, malloc, size_t size) {
    atomic_fetch_add(&total, size + EACH);
    return __real_malloc(size);
}

WRAPPED(void *, calloc, size_t count, size_t size) {
    atomic_fetch_add(&total, count * size + EACH);
    return __real_calloc(count, size);
}

WRAPPED(void *, realloc, void *block, size_t size) {
    atomic_fetch_add(&total, size + EACH);
    return __real_realloc(block, size);
}
