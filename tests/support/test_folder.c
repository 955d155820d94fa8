/* SPDX-License-Identifier: MIT
 *
 * Files in a folder below /tmp, removed by name when the test ends.
 */
#define _XOPEN_SOURCE 700

#include "test_folder.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

int test_folder_enter(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/posemill-test-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    return remove(path);
}

int test_folder_leave(void **state) {
    enum { DESCRIPTORS = 16 };
    (void)state;
    return chdir("/") == 0 && nftw(folder, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS) == 0
               ? 0
               : -1;
}

static void make_folders(const char *path) {
    char part[4096];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        (void)mkdir(part, 0777);
    }
}

void test_folder_put(const char *path, const void *data, size_t size) {
    make_folders(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void test_folder_put_text(const char *path, const char *text) {
    test_folder_put(path, text, strlen(text));
}

void test_folder_link(const char *target, const char *path) {
    make_folders(path);
    assert_int_equal(symlink(target, path), 0);
}
