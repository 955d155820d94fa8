/* SPDX-License-Identifier: MIT
 *
 * The folder is created once and not removed: libFuzzer ends without calling the fuzzer. It lies
 * in TMPDIR.
 */
#define _POSIX_C_SOURCE 200809L

#include "scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *folder(void) {
    static char path[SCRATCH_PATH / 2] = "";
    const char *parent = getenv("TMPDIR");
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s/posemill-fuzz-XXXXXX", parent ? parent : "/tmp");
        if (!mkdtemp(path))
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
    return access(path, F_OK) == 0;
}

void scratch_remove(const char *path) {
    (void)unlink(path);
}

size_t scratch_count(void) {
    DIR *entries = opendir(folder());
    size_t count = 0;
    if (!entries)
        abort();
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
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
