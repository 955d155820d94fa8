/* SPDX-License-Identifier: MIT
 *
 * Runs the command as a process, by a shell, in a folder of the test.
 */
#define _POSIX_C_SOURCE 200809L

#include "command.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "motion/npz/npy_file.h"
#include "support/test.h"
#include "support/test_folder.h"

#ifndef POSEMILL_COMMAND
#error "POSEMILL_COMMAND must name the command to test"
#endif

char command_folder[] = "/tmp/posemill-cli-XXXXXX";
char output[131072];
char error_output[8192];

static void read_text(const char *name, char *text, size_t size) {
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    size_t got = fread(text, 1, size - 1, file);
    text[got] = '\0';
    fclose(file);
}

int run(const char *line) {
    char script[4096];
    output[0] = error_output[0] = '\0';
    int used = snprintf(script, sizeof script, "{ %s\n} >stdout.txt 2>stderr.txt </dev/null", line);
    assert_true(used > 0 && (size_t)used < sizeof script);
    int status = system(script);
    read_text("stdout.txt", output, sizeof output);
    read_text("stderr.txt", error_output, sizeof error_output);
    remove("stdout.txt");
    remove("stderr.txt");
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

void expect(int code, const char *line) {
    int got = run(line);
    if (got != code)
        fail_msg("exit code %d instead of %d from: %s\n%s", got, code, line, error_output);
}

void expect_word(const char *text, const char *word) {
    if (!strstr(text, word))
        fail_msg("'%s' is not in: %s", word, text);
}

void expect_failure(int code, const char *line, const char *word) {
    expect(code, line);
    expect_word(error_output, word);
    assert_memory_equal(error_output, "posemill: ", 10);
    size_t lines = 0;
    for (const char *c = error_output; *c != '\0'; c++)
        lines += *c == '\n';
    assert_in_range(lines, 1, 2);
}

void expect_nothing_but(const char *const *names, size_t count) {
    DIR *entries = opendir(".");
    assert_non_null(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        bool known = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        for (size_t i = 0; i < count; i++)
            known = known || strcmp(entry->d_name, names[i]) == 0;
        if (!known)
            fail_msg("left behind: %s", entry->d_name);
    }
    closedir(entries);
}

int command_empty_folder(void **state) {
    (void)state;
    return system("chmod -R u+rwX . && rm -rf ./* ./.posemill*") == 0 ? 0 : -1;
}

int command_enter_folder(void **state) {
    (void)state;
    const char *other = getenv("POSEMILL_TEST_COMMAND"); /* of another system, with what runs it */
    unsetenv("POSEMILL_DEVICE");
    setenv("posemill", other ? other : POSEMILL_COMMAND, 1);
    return mkdtemp(command_folder) && chdir(command_folder) == 0 ? 0 : -1;
}

int command_leave_folder(void **state) {
    (void)state;
    return chdir("/") == 0 && rmdir(command_folder) == 0 ? 0 : -1;
}

void command_put_array(const char *name, pm_number type, size_t rank, const size_t *shape,
                       const void *data) {
    char header[NPY_HEADER_MAX];
    const size_t length = npy_write_header(type, rank, shape, header);
    size_t size = type == PM_FLOAT32 ? 4 : 8;
    for (size_t i = 0; i < rank; i++)
        size *= shape[i];
    SCOPED(free_at) char *file = malloc(length + size);
    assert_non_null(file);
    memcpy(file, header, length);
    memcpy(file + length, data, size);
    test_folder_put(name, file, length + size);
}
