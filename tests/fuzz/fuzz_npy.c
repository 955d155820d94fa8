/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a .npy file: parsed without harm, and what is accepted must lie inside
 * the file and be as large as it says.
 */
#include "formats/npy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    npy_array array;
    char reason[NPY_REASON_SIZE] = "";
    /* A copy of its own, so that a read past the end is seen. */
    char *file = malloc(size > 0 ? size : 1);
    if (file == NULL) {
        return 0;
    }
    memcpy(file, data, size);
    if (npy_parse(file, size, &array, reason)) {
        const char *begin = array.data;
        size_t width = array.type == PM_FLOAT32 ? 4 : 8;
        if (begin < file || begin + array.bytes != file + size ||
            array.bytes != array.count * width || array.rank > NPY_MAX_RANK) {
            abort();
        }
    } else if (reason[0] == '\0' || memchr(reason, '\0', NPY_REASON_SIZE) == NULL) {
        abort();
    }
    free(file);
    return 0;
}
