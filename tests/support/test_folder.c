/* SPDX-License-Identifier: MIT
 *
 * Files in a temporary folder, removed by name when the test ends.
 */
#define _XOPEN_SOURCE 700

#include "test_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "motion/base/os.h"
#include "test.h"

static char folder[TEST_FOLDER_PATH];

bool test_folder_make(char path[TEST_FOLDER_PATH]) {
    const char *place = getenv("TEMP"); /* that of Windows */
    const int length =
        snprintf(path, TEST_FOLDER_PATH, "%s/posemill-test-XXXXXX", place ? place : "/tmp");
    return length < TEST_FOLDER_PATH && os_make_new_folder(path) == 0;
}

static void remove_content(const char *path) {
    char inner[4096];
    const char *name;
    os_info info;
    os_folder *entries = os_folder_open(path);
    while (entries && (name = os_folder_next(entries)) != NULL) {
        if (snprintf(inner, sizeof inner, "%s/%s", path, name) >= (int)sizeof inner)
            continue;
        if (os_look_at_link(inner, &info) && info.kind == OS_FOLDER)
            remove_content(inner);
        os_remove(inner);
    }
    os_folder_close(entries);
}

bool test_folder_remove(const char *path) {
    os_info info;
    remove_content(path);
    os_remove(path);
    return !os_look(path, &info);
}

int test_folder_enter(void **state) {
    (void)state;
    return test_folder_make(folder) && chdir(folder) == 0 ? 0 : -1;
}

int test_folder_leave(void **state) {
    (void)state;
    return chdir("/") == 0 && test_folder_remove(folder) ? 0 : -1;
}

static void make_folders(const char *path) {
    char part[4096];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        (void)os_make_folder(part);
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
    os_info info;
    FILE *file = fopen(path, "rb");
    if (!file || !os_look(path, &info))
        fail_msg("%s cannot be read", path);
    char *data = malloc((size_t)info.size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)info.size, file), info.size);
    data[info.size] = '\0';
    fclose(file);
    if (size)
        *size = (size_t)info.size;
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

static void expect_made(int result) {
    if (result != 0 && errno == ENOSYS)
        skip();
    assert_int_equal(result, 0);
}

void test_folder_link(const char *target, const char *path) {
    make_folders(path);
    expect_made(symlink(target, path));
}

void test_folder_pipe(const char *path) {
    make_folders(path);
    expect_made(mkfifo(path, 0600));
}

size_t test_folder_count(const char *path) {
    size_t count = 0;
    os_folder *entries = os_folder_open(path);
    assert_non_null(entries);
    while (os_folder_next(entries))
        count++;
    os_folder_close(entries);
    return count;
}

void test_folder_expect_same(const char *a, const char *b) {
    size_t sizes[2];
    char *x = test_folder_read(a, &sizes[0]), *y = test_folder_read(b, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(x, y, sizes[0]);
    free(x);
    free(y);
}
