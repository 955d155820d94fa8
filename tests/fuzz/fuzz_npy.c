/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the .npy reader: any bytes are parsed safely, and the data of an accepted file lie
 * inside the file and have the stated size.
 */
#include "fuzz.h"
#include "motion/npz/npy_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    npy_array array;
    char reason[NPY_REASON_SIZE] = "";
    /* A separate copy, so that a sanitizer detects a read past the end. */
    char *file = malloc(size > 0 ? size : 1);
    if (!file)
        return 0;
    memcpy(file, data, size);
    if (npy_parse(file, size, &array, reason)) {
        const char *begin = array.data;
        size_t width = array.type == PM_FLOAT32 ? 4 : 8;
        if (begin < file || begin + array.bytes != file + size ||
            array.bytes != array.count * width || array.rank > NPY_MAX_RANK)
            abort();
    } else if (reason[0] == '\0' || !memchr(reason, '\0', NPY_REASON_SIZE)) {
        abort();
    }
    free(file);
    return 0;
}
