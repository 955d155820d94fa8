/* SPDX-License-Identifier: MIT
 *
 * Bytes that grow, and the sink into them.
 */
#include "support/file_bytes.h"

#include <stdlib.h>
#include <string.h>

void bytes_free(file_bytes *bytes) {
    free(bytes->data);
    *bytes = (file_bytes){.size = 0};
}

void bytes_add(file_bytes *bytes, const void *data, size_t size) {
    if (bytes->size + size > bytes->room) {
        bytes->room = 2 * (bytes->size + size);
        bytes->data = realloc(bytes->data, bytes->room);
        if (!bytes->data)
            abort();
    }
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void bytes_add_number(file_bytes *bytes, uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++) {
        const char byte = (char)(value >> 8 * i & 0xff);
        bytes_add(bytes, &byte, 1);
    }
}

static pm_status append(void *user, const void *data, size_t size, pm_error *error) {
    (void)error;
    bytes_add(user, data, size);
    return PM_OK;
}

motion_sink bytes_sink(file_bytes *bytes) {
    return (motion_sink){append, bytes};
}
