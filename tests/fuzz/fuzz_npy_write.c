/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the .npy writer: an array of any shape is written and read again unchanged.
 */
#include "fuzz.h"
#include "motion/npz/npy_file.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 64 }; /* limit of an axis except the first */

/* A shape for the rest of the input: the first axis is as long as the data allow. */
static size_t set_config(fuzz_input *input, size_t width, size_t rank, size_t shape[4]) {
    size_t row = 1;
    for (size_t i = 1; i < rank; i++) {
        shape[i] = fuzz_byte(input) % MAX;
        row *= shape[i];
    }
    if (rank > 0) {
        shape[0] = row > 0 ? input->left / width / row : fuzz_byte(input);
        row *= shape[0];
    }
    return row;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    size_t shape[4] = {0};
    char header[NPY_HEADER_MAX], reason[NPY_REASON_SIZE] = "";
    npy_array array;
    const pm_number type = fuzz_byte(&input) & 1 ? PM_FLOAT64 : PM_FLOAT32;
    const size_t width = type == PM_FLOAT64 ? 8 : 4, rank = fuzz_byte(&input) % 5u;
    const size_t count = set_config(&input, width, rank, shape);
    if (count * width > input.left)
        return 0;
    const size_t begins = npy_write_header(type, rank, shape, header);
    char *file = malloc(begins + count * width);
    if (!file)
        return 0;
    memcpy(file, header, begins);
    memcpy(file + begins, input.at, count * width);
    if (begins % 64 != 0 || !npy_parse(file, begins + count * width, &array, reason) ||
        array.type != type || array.rank != rank || array.count != count ||
        memcmp(array.shape, shape, rank * sizeof *shape) != 0 ||
        memcmp(array.data, input.at, count * width) != 0)
        abort();
    free(file);
    return 0;
}
