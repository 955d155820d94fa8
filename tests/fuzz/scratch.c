/* SPDX-License-Identifier: MIT
 *
 * The folder is created once and not removed: libFuzzer ends without calling the fuzzer. It lies
 * in TMPDIR.
 */
#include "scratch.h"

#include "motion/base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder(void) {
    static char path[SCRATCH_PATH / 2] = "";
    const char *parent = getenv("TMPDIR");
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s/posemill-fuzz-XXXXXX", parent ? parent : "/tmp");
        if (os_make_new_folder(path) != 0)
            abort();
    }
    return path;
}

void scratch_path(const char *name, char path[SCRATCH_PATH]) {
    if (snprintf(path, SCRATCH_PATH, "%s/%s", folder(), name) >= SCRATCH_PATH)
        abort();
}

void scratch_write(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

bool scratch_exists(const char *path) {
    os_info info;
    return os_look(path, &info);
}

void scratch_remove(const char *path) {
    os_remove(path);
}

size_t scratch_count(void) {
    os_folder *entries = os_folder_open(folder());
    size_t count = 0;
    if (!entries)
        abort();
    while (os_folder_next(entries))
        count++;
    os_folder_close(entries);
    return count;
}

uint8_t fuzz_byte(fuzz_input *input) {
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

void fuzz_line(fuzz_input *input, char *line, size_t size) {
    size_t used = 0;
    while (input->left > 0) {
        const uint8_t byte = fuzz_byte(input);
        if (byte == '\n')
            break;
        if (byte != '\0' && used + 1 < size)
            line[used++] = (char)byte;
    }
    line[used] = '\0';
}
