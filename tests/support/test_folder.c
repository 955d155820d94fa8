/* SPDX-License-Identifier: MIT
 *
 * Files in a folder below /tmp, removed by name when the test ends.
 */
#define _XOPEN_SOURCE 700

#include "test_folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

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

char *test_folder_read(const char *path, size_t *size) {
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0)
        fail_msg("%s cannot be read", path);
    char *data = malloc((size_t)status.st_size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)status.st_size, file), status.st_size);
    data[status.st_size] = '\0';
    fclose(file);
    if (size)
        *size = (size_t)status.st_size;
    return data;
}

char *test_folder_output_of(const char *command, const char *sources) {
    enum { MOST = 1 << 17 };
    char options[1024], *text = malloc(MOST);
    snprintf(options, sizeof options, "suppressions=%s/tests/lsan.supp", sources);
    setenv("LSAN_OPTIONS", options, 0);
    FILE *pipe = popen(command, "r");
    assert_true(text && pipe);
    const size_t size = fread(text, 1, MOST - 1, pipe);
    assert_true(size > 0 && size < MOST - 1);
    text[size] = '\0';
    assert_int_equal(pclose(pipe), 0);
    return text;
}

void test_folder_link(const char *target, const char *path) {
    make_folders(path);
    assert_int_equal(symlink(target, path), 0);
}

size_t test_folder_count(const char *path) {
    size_t count = 0;
    DIR *entries = opendir(path);
    assert_non_null(entries);
    while (readdir(entries))
        count++;
    closedir(entries);
    return count - 2; /* . and .. */
}

void test_folder_expect_same(const char *a, const char *b) {
    size_t sizes[2];
    char *x = test_folder_read(a, &sizes[0]), *y = test_folder_read(b, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(x, y, sizes[0]);
    free(x);
    free(y);
}
