/* SPDX-License-Identifier: MIT
 *
 * usage: fuzz_NAME FILE...
 *
 * Runs a fuzzer on given inputs alone, where no libFuzzer is.
 */
#include "fuzz.h"
#include "support/file_bytes.h"

#include <stdio.h>

static void read_file(const char *path, file_bytes *bytes) {
    char buffer[1 << 12];
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        bytes_add(bytes, buffer, got);
    require(ferror(file) == 0 && fclose(file) == 0);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        file_bytes input = {0};
        read_file(argv[i], &input);
        printf("%s: %zu bytes\n", argv[i], input.size);
        fflush(stdout);
        LLVMFuzzerTestOneInput((const uint8_t *)input.data, input.size);
        bytes_free(&input);
    }
    return argc > 1 ? 0 : 1;
}
