/* SPDX-License-Identifier: MIT
 *
 * Where requests read and write.
 */
#ifndef PM_HOST_ADDRESS_H
#define PM_HOST_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Host memory, or an offset in an object of the backend's API. Both NULL: there is none. */
typedef struct pm_address {
    void *memory;
    void *handle;
    size_t offset; /* bytes from the begin of the handle's memory */
} pm_address;

/* The address of host memory, which inputs do not write. */
static inline pm_address pm_in_memory(const void *memory) {
    return (pm_address){.memory = (void *)(uintptr_t)memory};
}

static inline bool pm_is_given(const pm_address *address) {
    return address->memory || address->handle;
}

#endif
